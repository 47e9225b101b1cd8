import type { Page, Route } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import {
  comingIn,
  describePage,
  lookAt,
  pictureOf,
  signInLink,
  startPageNode,
  tidiedAfterEach,
  type Visit,
} from './browser.ts';

const hostile = '<img src=x onerror="window.hacked=1">\u202egnol';

describePage('what was deleted', () => {
  let node: TestNode;
  let me: Person;
  let home: Entity;
  let visitor: Visit;
  let page: Page;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    node = tidied(await startPageNode());
    me = operator(node);
    home = await collection(node, me, { label: 'Letters' });
    visitor = tidied(await comingIn(node));
    page = visitor.page;
  });
  const press = async (...presses: string[]) => {
    for (const one of presses) await page.keyboard.press(one);
  };
  const made = (label: string) =>
    create(node, me, { type: 'letter', collection: home.id, properties: { label, text: `Dear ${label}` } });
  const lines = () => page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Restore' }) });
  const labels = () => lines().getByRole('link').allInnerTexts();

  test('is found in its collection and restored, one and several, by keys alone', async () => {
    for (const label of ['To Ann', 'To Bea', 'To Cem', hostile]) {
      const letter = await made(label);
      await remove(node, me, letter, label === 'To Bea' ? { note: 'a double of another' } : {});
    }
    await made('stays');
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('grid').getByText('stays', { exact: true }).waitFor();
    await press('g', 'd');
    await page.getByText('4 deleted entities').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/ui/collections/${home.id}/deleted`);
    expect(await labels()).toEqual([hostile, 'To Cem', 'To Bea', 'To Ann']);
    await page.getByText('a double of another').waitFor();
    await pictureOf(page, 'deleted');

    // The one that the keys are at.
    await press('j', 'j', 'r');
    const said = page.getByText('One entity was restored', { exact: true });
    await said.waitFor();
    // What is said covers nothing of the screen.
    const [screen, line] = await Promise.all([page.getByRole('main').boundingBox(), said.boundingBox()]);
    expect((screen?.y ?? 0) + (screen?.height ?? 0)).toBeLessThanOrEqual(line?.y ?? 0);
    await page.getByText('3 deleted entities').waitFor();
    expect(await labels()).toEqual([hostile, 'To Cem', 'To Ann']);

    // Those that are selected.
    await press('k', 'k', 'x', 'j', 'x');
    await page.getByRole('button', { name: 'Restore 2' }).waitFor();
    await lookAt(page, 'deleted-selected');
    await press('r');
    await page.getByText('2 entities were restored', { exact: true }).waitFor();
    await page.getByText('One deleted entity').waitFor();
    await press('Enter');
    await page.getByRole('heading', { name: 'To Ann', level: 1 }).waitFor();
    await press('r');
    await page.getByText('Restored as version 3', { exact: true }).waitFor();
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByRole('heading', { name: 'Nothing in this collection is deleted' }).waitFor();
    await lookAt(page, 'deleted-none');
    await press('g', 'e');
    await page.getByText('5 entities').waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });

  test('is listed in the first of several collections, which the others say', async () => {
    const place = ({ id }: Entity) => ({ predicate: 'collection', peer: id });
    const first = await collection(node, me, { label: 'Papers' });
    const both = await create(node, me, {
      type: 'letter',
      relationships: [place(first), place(home)],
      properties: { label: 'Both' },
    });
    await remove(node, me, both);
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByRole('heading', { name: 'Nothing in this collection is deleted' }).waitFor();
    await page.getByText('What lay in several collections comes to the first of them.').waitFor();
    await visitor.go(`/collections/${first.id}/deleted`);
    await page.getByText('One deleted entity').waitFor();
    expect(await labels()).toEqual(['Both']);
    expect(visitor.faults).toEqual([]);
  });

  test('and restored is no longer selected where it is deleted once more', async () => {
    const [ann] = [await made('To Ann'), await made('To Bea')];
    await remove(node, me, ann);
    await remove(node, me, await made('To Cem'));
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('2 deleted entities').waitFor();
    const box = page.getByRole('checkbox', { name: /To Ann$/ });
    await box.check();
    await press('r');
    await page.getByText('One entity was restored', { exact: true }).waitFor();
    await page.getByText('One deleted entity').waitFor();
    await remove(node, me, await read(node, me, ann.id));
    await page.getByText('2 deleted entities').waitFor();
    expect(await box.isChecked()).toBe(false);
    expect(visitor.faults).toEqual([]);
  });

  test('comes above the one that the keys are at, which stays the one that is restored', async () => {
    const letter = await made('To Ann');
    await remove(node, me, letter);
    const other = await made('To Bea');
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('One deleted entity').waitFor();
    await remove(node, me, other);
    await page.getByText('2 deleted entities').waitFor();
    expect(await labels()).toEqual(['To Bea', 'To Ann']);
    await press('r');
    await page.getByText('One entity was restored', { exact: true }).waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 3 });
    expect((await ask(node, me, `GET /entities/${other.id}`)).body).toMatchObject({ details: { deleted: true } });
  });

  test('comes in further pages also where something changes while one is fetched', async () => {
    for (let n = 0; n < 103; n++) await remove(node, me, await made(`Letter ${n}`));
    await visitor.go(`/collections/${home.id}/deleted`);
    await expect.poll(() => lines().count()).toBe(100);
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/deleted?offset=100*', async (route) => {
      asked.resolve();
      await gate.promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Show more' }).click();
    await asked.promise;
    const { cid } = await remove(node, me, await made('Last of all'));
    await page.waitForResponse(
      async (answer) => /\/events\?/.test(answer.url()) && (await answer.text()).includes(cid),
    );
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    gate.resolve();
    await expect.poll(() => lines().count()).toBe(104);
    await expect.poll(async () => (await labels())[0]).toBe('Last of all');
    expect(visitor.faults).toEqual([]);
  });

  test('is up to date from its first page on where more is asked for while that one is fetched anew', async () => {
    for (let n = 0; n < 103; n++) await remove(node, me, await made(`Letter ${n}`));
    await visitor.go(`/collections/${home.id}/deleted`);
    await expect.poll(() => lines().count()).toBe(100);
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(
      (url) => url.pathname.endsWith('/deleted') && url.searchParams.get('offset') !== '100',
      async (route) => {
        asked.resolve();
        await gate.promise;
        await route.continue().catch(() => undefined);
      },
    );
    await remove(node, me, await made('Last of all'));
    await asked.promise;
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => lines().count()).toBeGreaterThan(100);
    gate.resolve();
    await expect.poll(async () => (await labels())[0]).toBe('Last of all');
    await expect.poll(() => lines().count()).toBe(104);
    expect(visitor.faults).toEqual([]);
  });

  test('comes in pages, appears by itself, and says what somebody else was quicker with', async () => {
    for (let n = 0; n < 103; n++) await remove(node, me, await made(`Letter ${n}`));
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('103 deleted entities').waitFor();
    await expect.poll(() => lines().count()).toBe(100);
    await page.getByText('100 of 103').waitFor();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => lines().count()).toBe(103);
    await remove(node, me, await made('Last of all'));
    await expect.poll(async () => (await labels())[0]).toBe('Last of all');

    // Restored, changed and deleted again meanwhile: the version that was seen is no longer the newest.
    let isFirst = true;
    const overtaken = async (route: Route) => {
      if (route.request().method() === 'GET') return route.fulfill({ status: 204 });
      if (!isFirst) return route.continue();
      isFirst = false;
      const id = /entities\/([^/]+)\/restore/.exec(route.request().url())?.[1] ?? '';
      ok(await ask(node, me, `POST /entities/${id}/restore`, route.request().postDataJSON() as object));
      await remove(node, me, await update(node, me, await read(node, me, id), { properties: { text: 'another' } }));
      await route.continue();
    };
    await page.route('**/entities/*/restore', overtaken);
    // A browser that is busy may let requests through for a while yet.
    const intercepts = () => page.evaluate(async () => (await fetch('/entities/none/restore')).status);
    await expect.poll(intercepts).toBe(204);
    await press('k', 'r');
    const alert = page.getByRole('alert').filter({ hasText: 'One was not restored' });
    await alert.getByText(/Last of all.*Somebody else changed this in the meantime/).waitFor();
    await lookAt(page, 'deleted-overtaken');
    await press('r');
    await page.getByText('One entity was restored', { exact: true }).waitFor();
    expect(await alert.count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test('waits for a node that is away, says so, and can be stopped', async () => {
    for (const label of ['To Ann', 'To Bea', 'To Cem']) await remove(node, me, await made(label));
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('3 deleted entities').waitFor();
    let away = true;
    await page.route('**/*', (route) => (away ? route.abort('connectionrefused') : route.continue()));
    const waiting = page.getByText('The node does not answer. This goes on by itself as soon as it does.');
    const stop = page.getByRole('button', { name: 'Stop', exact: true });
    await page.getByRole('checkbox', { name: 'Select all that are listed' }).check();
    await press('r');
    await waiting.waitFor();
    await lookAt(page, 'deleted-waiting', { asItIs: true });
    await stop.click();
    await waiting.waitFor({ state: 'detached' });
    expect(await lines().count()).toBe(3);
    expect(await page.getByText('were not restored').count()).toBe(0);
    away = false;
    await page.getByRole('button', { name: 'Restore 3', disabled: false }).click();
    await page.getByText('3 entities were restored', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Nothing in this collection is deleted' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('and on its way back stops where the screen is left, which is asked for', async () => {
    for (let n = 0; n < 12; n++) await remove(node, me, await made(`Letter ${n}`));
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let answers = 0;
    await page.route('**/entities/*/restore', async (route) => {
      asked.resolve();
      await gate.promise;
      await route.continue();
      answers++;
    });
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('12 deleted entities').waitFor();
    await page.getByRole('checkbox', { name: 'Select all that are listed' }).check();
    await press('r');
    await asked.promise;
    const question = page.getByRole('dialog', { name: 'Stop here?' });
    await press('g', 'c');
    await question.getByRole('button', { name: 'Go on' }).click();
    await question.waitFor({ state: 'detached' });
    await press('g', 'c');
    await question.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: 'Collections', level: 1 }).waitFor();
    gate.resolve();
    await page.getByText('4 entities were restored', { exact: true }).waitFor();
    expect(answers).toBe(4);
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('8 deleted entities').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('waits also with a single one for whoever is no longer signed in', async () => {
    await remove(node, me, await made('To Ann'));
    await visitor.go(`/collections/${home.id}/deleted`);
    await page.getByText('One deleted entity').waitFor();
    await page.context().clearCookies();
    await press('r');
    await page
      .getByText(/^You are no longer signed in\. Sign in again with .* this then goes on by itself\.$/)
      .waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    const other = await page.context().newPage();
    await other.goto(signInLink(node));
    await page.getByText('One entity was restored', { exact: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('may be a collection, which comes back by keys', async () => {
    await remove(node, me, await collection(node, me, { label: hostile }));
    await visitor.go('/collections');
    await page.getByRole('link', { name: 'Letters' }).waitFor();
    await press('g', 'd');
    await page.getByRole('heading', { name: 'Deleted collections', level: 1 }).waitFor();
    await page.getByText('One deleted collection', { exact: true }).waitFor();
    expect(await labels()).toEqual([hostile]);
    await lookAt(page, 'deleted-collections');
    await press('r');
    await page.getByRole('heading', { name: 'No collection is deleted' }).waitFor();
    await press('g', 'c');
    await page.getByRole('link', { name: hostile }).waitFor();
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });

  test('may be the collection that is looked at, which says so with the way to where it comes back', async () => {
    const way = page.getByRole('alert').getByRole('link', { name: 'Deleted collections' });
    const said = page.getByText('This was deleted. Its history is still there, and it can be restored.');
    await visitor.go(`/collections/${home.id}`);
    await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();
    const count = page.getByRole('status').filter({ hasText: /entit/ });
    await count.waitFor();
    await remove(node, me, home);
    await said.waitFor();
    expect(await count.count()).toBe(0);
    expect(await page.getByRole('alert').count()).toBe(1);
    for (const screen of ['/members', '/deleted', '']) {
      await visitor.load(`/collections/${home.id}${screen}`);
      await said.waitFor();
      expect(await way.count()).toBe(1);
    }
    await way.click();
    await page.getByRole('heading', { name: 'Deleted collections' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('of a collection that is not there says so', async () => {
    await visitor.go('/collections/01J00000000000000000000000/deleted');
    await page.getByText('There is no such thing on this node.').waitFor();
    await page.getByRole('link', { name: 'Collections' }).first().waitFor();
  });

  test('is back by the first try, where its answer was lost: undone right away, and restored on its page', async () => {
    const letter = await made('To Ann');
    const button = (name: string) => page.getByRole('button', { name });
    const lost = new Set<string>();
    await page.route('**/entities/*/restore', async (route) => {
      const asked = route.request().postData() ?? '';
      if (lost.has(asked)) return route.continue();
      lost.add(asked);
      await route.fetch();
      await route.abort('connectionreset');
    });
    await visitor.go(`/entities/${letter.id}`);
    await button('More').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor();
    await button('Undo').click();
    await page.getByText('The node does not answer.').first().waitFor();
    await button('Undo').click();
    await page.getByRole('heading', { name: 'To Ann', level: 1 }).waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 3 });

    await remove(node, me, await read(node, me, letter.id));
    await visitor.go(`/entities/${letter.id}`);
    await button('Restore').click();
    await page.getByRole('alert').getByText('The node does not answer.').waitFor();
    await button('Restore').click();
    await page.getByText('Restored as version 5', { exact: true }).waitFor();
    expect(await read(node, me, letter.id)).toMatchObject({ ver: 5 });
    expect(visitor.faults).toEqual([]);
  });
});
