import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestNode } from '../helpers/node.ts';
import { describePage, lookAt, onNewPage, signInLink, type Visit } from './browser.ts';

describePage('signing out', () => {
  let node: TestNode;
  let visitor: Visit;
  let page: Page;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });

  test('says where it came to nothing, and is undone by a link that is opened in another tab', async () => {
    await visitor.go('/settings');
    const out = page.getByRole('button', { name: 'Sign out', exact: true });
    await out.waitFor();
    const problem = page.getByRole('alert').filter({ hasText: 'The node does not answer.' });
    await page.route('**/node/session', (route) => route.abort('connectionrefused'), { times: 1 });
    await out.click();
    await problem.waitFor();
    await lookAt(page, 'sign-out-failed');

    await page.route(
      '**/node/session',
      (route) => route.fulfill({ status: 500, json: { error: 'The disk is full.' } }),
      {
        times: 1,
      },
    );
    await out.click();
    await page.getByRole('alert').getByText('The disk is full.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/ui/settings');

    await out.click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(signInLink(node));
    await other.getByRole('navigation').first().waitFor();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor({ timeout: 60_000 });
    await other.close();
  });

  test('asks before it takes away a name that is not saved, and leaves one signed in where that is kept', async () => {
    await visitor.go('/settings');
    const out = page.getByRole('button', { name: 'Sign out', exact: true });
    const name = page.getByLabel('Name', { exact: true });
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await name.fill('Ann');
    await out.click();
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await out.isEnabled()).toBe(true);
    await name.press('Enter');
    await page.getByText('Your name was saved', { exact: true }).first().waitFor();

    await name.fill('Ann Lee');
    await page.route('**/node/session', (route) => route.abort('connectionrefused'), { times: 1 });
    await out.click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('alert').filter({ hasText: 'The node does not answer.' }).waitFor();
    expect(await name.inputValue()).toBe('Ann Lee');
    await out.click();
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });
});
