import { expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('while much is written', () => {
  let node: TestNode;
  let visitor: Visit;
  onNewPage((scene) => {
    ({ node, visitor } = scene);
  });

  /** Makes a letter every second while something is looked at. @returns how many */
  async function writing(me: Person, home: Entity, look: () => Promise<void>): Promise<number> {
    let isOver = false;
    const looked = look().finally(() => {
      isOver = true;
    });
    let count = 0;
    for (; !isOver; count++) {
      await create(node, me, { type: 'letter', collection: home.id, properties: { label: `To Ada ${count}` } });
      await new Promise((done) => setTimeout(done, 1000));
    }
    await looked;
    return count;
  }

  test('the node is not asked to count everything at each move', async () => {
    const { page } = visitor;
    const me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    let [counts, changes] = [0, 0];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/node/status') counts++;
      if (pathname === '/events' && searchParams.get('limit') !== '1') changes++;
    });
    const began = performance.now();
    await visitor.go('/');
    await page.getByRole('heading', { name: 'Node', level: 2 }).waitFor();
    await writing(me, home, async () => {
      await expect.poll(() => changes).toBeGreaterThan(4);
      // Every 15 seconds, and twice at the beginning.
      expect(counts).toBeLessThanOrEqual(2 + Math.floor((performance.now() - began) / 15_000));
      // It is asked now and then all the same.
      await expect.poll(() => counts).toBeGreaterThan(1);
    });
    expect(visitor.faults).toEqual([]);
  });

  test('what somebody else has made while a page was loaded is shown, however late the page hears of moves', async () => {
    const { page } = visitor;
    const held = Promise.withResolvers<void>();
    await page.route('**/events?*', async (route) => {
      await held.promise;
      await route.continue();
    });
    const asks = page.waitForRequest('**/events?*');
    await visitor.load('/collections');
    await asks;
    // What the page asks for by itself beside that has been answered by then.
    await page.waitForTimeout(1500);
    await collection(node, operator(node), { label: 'Letters' });
    held.resolve();
    await page.getByRole('link', { name: 'Letters' }).first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a screen stays while the page cannot hear of moves, and shows what came meanwhile once it can', async () => {
    const { page } = visitor;
    await page.route('**/events?*', (route) => route.fulfill({ status: 503, json: { error: 'busy' } }));
    const asked = () => page.waitForRequest('**/events?*');
    await visitor.load('/collections');
    const main = page.getByRole('main');
    await main.getByRole('heading').first().waitFor();
    await page.waitForLoadState('networkidle');
    const heading = await main.getByRole('heading').first().elementHandle();
    await asked();
    await asked();
    expect(await heading?.isVisible()).toBe(true);
    await collection(node, operator(node), { label: 'Letters' });
    await page.unroute('**/events?*');
    await main.getByRole('link', { name: 'Letters' }).first().waitFor();
  });

  test('what takes longer to answer than moves are apart is shown, and asked for once more', async () => {
    const { page } = visitor;
    const me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'The first' } });
    await visitor.go(`/collections/${home.id}`);
    await page.getByText('One entity', { exact: true }).waitFor();
    let [under, most] = [0, 0];
    await page.route('**/node/collections/*/table?*', async (route) => {
      most = Math.max(most, ++under);
      const response = await route.fetch();
      await new Promise((done) => setTimeout(done, 7000));
      await route.fulfill({ response }).catch(() => undefined);
      under--;
    });
    const shown = page.getByRole('status').getByText(/^\d+ entities$/);
    const count = await writing(me, home, async () => {
      await shown.waitFor({ timeout: 60_000 });
      expect(most).toBe(1);
    });
    const all = 1 + count;
    await expect.poll(() => shown.innerText()).toBe(`${all} entities`);
    expect(visitor.faults).toEqual([]);
  });

  test('the names of peers are not asked for at each move, and of thousands some are shown', async () => {
    const { page } = visitor;
    const me = operator(node);
    const home = await collection(node, me, { label: 'Letters' });
    const people = Array.from({ length: 400 }, (_, n) => ({
      type: 'person',
      collection: home.id,
      properties: { label: `Person ${n}` },
    }));
    const ids: string[] = [];
    for (let n = 0; n < people.length; n += 100) {
      const { results } = ok<{ results: { id: string }[] }>(
        await ask(node, me, 'POST /entities/batch', { entities: people.slice(n, n + 100) }),
      );
      ids.push(...results.map(({ id }) => id));
    }
    const relationships = ids.map((peer) => ({ predicate: 'names', peer }));
    const list = await create(node, me, { type: 'list', collection: home.id, properties: { label: 'All' } });
    await update(node, me, list, { relationships_add: relationships });
    let [asked, read] = [0, 0];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (pathname.endsWith('/preview')) asked++;
      if (pathname === `/entities/${list.id}`) read++;
    });
    await visitor.go(`/entities/${list.id}`);
    const named = page.getByRole('link', { name: /^Person \d+$/ });
    await expect.poll(() => named.count()).toBe(30);
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await expect.poll(() => named.count()).toBe(330);
    const [before, first] = [asked, read];
    await writing(me, home, async () => {
      await expect.poll(() => read).toBeGreaterThan(first + 1);
    });
    expect(asked).toBe(before);
    await page.getByRole('button', { name: 'Show all 400', exact: true }).click();
    await expect.poll(() => named.count()).toBe(400);

    await visitor.go(`/entities/${list.id}/history`);
    const rows = page.getByRole('region', { name: 'Comparison' }).getByRole('row');
    await rows.nth(10).waitFor();
    expect(await rows.count()).toBeLessThan(320);
    expect(visitor.faults).toEqual([]);
  });
});
