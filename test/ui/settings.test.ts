import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator } from '../helpers/callers.ts';
import { ok, read } from '../helpers/entities.ts';
import { type TestNode, temporaryFolder } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, pictureOf, type Visit } from './browser.ts';
import { seedArtworks } from './seed.ts';

describePage('the settings', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  const card = (name: string) => page.getByRole('region', { name });

  test('change one’s name, and not over somebody else’s change', async () => {
    const me = operator(node);
    await visitor.go('/settings');
    await page.getByLabel('Name', { exact: true }).fill('Ada <b>Lovelace</b>');
    await page.keyboard.press('Enter');
    await page.getByText('Your name was saved').first().waitFor();
    expect((await read(node, me, me.id)).properties.label).toBe('Ada <b>Lovelace</b>');

    await page.getByLabel('Name', { exact: true }).fill('Ada');
    const { cid } = await read(node, me, me.id);
    ok(await ask(node, me, `PUT /users/${me.id}`, { expect_tip: cid, label: 'Countess' }));
    await page.keyboard.press('Enter');
    await page.getByText('Meanwhile it was changed to “Countess”.').waitFor();
    await lookAt(page, 'settings-overtaken');
    expect((await read(node, me, me.id)).properties.label).toBe('Countess');
    await page.getByRole('button', { name: 'Save mine' }).click();
    await expect.poll(async () => (await read(node, me, me.id)).properties.label).toBe('Ada');
    await page.getByText('Meanwhile').waitFor({ state: 'detached' });

    await page.getByLabel('Name', { exact: true }).fill('Ada Byron');
    await page.getByRole('link', { name: 'Collections' }).first().click();
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada Byron');
    expect(visitor.faults).toEqual([]);
  });

  test('show the node, verify it, back it up and make its index anew', async () => {
    await seedArtworks(node, 60);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.go('/');
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await card('This node').getByText(node.data, { exact: true }).waitFor();
    await card('This node')
      .getByText(/the disk has .+ left/)
      .waitFor();
    await card('Signed log').getByText('Entries').waitFor();
    await card('Signed log').getByRole('button', { name: 'Copy the head' }).click();
    await page.getByText('The signed head was copied').first().waitFor();
    const head = JSON.parse((await page.evaluate('navigator.clipboard.readText()')) as string);
    expect(head).toMatchObject({ format: 'archeion/head@v1', network: 'main', signature: expect.any(String) });

    await page.keyboard.press('Control+k');
    await page.keyboard.type('verify');
    await page.keyboard.press('Enter');
    await card('Integrity').getByText('Everything is as it was written').waitFor();
    const download = page.waitForEvent('download');
    await card('Integrity').getByRole('button', { name: 'Save the report' }).click();
    expect((await download).suggestedFilename()).toMatch(/^verify-[\d-]+\.json$/);
    // What came of it is still there after a look elsewhere.
    await page.getByRole('link', { name: 'API keys' }).click();
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('link', { name: 'This node' }).click();
    await card('Integrity').getByText('Everything is as it was written').waitFor();

    await using folder = await temporaryFolder();
    const to = join(folder.path, 'copy');
    await card('Backup').getByLabel('Folder on the machine of the node').fill('relative/path');
    await page.keyboard.press('Enter');
    await card('Backup').getByText('The folder needs its whole path').waitFor();
    await card('Backup').getByLabel('Folder on the machine of the node').fill(to);
    await page.keyboard.press('Enter');
    await card('Backup')
      .getByText(/\d+ files with .* copied/)
      .waitFor();
    await card('Backup').getByText(`archeion restore ${to}`).waitFor();
    expect(existsSync(join(to, 'identity.db'))).toBe(true);

    await card('Search index').getByRole('button', { name: 'Make it anew' }).click();
    await card('Search index')
      .getByText(/Made anew with \d+ entities/)
      .waitFor();
    await lookAt(page, 'settings-node');
    await page.setViewportSize({ width: 640, height: 900 });
    await lookAt(page, 'settings-node-narrow');

    await visitor.go('/settings');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('link', { name: 'Dieser Knoten' }).click();
    await page.getByRole('heading', { name: 'Unversehrtheit' }).waitFor();
    await pictureOf(page, 'settings-node-german');
    expect(visitor.faults).toEqual([]);
  });

  test('say what the index could not read while it is up to date', async () => {
    await seedArtworks(node, 20);
    const db = new Database(databaseFile(node.data, 'main'));
    db.exec(
      `UPDATE entity SET json = replace(json, '"properties":{', '"properties":null,"lost":{') WHERE type = 'artwork'`,
    );
    db.close();
    ok(await ask(node, operator(node), 'POST /node/reindex', {}));
    await visitor.go('/settings/node');
    await card('Search index')
      .getByText(/It is up to date, with .+ changes/)
      .waitFor();
    await card('Search index').getByText('One thing remains to be mended:').waitFor();
    await card('Search index')
      .getByText(/found by their labels alone/)
      .waitFor();
    await lookAt(page, 'settings-node-unread');
    expect(visitor.faults).toEqual([]);
  });

  test('are not needed to hear that the disk fails: the first screen says so', async () => {
    await seedArtworks(node, 1);
    const said = 'What was written cannot be brought into the database: <i>input</i> failed';
    const ofAccounts = 'What was written cannot be brought into the database of accounts.';
    await page.route('**/node/status', async (route) => {
      const answer = await route.fetch();
      const body = await answer.text();
      await route.fulfill({
        body: [ofAccounts, said].reduce(
          (text, fault) => text.replace('"database_problem":null', `"database_problem":${JSON.stringify(fault)}`),
          body,
        ),
      });
    });
    await visitor.load('/');
    for (const fault of [said, ofAccounts]) await page.getByRole('alert').getByText(fault).waitFor();
    await pictureOf(page, 'start-disk-fails');
    expect(visitor.faults).toEqual([]);
  });

  test('go on with a task that is started once more by its command', async () => {
    const answer = Promise.withResolvers<void>();
    let asked = 0;
    await page.route('**/node/verify', (route) => {
      asked++;
      return answer.promise.then(() => route.continue());
    });
    await visitor.go('/settings/node');
    await card('Integrity').getByRole('button', { name: 'Verify everything' }).click();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('verify');
    await page.getByRole('option', { name: 'Verify everything', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    answer.resolve();
    await card('Integrity').getByText('Everything is as it was written').waitFor();
    expect(asked).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test('say when a task cannot begin, and what is wrong where the data is damaged', async () => {
    await seedArtworks(node, 20);
    const db = new Database(databaseFile(node.data, 'main'));
    db.exec("UPDATE entity SET label = 'another' WHERE key = (SELECT min(key) FROM entity WHERE type = 'artwork')");
    db.close();
    await visitor.go('/settings/node');
    const { id } = operator(node);
    const actor = { kind: 'user' as const, id, ids: [id], operator: true };
    const other = node.ctx.upkeep.verify({ actor, network: 'main', account: id });
    await other.next();
    await card('Integrity').getByRole('button', { name: 'Verify everything' }).click();
    await card('Integrity').getByText('This node is being verified. Try again when that has ended.').waitFor();
    await other.return();
    await card('Integrity').getByRole('button', { name: 'Verify everything' }).click();
    await card('Integrity')
      .getByText(/(is|are) wrong$/)
      .waitFor();
    await lookAt(page, 'settings-damaged');
    expect(visitor.faults).toEqual([]);
  });
});
