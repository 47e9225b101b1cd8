import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { read, remove } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { seedArtworks, seedItems } from './seed.ts';

describePage('export', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  async function saved(): Promise<{ name: string; bytes: Buffer }> {
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+Enter')]);
    await page.getByText(/^Done, /).waitFor();
    return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
  }

  test('a collection is saved in each form, by keys alone', async () => {
    const id = await seedArtworks(node, 40);
    await visitor.go(`/collections/${id}`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await page.keyboard.press('o');
    await page.getByRole('heading', { name: 'Export', level: 1 }).waitFor();
    await expect.poll(() => page.getByLabel('What', { exact: true }).inputValue()).toBe(id);
    await lookAt(page, 'export');
    const car = await saved();
    expect(car.name).toMatch(/^Tate-[\d-]+\.car$/);
    expect(car.bytes.length).toBeGreaterThan(20_000);
    await lookAt(page, 'export-done');

    const starts: [string, RegExp, (start: Buffer) => boolean][] = [
      ['Bag (BagIt)', /-bag\.zip$/, (bytes) => bytes.subarray(0, 2).toString() === 'PK'],
      ['Crate (RO-Crate)', /-ro-crate\.zip$/, (bytes) => bytes.subarray(0, 2).toString() === 'PK'],
      ['Lines (NDJSON)', /\.ndjson$/, (bytes) => bytes.toString().trim().split('\n').length > 40],
      ['Table (CSV)', /\.csv$/, (bytes) => bytes.toString().startsWith('id,cid,ver,type')],
    ];
    for (const [form, name, fits] of starts) {
      await page.getByRole('radio', { name: form }).focus();
      await page.keyboard.press('Space');
      const file = await saved();
      expect(file.name).toMatch(name);
      expect(fits(file.bytes), form).toBe(true);
    }
    await page.getByText('A table has no history').waitFor();
    expect(new URL(page.url()).searchParams.get('format')).toBe('csv');
    expect(visitor.faults).toEqual([]);
  });

  test('a selection is saved alone, and stays through a reload', async () => {
    const id = await seedItems(node, 8);
    await visitor.go(`/collections/${id}?sort=label`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    // What the table is filtered by is no selection.
    const whole = page.getByText('All of the collection is saved, whatever its table was filtered by.');
    for (const [box, notes] of [
      ['item', 1],
      ['', 0],
    ] as const) {
      await page.getByRole('searchbox', { name: 'Filter by label' }).fill(box);
      await page.waitForURL(box ? /contains/ : (url) => !url.search.includes('contains'));
      await page.getByRole('main').getByRole('button', { name: 'Export' }).click();
      await page.getByLabel('What', { exact: true }).waitFor();
      expect(await whole.count()).toBe(notes);
      await page.goBack();
      await page.locator('[aria-rowindex="2"] a').waitFor();
    }
    await page.getByRole('grid').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('o');
    await page.getByText('2 selected entities').waitFor();
    await page.getByRole('radio', { name: 'Lines (NDJSON)' }).focus();
    await page.keyboard.press('Space');
    await page.reload();
    await page.getByText('2 selected entities').waitFor();
    await lookAt(page, 'export-selection');
    const { bytes } = await saved();
    const labels = bytes
      .toString()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).properties.label);
    expect(labels.sort()).toEqual(['Item 00000', 'Item 00001']);
    expect(visitor.faults).toEqual([]);
  });

  test('names the collection that is saved before the list has come, and says of one that it was deleted', async () => {
    const id = await seedItems(node, 2);
    const listing = Promise.withResolvers<void>();
    await page.route('**/node/collections?*', async (route) => {
      await listing.promise;
      await route.continue();
    });
    await visitor.go(`/export?collection=${id}`);
    const what = page.getByLabel('What', { exact: true });
    await expect.poll(() => what.locator('option:checked').innerText()).toBe('Items');
    listing.resolve();
    const me = operator(node);
    await remove(node, me, await read(node, me, id));
    await visitor.go('/');
    await visitor.go(`/export?collection=${id}`);
    await page.getByText('This was deleted.').waitFor();
    expect(await page.getByRole('button', { name: /^Save the file/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Deleted collections' }).click();
    await page.getByRole('link', { name: 'Items' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('is begun once at a time, and stopped only where the node says so', async () => {
    const id = await seedItems(node, 8);
    // The download never ends, as that of much would not for long.
    const begun = Promise.withResolvers<void>();
    let prepared = 0;
    await page.route('**/node/exports/*/file', () => begun.resolve());
    await page.route('**/node/exports', async (route) => {
      if (route.request().method() === 'POST') prepared++;
      await route.continue();
    });
    await page.route('**/node/exports/*', async (route) => {
      if (route.request().method() !== 'GET') return route.fallback();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), state: 'running' } });
    });
    await visitor.go(`/export?collection=${id}`);
    await page.getByRole('button', { name: /^Save the file/ }).waitFor();
    await page.keyboard.press('Control+Enter');
    await page.getByText(/9 entities$/).waitFor();
    await page.getByText(/so far/).waitFor();
    await page.keyboard.press('Control+Enter');

    let answers: 'none' | 'refused' | 'as usual' = 'none';
    await page.route('**/node/exports/*', (route) => {
      if (route.request().method() !== 'DELETE' || answers === 'as usual') return route.fallback();
      if (answers === 'none') return route.abort('connectionreset');
      return route.fulfill({ status: 503, json: { error: 'It is being shut down' } });
    });
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await stop.click();
    await page.getByText('The node does not answer.').waitFor();
    answers = 'refused';
    await stop.click();
    await page.getByText('It is being shut down').waitFor();
    expect(await stop.isVisible()).toBe(true);
    answers = 'as usual';
    await stop.click();
    await stop.waitFor({ state: 'detached' });
    expect(prepared).toBe(1);

    // A node that was started anew knows nothing of one that was under way.
    await page.keyboard.press('Control+Enter');
    await stop.waitFor();
    await page.route('**/node/exports/*', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ status: 404, json: { error: 'Entity not found' } })
        : route.fallback(),
    );
    await page.getByText('There is no such thing on this node.').waitFor();
    await page.getByText('The node no longer knows this export: it was started anew').waitFor();
    await stop.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Save the file/, disabled: false }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
