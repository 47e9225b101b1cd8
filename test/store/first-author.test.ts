import { expect, test } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import { creatorOf, firstAuthor } from '../../src/server/store/versions.ts';
import { change, commit, first, idOf, openStore, type Version } from '../helpers/store.ts';

const id = idOf(9);

/** Two versions by an author. */
function history(user_id: string): [Version, Version] {
  const manifest = { ...first(id).manifest, edited_by: { user_id, method: 'manual' as const } };
  const start = { ...encodeManifest(manifest), id, manifest };
  const after = { ...manifest, ver: 2, prev: start.cid };
  return [start, { ...encodeManifest(after), id, manifest: after }];
}

test('whoever wrote the version 1 of the history by which an entity came has made it, not the author of another one', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const [[start, tip], [other]] = [history(idOf(1)), history(idOf(2))];
  const versions = (...blocks: Version[]) => commit([], { rows: [{ kind: 'versions', id, blocks }] });
  const authors = () => store.read((db) => [firstAuthor(db, id), creatorOf(db, id)]);
  // As an import leaves a long history that a stop has cut off.
  await store.submit([versions(other)]);
  expect(authors()).toEqual([idOf(2), idOf(2)]);
  // Its beginning is not here.
  await store.submit([commit([change(null, tip)])]);
  expect(authors()).toEqual([undefined, undefined]);
  await store.submit([versions(start)]);
  expect(authors()).toEqual([idOf(1), idOf(1)]);
  // As a sync takes over what a remote made of it.
  await store.submit([commit([change(tip, other)])]);
  expect(authors()).toEqual([idOf(1), idOf(1)]);
});
