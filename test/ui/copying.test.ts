import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { describePage, signedIn, startPageNode } from './browser.ts';

describePage('what is copied', () => {
  test('is said not to be, and selected, where the browser lets the page copy nothing', async () => {
    await using node = await startPageNode();
    const letters = await collection(node, operator(node), { label: 'Letters' });
    await using visitor = await signedIn(node, {});
    const { page } = visitor;
    // As it is in a page of another host that came by plain http.
    await page.addInitScript("Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })");
    const selected = () => page.evaluate('String(getSelection())');
    const byHand = page.getByText('The browser lets this page copy nothing. It is selected: copy it with the keys.');
    await visitor.load('/settings/node');
    const log = page.getByRole('region', { name: 'Signed log' });
    await log.getByRole('button', { name: 'Copy the head' }).click();
    await page.getByText('The browser lets this page copy nothing. Save the head as a file.').first().waitFor();
    const signature = log.locator('code').last();
    const whole = await signature.getAttribute('title');
    await log.getByRole('button', { name: 'Copy', exact: true }).last().click();
    await byHand.first().waitFor();
    expect(await selected()).toBe(whole);

    await visitor.load(`/entities/${letters.id}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: "Copy the version's CID" }).click();
    await page.getByText(`The browser lets this page copy nothing. It is ${letters.cid}`, { exact: true }).waitFor();

    await visitor.load('/settings/keys');
    await page.getByRole('heading', { name: 'You have no keys' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('button', { name: 'Create', disabled: false }).click();
    const made = page.getByRole('dialog', { name: 'Your new key' });
    await made.getByRole('button', { name: 'Copy' }).click();
    await made.getByRole('alert').filter({ has: byHand }).waitFor();
    const key = made.getByLabel('The key', { exact: true });
    const part = await key.evaluate((field: { value: string; selectionStart: number; selectionEnd: number }) =>
      field.value.slice(field.selectionStart, field.selectionEnd),
    );
    expect(part).toMatch(/^uk_[0-9a-f]{32}$/);
    // Nothing says that somebody has it.
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Close without the key?' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
