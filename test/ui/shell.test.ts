import { beforeEach, expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection, create } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import {
  comingIn,
  describePage,
  lookAt,
  signedIn,
  signInLink,
  startPageNode,
  tidiedAfterEach,
  visit,
} from './browser.ts';

describePage('the page around every screen', () => {
  let node: TestNode;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    node = tidied(await startPageNode());
  });

  test('tells a stranger how to sign in, and is not shown to one', async () => {
    await using stranger = await visit(node);
    await stranger.go('/settings');
    const { page } = stranger;
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    expect(await page.getByText('archeion open').count()).toBe(1);
    expect(await page.getByRole('navigation').count()).toBe(0);
    await lookAt(page, 'signed-out');
    // A link is as good as before where the node does not take it now.
    const answers = [503, 500];
    await page.route('**/node/session', (route) => {
      const status = answers.shift();
      return status ? route.fulfill({ status, json: { error: 'Not now' } }) : route.continue();
    });
    await page.evaluate(`location.hash = ${JSON.stringify(new URL(signInLink(node)).hash)}`);
    await page.getByRole('navigation').first().waitFor();
    expect(stranger.faults).toEqual([]);
  });

  test('is gone through by keys alone', async () => {
    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts on this screen' }).waitFor();
    await lookAt(page, 'keyboard-help');
    await page.keyboard.press('Escape');
    // A dialog takes all keys until it has closed.
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('g');
    await page.keyboard.press(',');
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    expect(page.url()).toBe(`${node.url}/ui/settings`);

    await page.keyboard.press('Control+k');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('star');
    await page.getByRole('option', { name: /^Start/ }).waitFor();
    await lookAt(page, 'command-palette');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('keeps colours and language, and no letters for shortcuts where they are not wanted', async () => {
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/settings');
    await lookAt(page, 'settings');
    await page.getByLabel('Colours').last().selectOption('dark');
    await page.getByLabel('Language').selectOption('de');
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Befehle' }).innerText()).toMatch(/Strg\s*K/);
    await page.getByLabel('Einzelne Buchstaben sind Tastenkürzel').uncheck();
    await page.reload();
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor();
    expect(await page.evaluate('[document.documentElement.lang, document.documentElement.dataset.theme]')).toEqual([
      'de',
      'dark',
    ]);
    expect(await page.evaluate('Object.keys(localStorage)')).toEqual([]);
    // Another tab follows as soon as one turns to it.
    const other = await page.context().newPage();
    await other.goto(`${node.url}/ui/settings`);
    await other.getByRole('combobox', { name: 'Farben' }).selectOption('light');
    await other.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
    await page.evaluate("void window.dispatchEvent(new Event('focus'))");
    await page.locator('html[data-theme="light"]').waitFor({ state: 'attached' });
    await other.close();
    await page.keyboard.press('?');
    // A question mark is no letter; g is.
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    // The dialog comes of a later key, so those before it have done what they do.
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(page.url()).toBe(`${node.url}/ui/settings`);
    expect(visitor.faults).toEqual([]);
  });

  test('is not on paper, where all of a screen is in light colours', async () => {
    const me = operator(node);
    const line = `Dear Ada, ${'the sea '.repeat(20)}`;
    const home = await collection(node, me, { label: line });
    const properties = { label: line, text: 'Dear Ada,\n'.repeat(80), pages: [line] };
    const letter = await create(node, me, { collection: home.id, properties });
    await using visitor = await signedIn(node);
    const { page } = visitor;
    /** What of the screen is cut off, and what there is to press that says nothing of what is shown. */
    const onPaper = async () => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      await page.setViewportSize({ width: 718, height: 1000 });
      const found =
        await page.evaluate(`[...document.querySelectorAll('#page, #page :not(.sr-only)')].flatMap((one) => {
        const style = getComputedStyle(one);
        const shown = one.checkVisibility() && one.clientHeight > 1;
        const clips = one.matches('input, textarea') || style.overflow !== 'visible';
        const isCut = one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1;
        return shown && (one.matches('nav, button:not(:has(bdi))') || (clips && isCut)) ? [one.outerHTML.slice(0, 200)] : [];
      })`);
      const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      await page.emulateMedia({ media: null, colorScheme: 'light' });
      return { found, paper };
    };
    await visitor.go(`/entities/${letter.id}`);
    await page.getByLabel('text', { exact: true }).waitFor();
    expect(await onPaper()).toEqual({ found: [], paper: 'rgb(247, 245, 241)' });
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('grid').getByText(line.trim()).first().waitFor();
    expect(await onPaper()).toEqual({ found: [], paper: 'rgb(247, 245, 241)' });
    for (const path of ['/', '/collections']) {
      await visitor.go(path);
      await page.locator('main').getByRole('link', { name: line.trim() }).first().waitFor();
      expect(await onPaper()).toEqual({ found: [], paper: 'rgb(247, 245, 241)' });
    }
    expect(visitor.faults).toEqual([]);
  });

  test('says when the node is gone, and goes on when it is back', async () => {
    await using visitor = await signedIn(node);
    const { page } = visitor;
    const { port } = new URL(node.url);
    await node[Symbol.asyncDispose]();
    await page.getByText('The node does not answer.').waitFor();
    await lookAt(page, 'node-gone', { asItIs: true });
    node = tidied(await startPageNode({ env: { ARCHEION_PORT: port } }));
    // The new node knows no session of the old one.
    const banner = page.getByText('You are no longer signed in.', { exact: true });
    await banner.waitFor();
    await page.getByText('The node does not answer.').waitFor({ state: 'detached' });
    await lookAt(page, 'session-ended');
    const other = await page.context().newPage();
    await other.goto(signInLink(node));
    await banner.waitFor({ state: 'detached' });
    // What was refused meanwhile has come, too.
    await page.getByRole('heading', { name: 'Import records' }).waitFor();
    // One part of the screen may come before another.
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    expect(await page.getByRole('navigation').count()).toBe(1);
  });

  test('says what is wrong with a node that answers, and cannot say who asks, and goes on when it can', async () => {
    await using visitor = await visit(node);
    const { page } = visitor;
    let asked = 0;
    await page.route('**/auth/whoami', (route) => {
      asked++;
      return route.fulfill({ status: 500, json: { error: 'Internal server error' } });
    });
    await page.goto(signInLink(node));
    await page.getByRole('heading', { name: 'This screen could not be shown' }).waitFor();
    await page.getByText('Internal server error').waitFor();
    // Shown, and not asked for again and again.
    expect(asked).toBeLessThan(10);
    await page.unrouteAll();
    await page.getByRole('navigation').first().waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows a screen that could not be loaded while the node was away as soon as it is back', async () => {
    await using visitor = await signedIn(node);
    const { page } = visitor;
    await page.getByRole('heading', { level: 1 }).waitFor();
    // Of what the browser knows from before, too.
    await page.route('**/*', (route) => route.abort('connectionrefused'));
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'This screen could not be shown' }).waitFor();
    await page.getByRole('main').getByText('The node does not answer.').waitFor();
    await page.unroute('**/*');
    await page.getByRole('heading', { name: 'There is no processor yet' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('says so at an address that it does not have', async () => {
    await using visitor = await comingIn(node);
    const { page } = visitor;
    await visitor.go('/nowhere/at/all');
    await page.getByRole('heading', { name: 'There is nothing at this address' }).waitFor();
    await page.getByRole('link', { name: 'To the start' }).click();
    await page.getByRole('heading', { name: 'Welcome', level: 1 }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('leaves out of an address what its screen does not take', async () => {
    await using visitor = await comingIn(node);
    await visitor.load('/search?q=ship&types=letter&network=test');
    await visitor.page.getByRole('searchbox').first().waitFor();
    await expect.poll(() => new URL(visitor.page.url()).search).toBe('?network=test&q=ship');
    expect(visitor.faults).toEqual([]);
  });
});
