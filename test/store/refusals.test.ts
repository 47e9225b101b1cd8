import { expect, test } from 'vitest';
import type { Row } from '../../src/server/store/commit.ts';
import { findRemote, listRefusals } from '../../src/server/store/remotes/remotes.ts';
import { change, commit, first, idOf, next, openStore } from '../helpers/store.ts';

const hub: Row = {
  ...{ kind: 'remote', remote: 'hub', url: 'http://hub.test', secret: 's', instance: null, user: 'u' },
  ...{ direction: 'both', collections: [] },
};

function refused(n: number, tip: string, status = 400, words = 'no such entity'): Row {
  return { kind: 'push_refusal', remote: 'hub', id: idOf(n), tip, status, words, request: false };
}

test.each([
  ['few point at', 3],
  ['very much points at', 600],
])('what was refused for want of an entity that %s is free once that has come there', async (_name, count) => {
  await using opened = await openStore('here');
  const { store } = opened;
  const [missing, other] = [first(idOf(1)), first(idOf(2))];
  const sources = Array.from({ length: count }, (_, n) =>
    first(idOf(10 + n), { relationships: [['knows', missing.id]] }),
  );
  const elsewhere = first(idOf(5), { relationships: [['knows', other.id]] });
  await store.submit([
    commit([], { rows: [hub] }),
    commit([missing, other, ...sources, elsewhere].map((version) => change(null, version))),
    commit([], {
      rows: [
        ...sources.map(({ cid }, n) => refused(10 + n, cid, n === 0 ? 403 : 400)),
        refused(5, elsewhere.cid),
        // Of what it holds, and not for want of another.
        refused(2, other.cid),
      ],
    }),
  ]);
  const key = store.read((db) => findRemote(db, 'hub'))?.key ?? 0;
  const left = () =>
    store
      .read((db) => listRefusals(db, key, 1000))
      .map(({ id }) => id)
      .sort();
  expect(left()).toHaveLength(count + 2);
  const there = { kind: 'remote_tip', remote: 'hub', id: missing.id, event: 1, theirs: missing.cid } as const;
  await store.submit([commit([], { rows: [{ ...there, twin: missing.cid, blocks: [], mirrored: false }] })]);
  expect(left()).toEqual([idOf(2), idOf(5), idOf(10)]);
  // One more version of what is there brings nothing back.
  await store.submit([commit([], { rows: [refused(11, sources[1]?.cid ?? '')] })]);
  await store.submit([commit([], { rows: [{ ...there, event: 2, twin: null, blocks: [], mirrored: false }] })]);
  expect(left()).toEqual([idOf(2), idOf(5), idOf(10), idOf(11)]);
});

test('what is forbidden and was moved here is free once the collection has changed that it lies in there, whatever else is', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const [from, to] = [first(idOf(1), { type: 'collection' }), first(idOf(2), { type: 'collection' })];
  const lyingIn = (id: string) => ({ relationships: [['collection', id]] as [string, string][] });
  const others = Array.from({ length: 600 }, (_, n) => first(idOf(10 + n), lyingIn(to.id)));
  const moved = first(idOf(1000), lyingIn(from.id));
  const works = [...others, moved].map((before) => ({ before, after: next(before, lyingIn(to.id)) }));
  const known = ({ id, cid }: { id: string; cid: string }, event: number): Row => ({
    ...{ kind: 'remote_tip', remote: 'hub', id, event, theirs: cid, twin: cid, blocks: [], mirrored: false },
  });
  const all = [from, to, ...works.map(({ before }) => before)];
  await store.submit([
    commit([], { rows: [hub] }),
    commit(all.map((version) => change(null, version))),
    commit([], { rows: all.map((version) => known(version, 1)) }),
    commit(works.map(({ before, after }) => change(before, after))),
    commit([], { rows: works.map(({ after: { id, cid } }) => ({ ...refused(0, cid, 403), id })) }),
  ]);
  const key = store.read((db) => findRemote(db, 'hub'))?.key ?? 0;
  const later = next(from);
  await store.submit([commit([change(from, later)], { rows: [known(later, 2)] })]);
  const left = store.read((db) => listRefusals(db, key, 1000)).map(({ id }) => id);
  expect(left).toEqual(others.map(({ id }) => id));
});

test('what was refused in other words stands before many that are alike', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const versions = Array.from({ length: 60 }, (_, n) => first(idOf(n + 1)));
  const words = (n: number) => (n === 58 ? 'too long' : n === 59 ? 'too large' : undefined);
  await store.submit([
    commit([], { rows: [hub] }),
    commit(versions.map((version) => change(null, version))),
    commit([], { rows: versions.map(({ cid }, n) => refused(n + 1, cid, 400, words(n))) }),
  ]);
  const found = store.read((db) => listRefusals(db, findRemote(db, 'hub')?.key ?? 0, 4));
  expect(found).toEqual([
    { id: idOf(59), status: 400, words: 'too long', alike: 1 },
    { id: idOf(60), status: 400, words: 'too large', alike: 1 },
    { id: idOf(1), status: 400, words: 'no such entity', alike: 58 },
    { id: idOf(2), status: 400, words: 'no such entity', alike: 58 },
  ]);
});
