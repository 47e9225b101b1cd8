import Database from 'better-sqlite3';
import { Piscina } from 'piscina';
import { expect, test } from 'vitest';
import type { TableOrder } from '../../src/server/model/table.ts';
import type { LongRead } from '../../src/server/store/threads/long-reads.ts';
import { first, idOf, openStore, step, type TestStore } from '../helpers/store.ts';

const threads = new URL('../../src/server/store/threads/reader-thread.ts', import.meta.url);

/** Entities of one collection, each with a text of so many characters. */
async function filled({ store }: TestStore, count: number, length: number): Promise<void> {
  const one = (n: number) => first(idOf(100 + n), { relationships: [['collection', idOf(1)]] });
  await store.submit(Array.from({ length: count }, (_, n) => step(null, one(n))));
  const db = new Database(store.database);
  db.prepare(
    `UPDATE entity SET json = json_set(json, '$.properties.text', printf('%03d', 999 - key) || printf('%.*c', ?, 'x'))
      WHERE json IS NOT NULL`,
  ).run(length);
  db.close();
}

const byText: TableOrder = {
  collection: idOf(1),
  types: [],
  conditions: [],
  sort: { column: { of: 'property', name: 'text' }, descending: false },
};

test('to sort by long texts takes no more memory than their beginnings', async () => {
  await using opened = await openStore('here');
  await filled(opened, 100, 1_000_000);
  const pool = new Piscina({
    filename: threads.pathname,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: 48 },
  });
  try {
    const read: LongRead<'tableOrder'> = {
      file: opened.store.database,
      fileId: null,
      name: 'tableOrder',
      args: byText,
    };
    const bytes = (await pool.run(read, { name: 'runLongRead' })) as Uint8Array;
    const keys = [...new Uint32Array(new Uint8Array(bytes).buffer)];
    expect(keys).toHaveLength(100);
    expect(keys).toEqual(keys.toSorted((a, b) => b - a));
  } finally {
    await pool.destroy();
  }
});
