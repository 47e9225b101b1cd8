import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection, read, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

describePage('who comes back', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const heading = (name: string | RegExp) => page.getByRole('heading', { name, level: 1 });
  const scrolled = (selector: string) =>
    page.locator(selector).evaluate((element: unknown) => (element as { scrollTop: number }).scrollTop);

  test('to what a search has found goes on at the hit that was looked at', async () => {
    await seedItems(node, 60);
    const found = page.getByRole('list', { name: 'What was found' });
    await expect
      .poll(
        async () => {
          await visitor.go('/search?q=item');
          await page.getByRole('status').filter({ hasText: 'found' }).waitFor();
          return found.getByRole('listitem').count();
        },
        { timeout: 60_000, interval: 1000 },
      )
      .toBe(60);
    await page.getByRole('searchbox').press('Enter');
    for (let i = 0; i < 36; i++) await page.keyboard.press('j');
    const top = await scrolled('#content');
    expect(top).toBeGreaterThan(0);
    const name = (await found.getByRole('listitem').nth(36).getByRole('link').innerText()).trim();
    await page.keyboard.press('Enter');
    await heading(name).waitFor();
    await page.goBack();
    await found.waitFor();
    await expect.poll(() => scrolled('#content')).toBe(top);
    // Keys are shortcuts at once, and go on from there.
    expect(await page.evaluate('document.activeElement.tagName')).not.toBe('INPUT');
    await page.keyboard.press('Enter');
    await heading(name).waitFor();
    // Who begins anew begins with the first.
    await visitor.go('/search?q=item');
    await found.waitFor();
    const first = (await found.getByRole('listitem').first().getByRole('link').innerText()).trim();
    await page.keyboard.press('Enter');
    await heading(first).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('to a list sees of it what was seen', async () => {
    const me = operator(node);
    for (let i = 0; i < 60; i++) await collection(node, me, { label: `Shelf ${String(i).padStart(2, '0')}` });
    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Shelf 10', exact: true }).waitFor();
    // The page itself begins at its top, in a moment of its own.
    const scroll = () =>
      page.locator('#content').evaluate(async (content: unknown) => {
        (content as { scrollTop: number }).scrollTop = 700;
        await new Promise((done) => setTimeout(done, 300));
      });
    await expect.poll(() => scroll().then(() => scrolled('#content'))).toBe(700);
    const top = await scrolled('#content');
    const link = page.getByRole('link', { name: 'Shelf 30', exact: true });
    await link.click();
    await heading('Shelf 30').waitFor();
    await page.goBack();
    await link.waitFor();
    await expect.poll(() => scrolled('#content')).toBe(top);
    expect(top).toBe(700);
    expect(visitor.faults).toEqual([]);
  });

  test('to a table has the rows ticked that were, and none of another way there', async () => {
    const id = await seedItems(node, 300);
    await visitor.go(`/collections/${id}?sort=label`);
    await page.getByRole('link', { name: 'Item 00003' }).waitFor();
    for (const index of [2, 4, 6]) await page.locator(`[aria-rowindex="${index}"]`).getByRole('checkbox').click();
    await page.getByText('3 selected').waitFor();
    await page.getByRole('link', { name: 'Item 00002' }).click();
    await heading('Item 00002').waitFor();
    await visitor.go(`/collections/${id}?sort=label`);
    await page.getByRole('link', { name: 'Item 00003' }).waitFor();
    expect(await page.getByText('3 selected').count()).toBe(0);
    await page.goBack();
    await heading('Item 00002').waitFor();
    await page.goBack();
    await page.getByText('3 selected').waitFor();
    for (const index of [2, 4, 6])
      expect(await page.locator(`[aria-rowindex="${index}"]`).getByRole('checkbox').isChecked()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test('to a table from an entity that was saved changes it with the others that are ticked', async () => {
    const id = await seedItems(node, 20);
    const me = operator(node);
    await visitor.go(`/collections/${id}?sort=label`);
    await page.getByRole('link', { name: 'Item 00003' }).waitFor();
    for (const index of [2, 4, 6]) await page.locator(`[aria-rowindex="${index}"]`).getByRole('checkbox').click();
    await page.getByText('3 selected').waitFor();
    const href = await page.getByRole('link', { name: 'Item 00004' }).getAttribute('href');
    await page.getByRole('link', { name: 'Item 00002' }).click();
    await heading('Item 00002').waitFor();
    await page.getByLabel('colour', { exact: true }).fill('pink');
    await page.keyboard.press('Control+s');
    await page.getByText('Saved as version 2', { exact: true }).first().waitFor();
    // What somebody else has saved of another one meanwhile was not seen.
    const theirs = await read(node, me, href?.split('/').at(-1) ?? '');
    await update(node, me, theirs, { properties: { colour: 'theirs' } });
    await page.goBack();
    await page.getByText('3 selected').waitFor();
    await page.keyboard.press('b');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Property', { exact: true }).fill('place');
    await dialog.getByLabel('Value', { exact: true }).fill('Leeds');
    await dialog.getByRole('button', { name: 'Set a property', exact: true }).click();
    await dialog.getByText('2 entities were changed', { exact: true }).waitFor();
    await dialog.getByText('One was not changed').waitFor();
    await dialog.getByText('Item 00004').waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
