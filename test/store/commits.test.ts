import { describe, expect, test } from 'vitest';
import { encodeHistoric } from '../../src/server/blocks/encode.ts';
import { StorageError } from '../../src/server/errors.ts';
import type { Commit, Outcome } from '../../src/server/store/commit.ts';
import { findEntity, storedJson } from '../../src/server/store/entities.ts';
import { feedFloor, floorAfter, floorBefore, movesAfter, movesBefore } from '../../src/server/store/events.ts';
import { chain } from '../../src/server/store/versions.ts';
import {
  change,
  commit,
  first,
  idOf,
  next,
  openStore,
  step,
  type TestStore,
  type Version,
  writers,
} from '../helpers/store.ts';

async function one({ store }: TestStore, it: Commit): Promise<Outcome> {
  const [outcome] = await store.submit([it]);
  return outcome as Outcome;
}

describe.each(writers)('commits with the writer %s', (writer) => {
  test('a creation and an edit move the tip, and every version can be read', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1), { properties: { label: 'one' } });
    const b = next(a, { properties: { label: 'two' } });
    expect(await one(test, step(null, a))).toEqual({ committed: true, moves: [1] });
    expect(await one(test, step(a, b))).toEqual({ committed: true, moves: [2] });
    expect(test.tip(a.id)).toBe(b.cid);
    expect(test.store.read((db) => chain(db, b.cid, 10).map(({ cid }) => cid))).toEqual([b.cid, a.cid]);
    expect(test.store.read((db) => findEntity(db, a.id))).toMatchObject({ label: 'two', ver: 2, deleted: false });
    const json = test.store.read((db) => storedJson(db, a.id)) as string;
    expect(JSON.parse(json)).toMatchObject({ id: a.id, cid: b.cid, ver: 2, prev_cid: a.cid });
  });

  test('a stale expectation is a conflict that names the tip which is there', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1));
    const b = next(a, { properties: { n: 1 } });
    const late = next(a, { properties: { n: 2 } });
    await one(test, step(null, a));
    await one(test, step(a, b));
    expect(await one(test, step(a, late))).toEqual({ committed: false, id: a.id, expected: a.cid, actual: b.cid });
    expect(await one(test, step(null, first(a.id, { type: 'other' })))).toMatchObject({
      expected: null,
      actual: b.cid,
    });
    const unknown = next(first(idOf(2)));
    expect(await one(test, step(first(idOf(2)), unknown))).toMatchObject({ committed: false, actual: null });
    expect(test.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 2 }]);
    expect(test.rows('SELECT count(*) AS n FROM entity')).toEqual([{ n: 1 }]);
  });

  test('two entities change together or not at all', async () => {
    await using test = await openStore(writer);
    const [a, b] = [first(idOf(1)), first(idOf(2))];
    expect(await one(test, commit([change(null, a), change(null, b)]))).toEqual({ committed: true, moves: [1, 2] });
    const [a2, b2, b3] = [next(a), next(b, { type: 'x' }), next(b, { type: 'y' })];
    await one(test, step(b, b2));
    expect(await one(test, commit([change(a, a2), change(b, b3)]))).toMatchObject({ id: b.id, actual: b2.cid });
    expect([test.tip(a.id), test.tip(b.id)]).toEqual([a.cid, b2.cid]);
    expect(test.rows('SELECT first FROM moves ORDER BY id')).toEqual([{ first: null }, { first: 1 }, { first: null }]);
  });

  test('a precondition that has moved stops the commit', async () => {
    await using test = await openStore(writer);
    const [a, g] = [first(idOf(1)), first(idOf(2))];
    const g2 = next(g);
    await one(test, step(null, g));
    await one(test, step(g, g2));
    const conditional = (tip: string | null) => commit([change(null, a)], { preconditions: [{ id: g.id, tip }] });
    expect(await one(test, conditional(g.cid))).toEqual({
      committed: false,
      id: g.id,
      expected: g.cid,
      actual: g2.cid,
    });
    expect(await one(test, conditional(null))).toMatchObject({ committed: false, actual: g2.cid });
    expect(await one(test, conditional(g2.cid))).toMatchObject({ committed: true });
  });

  test('a conflict disturbs no neighbour in its group', async () => {
    await using test = await openStore(writer);
    const made = Array.from({ length: 20 }, (_, n) => first(idOf(n)));
    const commits = made.flatMap((it, n) => (n === 9 ? [step(null, it), step(null, it)] : [step(null, it)]));
    const outcomes = await test.store.submit(commits);
    expect(outcomes.map(({ committed }) => committed)).toEqual(commits.map((_, n) => n !== 10));
    expect(test.rows('SELECT count(*) AS n FROM moves')).toEqual([{ n: 20 }]);
  });

  test('later commits of one submission see the earlier ones', async () => {
    await using test = await openStore(writer);
    const versions: Version[] = [first(idOf(1))];
    for (let i = 1; i < 600; i++) versions.push(next(versions[i - 1] as Version));
    const outcomes = await test.store.submit(versions.map((it, i) => step(versions[i - 1] ?? null, it)));
    expect(outcomes.every(({ committed }) => committed)).toBe(true);
    expect(outcomes.flatMap((it) => (it.committed ? it.moves : []))).toEqual(versions.map((_, i) => i + 1));
    expect(test.tip(idOf(1))).toBe(versions.at(-1)?.cid);
  });

  test('a chain segment moves the tip once', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1), { relationships: [['knows', idOf(7)]] });
    const b = next(a, { relationships: [['knows', idOf(8)]] });
    const c = next(b, { relationships: [['knows', idOf(9)]] });
    expect(await one(test, step(null, a, b, c))).toEqual({ committed: true, moves: [1] });
    expect(test.store.read((db) => movesAfter(db, 0, 10).moves.map(({ cid }) => cid))).toEqual([c.cid]);
    expect(test.store.read((db) => chain(db, c.cid, 10).length)).toBe(3);
    expect(test.rows('SELECT e.id FROM edge d JOIN entity e ON e.key = d.peer')).toEqual([{ id: idOf(9) }]);
    const d = next(c);
    // A segment may begin with what is here already.
    expect(await one(test, step(c, b, c, d))).toEqual({ committed: true, moves: [2] });
    expect(test.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 4 }]);
  });

  test('a tip returns to an earlier version, with its rows', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1), { properties: { label: 'old' }, relationships: [['collection', idOf(2)]] });
    const b = next(a, { properties: { label: 'new' }, relationships: [['collection', idOf(3)]] });
    await one(test, step(null, a));
    await one(test, step(a, b));
    const back = commit([{ id: a.id, expect: b.cid, tip: a.cid, blocks: [] }]);
    expect(await one(test, back)).toEqual({ committed: true, moves: [3] });
    expect(test.tip(a.id)).toBe(a.cid);
    expect(test.store.read((db) => findEntity(db, a.id))).toMatchObject({ label: 'old', ver: 1, collection: idOf(2) });
    expect(test.rows('SELECT c.id FROM listing l JOIN entity c ON c.key = l.collection')).toEqual([{ id: idOf(2) }]);
    expect(await one(test, step(a, b))).toEqual({ committed: true, moves: [4] });
    expect(test.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 2 }]);
  });

  test('an id that only a relationship names is a stub until its entity comes', async () => {
    await using test = await openStore(writer);
    const [a, b] = [first(idOf(1), { relationships: [['knows', idOf(2)]] }), first(idOf(2))];
    await one(test, step(null, a));
    expect(test.tip(b.id)).toBeUndefined();
    expect(test.store.read((db) => findEntity(db, b.id))).toBeUndefined();
    expect(await one(test, step(null, b))).toMatchObject({ committed: true });
    expect(test.rows('SELECT count(*) AS n FROM entity')).toEqual([{ n: 2 }]);
    // In one commit, the first entity makes the second one's id a stub; the third names itself.
    const [c, d] = [first(idOf(3), { relationships: [['knows', idOf(4)]] }), first(idOf(4))];
    const self = first(idOf(5), { relationships: [['collection', idOf(5)]] });
    const together = commit([change(null, c), change(null, d), change(null, self)]);
    expect(await one(test, together)).toEqual({ committed: true, moves: [3, 4, 5] });
    expect(test.store.read((db) => findEntity(db, self.id))).toMatchObject({ collection: self.id });
  });

  test('a deleted entity leaves its listing and keeps its last collection', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1), { relationships: [['collection', idOf(2)]] });
    const grave = next(a, { deleted: true });
    await one(test, step(null, a));
    await one(test, step(a, grave));
    expect(test.store.read((db) => findEntity(db, a.id))).toMatchObject({ deleted: true, collection: idOf(2) });
    expect(test.store.read((db) => storedJson(db, a.id))).toBeNull();
    expect(test.rows('SELECT * FROM listing UNION ALL SELECT *, 0, 0 FROM edge')).toEqual([]);
    // Also where life and death come in one segment, and over a grave of another place.
    const moved = next(next(grave, { deleted: true }), { deleted: true });
    expect(await one(test, step(grave, moved))).toMatchObject({ committed: true });
    const b = first(idOf(3), { relationships: [['collection', idOf(4)]] });
    await one(test, step(null, b, next(b, { deleted: true })));
    expect(test.store.read((db) => findEntity(db, b.id))).toMatchObject({ deleted: true, collection: idOf(4) });
  });

  test('the feed numbers moves, and its floor goes back where the move there is not old', async () => {
    await using test = await openStore(writer);
    for (let n = 1; n <= 5; n++) await one(test, { ...step(null, first(idOf(n))), time: n * 100 });
    const { store } = test;
    const floorFrom = (from: number, since: number, most?: number) =>
      store.read((db) => floorAfter(db, from, since, most));
    expect([0, 100, 101, 300, 501].map((since) => floorFrom(0, since).floor)).toEqual([0, 0, 1, 2, 5]);
    expect([floorFrom(0, 400, 2), floorFrom(2, 400, 2)]).toEqual([
      { floor: 2, isLast: false },
      { floor: 3, isLast: true },
    ]);
    expect(floorFrom(5, 501)).toEqual({ floor: 5, isLast: true });
    const floor = (move: number) => commit([], { rows: [{ kind: 'feed_floor', move }] });
    expect(await one(test, floor(3))).toEqual({ committed: true, moves: [] });
    const begin = (since: number) => store.read((db) => floorBefore(db, since));
    expect([begin(300), begin(301)]).toEqual([0, 3]);
    const ids = (list: { moves: { id: number }[]; more: boolean }) => ({
      ...list,
      moves: list.moves.map(({ id }) => id),
    });
    expect(ids(store.read((db) => movesBefore(db, 99, 1)))).toEqual({ moves: [5], more: true });
    expect(ids(store.read((db) => movesBefore(db, 5, 1)))).toEqual({ moves: [4], more: false });
    expect(ids(store.read((db) => movesAfter(db, 3, 2)))).toEqual({ moves: [4, 5], more: false });
    expect(floorFrom(3, 0).floor).toBe(3);
    await one(test, floor(10));
    expect([begin(500), begin(501)]).toEqual([0, 10]);
    await one(test, floor(2));
    expect(store.read(feedFloor)).toBe(2);
  });

  test('where an imported entity came from is kept with its version', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1));
    const b = next(a);
    const source = (version: Version, digest: string) =>
      ({ kind: 'import_source', id: version.id, digest, cid: version.cid }) as const;
    await one(test, commit([change(null, a)], { rows: [source(a, 'one')] }));
    await one(test, commit([change(a, b)], { rows: [source(b, 'two')] }));
    const late = commit([change(a, next(a, { type: 'x' }))], { rows: [source(a, 'three')] });
    expect(await one(test, late)).toMatchObject({ committed: false });
    expect(
      test.rows(
        'SELECT e.id, s.digest, b.ver FROM import_source s JOIN entity e ON e.key = s.entity JOIN block b ON b.key = s.tip',
      ),
    ).toEqual([{ id: a.id, digest: 'two', ver: 2 }]);
  });

  test('a commit that cannot be applied is refused with a reason, and its neighbours are kept', async () => {
    await using test = await openStore(writer);
    const [a, b, c] = [first(idOf(1)), first(idOf(2)), first(idOf(3))];
    await one(test, step(null, a));
    const skipped = next(next(b));
    const raw = (members: Record<string, unknown>) => {
      const block = encodeHistoric({ ...JSON.parse(JSON.stringify(c.manifest)), ...members });
      return commit([{ id: c.id, expect: null, tip: block.cid, blocks: [block] }]);
    };
    const wrong: Commit[] = [
      // A tip that is not stored, one of another entity, no CID at all.
      commit([{ id: a.id, expect: a.cid, tip: next(a).cid, blocks: [] }]),
      commit([{ id: b.id, expect: null, tip: a.cid, blocks: [] }]),
      commit([{ id: b.id, expect: null, tip: 'nonsense', blocks: [] }]),
      // Another entity's block, versions that do not follow each other, bytes that are no manifest.
      commit([{ id: c.id, expect: null, tip: b.cid, blocks: [b] }]),
      step(null, b, skipped),
      commit([{ id: b.id, expect: null, tip: b.cid, blocks: [{ cid: b.cid, bytes: new Uint8Array([0xff]) }] }]),
      commit([{ id: b.id, expect: null, tip: b.cid, blocks: [{ cid: b.cid, bytes: new Uint8Array([0xf6]) }] }]),
      // Members that no row can be made from.
      raw({ ver: 'one' }),
      raw({ ver: 1.5 }),
      raw({ type: null }),
      raw({ properties: [] }),
      raw({ properties: null }),
      raw({ relationships: { predicate: 'x' } }),
      raw({ relationships: [{ predicate: 'x' }] }),
      raw({ relationships: [null] }),
    ];
    const outcomes = await test.store.submit([...wrong.flatMap((it) => [it]), step(a, next(a)), step(null, c)]);
    for (const outcome of outcomes.slice(0, wrong.length))
      expect(outcome).toMatchObject({ committed: false, refused: expect.stringMatching(/.../) });
    expect(outcomes.slice(wrong.length).map(({ committed }) => committed)).toEqual([true, true]);
    expect(test.tip(b.id)).toBeUndefined();
    expect(test.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 3 }]);
  });

  test('a submission that is malformed by itself is refused at once and whole', async () => {
    await using test = await openStore(writer);
    const a = first(idOf(1));
    const many: Version[] = [first(idOf(2))];
    for (let i = 1; i <= 1000; i++) many.push(next(many[i - 1] as Version));
    const good = step(null, a);
    const wrong: Commit[] = [
      step(null, ...many),
      commit([change(null, a), change(null, a)]),
      { ...good, time: Number.NaN },
      { ...good, origin: '' },
      commit([], { rows: [{ kind: 'feed_floor', move: 0.5 }] }),
      commit([], { rows: [{ kind: 'import_source', id: a.id, digest: 'x', cid: 'nonsense' }] }),
    ];
    for (const it of wrong) await expect(test.store.submit([good, it])).rejects.toThrow('a malformed commit: ');
    expect(test.tip(a.id)).toBeUndefined();
    expect(await one(test, step(null, ...many.slice(0, 1000)))).toEqual({ committed: true, moves: [1] });
  });

  test('nothing is taken after closing, and closing twice is no error', async () => {
    await using test = await openStore(writer);
    const waiting = test.store.submit([step(null, first(idOf(1)))]);
    const closed = test.store.close();
    await expect(test.store.submit([step(null, first(idOf(2)))])).rejects.toThrow(StorageError);
    expect(await waiting).toEqual([{ committed: true, moves: [1] }]);
    await closed;
    await test.store.close();
    await expect(test.store.submit([])).rejects.toThrow(StorageError);
  });
});
