import { expect, test } from 'vitest';
import { ask, operator, user } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { keyOf } from '../sync/nodes.ts';
import { comingIn, describePage, lookAt, signedIn, startPageNode } from './browser.ts';

describePage('the settings of a remote', () => {
  test('change what was changed in them, and nothing that somebody else has set meanwhile', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    const settings = async () => ok<Record<string, unknown>>(await ask(node, me, 'GET /node/remotes/museum'));
    const elsewhere = async (body: object) => ok(await ask(node, me, 'PUT /node/remotes/museum', body));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/sync/remotes/museum');
    const said = (text: string) => page.getByText(text, { exact: true }).last().waitFor();
    const form = page.getByRole('form', { name: 'What comes' });

    await page.getByLabel('At most so many kilobits a second').fill('100');
    await elsewhere({ hours: '22-6', types: ['letter'] });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said('The settings were saved');
    expect(await settings()).toMatchObject({ hours: '22-6', max_kbps: 100, types: ['letter'] });
    // What is set by now is shown, and nothing is there to be saved.
    await page.waitForFunction("document.querySelector('input[placeholder=\"22-6\"]').value === '22-6'");

    await form.getByRole('button', { name: 'Remove letter' }).waitFor();
    await elsewhere({ types: ['letter', 'person'] });
    await form.getByRole('checkbox', { name: 'With the bytes of files' }).click();
    await form.getByRole('button', { name: 'Save what comes' }).click();
    await said('Saved; it holds from the next sync on');
    await page.waitForFunction('document.querySelector(\'[aria-label="Remove person"]\') !== null');
    expect(await settings()).toMatchObject({ types: ['letter', 'person'], content: 'none' });
    await visitor.go('/sync');
    await page.getByRole('heading', { name: 'Sync', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('stand beside what it did not take, of which the first are named and the others counted', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    await using visitor = await signedIn(node);
    const { page } = visitor;
    // Of more than a hundred the node answers the first, and how many there are.
    await page.route('**/node/remotes/museum', async (route) => {
      const response = await route.fetch();
      const remote = (await response.json()) as object;
      const refusals = [
        { id: me.id, status: 403, words: 'not here', alike: 1 },
        { id: me.id, status: 403, words: 'nor there', alike: 71 },
      ];
      const unreadable = [{ id: me.id, trouble: 'forbidden', evidence: null }];
      const missing_content = [{ id: me.id, cid: me.id, trouble: 'missing', evidence: null }];
      const counts = { refused: 131, troubles: { forbidden: 30, missing: 21 }, contents: { missing: 1 } };
      await route.fulfill({ response, json: { ...remote, ...counts, refusals, unreadable, missing_content } });
    });
    await visitor.go('/sync/remotes/museum');
    const list = (name: string) => page.getByRole('region', { name });
    await list('What the remote did not take').getByText('and 70 more', { exact: true }).waitFor();
    await list('What the remote did not take').getByText('and 59 more', { exact: true }).waitFor();
    await list('What could not be taken over').getByText('and 50 more', { exact: true }).waitFor();
    await list('Files that are on one side only').getByRole('link').waitFor();
    expect(await page.getByText(/^and \d+ more$/).count()).toBe(3);
    await lookAt(page, 'sync-troubles-more');
    expect(visitor.faults).toEqual([]);
  });

  test('that are typed and not saved stay where the remote gets another name', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/sync/remotes/museum');
    const rate = page.getByLabel('At most so many kilobits a second');
    const files = page.getByRole('checkbox', { name: 'With the bytes of files' });
    await rate.fill('100');
    await files.uncheck();
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    const begun = page.waitForRequest(/\/rename$/);
    const answer = Promise.withResolvers<void>();
    await page.route(/\/rename$/, async (route) => {
      await answer.promise;
      await route.continue();
    });
    await dialog.getByLabel('Name').fill('archive');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await begun;
    // What is typed by then is not the name that was sent.
    await dialog.getByLabel('Name').fill('archives');
    answer.resolve();
    await page.getByRole('heading', { name: 'archive', level: 1, exact: true }).waitFor();
    expect([await rate.inputValue(), await files.isChecked()]).toEqual(['100', false]);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The settings were saved', { exact: true }).last().waitFor();
    expect(await ask(node, me, 'GET /node/remotes/archive')).toMatchObject({ body: { max_kbps: 100 } });
    expect(visitor.faults).toEqual([]);
  });

  test('have a key that closes, when it is answered late, no dialog that was opened since', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/sync/remotes/museum');
    const open = async (name: string) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
      return page.getByRole('dialog', { name });
    };
    const answer = Promise.withResolvers<void>();
    const begun = page.waitForRequest(/\/key$/);
    await page.route(/\/key$/, async (route) => {
      await answer.promise;
      await route.continue();
    });
    const rekey = await open('Change the key');
    await rekey.locator('input[type="password"]').fill(key);
    await rekey.getByRole('button', { name: 'Change the key' }).click();
    await begun;
    await page.keyboard.press('Escape');
    await page
      .getByRole('dialog', { name: 'Discard what you have typed?' })
      .getByRole('button', { name: 'Discard' })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const rename = await open('Rename');
    await rename.getByLabel('Name').fill('archive');
    answer.resolve();
    await page
      .getByText(/^The key belongs to/)
      .last()
      .waitFor();
    expect(await rename.getByLabel('Name').inputValue()).toBe('archive');
    expect(visitor.faults).toEqual([]);
  });

  test('have dialogs that say nothing of what went wrong before they were closed', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/sync/remotes/museum');
    const open = async (item: string, name: RegExp) => {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: item }).click();
      const dialog = page.getByRole('dialog', { name });
      await dialog.waitFor();
      return dialog;
    };
    await page.route(/\/node\/remotes\/museum/, (route) =>
      route.request().method() === 'GET' ? route.fallback() : route.abort('connectionreset'),
    );
    const cases: [string, RegExp][] = [
      ['Rename', /^Rename$/],
      ['Remove', /^Remove museum/],
    ];
    for (const [item, name] of cases) {
      const dialog = await open(item, name);
      if (item === 'Rename') await dialog.getByLabel('Name').fill('archive');
      await dialog.getByRole('button', { name: item }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await open(item, name);
      expect(await dialog.getByRole('alert').count()).toBe(0);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    expect(visitor.faults).toEqual([]);
  });

  test('that are looked at say when the remote is gone', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const me = operator(node);
    const key = keyOf(await user(origin, 'curator'));
    ok(await ask(node, me, 'POST /node/remotes', { name: 'museum', url: origin.url, key }));
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/sync/remotes/museum');
    // What is typed stays, as somebody may have given it another name.
    const rate = page.getByLabel('At most so many kilobits a second');
    await rate.fill('100');
    ok(await ask(node, me, 'POST /node/remotes/museum/rename', { name: 'elsewhere' }));
    const gone = page.getByRole('alert').filter({ hasText: 'museum was removed, or has another name by now.' });
    await gone.waitFor();
    expect(await rate.inputValue()).toBe('100');
    await lookAt(page, 'sync-remote-gone');
    await rate.fill('');
    await gone.getByRole('link', { name: 'To all remotes' }).click();
    await page.getByRole('link', { name: 'elsewhere', exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
