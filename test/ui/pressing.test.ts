import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { importer } from '../helpers/imports.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('a button that is pressed', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  test('keeps the focus when there is nothing left to do for it', async () => {
    const mapping = { records: [{ type: 'item', id: 'id', label: 'label' }] };
    const { id } = await importer(node).run(
      { collection: 'Items', mapping },
      { 'items.ndjson': '{"id":1,"label":"A"}' },
    );
    await visitor.go(`/import?run=${id}`);
    await page.getByRole('button', { name: 'Undo this import', disabled: false }).press('Enter');
    await page.getByRole('button', { name: /^Delete one entity/ }).press('Enter');
    const undo = page.getByRole('button', { name: 'Undo this import', disabled: true });
    await undo.and(page.locator(':focus')).waitFor();
    await undo.press('Enter');
    expect(await page.getByRole('dialog').count()).toBe(0);

    await visitor.go('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Ada');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', disabled: true }).and(page.locator(':focus')).waitFor();
    // Elsewhere there is nothing to keep.
    await page.keyboard.press('Tab');
    await page.locator('button:disabled', { hasText: 'Save' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
