import { expect, test } from 'vitest';
import { ask, operator, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, keyOf, sync } from '../sync/nodes.ts';
import { describePage, lookAt, onNewPage, type Scene } from './browser.ts';

describePage('what comes from a remote', () => {
  let scene: Scene;
  onNewPage((ready) => {
    scene = ready;
  });

  test('and may only be read says so before somebody types, and what may be changed does not', async () => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const open = await collection(origin, there, { label: 'Open' });
    const closed = await collection(origin, there, { label: 'Closed' });
    const inbox = await collection(origin, there, { label: 'Inbox' });
    const adder = { role: 'adder', actions: ['*:view', '*:create'] };
    ok(await ask(origin, there, `POST /collections/${inbox.id}/roles`, adder));
    await enrol(origin, there, open.id, curator, 'editor');
    await enrol(origin, there, inbox.id, curator, 'adder');
    const letter = { type: 'letter', properties: { label: 'To Ada' } };
    const mine = await create(origin, there, { ...letter, collection: open.id });
    const theirs = await create(origin, there, { ...letter, collection: closed.id });
    for (const one of [mine, theirs]) await update(origin, there, one, { properties: { label: 'To Bob' } });
    const added = await create(origin, there, { ...letter, collection: inbox.id });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    const note = page.getByRole('note').filter({ hasText: 'You may only read this' });
    const restore = page.getByRole('button', { name: 'Restore', exact: true });
    await visitor.load(`/collections/${closed.id}`);
    await note.waitFor();
    await lookAt(page, 'collection-read-only');
    await visitor.go(`/entities/${theirs.id}`);
    await page.getByLabel('label', { exact: true }).waitFor();
    await note.waitFor();
    await lookAt(page, 'entity-read-only');
    // Of what may be changed that is offered, and of this not.
    for (const [{ id }, offered] of [
      [mine, 1],
      [theirs, 0],
    ] as const) {
      await visitor.go(`/entities/${id}/history`);
      await page.getByText('Version 2', { exact: true }).first().waitFor();
      await (offered ? restore.waitFor() : note.waitFor());
      await expect.poll(() => restore.count()).toBe(offered);
    }
    for (const path of [`/collections/${open.id}`, `/entities/${mine.id}`, `/collections/${inbox.id}`]) {
      const asked = page.waitForResponse(/\/permissions$/);
      await visitor.go(path);
      await asked;
      await note.waitFor({ state: 'detached' });
      expect(await note.count()).toBe(0);
    }
    // Others may be added there, and this one stays as it is; who may change entities may not change their collection.
    for (const path of [`/entities/${added.id}`, `/entities/${open.id}`]) {
      await visitor.go(path);
      await note.waitFor();
    }
    expect(visitor.faults).toEqual([]);
  });

  test('is said to be so by a choice of where something is imported to, too', async () => {
    const { node, visitor, page } = scene;
    page.on('filechooser', () => undefined);
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const open = await collection(origin, there, { label: 'Open' });
    const closed = await collection(origin, there, { label: 'Closed' });
    await enrol(origin, there, open.id, curator, 'editor');
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    await visitor.load(`/import?collection=${closed.id}`);
    await page.getByText('Drop files here').waitFor();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.keyboard.press('o')]);
    await chooser.setFiles({ name: 'scan.txt', mimeType: 'text/plain', buffer: Buffer.from('recto') });
    const note = page.getByRole('note').filter({ hasText: 'You may only read this' });
    await note.waitFor();
    await lookAt(page, 'import-read-only');
    await page.getByLabel('Into the collection').selectOption({ label: 'Open' });
    await note.waitFor({ state: 'detached' });
    expect(visitor.faults).toEqual([]);
  });

  test('only for as long as a role holds says so once that has ended, which makes no version', async () => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const open = await collection(origin, there, { label: 'Open' });
    await create(origin, there, { collection: open.id });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await enrol(origin, there, open.id, curator, 'editor', 12);
    await sync(node, operator(node));
    await visitor.load(`/collections/${open.id}`);
    await page.getByRole('note').filter({ hasText: 'You may only read this' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('offers to change members and roles for as long as that may be done, also where no version tells of its end', async () => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const curator = await user(origin, 'curator');
    const home = await collection(origin, curator, { label: 'Home' });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    await visitor.load(`/collections/${home.id}/members`);
    const add = page.getByRole('button', { name: 'Add a member' });
    const menus = page.getByRole('button', { name: /^What to do with/ });
    await add.waitFor();
    await menus.first().waitFor();
    ok(await ask(node, operator(node), 'PUT /node/remotes/origin/key', { key: null }));
    await add.waitFor({ state: 'detached' });
    expect(await menus.count()).toBe(0);
    await page.getByText('Only somebody with the permission collection:manage may change this.').waitFor();
    await page.getByRole('note').filter({ hasText: 'not at all without a key' }).waitFor();
    await lookAt(page, 'members-read-only');
    expect(visitor.faults).toEqual([]);
  });

  test.each([
    ['a file, where a role changes files alone', 'file'],
    ['a collection, which decides on itself wherever it lies', 'collection'],
  ])('and may be restored by two versions is restored: %s', async (_what, type) => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const home = await collection(origin, there, { label: 'Home' });
    const inbox = await collection(origin, there, { label: 'Inbox' });
    const filer = { role: 'filer', actions: ['*:view', 'entity:create', 'file:update'] };
    ok(await ask(origin, there, `POST /collections/${inbox.id}/roles`, filer));
    await enrol(origin, there, home.id, curator, 'editor');
    await enrol(origin, there, inbox.id, curator, 'filer');
    const placed = ({ id }: Entity) => ({ predicate: 'collection', peer: id });
    const made =
      type === 'file'
        ? await create(origin, there, { type, collection: inbox.id, properties: { label: 'Scan' } })
        : await collection(origin, curator, { label: 'Part' });
    const first = type === 'file' ? made : await update(origin, there, made, { relationships_add: [placed(inbox)] });
    const both = await update(origin, there, first, { relationships_add: [placed(home)] });
    await update(origin, there, both, { relationships_remove: [placed(inbox)] });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));

    await visitor.go(`/entities/${made.id}/history`);
    const old = page.getByRole('listitem').filter({ hasText: `Version ${both.ver}` });
    await old.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { relationships } = await read(node, operator(node), made.id);
    const places = relationships.filter(({ predicate }) => predicate === 'collection').map(({ peer }) => peer);
    expect(places).toEqual([inbox.id, home.id]);
    expect(visitor.faults).toEqual([]);
  });

  test('and was changed before that was no longer allowed is said to be taken once it is again, and not by editing alone', async () => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const home = await collection(origin, there, { label: 'Home' });
    await enrol(origin, there, home.id, curator, 'editor');
    const letter = await create(origin, there, { collection: home.id, properties: { label: 'To Ada' } });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    await update(node, operator(node), letter, { properties: { label: 'To Ada Lovelace' } });
    ok(await ask(origin, there, `DELETE /collections/${home.id}/members/${curator.id}?role=editor`));
    await sync(node, operator(node));
    await visitor.load('/sync/remotes/origin');
    await page.getByText('was not taken: see below').waitFor();
    const refused = page.getByRole('region', { name: 'What the remote did not take' });
    await refused.getByText(/or, where its key may not do it there \(403\), once that may\.$/).waitFor();
    await refused.getByText('403', { exact: true }).waitFor();
    await lookAt(page, 'remote-refused');
    expect(visitor.faults).toEqual([]);
  });

  test('and may be restored only half way stays as it is, which is said', async () => {
    const { node, visitor, page } = scene;
    await using origin = await startNode();
    const there = operator(origin);
    const curator = await user(origin, 'curator');
    const home = await collection(origin, there, { label: 'Home' });
    const inbox = await collection(origin, there, { label: 'Inbox' });
    const { cid, properties } = ok<Entity>(await ask(origin, there, `GET /collections/${inbox.id}`));
    const roles = { ...(properties.roles as object), adder: ['*:view', '*:create'] };
    ok(await ask(origin, there, `PUT /collections/${inbox.id}`, { expect_tip: cid, properties: { roles } }));
    await enrol(origin, there, home.id, curator, 'editor');
    await enrol(origin, there, inbox.id, curator, 'adder');
    const placed = ({ id }: Entity) => ({ predicate: 'collection', peer: id });
    const made = await create(origin, there, { collection: inbox.id, properties: { label: 'To Ada' } });
    const both = await update(origin, there, made, { relationships_add: [placed(home)] });
    await update(origin, there, both, { relationships_remove: [placed(inbox)] });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    const before = await read(node, operator(node), made.id);

    await visitor.go(`/entities/${made.id}/history`);
    const second = page.getByRole('listitem').filter({ hasText: 'Version 2' });
    await second.getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByText('Action not allowed: entity:update').waitFor();
    expect(await read(node, operator(node), made.id)).toEqual(before);
    expect(visitor.faults).toEqual([]);
  });
});
