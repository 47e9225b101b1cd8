import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { read } from '../helpers/entities.ts';
import { importer } from '../helpers/imports.ts';
import { lookAt, patience, signedIn, startPageNode } from './browser.ts';
import { browserThere, openBrowser } from './chromium.ts';

const title = (n: number) => `Work ${String(n).padStart(4, '0')}`;

/** A list as a museum might export it, with a comma and quotes where they hurt. */
function inventory(count: number): string {
  const lines = Array.from(
    { length: count },
    (_, i) => `W${i + 1},${title(i + 1)},"Painter ""${i % 7}"", the elder",${1700 + (i % 300)},Oil on canvas`,
  );
  return ['number,title,artist,year,medium', ...lines].join('\n');
}

/** Somebody without a mouse: what is pressed is all that is done. */
function withoutMouse(page: Page) {
  const { keyboard } = page;
  const press = async (...presses: string[]) => {
    for (const one of presses) await keyboard.press(one);
  };
  const isAt = (place: Locator) =>
    place.evaluate((element: unknown) => {
      const { document } = globalThis as unknown as { document: { activeElement: unknown } };
      return element === document.activeElement;
    });
  /** Goes on with Tab until it is there. */
  const reach = async (place: Locator) => {
    await place.waitFor();
    for (let tabs = 0; tabs < 150; tabs++) {
      if (await isAt(place)) return;
      await press('Tab');
    }
    throw new Error(`No key leads to ${place}.`);
  };
  return {
    press,
    reach,
    type: (text: string) => keyboard.type(text),
    act: async (place: Locator) => {
      await reach(place);
      await press('Enter');
    },
  };
}

describe.skipIf(!browserThere)('a curator without a mouse', { timeout: 2 * patience }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('corrects ten of a thousand works, relates them, finds them, compares, deletes and restores', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    await using visitor = await signedIn(browser, node);
    const { page } = visitor;
    const { press, type, reach, act } = withoutMouse(page);
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
    await heading('Welcome').waitFor();

    const mapping = { records: [{ type: 'artwork', id: 'number', label: 'title' }] };
    const { created } = await importer(node).run(
      { collection: 'Inventory', mapping },
      { 'inventory.csv': inventory(1000) },
    );
    expect(created).toBeGreaterThanOrEqual(1000);

    const open = async (n: number) => {
      await press('g', 'c');
      await heading('Collections').waitFor();
      await page.getByRole('main').getByRole('link', { name: 'Inventory' }).waitFor();
      await press('Enter');
      await heading('Inventory').waitFor();
      await page.locator('[aria-rowindex="2"] a').waitFor();
      await press('/');
      await type(title(n));
      await page.getByText('One entity', { exact: true }).waitFor();
      await page
        .getByRole('row')
        .getByRole('link', { name: title(n) })
        .waitFor();
      // The first leaves the box, the second opens the row.
      await press('Enter', 'Enter');
      await heading(title(n)).waitFor();
    };
    const unsaved = page.getByText('Not saved', { exact: true });
    for (let n = 1; n <= 10; n++) {
      await open(n);
      await press('e');
      await page.locator('#content input:focus, #content textarea:focus').waitFor();
      await press('End');
      await type(', revised');
      if (n > 1) {
        await reach(page.getByRole('combobox', { name: 'The other entity' }));
        await type(title(1));
        await page.getByRole('option', { name: new RegExp(`${title(1)}, revised`) }).waitFor();
        await press('Enter');
        await page.getByRole('button', { name: `Remove ${title(1)}, revised` }).waitFor();
      }
      await unsaved.waitFor();
      if (n === 2) await lookAt(page, 'curator-correction');
      await press('Control+s');
      await unsaved.waitFor({ state: 'detached' });
      await press('Escape');
    }
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    const tenth = await read(node, me, id);
    expect(tenth.properties).toMatchObject({ label: `${title(10)}, revised`, artist: 'Painter "2", the elder' });
    expect(tenth.relationships.map(({ peer_label }) => peer_label)).toContain(`${title(1)}, revised`);

    // The index follows the writes.
    const behind = async () => {
      const { body } = await ask(node, me, 'GET /node/status');
      return (body as { networks: { index: { behind: boolean } }[] }).networks.some(({ index }) => index.behind);
    };
    await expect.poll(behind, { timeout: 60_000, interval: 500 }).toBe(false);
    await press('g', 'f');
    await page.getByRole('searchbox', { name: 'Search for' }).waitFor();
    await press('/');
    await page.locator('input[type="search"]:focus').waitFor();
    await type(`"${title(10)}" revised`);
    const found = page.getByRole('list', { name: 'What was found' });
    await found
      .getByRole('listitem')
      .first()
      .getByText(`${title(10)}, revised`)
      .first()
      .waitFor();
    await lookAt(page, 'curator-search');
    await reach(page.getByRole('searchbox', { name: 'Search for' }));
    await press('Enter', 'Enter');
    await heading(`${title(10)}, revised`).waitFor();

    await act(page.getByRole('link', { name: 'History' }));
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.locator('ins').first().waitFor();
    expect((await comparison.locator('ins').allInnerTexts()).join(' ')).toContain('revised');
    await lookAt(page, 'curator-comparison');

    await act(page.getByRole('link', { name: 'Properties' }));
    await page.locator('#content input').first().waitFor();
    await press('Control+k');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await type('Delete');
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await act(dialog.getByRole('button', { name: 'Delete' }));
    await heading('Inventory').waitFor();
    expect((await ask(node, me, `GET /entities/${id}`)).status).toBe(404);
    // The address bar knows the way.
    await visitor.go(`/entities/${id}`);
    await act(page.getByRole('button', { name: 'Restore' }));
    await heading(`${title(10)}, revised`).waitFor();
    const restored = await read(node, me, id);
    expect([restored.ver, restored.properties]).toEqual([4, tenth.properties]);
    expect(visitor.faults).toEqual([]);
  });
});
