import { expect, test } from 'vitest';
import { archiveSource, manifestLines } from '../../src/server/store/archive/archive-source.ts';
import { chainsPage, unpacked } from '../../src/server/store/archive/chain-reads.ts';
import { listTips } from '../../src/server/store/archive/tip-list.ts';
import { collect, listOf } from '../helpers/sample-archive.ts';
import { first, idOf, next, openStore, step } from '../helpers/store.ts';

const records = 12;
const text = (n: number) => ({ text: String(n % 10).repeat(600_000) });

test.each(['all', 'tip'] as const)('large records come page by page, each of them (history %s)', async (history) => {
  await using opened = await openStore('here');
  const { store } = opened;
  for (let n = 0; n < records; n++) {
    const one = first(idOf(n), { properties: text(n) });
    await store.submit([step(null, one)]);
    // Those with one version alone, and others among them.
    if (n % 5 === 4) await store.submit([step(one, next(one, { properties: text(n + 1) }))]);
  }
  const list = await listTips(store, { scope: { kind: 'all' }, history });
  const page = (form: 'blocks' | 'lines') =>
    store.read((db) => chainsPage(db, { tips: list.tips(0, records), after: null, history, form }));
  for (const form of ['blocks', 'lines'] as const) {
    expect(unpacked(page(form)).sizes.length).toBeGreaterThan(0);
    expect(page(form).length).toBeLessThan(2_000_000);
  }

  const versions = history === 'all' ? records + 2 : records;
  const lines = (await collect(manifestLines(store, list))).toString().trim().split('\n');
  expect(lines).toHaveLength(versions);
  const source = archiveSource(store, list);
  let blocks = 0;
  for (const entry of list.entries()) {
    const chain = source.versions(entry, null);
    blocks += (Symbol.iterator in chain ? [...chain] : await listOf(chain)).length;
  }
  expect(blocks).toBe(versions);
});
