import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

describePage('each step of an import', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.tagName');
  const said = (text: string) => page.getByRole('status').getByText(text, { exact: true }).waitFor();
  const press = async (name: string | RegExp) => {
    const button = page.getByRole('button', { name, disabled: false });
    await button.focus();
    await button.press('Enter');
  };
  async function choose(contents: Record<string, string | Buffer>): Promise<void> {
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    const mimeType = 'application/octet-stream';
    await chooser.setFiles(
      Object.entries(contents).map(([name, content]) => ({ name, mimeType, buffer: Buffer.from(content) })),
    );
  }

  test('has the focus and says how it stands, where files are kept', async () => {
    await choose({ 'recto.txt': 'recto', 'verso.txt': 'verso' });
    await page.getByLabel('Its name').fill('Scans');
    const gate = Promise.withResolvers<void>();
    await page.route('**/files/*/content', async (route) => {
      await gate.promise;
      await route.continue();
    });
    await press('Keep 2 files');
    await said('Importing');
    await expect.poll(focused).toBe('content');
    await page.getByRole('button', { name: 'Stop' }).focus();
    gate.resolve();
    await said('All 2 are kept.');
    await expect.poll(focused).toBe('content');
    await lookAt(page, 'import-files-kept');
    expect(visitor.faults).toEqual([]);
  });

  test('has the focus and says how it stands, where records and archives come in', async () => {
    const id = await seedItems(node, 12);
    const me = operator(node);
    const archive = Buffer.from(
      await (await fetch(`${node.url}/node/export?collection=${id}`, { headers: me.headers })).arrayBuffer(),
    );
    await choose({ 'things.csv': 'id,label\n1,One\n2,Two\n' });
    await page.getByText('2 records.').waitFor();
    const gate = Promise.withResolvers<void>();
    await page.route(/\/files\/things\.csv/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await press(/^Import 2 records/);
    await said('Importing');
    await expect.poll(focused).toBe('content');
    await page.getByRole('button', { name: 'Stop' }).focus();
    gate.resolve();
    await page.getByRole('heading', { name: /2 entities/ }).waitFor();
    await expect.poll(focused).toBe('content');

    await choose({ 'items.car': archive });
    await page.getByRole('heading', { name: /^items\.car .*kB/ }).waitFor();
    await press(/^Import/);
    await said('items.car was taken in');
    await expect.poll(focused).toBe('content');
    expect(visitor.faults).toEqual([]);
  });

  test('takes nobody away from what they are at when it comes by itself', async () => {
    const id = await seedItems(node, 12);
    const me = operator(node);
    const archive = Buffer.from(
      await (await fetch(`${node.url}/node/export?collection=${id}`, { headers: me.headers })).arrayBuffer(),
    );
    /** Holds back what is sent to an address until whoever imports is at a link of the side bar. */
    const away = async (address: RegExp, begin: () => Promise<void>) => {
      const gate = Promise.withResolvers<void>();
      const begun = page.waitForRequest(address);
      await page.route(address, async (route) => {
        await gate.promise;
        await route.continue();
      });
      await begin();
      await begun;
      await expect.poll(focused).toBe('content');
      await page.getByRole('navigation').getByRole('link', { name: 'Collections' }).focus();
      gate.resolve();
    };
    const atLink = async () => expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
    await choose({ 'recto.txt': 'recto' });
    await page.getByLabel('Its name').fill('Scans');
    await away(/\/files\/[^/]+\/content/, () => press('Keep the file'));
    await page.getByRole('status').getByText(/kept/).waitFor();
    await page.getByRole('button', { name: 'Import something else' }).waitFor();
    await atLink();
    await press('Import something else');
    await expect.poll(focused).toBe('content');

    await choose({ 'things.csv': 'id,label\n1,One\n2,Two\n' });
    await page.getByText('2 records.').waitFor();
    await away(/\/files\/things\.csv/, () => press(/^Import 2 records/));
    await page.getByRole('heading', { name: /2 entities/ }).waitFor();
    await atLink();

    await choose({ 'items.car': archive });
    await page.getByRole('heading', { name: /^items\.car .*kB/ }).waitFor();
    await away(/\/node\/import-car/, () => press(/^Import/));
    await said('items.car was taken in');
    await atLink();
    expect(visitor.faults).toEqual([]);
  });
});
