import { gzipSync } from 'node:zlib';
import type { Browser, Response } from 'playwright-core';
import { openBrowser } from '../../ui/chromium.ts';
import type { Node } from '../processes.ts';
import { atLeastRow, atMostRow } from '../report.ts';

/** The page over a large collection: until something is there to see, from a click to its result, and scrolling. */
export async function measurePage(node: Node, collection: string): Promise<void> {
  const browser = await openBrowser();
  try {
    const firsts: number[] = [];
    for (let i = 0; i < 5; i++) firsts.push(await firstScreen(browser, node));
    atMostRow('page, first screen in a new browser, median of 5', median(firsts) / 1000, 's', 1);

    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const scripts: Promise<number>[] = [];
    const count = (response: Response) => {
      if (response.request().resourceType() === 'script')
        scripts.push(response.body().then((body) => gzipSync(body).length));
    };
    page.on('response', count);
    await page.goto(await signInLink(node));
    await page.locator('main table a').first().waitFor();
    await page.waitForLoadState('networkidle');
    page.off('response', count);
    const bytes = (await Promise.all(scripts)).reduce((all, one) => all + one, 0);
    atMostRow('page, JavaScript of the first screen, gzipped', bytes / 1000, 'kB', 300);

    await page.goto(`${node.url}/ui/collections/${collection}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    const opened: number[] = [];
    for (let i = 0; i < 5; i++) {
      const seen = page.evaluate(clickToSight) as Promise<number>;
      await page.locator('[aria-rowindex="2"] a').click();
      opened.push(await seen);
      await page.goBack();
      await page.locator('[aria-rowindex="2"] a').waitFor();
    }
    atMostRow('page, from a click on a row to its entity, median of 5', median(opened), 'ms', 100);

    await browser.startTracing(page, {
      categories: ['disabled-by-default-devtools.timeline.frame', 'blink.user_timing'],
    });
    await page.evaluate(scrolling);
    const rate = drawnFrames(JSON.parse((await browser.stopTracing()).toString()));
    atLeastRow('page, scrolling through the table, frames drawn by its trace', rate, 'frames/s', 50);
  } finally {
    await browser.close();
  }
}

/** How long it takes from the sign-in link until the collections are listed, where nothing of the page is kept yet. */
async function firstScreen(browser: Browser, node: Node): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const link = await signInLink(node);
  const taken = await timed(() => page.goto(link).then(() => page.locator('main table a').first().waitFor()));
  await context.close();
  return taken;
}

async function signInLink(node: Node): Promise<string> {
  const answer = await fetch(`${node.url}/node/session-links`, { method: 'POST', headers: node.headers });
  return ((await answer.json()) as { url: string }).url;
}

/** Runs in the page: milliseconds from the next press of the mouse until the properties of an entity are painted. */
const clickToSight = `new Promise((done) => {
  addEventListener('pointerdown', ({ timeStamp }) => {
    const look = () => {
      if (![...document.querySelectorAll('h2')].some(({ textContent }) => textContent === 'Properties'))
        return requestAnimationFrame(look);
      // What is there now is painted with this frame, before the next one begins.
      requestAnimationFrame(() => done(performance.now() - timeStamp));
    };
    look();
  }, { once: true, capture: true });
})`;

/** Runs in the page: three seconds of scrolling by a third of the window a frame, through pages that were never shown. */
const scrolling = `new Promise((done) => {
  const grid = document.querySelector('[role="grid"]');
  const begun = performance.now();
  performance.mark('scrolling-begins');
  const step = () => {
    grid.scrollTop += 200;
    if (performance.now() - begun < 3000) return requestAnimationFrame(step);
    performance.mark('scrolling-ends');
    done();
  };
  requestAnimationFrame(step);
})`;

/** Frames a second that the browser's compositor drew between both marks. */
function drawnFrames({ traceEvents }: { traceEvents: { name: string; ts: number }[] }): number {
  const at = (name: string) => traceEvents.find((event) => event.name === name)?.ts ?? Number.NaN;
  const [begin, end] = [at('scrolling-begins'), at('scrolling-ends')];
  const drawn = traceEvents.filter(({ name, ts }) => name === 'DrawFrame' && ts >= begin && ts <= end);
  return drawn.length / ((end - begin) / 1_000_000);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await run();
  return performance.now() - begun;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
