import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyArchive } from '../../src/server/store/archive/archive-import.ts';
import { listOf, SampleState } from '../helpers/sample-archive.ts';
import { openStore } from '../helpers/store.ts';

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
