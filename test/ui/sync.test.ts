import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { addRemote, conflictsOf, keyOf, sync, tipsOf } from '../sync/nodes.ts';
import { comingIn, describePage, lookAt, pictureOf, startPageNode, tidiedAfterEach, type Visit } from './browser.ts';

const hostile = '<img src=x onerror="window.hacked=1">\u202egnol';

describePage('the sync screens', () => {
  let origin: TestNode;
  let node: TestNode;
  let data: Awaited<ReturnType<typeof temporaryFolder>>;
  let me: Person;
  let curator: Person;
  let place: Entity;
  let letter: Entity;
  let second: Entity;
  let visitor: Visit;
  let page: Page;

  const tidied = tidiedAfterEach();
  beforeEach(async () => {
    data = tidied(await temporaryFolder());
    origin = tidied(await startNode({ data: data.path }));
    node = tidied(await startPageNode());
    me = operator(node);
    curator = await user(origin, 'curator');
    place = await collection(origin, curator, { label: 'Letters' });
    const made = (properties: object) =>
      create(origin, curator, { type: 'letter', collection: place.id, properties: { ...properties } });
    letter = await made({ label: 'To Ada', pages: 2, place: 'Rye', text: 'Dear Ada, thank you.' });
    second = await made({ label: 'To Bea', pages: 1 });
    await made({ label: hostile, link: 'javascript:alert(1)' });
    visitor = tidied(await comingIn(node));
    page = visitor.page;
  });

  const heading = (name: string) => page.getByRole('heading', { name, level: 1, exact: true });
  const press = (keys: string) => page.keyboard.press(keys);
  /** Adds the origin by keyboard, and is on its screen then. */
  const addOrigin = async ({ watch = false } = {}) => {
    await visitor.go('/');
    await press('g');
    await press('y');
    await heading('Sync').waitFor();
    await press('n');
    await page.getByRole('textbox', { name: 'Address' }).waitFor();
    await page.keyboard.type(origin.url);
    await press('Tab');
    await page.keyboard.type(keyOf(curator));
    await press('Tab');
    await press('Control+a');
    await page.keyboard.type('museum');
    const box = page.getByRole('dialog').getByRole('checkbox');
    if ((await box.isChecked()) !== watch) {
      await box.focus();
      await press('Space');
    }
  };
  const added = async () => {
    await page.getByRole('textbox', { name: 'Address' }).focus();
    await press('Enter');
    await heading('museum').waitFor();
  };
  const stand = () => page.getByRole('region', { name: 'How things stand' });
  const syncNow = async (then: string | RegExp) => {
    await stand()
      .getByRole('button', { name: /Sync now/, disabled: false })
      .waitFor();
    await press('s');
    await stand().getByText(then).first().waitFor({ timeout: 60_000 });
  };
  const restartOrigin = async () => {
    const { port } = new URL(origin.url);
    origin = tidied(await startNode({ data: data.path, env: { ARCHEION_PORT: port } }));
  };

  test('mirror, edits on both sides while the other is down, and two conflicts decided by keyboard until both agree', async () => {
    await addOrigin();
    const dialog = page.getByRole('dialog', { name: 'Add a remote' });
    await dialog.getByRole('button', { name: 'Test the connection' }).focus();
    await press('Enter');
    await dialog.getByText(/An Archeion node answers\. The key is of/).waitFor();
    await lookAt(page, 'sync-add');
    await added();
    await page.getByText('Never synced yet').waitFor();
    await syncNow(/In step: everything was exchanged/);
    expect((await read(node, me, letter.id)).properties.label).toBe('To Ada');

    // Here while the other one is down.
    await origin[Symbol.asyncDispose]();
    await update(node, me, letter, { properties: { label: 'To Ada Lovelace', pages: 3 } });
    await update(node, me, second, { properties: { pages: 5 } });
    const own = await create(node, me, { type: 'letter', collection: place.id, properties: { label: 'To Cora' } });
    await page.getByRole('button', { name: /To Cora/ }).waitFor();
    await page.getByText('is created there').waitFor();
    await page.getByRole('button', { name: /To Ada Lovelace/ }).focus();
    await press('Enter');
    await page.getByRole('region', { name: 'Comparison' }).getByText('To Ada Lovelace').waitFor();
    await pictureOf(page, 'sync-pending');
    await syncNow(/No answer when it was last asked/);
    await lookAt(page, 'sync-unreachable');
    await page.getByRole('link', { name: 'Sync needs a look' }).waitFor();

    // There while this one does not ask.
    await restartOrigin();
    await update(origin, curator, letter, { properties: { label: 'To Lady Lovelace', place: 'Deal' } });
    await update(origin, curator, second, { properties: { pages: 7 } });
    await syncNow(/waits for you: 2 conflicts/);
    expect(await conflictsOf(node, me)).toHaveLength(2);
    expect((await read(origin, curator, own.id)).properties.label).toBe('To Cora');
    await lookAt(page, 'sync-remote');

    const mark = page.getByRole('link', { name: '2 conflicts', exact: true });
    await mark.focus();
    await press('Enter');
    await heading('Conflicts').waitFor();
    await page.getByText('2 conflicts wait').waitFor();
    await lookAt(page, 'sync-conflicts');
    await page.route('**/node/conflicts?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), total: 5002 } });
    });
    await page.reload();
    await page.getByText('and 5,000 more, which come here when these are decided').waitFor();
    await page.unroute('**/node/conflicts?*');
    await page.reload();
    await page.getByText('2 conflicts wait').waitFor();
    const order = (await conflictsOf(node, me)).map(({ id }) => id);
    if (order[0] !== letter.id) await press('j');
    await press('Enter');
    await heading('To Ada Lovelace').waitFor();
    await page.getByText('In one place both changed the same').waitFor();
    await pictureOf(page, 'sync-conflict');
    await press('t');
    expect(await page.getByRole('radio', { name: 'label: theirs' }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: 'label: theirs' }).focus();
    await press('ArrowLeft');
    expect(await page.getByRole('radio', { name: 'label: yours' }).isChecked()).toBe(true);
    await press('e');
    await page.getByLabel('label', { exact: true }).fill('To Ada, Lady Lovelace');
    await lookAt(page, 'sync-conflict-by-hand');
    await page.getByLabel('Note').fill('As the envelope has it');
    await press('Control+Enter');

    // The next one is there at once.
    await heading('To Bea').waitFor();
    await page.getByRole('heading', { name: 'To Ada Lovelace', level: 1 }).waitFor({ state: 'detached' });
    await press('t');
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    await lookAt(page, 'sync-decided');
    await page.getByRole('button', { name: /Sync now/ }).focus();
    await press('Enter');
    await page.getByRole('link', { name: 'In step', exact: true }).waitFor({ timeout: 60_000 });

    const there = await read(origin, curator, letter.id);
    expect(there.properties).toMatchObject({ label: 'To Ada, Lady Lovelace', pages: 3, place: 'Deal' });
    expect((await read(origin, curator, second.id)).properties).toMatchObject({ pages: 7 });
    expect(await tipsOf(node)).toEqual(await tipsOf(origin));

    await page.getByRole('link', { name: 'Log', exact: true }).focus();
    await press('Enter');
    await page.getByText('Conflict decided:').first().waitFor();
    await lookAt(page, 'sync-log');
    await page.getByRole('combobox', { name: 'What happened' }).selectOption('open');
    await page.getByText('It did not answer').waitFor();
    await page.getByText('Conflict decided:').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('kind')).toBe('open');
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });

  test('where no common version is known nobody is said to have changed anything, and nothing is merged', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const said = { type: 'letter', collection: place.id };
    const { id } = await create(origin, curator, { ...said, properties: { label: 'To Zo\u00eb', pages: 4 } });
    await create(node, me, { ...said, id, properties: { label: 'To Zoe\u0308', pages: 4 } });
    await syncNow(/waits for you: one conflict/);
    await page.goto(`${node.url}/ui/sync/conflicts/museum/${id}`);
    await page.getByText('They differ in one place').waitFor();
    await page.getByText('without a common version').waitFor();
    expect(await page.getByText('both changed it').count()).toBe(0);
    expect(await page.getByText('Looks alike, and differs in').count()).toBe(1);
    expect(await page.getByRole('columnheader').allInnerTexts()).toEqual(['Place', 'Yours', 'Theirs']);
    await lookAt(page, 'sync-conflict-without-base');
    // What is noted goes with the screen, which is asked for.
    await page.getByLabel('Note').fill('As the envelope has it');
    await page.getByRole('link', { name: 'Open the entity' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    expect(await page.getByLabel('Note').inputValue()).toBe('As the envelope has it');
  });

  test('what was made as something else on each side says of which type it will be', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const { id } = await create(origin, curator, { type: 'letter', collection: place.id, properties: { pages: 4 } });
    await create(node, me, { type: 'postcard', id, collection: place.id, properties: { pages: 1 } });
    await syncNow(/waits for you: one conflict/);
    await page.goto(`${node.url}/ui/sync/conflicts/museum/${id}`);
    await page.getByRole('note').getByText('it will be of the type letter').waitFor();
    await lookAt(page, 'sync-conflict-of-types');
    await press('o');
    await press('Control+s');
    await expect.poll(() => conflictsOf(node, me)).toEqual([]);
    expect(await read(node, me, id)).toMatchObject({ type: 'letter', properties: { pages: 1 } });
    expect(visitor.faults).toEqual([]);
  });

  test('an entity deleted there and changed here is decided whole; a hostile one shows harmlessly', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const items = (await conflictsOf(node, me)).length;
    expect(items).toBe(0);
    const listed = Object.keys(await tipsOf(node));
    const bad = (await Promise.all(listed.map((id) => read(node, me, id)))).find(
      ({ properties }) => properties.label === hostile,
    );
    expect(bad).toBeDefined();
    await update(node, me, letter, { properties: { label: hostile } });
    await page.getByRole('button', { name: /img src/ }).waitFor();
    await remove(origin, curator, letter);
    await syncNow(/waits for you: one conflict/);
    await visitor.go(`/sync/conflicts/museum/${letter.id}`);
    await page.getByText('It was deleted there, while you changed it.').waitFor();
    // Its relationships are of what it says, too.
    await page.getByRole('rowheader', { name: 'collection', exact: true }).waitFor();
    await lookAt(page, 'sync-conflict-deleted');
    // Of thousands of properties the first are shown.
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`p${i}`, i]));
    await update(node, me, await read(node, me, letter.id), { properties: many });
    await page.reload();
    await page.getByText(/^and 1,70\d more$/).waitFor();
    expect(await page.getByRole('rowheader').count()).toBe(301);
    // Whole is whole: the keys choose between the two that are shown.
    await press('t');
    await page
      .getByRole('radio', { name: /^Theirs: / })
      .and(page.locator(':checked'))
      .waitFor();
    await press('o');
    await page
      .getByRole('radio', { name: /^Yours: / })
      .and(page.locator(':checked'))
      .waitFor();
    await press('t');
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    expect(await conflictsOf(node, me)).toEqual([]);
    expect((await node.fetch(`/entities/${letter.id}`)).body).toMatchObject({ details: { deleted: true } });
    expect(await page.evaluate('window.hacked')).toBe(undefined);
    expect(visitor.faults).toEqual([]);
  });

  test('folders that both sides moved into each other are decided whole, a side at a time', async () => {
    const folder = async (label: string, parent: string) =>
      ok<Entity>(await ask(origin, curator, 'POST /folders', { label, parent })).id;
    const root = await folder('Root', place.id);
    const [one, two] = [await folder('One', root), await folder('Two', root)];
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const move = async (at: TestNode, who: Person, child: string, to: string) => {
      const tips = async (parent: string) => ({
        expect_tip: (await read(at, who, parent)).cid,
        expect_child_tip: (await read(at, who, child)).cid,
      });
      ok(await ask(at, who, `DELETE /folders/${root}/children/${child}`, await tips(root)));
      ok(await ask(at, who, `POST /folders/${to}/children`, { ...(await tips(to)), child_id: child }));
    };
    await move(node, me, one, two);
    await move(origin, curator, two, one);
    await syncNow(/waits for you: 2 conflicts/);
    for (const [id, label] of [
      [one, 'One'],
      [two, 'Two'],
    ] as const) {
      await visitor.go(`/sync/conflicts/museum/${id}`);
      await heading(label).waitFor();
      await press('t');
      await page.getByText('Where both cannot stand together, theirs stands.').waitFor();
      if (id === one) await lookAt(page, 'sync-conflict-whole');
      await press('Control+Enter');
      await page.getByRole('heading', { name: label, level: 1, exact: true }).waitFor({ state: 'detached' });
    }
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    expect((await read(node, me, two)).relationships).toContainEqual(
      expect.objectContaining({ predicate: 'in', peer: one }),
    );
    expect(visitor.faults).toEqual([]);
  });

  test('a conflict whose side moves while it is looked at is not decided, and is looked at anew', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const mine = await update(node, me, letter, { properties: { label: 'mine' } });
    await update(origin, curator, letter, { properties: { label: 'theirs' } });
    await syncNow(/one conflict/);
    await visitor.go(`/sync/conflicts/museum/${letter.id}`);
    await heading('mine').waitFor();
    await update(node, me, mine, { properties: { label: 'mine, again' } });
    await press('Control+Enter');
    await page.getByText('One side has been changed since you looked').waitFor();
    expect(await conflictsOf(node, me)).toHaveLength(1);
    const again = page.getByRole('button', { name: 'Look at it anew' });
    await again.click();
    await again.waitFor({ state: 'detached' });
    await page.getByRole('table').getByText('mine, again').waitFor();
    await press('Control+Enter');
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a conflict that somebody else has decided is said to be so, and nothing to be tried again', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    await update(node, me, letter, { properties: { pages: 8 } });
    await update(origin, curator, letter, { properties: { pages: 9 } });
    await syncNow(/one conflict/);
    await visitor.go(`/sync/conflicts/museum/${letter.id}`);
    await heading('To Ada').waitFor();
    await page.route('**/resolve?*', async (route) => {
      ok(await ask(node, me, `POST /node/conflicts/${letter.id}/resolve?remote=museum`, { resolution: 'theirs' }));
      await route.continue();
    });
    await press('t');
    await press('Control+Enter');
    await page.getByText('There is no such conflict any more').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    const now = await read(node, me, letter.id);
    expect(now.properties.pages).toBe(9);
    // There may be another one about the same by then.
    await update(node, me, now, { properties: { pages: 10 } });
    await update(origin, curator, await read(origin, curator, letter.id), { properties: { pages: 11 } });
    await sync(node, me, 'museum');
    await page.getByText('One side has been changed since you looked').waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a conflict that is decided before the others are known leads to the next one all the same', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    for (const one of [letter, second]) {
      await update(node, me, one, { properties: { pages: 8 } });
      await update(origin, curator, one, { properties: { pages: 9 } });
    }
    await syncNow(/2 conflicts/);
    const isListed = Promise.withResolvers<void>();
    await page.route(/\/node\/conflicts\?/, async (route) => {
      await isListed.promise;
      await route.continue();
    });
    await visitor.load(`/sync/conflicts/museum/${letter.id}`);
    await heading('To Ada').waitFor();
    const decided = page.waitForResponse(/\/resolve/);
    await press('Control+Enter');
    await decided;
    isListed.resolve();
    await heading('To Bea').waitFor();
    expect((await conflictsOf(node, me)).map(({ id }) => id)).toEqual([second.id]);
    expect(visitor.faults).toEqual([]);
  });

  test('what is typed into a conflict by hand goes by no key, and not with the conflict', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    await update(node, me, letter, { properties: { label: 'mine' } });
    await update(origin, curator, letter, { properties: { label: 'theirs' } });
    await syncNow(/one conflict/);
    await visitor.go(`/sync/conflicts/museum/${letter.id}`);
    await heading('mine').waitFor();
    // What nobody has typed into goes at once.
    await press('e');
    const label = page.getByLabel('label', { exact: true });
    await label.waitFor();
    await press('e');
    await page.getByRole('radio', { name: 'label: theirs' }).waitFor();
    await press('e');
    await label.fill('ours');
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    for (const key of ['o', 't', 'e', 'g s']) {
      await press('Escape');
      for (const one of key.split(' ')) await press(one);
      await question.getByRole('button', { name: 'Keep it' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await label.inputValue()).toBe('ours');
    }
    const path = `POST /node/conflicts/${letter.id}/resolve?remote=museum`;
    expect((await ask(node, me, path, { resolution: 'theirs' })).status).toBe(200);
    await page.getByText('There is no such conflict any more').waitFor();
    expect(await label.inputValue()).toBe('ours');
    await press('Escape');
    await press('t');
    await question.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('radio', { name: 'label: theirs', checked: true }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('what is taken back by hand leaves the collection first that decides who may do what', async () => {
    const other = await collection(origin, curator, { label: 'Loans' });
    const relationships = [place, other].map(({ id, properties: { label } }) => ({
      ...{ predicate: 'collection', peer: id, peer_label: label },
    }));
    const both = await create(origin, curator, { type: 'letter', relationships, properties: { label: 'To Eve' } });
    await addRemote(node, me, { name: 'museum', url: origin.url, key: keyOf(curator) });
    await sync(node, me, 'museum');
    await update(node, me, both, { properties: { label: 'To Eve, mine' } });
    await update(origin, curator, both, { properties: { label: 'To Eve, theirs' } });
    await sync(node, me, 'museum');
    await visitor.go(`/sync/conflicts/museum/${both.id}`);
    await heading('To Eve, mine').waitFor();
    await press('e');
    await page.getByRole('button', { name: 'Remove Letters' }).click();
    await page.getByRole('button', { name: 'Put Letters back' }).click();
    await page.getByRole('button', { name: 'What the relationship to Letters says' }).click();
    const said = page.getByRole('dialog');
    await said.getByRole('button', { name: 'Edit as JSON' }).click();
    await said.getByRole('textbox', { name: 'Edit as JSON' }).fill('{"shelf": 3}');
    await said.getByRole('button', { name: 'Take over' }).click();
    await said.waitFor({ state: 'detached' });
    await press('Control+s');
    await page.getByRole('heading', { name: 'No conflicts' }).waitFor();
    const decided = (await read(node, me, both.id)).relationships;
    expect(decided.map(({ peer, properties }) => [peer, properties])).toEqual([
      [place.id, { shelf: 3 }],
      [other.id, undefined],
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test('how things stand is looked at whenever it is gone to: a sync that comes to nothing moves nothing here', async () => {
    const { key, key_prefix } = ok<{ key: string; key_prefix: string }>(
      await ask(origin, curator, 'POST /users/me/keys', {}),
    );
    await addRemote(node, me, { name: 'museum', url: origin.url, key });
    await sync(node, me, 'museum');
    await visitor.load('/sync');
    await page.getByRole('article', { name: 'museum' }).getByText('In step').first().waitFor();
    await visitor.go('/sync/remotes/museum');
    await stand().getByText('In step').first().waitFor();
    // Nothing is asked for by the clock.
    await page.evaluate('self.setInterval = () => 0');
    ok(await ask(origin, curator, `DELETE /users/me/keys/${key_prefix}`));
    await expect(sync(node, me, 'museum')).rejects.toThrow('Give it a key that it accepts');
    const denied = /^It did not accept its key/;
    await visitor.go('/sync');
    await page.getByRole('article', { name: 'museum' }).getByText(denied).waitFor();
    await visitor.go('/sync/remotes/museum');
    await stand().getByText(denied).waitFor();
    await lookAt(page, 'sync-remote-denied');
    await stand().getByRole('button', { name: 'Change the key' }).click();
    await page.getByRole('dialog', { name: 'Change the key' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test.each([
    ['/sync', 5000],
    ['/sync/remotes/museum', 10_000],
  ] as const)(
    'at %s the mark and what stands there say the same, whichever looks first (every %d ms)',
    async (at, clock) => {
      const { key, key_prefix } = ok<{ key: string; key_prefix: string }>(
        await ask(origin, curator, 'POST /users/me/keys', {}),
      );
      await addRemote(node, me, { name: 'museum', url: origin.url, key });
      await sync(node, me, 'museum');
      // Of its own, since what is set there would stay in the next one.
      visitor = tidied(await comingIn(node, {}));
      page = visitor.page;
      // One clock goes, and fast, beside that of a sync under way.
      await page.addInitScript(
        `const set = self.setInterval; self.setInterval = (f, ms) => ([1000, ${clock}].includes(ms) ? set(f, 50) : 0);`,
      );
      await visitor.load(at);
      await page.getByRole('link', { name: 'In step', exact: true }).waitFor();
      await page.getByText('In step: everything').first().waitFor();
      await update(node, me, letter, { properties: { pages: 8 } });
      await update(origin, curator, letter, { properties: { pages: 9 } });
      await sync(node, me, 'museum');
      await page.getByRole('link', { name: 'One conflict', exact: true }).waitFor();
      await page.getByText('waits for you: one conflict').first().waitFor();
      ok(await ask(origin, curator, `DELETE /users/me/keys/${key_prefix}`));
      await expect(sync(node, me, 'museum')).rejects.toThrow('Give it a key that it accepts');
      await page.getByRole('link', { name: 'Sync needs a look' }).waitFor();
      await page
        .getByText(/^It did not accept its key/)
        .first()
        .waitFor();
      expect(visitor.faults).toEqual([]);
    },
  );

  test('the list of conflicts has that of an archive as soon as the mark says so', async () => {
    await imported(node, (await exported(origin)).car);
    await update(node, me, letter, { properties: { pages: 8 } });
    await update(origin, curator, letter, { properties: { pages: 9 } });
    const { car } = await exported(origin);
    visitor = tidied(await comingIn(node, {}));
    page = visitor.page;
    await page.addInitScript(
      'const set = self.setInterval; self.setInterval = (f, ms) => set(f, ms === 5000 ? 50 : ms);',
    );
    await visitor.load('/sync/conflicts');
    await page.getByText('No conflicts', { exact: true }).waitFor();
    await imported(node, car);
    await page.getByRole('link', { name: 'One conflict', exact: true }).waitFor();
    await page.getByRole('row').getByRole('link', { name: 'To Ada' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('a remote is watched, renamed and removed; what stays is said, and stays', async () => {
    await addOrigin({ watch: true });
    await added();
    await page.getByText('Kept in step by itself.').waitFor();
    await page.getByText('Settings').first().waitFor();
    const box = page.getByRole('checkbox', { name: /Keep in step by itself/ });
    await box.uncheck();
    await page.getByText('Not kept in step by itself').waitFor();
    await page.getByLabel('Only in these hours').fill('25-x');
    await page.getByText('Two hours with a dash between them').waitFor();
    await page.getByLabel('Only in these hours').fill('22-6');
    await press('Escape');
    await press('g');
    await press('c');
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByLabel('Only in these hours').press('Enter');
    await page.getByText('The settings were saved').first().waitFor();
    await stand()
      .getByRole('button', { name: /Sync now/ })
      .click();
    await stand()
      .getByText(/\d entities are mirrored/)
      .waitFor();
    await stand()
      .getByText(/In step/)
      .waitFor();

    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('archive');
    await lookAt(page, 'sync-rename');
    await press('Enter');
    await heading('archive').waitFor();
    expect(page.url()).toContain('/sync/remotes/archive');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove archive?' });
    await dialog.getByText('Nothing is deleted, here or there.').waitFor();
    await lookAt(page, 'sync-remove');
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No remotes yet').waitFor();
    await lookAt(page, 'sync-none');
    expect((await read(node, me, letter.id)).properties.label).toBe('To Ada');
    expect(visitor.faults).toEqual([]);
  });

  test('what comes of a remote, and the key for it, are changed by keys', async () => {
    await addOrigin();
    await added();
    await syncNow(/In step/);
    const form = page.getByRole('form', { name: 'What comes' });
    await form.getByRole('radio', { name: 'All collections that the key may see.' }).focus();
    await press('ArrowDown');
    await page.getByRole('combobox', { name: 'Add a collection, by its name or id' }).focus();
    await page.keyboard.type('lett');
    await page.getByRole('option', { name: 'Letters' }).waitFor();
    await press('Enter');
    await form.getByRole('button', { name: `Remove ${place.id}` }).waitFor();
    await form.getByRole('combobox', { name: 'Only of these types' }).focus();
    await page.keyboard.type('letter');
    await page.getByRole('option', { name: 'letter', exact: true }).first().waitFor();
    await press('Enter');
    await form.getByRole('checkbox', { name: 'With the bytes of files' }).focus();
    await press('Space');
    await form.getByRole('button', { name: 'Save what comes' }).focus();
    await press('Enter');
    await page.getByText('Saved; it holds from the next sync on', { exact: true }).waitFor();
    await lookAt(page, 'sync-scope');
    // What is chosen and not saved is asked for before it goes with its screen.
    await form.getByRole('checkbox', { name: 'With the bytes of files' }).check();
    await page.getByRole('link', { name: 'Log', exact: true }).first().click();
    const question = page.getByRole('dialog', { name: 'Discard what you have typed?' });
    await question.getByRole('button', { name: 'Keep it' }).click();
    await question.waitFor({ state: 'detached' });
    await form.getByRole('checkbox', { name: 'With the bytes of files' }).uncheck();
    const remote = async () => (await ask(node, me, 'GET /node/remotes/museum')).body;
    expect(await remote()).toMatchObject({ collections: [place.id], types: ['letter'], content: 'none' });

    // What is changed while it is saved stays, and is saved next.
    const held = Promise.withResolvers<void>();
    await page.route('**/node/remotes/museum', async (route) => {
      if (route.request().method() === 'PUT') await held.promise;
      await route.continue();
    });
    await form.getByRole('button', { name: 'Remove letter' }).click();
    // What has the focus next offers nothing that would cover the button.
    await form.getByRole('combobox', { name: 'Only of these types' }).and(page.locator(':focus')).waitFor();
    expect(await page.getByRole('option').count()).toBe(0);
    await form.getByRole('button', { name: 'Save what comes' }).click();
    await form.getByRole('checkbox', { name: 'With the bytes of files' }).check();
    held.resolve();
    await expect.poll(async () => ((await remote()) as { types: string[] }).types).toEqual([]);
    await form.getByRole('button', { name: 'Save what comes', disabled: false }).click();
    await expect.poll(remote).toMatchObject({ types: [], content: 'tips' });
    await page.unroute('**/node/remotes/museum');

    // A key that is pressed again before the node has answered orders nothing twice.
    let orders = 0;
    const answer = Promise.withResolvers<void>();
    await page.route('**/node/remotes/museum/run*', async (route) => {
      orders += 1;
      await answer.promise;
      await route.continue();
    });
    const ran = page.waitForResponse((response) => response.url().includes('/node/remotes/museum/run'));
    await page.getByRole('heading', { name: 'museum', level: 1 }).click();
    await press('s');
    await press('s');
    await press('s');
    await page.getByRole('button', { name: /Sync now/, disabled: true }).waitFor();
    await expect.poll(() => orders).toBe(1);
    answer.resolve();
    await (await ran).finished();
    expect(orders).toBe(1);
    await expect.poll(async () => ((await remote()) as { running: object | null }).running).toBe(null);

    const guest = await user(origin, 'guest');
    await press('Control+k');
    await page.locator('[role="dialog"] input:focus').waitFor();
    await page.keyboard.type('Change the key');
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the key' });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('uk_wrong');
    await press('Enter');
    await dialog.getByText(/does not accept the key/).waitFor();
    await lookAt(page, 'sync-key');
    await press('Control+a');
    await page.keyboard.type(keyOf(guest));
    await press('Enter');
    await page.getByText(`The key belongs to ${guest.id}`, { exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await remote()).toMatchObject({ user: guest.id, direction: 'both' });
    expect(visitor.faults).toEqual([]);
  });

  test('a key that is not accepted is said before anything is added; in German, too', async () => {
    await using german = await comingIn(node, { locale: 'de-DE' });
    await german.go('/sync?add=true');
    const dialog = german.page.getByRole('dialog', { name: 'Gegenstelle hinzufügen' });
    await dialog.getByLabel('Adresse').fill(origin.url);
    await dialog.getByLabel('API-Schlüssel').fill('uk_wrong');
    await dialog.getByRole('button', { name: 'Verbindung prüfen' }).click();
    await dialog.getByText(/nimmt den Schlüssel nicht an: /).waitFor();
    await dialog.getByLabel('API-Schlüssel').fill(keyOf(curator));
    await dialog.getByLabel('Name').fill('museum');
    await dialog.getByLabel('Name').press('Enter');
    await german.page.getByText('Noch nie abgeglichen').waitFor();
    await german.page.getByRole('button', { name: /Jetzt abgleichen/ }).click();
    await german.page.getByText(/Auf gleichem Stand: Alles wurde/).waitFor();
    await german.go('/sync');
    await german.page.getByRole('heading', { name: 'museum' }).waitFor();
    await pictureOf(german.page, 'sync-remotes-german');
    expect(german.faults).toEqual([]);
  });
});
