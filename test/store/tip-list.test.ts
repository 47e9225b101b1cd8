import { expect, test } from 'vitest';
import { listTips } from '../../src/server/store/archive/tip-list.ts';
import type { Commit } from '../../src/server/store/commit.ts';
import type { NetworkStore } from '../../src/server/store/network-store.ts';
import { change, commit, first, idOf, next, openStore, step } from '../helpers/store.ts';

const collection = first(idOf(1), { type: 'collection' });
const began = first(idOf(2), { relationships: [['collection', idOf(1)]] });
const inside = next(began);
const outside = next(inside, { relationships: [] });

/** What a list of the collection says of its entities where something is written after its first reads. */
async function listed(store: NetworkStore, meanwhile: Commit) {
  const { readLong } = store;
  store.readLong = async (name, args) => {
    const page = await readLong.call(store, name, args);
    if (name === 'tipsOfScope') expect(await store.submit([meanwhile])).toMatchObject([{ committed: true }]);
    return page;
  };
  const list = await listTips(store, { scope: { kind: 'collection', id: idOf(1) }, history: 'all' });
  const entries = [...list.entries()].map(({ id, ver, start }) => ({ id, ver, start }));
  return { entries, starts: list.sizes().starts };
}

test.each([
  {
    name: 'what left its scope meanwhile counts in nothing',
    meanwhile: step(inside, outside),
    entries: [{ id: idOf(1), ver: 1, start: undefined }],
  },
  {
    name: 'a history that was completed meanwhile begins with its first version',
    meanwhile: commit([], { rows: [{ kind: 'versions', id: idOf(2), blocks: [began] }] }),
    entries: [idOf(1), idOf(2)].map((id, i) => ({ id, ver: i + 1, start: undefined })),
  },
])('a list is the state after its last reads: $name', async ({ meanwhile, entries }) => {
  await using opened = await openStore('here');
  const { store } = opened;
  await store.submit([step(null, collection), commit([change(null, inside)])]);
  expect(await listed(store, meanwhile)).toEqual({ entries, starts: [] });
});
