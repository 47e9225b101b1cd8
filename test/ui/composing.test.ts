import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection, create } from '../helpers/entities.ts';
import { comingIn, describePage, startPageNode } from './browser.ts';

/** The Enter that ends a composition, as browsers say it: Chromium and Firefox before the end, Safari after it. */
const ends = [{ isComposing: true }, { keyCode: 229 }];

async function compose(field: Locator): Promise<void> {
  for (const how of ends) await field.dispatchEvent('keydown', { key: 'Enter', ...how });
}

describePage('a text that is composed', () => {
  test('is ended by an Enter that does nothing else', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const home = await collection(node, me, { label: '手紙' });
    const letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'A', place: 'B' },
    });
    await using visitor = await comingIn(node);
    const { page } = visitor;

    await visitor.go('/collections');
    const filter = page.getByRole('searchbox', { name: 'Filter by label' });
    await filter.fill('手');
    await page.getByRole('link', { name: '手紙' }).waitFor();
    await compose(filter);
    await expect.poll(() => page.url()).toContain('q=');
    await filter.press('Enter');
    await page.getByRole('heading', { name: '手紙', level: 1 }).waitFor();

    await visitor.go(`/entities/${letter.id}`);
    await page.getByRole('button', { name: 'What to do with place' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const name = page.getByLabel('Rename');
    await name.fill('場所');
    await compose(name);
    expect(await name.inputValue()).toBe('場所');
    await name.press('Enter');
    await page.getByLabel('場所', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();

    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'Add a member' }).click();
    const who = page.getByRole('combobox', { name: 'Who' });
    await who.fill('everyb');
    await page.getByRole('option', { name: 'Everybody who is registered' }).waitFor();
    await compose(who);
    expect(await page.getByRole('option', { name: 'Everybody who is registered' }).isVisible()).toBe(true);
    await who.press('Enter');
    await page.getByRole('button', { name: 'Choose somebody else' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
