import { expect, test } from 'vitest';
import { operator, user } from '../helpers/callers.ts';
import { collection, create, enrol } from '../helpers/entities.ts';
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
    await enrol(origin, there, open.id, curator, 'editor');
    const letter = { type: 'letter', properties: { label: 'To Ada' } };
    const mine = await create(origin, there, { ...letter, collection: open.id });
    const theirs = await create(origin, there, { ...letter, collection: closed.id });
    await addRemote(node, operator(node), { url: origin.url, key: keyOf(curator) });
    await sync(node, operator(node));
    const note = page.getByRole('note').filter({ hasText: 'You may only read this' });
    await visitor.load(`/collections/${closed.id}`);
    await note.waitFor();
    await lookAt(page, 'collection-read-only');
    await visitor.go(`/entities/${theirs.id}`);
    await page.getByLabel('label', { exact: true }).waitFor();
    await note.waitFor();
    await lookAt(page, 'entity-read-only');
    for (const path of [`/collections/${open.id}`, `/entities/${mine.id}`]) {
      const asked = page.waitForResponse(/\/permissions$/);
      await visitor.go(path);
      await asked;
      await note.waitFor({ state: 'detached' });
      expect(await note.count()).toBe(0);
    }
    expect(visitor.faults).toEqual([]);
  });
});
