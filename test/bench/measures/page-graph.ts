import type { Page } from 'playwright-core';
import { openBrowser } from '../../ui/chromium.ts';
import { call } from '../call.ts';
import type { Node } from '../processes.ts';
import { atLeastRow, plainRow } from '../report.ts';

/** With their collection as many entities as the page ever draws, each tied to two of ten others. */
const [hubs, items] = [10, 4989];

/** The page's graph of 5,000 entities: frames while everything finds its place, and while it is moved about after that. */
export async function measurePageGraph(node: Node): Promise<void> {
  const ids = await seed(node);
  const browser = await openBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    const { url } = await call<{ url: string }>(node, 'POST /node/session-links', {});
    await page.goto(url);
    await page.getByRole('navigation').waitFor();
    const begun = performance.now();
    await page.goto(`${node.url}/ui/graph?of=${ids.join('.')}&most=1000&without=[]`);
    await page.getByText(/Shows 5,000 entities/).waitFor();
    plainRow('page, graph of 5,000 entities, until it is there', (performance.now() - begun) / 1000, 's');
    await page.getByText(/finding places/).waitFor();
    atLeastRow('page, graph of 5,000 entities, moved while it finds its places', await frames(page), 'frames/s', 30);
    await page.getByText(/finding places/).waitFor({ state: 'detached' });
    atLeastRow('page, graph of 5,000 entities, moved', await frames(page), 'frames/s', 30);
  } finally {
    await browser.close();
  }
}

async function seed(node: Node): Promise<string[]> {
  const home = await call<{ id: string }>(node, 'POST /collections', { label: 'Graph' });
  const made = async (entities: object[]) => {
    const { results } = await call<{ results: { id: string }[] }>(node, 'POST /entities/batch', {
      entities,
      default_collection: home.id,
    });
    return results.map(({ id }) => id);
  };
  const label = (name: string, i: number) => ({ properties: { label: `${name} ${i}` } });
  const ids = await made(Array.from({ length: hubs }, (_, i) => ({ type: `hub ${i % 3}`, ...label('Hub', i) })));
  for (let at = 0; at < items; at += 100)
    await made(
      Array.from({ length: Math.min(100, items - at) }, (_, n) => {
        const i = at + n;
        const peers = [i % hubs, Math.floor((i * 7) / 3) % hubs].map((hub) => ids[hub]);
        return {
          type: `item ${i % 5}`,
          ...label('Item', i),
          relationships: [...new Set(peers)].map((peer) => ({ predicate: 'part_of', peer })),
        };
      }),
    );
  return ids;
}

async function frames(page: Page): Promise<number> {
  const { count, milliseconds } = (await page.evaluate(moving)) as { count: number; milliseconds: number };
  return count / (milliseconds / 1000);
}

/** Runs in the page: three seconds in which the drawing is dragged in a circle, a bit at each frame. */
const moving = `new Promise((done) => {
  const drawing = document.querySelector('.sigma-mouse');
  const { left, top, width, height } = drawing.getBoundingClientRect();
  const send = (target, type, turn) =>
    target.dispatchEvent(new MouseEvent(type, {
      bubbles: true, button: 0, buttons: 1,
      clientX: left + width / 2 + 80 * Math.cos(turn), clientY: top + height / 2 + 80 * Math.sin(turn),
    }));
  send(drawing, 'mousedown', 0);
  const begun = performance.now();
  let count = 0;
  const step = () => {
    count++;
    send(document, 'mousemove', count / 15);
    const milliseconds = performance.now() - begun;
    if (milliseconds < 3000) return requestAnimationFrame(step);
    send(document, 'mouseup', count / 15);
    done({ count, milliseconds });
  };
  requestAnimationFrame(step);
})`;
