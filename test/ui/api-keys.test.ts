import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { describePage, lookAt, signedIn, startPageNode } from './browser.ts';

const hostile = '<script>window.hacked = 1</script>\u202Egnp.exe';

describePage('API keys', () => {
  test('are made, shown once, copied, used and revoked, by keys alone', async () => {
    await using node = await startPageNode();
    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const whoami = async (key: string) =>
      (await node.fetch('/auth/whoami', { headers: { Authorization: `ApiKey ${key}` } })).status;
    const line = (name: string) => page.getByRole('row').filter({ hasText: name });
    const confirm = async () => {
      await page.keyboard.press('Enter');
      // Behind the dialog the list is there for nobody.
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'You have no keys' }).waitFor();
    await lookAt(page, 'keys-empty');
    await page.keyboard.press('n');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('nightly import');
    await page.getByLabel('Good for').selectOption('One day');
    await lookAt(page, 'keys-new');
    await page.getByRole('button', { name: 'Create', disabled: false }).press('Enter');
    await page.getByRole('dialog', { name: 'Your new key' }).waitFor();
    const key = await page.getByLabel('The key', { exact: true }).inputValue();
    expect(key).toMatch(/^uk_[0-9a-f]{32}$/);
    await page.getByRole('button', { name: 'Copy', disabled: false }).press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(key);
    await lookAt(page, 'keys-made');
    expect(await whoami(key)).toBe(200);

    await page.getByRole('button', { name: 'I have kept it', disabled: false }).press('Enter');
    await line('nightly import').waitFor();
    // Nothing on the page has it any more.
    expect(await page.content()).not.toContain(key);
    expect(await line('nightly import').innerText()).toContain(key.slice(0, 12));

    // Others came by another way, one of them expired; their labels are text.
    ok(await ask(node, operator(node), 'POST /users/me/keys', { label: 'spent', expires_in: 0 }));
    ok(await ask(node, operator(node), 'POST /users/me/keys', { label: hostile }));
    const made = ok<{ key: string }>(
      await ask(node, operator(node), 'POST /node/keys', { service: true, label: 'sync' }),
    );
    await page.reload();
    await line('sync').getByText('Service account').waitFor();
    await line('spent').getByText('expired').waitFor();
    await line('<script>').waitFor();
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    await lookAt(page, 'keys');

    await page.setViewportSize({ width: 800, height: 800 });
    const { width = 0 } = (await page.getByRole('cell', { name: 'nightly import', exact: true }).boundingBox()) ?? {};
    expect(width).toBeGreaterThan(150);
    // In a low window, too, one sees which key it is about.
    await page.setViewportSize({ width: 1280, height: 300 });
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const { y = 0, height = 0 } = (await line('nightly import').boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(300);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.keyboard.press('Delete');
    await page.getByRole('dialog', { name: 'Revoke the key nightly import' }).waitFor();
    await lookAt(page, 'keys-revoke');
    await confirm();
    await line('nightly import').waitFor({ state: 'detached' });
    expect(await whoami(key)).toBe(401);

    expect(await whoami(made.key)).toBe(200);
    await page.getByRole('button', { name: 'Revoke the key sync' }).press('Enter');
    await page.getByRole('dialog', { name: 'Revoke the key sync' }).waitFor();
    await confirm();
    await line('sync').waitFor({ state: 'detached' });
    expect(await whoami(made.key)).toBe(401);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('new key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New key' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
