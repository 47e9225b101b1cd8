import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import { derivedId } from '../../src/server/model/ids.ts';
import { applyArchive, type ImportTally } from '../../src/server/store/archive/archive-import.ts';
import type { Change, Row } from '../../src/server/store/commit.ts';
import { listOf, nextVersion, SampleState } from '../helpers/sample-archive.ts';
import { commit, openStore } from '../helpers/store.ts';

const large = { text: 'x'.repeat(2_000_000) };

test('a history that is larger than memory should be comes in parts, and the tip moves with the last', async () => {
  await using opened = await openStore('thread');
  const { store, data, tip } = opened;
  const state = new SampleState();
  const id = state.write('long', 30, large);
  const file = join(data, 'long.car');
  await writeFile(file, await state.export());
  let most = 0;
  const watching = setInterval(() => {
    most = Math.max(most, store.activity().waitingBytes);
  }, 1);
  await listOf(applyArchive(store, file, { now: () => 1000, run: null }));
  clearInterval(watching);
  expect(tip(id)).toBe(state.chains.get(id)?.at(-1)?.cid);
  expect(most).toBeGreaterThan(0);
  // 60 MB altogether; two parts at most are under way at a time.
  expect(most).toBeLessThan(20_000_000);
  expect(opened.rows('SELECT count(*) AS n FROM moves')).toEqual([{ n: 1 }]);
  expect(opened.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 30 }]);
});

test("a history that stopped between its parts is nobody's, and is gone on with", async () => {
  await using opened = await openStore('thread');
  const { store, data, tip } = opened;
  const state = new SampleState();
  const id = state.write('long', 20, large);
  const chain = state.chains.get(id) ?? [];
  const file = join(data, 'long.car');
  await writeFile(file, await state.export());
  // As a kill after the first part leaves it.
  const rows = [{ kind: 'versions' as const, id, blocks: chain.slice(0, 4) }];
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'car', time: 1000 }]);
  expect(tip(id)).toBeUndefined();
  await listOf(applyArchive(store, file, { now: () => 2000, run: null }));
  expect(tip(id)).toBe(chain.at(-1)?.cid);
  expect(opened.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 20 }]);
  expect(opened.rows('SELECT count(*) AS n FROM moves')).toEqual([{ n: 1 }]);
});

test('the other side of a conflict whose remote is removed while an archive comes stays listed', async () => {
  await using opened = await openStore('thread');
  const { store, data } = opened;
  const state = new SampleState();
  // In the order in which they are taken in.
  const names = ['forked', 'other'].sort((a, b) => (derivedId('main', a) < derivedId('main', b) ? -1 : 1));
  const [id] = names.map((name) => state.write(name)) as [string, string];
  const [start] = state.chains.get(id) as [Block];
  const fork = (side: string) => encodeManifest(nextVersion(id, { cid: start.cid, ver: 1 }, { side }));
  const [ours, theirs, brought] = ['ours', 'theirs', 'brought'].map(fork) as [Block, Block, Block];
  state.chains.set(id, [start, brought]);
  const file = join(data, 'forked.car');
  await writeFile(file, await state.export());
  const remote = 'hub';
  const about = { url: 'http://hub.test', secret: null, instance: null, user: null, collections: [] };
  const put = (rows: Row[], changes: Change[] = []) => store.submit([commit(changes, { rows })]);
  await put([], [{ id, expect: null, tip: ours.cid, blocks: [start, ours] }]);
  await put([
    { kind: 'remote', remote, direction: 'both', ...about },
    { kind: 'versions', id, blocks: [theirs] },
    { kind: 'sync_conflict', remote, id, base: start.cid, ours: ours.cid, theirs: theirs.cid },
  ]);
  const listed = () => opened.rows('SELECT remote, theirs FROM sync_conflict');
  expect(listed()).toEqual([{ remote: 1, theirs: theirs.cid }]);

  let asked = 0;
  const now = () => {
    // The first entity is planned and not written yet.
    if (++asked === 2) void put([{ kind: 'remote_gone', remote }]);
    return 1000;
  };
  const tally = await taken(applyArchive(store, file, { now, run: null }));
  expect(listed()).toEqual([{ remote: 0, theirs: theirs.cid }]);
  expect(tally).toMatchObject({ entities: 2, created: 1, forks: 1, waiting: 1 });
});

/** What comes of it at the end. */
async function taken(importing: AsyncGenerator<unknown, ImportTally>): Promise<ImportTally> {
  for (;;) {
    const step = await importing.next();
    if (step.done) return step.value;
  }
}
