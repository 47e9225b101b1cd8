import type { Page, Request } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok } from '../helpers/entities.ts';
import { allow, command, one, replying } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { klados } from '../helpers/processors.ts';
import { keyOf } from '../sync/nodes.ts';
import { describePage, onNewPage, type Visit } from './browser.ts';

describePage('an answer that comes late', () => {
  let node: TestNode;
  let me: Person;
  let visitor: Visit;
  let page: Page;
  let home: Entity;
  let letter: Entity;
  onNewPage((scene) => {
    ({ node, visitor, page } = scene);
  });
  beforeEach(async () => {
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
    letter = await create(node, me, {
      type: 'letter',
      collection: home.id,
      properties: { label: 'To Ada', pages: 2 },
    });
  });

  const field = (name: string) => page.getByLabel(name, { exact: true });
  const said = (text: string) => page.getByText(text, { exact: true }).last().waitFor();
  const path = () => new URL(page.url()).pathname;
  const question = () => page.getByRole('dialog', { name: 'Discard what you have typed?' });
  /** Holds the answers to requests of a method and path back until they are let go. */
  async function held(method: string, at: RegExp, which: (request: Request) => boolean = () => true) {
    const gate = Promise.withResolvers<void>();
    const matches = (request: Request) =>
      request.method() === method && at.test(new URL(request.url()).pathname) && which(request);
    await page.route('**/*', async (route) => {
      if (!matches(route.request())) return route.fallback();
      const response = await route.fetch();
      await gate.promise;
      await route.fulfill({ response });
    });
    return { begun: page.waitForRequest(matches), letGo: gate.resolve };
  }
  /** Types something at an entity that goes with its screen. */
  const typeElsewhere = async () => {
    await visitor.go(`/entities/${letter.id}`);
    await field('pages').fill('-');
  };
  const staysThere = async () => {
    expect(path()).toBe(`/ui/entities/${letter.id}`);
    expect(await field('pages').inputValue()).toBe('-');
    expect(visitor.faults).toEqual([]);
  };

  test('takes nobody away who has started something and types elsewhere by then, or has typed on', async () => {
    const schema = { type: 'object', properties: { prompt: {} } };
    await allow(node, { echo: replying('return {}') });
    const echo = await command(node, me, home.id, 'echo', { accepts: one('letter'), input_schema: schema });
    const search = new URLSearchParams({
      processor: echo.id,
      collection: home.id,
      targets: JSON.stringify([letter.id]),
    });
    const isConfirmed = (request: Request) =>
      (request.postDataJSON() as { confirm?: boolean } | null)?.confirm === true;
    const start = async () => {
      const answer = await held('POST', /\/invoke$/, isConfirmed);
      await visitor.go(`/process?${search}`);
      await page.getByRole('button', { name: 'Show the permissions', disabled: false }).click();
      await page.getByRole('button', { name: 'Give them and start', disabled: false }).click();
      await answer.begun;
      return answer;
    };
    const first = await start();
    await typeElsewhere();
    first.letGo();
    await said('The processor was started');
    await staysThere();
    await page.getByRole('button', { name: /^See the job/ }).click();
    await question().getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'echo', level: 1 }).waitFor();

    await page.unrouteAll();
    const second = await start();
    await field('prompt').fill('"What comes next"');
    second.letGo();
    await said('The processor was started');
    expect(path()).toBe('/ui/process');
    expect(await field('prompt').inputValue()).toBe('"What comes next"');
    expect(visitor.faults).toEqual([]);
  });

  test('holds nobody up who has changed by then what is to be started', async () => {
    const schema = { type: 'object', properties: { prompt: {} } };
    await allow(node, { echo: replying('return {}') });
    const echo = await command(node, me, home.id, 'echo', { accepts: one('letter'), input_schema: schema });
    const search = new URLSearchParams({
      processor: echo.id,
      collection: home.id,
      targets: JSON.stringify([letter.id]),
    });
    const look = () => page.getByRole('button', { name: 'Show the permissions', disabled: false }).click();
    const start = () => page.getByRole('button', { name: 'Give them and start', disabled: false }).click();
    const prompted = (prompt: string) => (request: Request) => request.postData()?.includes(prompt) ?? false;
    const first = await held('POST', /\/invoke$/, prompted('first'));
    await visitor.go(`/process?${search}`);
    await field('prompt').fill('"first"');
    await look();
    await first.begun;
    await field('prompt').fill('"second"');
    await look();
    await page.getByRole('heading', { name: 'What it may do' }).waitFor();

    // One that is on its way is started, and so is the other.
    const second = await held('POST', /\/invoke$/, prompted('second'));
    await start();
    await second.begun;
    await field('prompt').fill('"third"');
    await look();
    await start();
    await page.getByRole('heading', { name: 'echo', level: 1 }).waitFor();
    first.letGo();
    second.letGo();
    await said('The processor was started');
    expect(visitor.faults).toEqual([]);
  });

  test('says what was added as a remote, and goes there where that was waited for', async () => {
    await using origin = await startNode();
    const key = keyOf(await user(origin, 'curator'));
    const add = async (name: string) => {
      const answer = await held('POST', /\/node\/remotes$/);
      await visitor.go('/sync?add=true');
      await field('Address').fill(origin.url);
      await page.locator('input[type="password"]').fill(key);
      await field('Name').fill(name);
      await page.getByRole('dialog').getByRole('checkbox').uncheck();
      await page.getByRole('dialog').getByRole('button', { name: 'Add a remote' }).click();
      await answer.begun;
      return answer;
    };
    const first = await add('museum');
    await field('Name').fill('archive');
    first.letGo();
    await page.getByRole('heading', { name: 'museum', level: 1 }).waitFor();
    expect(path()).toBe('/ui/sync/remotes/museum');

    await page.unrouteAll();
    const second = await add('library');
    await page.keyboard.press('Escape');
    await question().getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    second.letGo();
    await said('library was added');
    await page.getByRole('link', { name: 'library', exact: true }).waitFor();
    expect(path()).toBe('/ui/sync');
    expect(visitor.faults).toEqual([]);
  });

  test.each(['klados', 'rhiza'] as const)(
    'takes nobody away who has registered a %s and types elsewhere',
    async (kind) => {
      await klados(node, me, home.id, { label: 'Splitter' });
      const answer = await held('POST', /\/(kladoi|rhizai)$/);
      await visitor.go(`/processors/new?kind=${kind}`);
      await expect.poll(() => field('Collection').inputValue()).toBe(home.id);
      await field('Label').fill('Reader');
      if (kind === 'klados') await field('Endpoint').fill('https://reader.test');
      else {
        await page.getByRole('combobox', { name: 'Add a step: a klados or another rhiza' }).fill('Splitter');
        await page.getByRole('option', { name: /Splitter/ }).click();
      }
      await page.getByRole('button', { name: 'Register', disabled: false }).press('Enter');
      await answer.begun;
      await page.keyboard.press('Escape');
      await page.keyboard.press('g');
      await page.keyboard.press('c');
      await question().getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
      await typeElsewhere();
      answer.letGo();
      await said('Registered');
      await staysThere();
    },
  );

  test('takes nobody away who has closed the dialog that waited for it', async () => {
    const makes = async (screen: string, name: string, at: RegExp) => {
      const answer = await held('POST', at);
      await visitor.go(screen);
      await page.getByRole('button', { name }).first().click();
      const dialog = page.getByRole('dialog', { name });
      if (name === 'New entity') await dialog.getByLabel('Type', { exact: true }).fill('letter');
      await dialog.getByLabel('Label', { exact: true }).fill('Maps');
      await dialog.getByRole('button', { name: 'Create', disabled: false }).click();
      await answer.begun;
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      await typeElsewhere();
      const answered = page.waitForResponse((one) => one.request().method() === 'POST' && at.test(one.url()));
      answer.letGo();
      await answered;
      // What would come of it comes within that.
      await page.waitForTimeout(500);
      await staysThere();
      await page.unrouteAll();
      await field('pages').fill('2');
    };
    await makes('/collections', 'New collection', /\/collections$/);
    await makes(`/collections/${home.id}`, 'New entity', /\/entities$/);
  });

  test('closes no dialog that was opened since', async () => {
    const [ada, bob] = [await user(node, 'Ada Lovelace'), await user(node, 'Bob Coecke')];
    await enrol(node, me, home.id, ada, 'viewer');
    await enrol(node, me, home.id, bob, 'viewer');
    const dialog = (name: string) => page.getByRole('dialog', { name });
    /** Closes a dialog whose answer is held back, does something else, and has it answered then. */
    const answeredLate = async (
      name: string,
      button: string,
      at: [string, RegExp],
      words: string,
      next: () => Promise<void>,
    ) => {
      const answer = await held(...at);
      await dialog(name).getByRole('button', { name: button }).click();
      await answer.begun;
      await page.keyboard.press('Escape');
      if (at[0] === 'POST') await question().getByRole('button', { name: 'Discard' }).click();
      await dialog(name).waitFor({ state: 'detached' });
      await next();
      answer.letGo();
      await said(words);
      await page.unrouteAll();
    };
    const typeGroup = async () => {
      await page.getByRole('button', { name: 'New group' }).click();
      await field('Label').fill('Readers');
    };
    const groupStays = async () => {
      expect(await dialog('New group').getByLabel('Label').inputValue()).toBe('Readers');
      await dialog('New group').getByRole('button', { name: 'Cancel' }).click();
      await dialog('New group').waitFor({ state: 'detached' });
    };
    await visitor.go(`/collections/${home.id}/members`);
    await page.getByRole('button', { name: 'What to do with Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Take the role away' }).click();
    const change: [string, RegExp] = ['PUT', /\/collections\//];
    const removed = 'Ada Lovelace no longer has the role “viewer”';
    await answeredLate('Ada Lovelace', 'Take the role away', change, removed, typeGroup);
    await groupStays();

    await page.getByRole('button', { name: 'Add a member' }).click();
    await page.getByRole('combobox', { name: 'Who' }).fill('Ada');
    await page.getByRole('option', { name: 'Ada Lovelace' }).click();
    const added = 'Ada Lovelace has the role “viewer”';
    await answeredLate('Add a member', 'Give the role', ['POST', /\/members$/], added, typeGroup);
    await groupStays();

    await typeGroup();
    const made = 'Readers has the role “viewer”';
    await answeredLate('New group', 'Create', ['POST', /\/members$/], made, async () => {
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByRole('combobox', { name: 'Who' }).fill('Bob');
    });
    expect(await page.getByRole('combobox', { name: 'Who' }).inputValue()).toBe('Bob');
    await dialog('Add a member').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    for (const label of ['first', 'second']) ok(await ask(node, me, 'POST /users/me/keys', { label }));
    await visitor.go('/settings/keys');
    await page.getByRole('button', { name: 'Revoke the key first' }).click();
    await answeredLate(
      'Revoke the key first',
      'Revoke',
      ['DELETE', /\/keys\//],
      'The key first was revoked',
      async () => {
        await page.getByRole('button', { name: 'Revoke the key second' }).click();
      },
    );
    await dialog('Revoke the key second').getByRole('button', { name: 'Cancel' }).click();
    expect(visitor.faults).toEqual([]);
  });

  test('takes nobody away from where they type who has deleted something', async () => {
    const other = await create(node, me, { type: 'letter', collection: home.id, properties: { label: 'To Bea' } });
    const answer = await held('DELETE', /\/entities\//);
    await visitor.go(`/entities/${other.id}`);
    await field('label').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await answer.begun;
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await typeElsewhere();
    answer.letGo();
    await said('Deleted');
    await staysThere();
  });
});
