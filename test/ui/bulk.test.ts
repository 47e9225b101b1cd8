import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { nowhere } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, type Visit } from './browser.ts';
import { seedItems } from './seed.ts';

describePage('a change of all that is selected', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const dialog = () => page.getByRole('dialog');
  const button = (name: string) => dialog().getByRole('button', { name, exact: true });
  const field = (name: string) => dialog().getByLabel(name, { exact: true });

  /** Selects all of a collection of `count` items and opens the dialog. */
  async function opened(count: number): Promise<string> {
    const id = await seedItems(node, count);
    await visitor.go(`/collections/${id}?sort=label`);
    await page.locator('[aria-rowindex="2"] a').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+a');
    await page.getByText(`${count} selected`).waitFor();
    await page.keyboard.press('b');
    await dialog().waitFor();
    return id;
  }

  /** How many items say this. */
  async function saying(id: string, column: string, value: string): Promise<number> {
    const query = new URLSearchParams({ filter: JSON.stringify([{ column, op: 'is', value }]) });
    const answer = await ask(node, operator(node), `GET /node/collections/${id}/table?${query}`);
    return (answer.body as { total: number }).total;
  }

  test('writes yes or no as it is shown, and nothing before one of them is chosen', async () => {
    const id = await opened(3);
    await field('Property').fill('public');
    await field('As').selectOption({ label: 'Yes or no' });
    expect(await field('Value').locator('option:checked').innerText()).toBe('–');
    expect(await button('Set a property').isDisabled()).toBe(true);
    await lookAt(page, 'collection-bulk-yes');
    await field('Value').selectOption({ label: 'yes' });
    expect(await field('Value').locator('option').allInnerTexts()).toEqual(['yes', 'no']);
    await button('Set a property').click();
    await page.getByText('3 entities were changed', { exact: true }).waitFor();
    expect(await saying(id, 'properties.public', 'true')).toBe(3);
    expect(visitor.faults).toEqual([]);
  });

  test('as every list of choices, shows what is meant, also where that is none of them', async () => {
    await visitor.go(`/export?collection=${nowhere}`);
    const what = page.getByLabel('What', { exact: true });
    await what.locator('option', { hasText: 'Everything' }).waitFor({ state: 'attached' });
    expect(await what.inputValue()).toBe(nowhere);
    await what.selectOption({ label: 'Everything on this node' });
    await expect.poll(() => what.locator('option').count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });
});
