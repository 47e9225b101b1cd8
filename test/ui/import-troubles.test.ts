import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { importer } from '../helpers/imports.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';

describePage('an import that does not begin', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
    // Heard from the beginning, so that none opens before the test takes it.
    page.on('filechooser', () => undefined);
  });

  const table = 'id,label\n1,One\n2,Two\n';
  const begin = () => page.getByRole('button', { name: 'Import 2 records', disabled: false });
  const mistake = () => page.getByText('The page itself made a mistake.');

  async function choose(name: string, buffer: Buffer): Promise<void> {
    await visitor.go('/import');
    await page.getByRole('heading', { name: /^Import$/ }).waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  test('is back at its mapping where it is stopped before the node has answered', async () => {
    await choose('things.csv', Buffer.from(table));
    await page.getByLabel('Type of each record').fill('thing');
    await page.route(/\/node\/imports$/, () => undefined);
    const begun = page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/node/imports'));
    await begin().click();
    await begun;
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('heading', { name: 'What columns become' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.getByLabel('Type of each record').inputValue()).toBe('thing');
    await page.unroute(/\/node\/imports$/);
    await begin().click();
    await page.getByRole('heading', { name: '2 entities were created' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('keeps its mapping where a file is chosen that holds none, and says so', async () => {
    await choose('things.csv', Buffer.from(table));
    await page.getByLabel('Type of each record').fill('thing');
    const faults = [
      ['{"records": [{"type": "M\xfcnze"}]}', 'It is not encoded in UTF-8.'],
      ['{"records": [], "records": [{"type": "other"}]}', '“records” stands twice in one object'],
      ['{"records": [{"type": "other"},]}', 'This is no JSON yet: look at line 1, column 32.'],
      ['null', 'It is no JSON object'],
      ['[]', 'It is no JSON object'],
    ];
    for (const [content = '', said = ''] of faults) {
      const buffer = Buffer.from(content, 'latin1');
      await page
        .getByLabel('Use a mapping file')
        .setInputFiles({ name: 'm.json', mimeType: 'application/json', buffer });
      await page.getByText('This file holds no mapping.').waitFor();
      await page.getByText(said).waitFor();
      expect(await mistake().count()).toBe(0);
      expect(await page.getByLabel('Type of each record').inputValue()).toBe('thing');
    }
    await lookAt(page, 'import-no-mapping');
    expect(visitor.faults).toEqual([]);
  });

  test('says that its file cannot be unpacked', async () => {
    const packed = gzipSync(table.repeat(100));
    for (const bytes of [Buffer.from(table), packed.subarray(0, packed.length - 12)]) {
      await choose('things.csv.gz', bytes);
      await page.getByText('This file cannot be unpacked: it is damaged').waitFor();
      expect(await mistake().count()).toBe(0);
      await page.locator('main').getByRole('link', { name: 'Import' }).click();
      await page.getByText('Drop files here').waitFor();
    }
    expect((await importer(node).ask('GET', '/node/imports')).body).toMatchObject({ imports: [] });
    expect(visitor.faults).toEqual([]);
  });
});
