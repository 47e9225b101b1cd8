import { openBrowser } from '../../ui/chromium.ts';
import type { Node } from '../processes.ts';
import { atLeastRow, atMostRow } from '../report.ts';

/** The page over a large collection: until something is there to see, from a click to its result, and scrolling. */
export async function measurePage(node: Node, collection: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const { url } = (await (
      await fetch(`${node.url}/node/session-links`, { method: 'POST', headers: node.headers })
    ).json()) as { url: string };
    await page.goto(url);
    await page.getByRole('navigation').waitFor();

    const firsts: number[] = [];
    for (let i = 0; i < 5; i++)
      firsts.push(
        await timed(() => page.goto(`${node.url}/ui/`).then(() => page.locator('main table a').first().waitFor())),
      );
    atMostRow('page, first screen, median of 5', median(firsts) / 1000, 's', 1);

    await page.goto(`${node.url}/ui/collections/${collection}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    const opened: number[] = [];
    for (let i = 0; i < 5; i++) {
      opened.push(
        await timed(() =>
          page
            .locator('[aria-rowindex="2"] a')
            .click()
            .then(() => page.getByRole('heading', { name: 'Properties' }).waitFor()),
        ),
      );
      await page.goBack();
      await page.locator('[aria-rowindex="2"] a').waitFor();
    }
    atMostRow('page, from a click on a row to its entity, median of 5', median(opened), 'ms', 100);

    const frames = (await page.evaluate(scrolling)) as { frames: number; milliseconds: number };
    atLeastRow('page, scrolling through the table', frames.frames / (frames.milliseconds / 1000), 'frames/s', 50);
  } finally {
    await browser.close();
  }
}

/** Runs in the page: three seconds of scrolling by a third of the window a frame, through pages that were never shown. */
const scrolling = `new Promise((done) => {
  const grid = document.querySelector('[role="grid"]');
  const begun = performance.now();
  let frames = 0;
  const step = () => {
    frames++;
    grid.scrollTop += 200;
    const milliseconds = performance.now() - begun;
    if (milliseconds < 3000) requestAnimationFrame(step);
    else done({ frames, milliseconds });
  };
  requestAnimationFrame(step);
})`;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
