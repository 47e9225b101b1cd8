import { expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { blockKey, cidTail, findableBlocks, noteBlockKey } from '../../src/server/store/block-keys.ts';
import { type Connection, openWriter } from '../../src/server/store/connection.ts';
import { setBack } from '../helpers/earlier-schema.ts';
import { first, idOf, next, openStore, step } from '../helpers/store.ts';

const rowsOf = (db: Connection, table: string) => db.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n;

/** A CID of which nobody knows the bytes: `n` at its beginning, `tail` at its end. */
function cidOf(n: number, tail = n): Uint8Array {
  const cid = Buffer.alloc(36);
  cid.set([1, 0x71, 0x12, 32]);
  cid.writeUInt32BE(n, 4);
  cid.writeUIntBE(tail, 30, 6);
  return cid;
}

function put(db: Connection, cid: Uint8Array): number {
  const sql = 'INSERT INTO block (cid, entity, ver, size, enc, base, bytes) VALUES (?, 1, 1, 0, 0, NULL, ?)';
  const key = db.insert(sql, cid, Buffer.alloc(0));
  noteBlockKey(db, cid, key);
  return key;
}

test('blocks are found by their CIDs while they are recent and after, by a connection that opens the database, too', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  let db = openWriter(opened.file);
  const keys = Array.from({ length: 10_000 }, (_, n) => put(db, cidOf(n, (n * 7919) % 10_007)));
  expect(findableBlocks(db)).toBe(10_000);
  expect(rowsOf(db, 'block_cid')).toBe(8192);
  const found = () => keys.filter((key, n) => blockKey(db, cidOf(n, (n * 7919) % 10_007)) === key).length;
  expect(found()).toBe(10_000);
  expect(blockKey(db, cidOf(10_000))).toBeUndefined();
  db.close();
  db = openWriter(opened.file);
  for (let n = 20_000; rowsOf(db, 'block_cid') === 8192; n++) put(db, cidOf(n));
  expect(rowsOf(db, 'block_cid')).toBe(12_288);
  expect(rowsOf(db, 'block_cid_recent')).toBe(0);
  expect(found()).toBe(10_000);
  db.close();
});

test('of CIDs with the same end each finds its own block', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  const db = openWriter(opened.file);
  const end = 2 ** 48 - 1;
  const keys = Array.from({ length: 5000 }, (_, n) => put(db, cidOf(n, end)));
  expect(cidTail(cidOf(1, end))).toBe(end);
  expect([0, 4095, 4096, 4999].map((n) => blockKey(db, cidOf(n, end)))).toEqual(
    [0, 4095, 4096, 4999].map((n) => keys[n]),
  );
  expect(blockKey(db, cidOf(5000, end))).toBeUndefined();
  db.close();
});

test('a CID with a short hash, which anybody may name, is none that is here', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  const db = openWriter(opened.file);
  for (const cid of ['bafyqaaa', 'bafkqaaa', 'bafyqabdbmjrwi']) expect(blockKey(db, cidBytes(cid))).toBeUndefined();
  const short = cidBytes('bafyqaaa');
  const key = put(db, short);
  expect(blockKey(db, short)).toBe(key);
  db.close();
});

test('the versions of an earlier database are found, and kept as they were', async () => {
  await using opened = await openStore('here');
  const a = first(idOf(1));
  const b = next(a);
  const large = first(idOf(2), { properties: { text: 'a long text '.repeat(1000) } });
  await opened.store.submit([step(null, a, b), step(null, large)]);
  const before = opened.rows('SELECT * FROM block');
  await opened.store.close();
  setBack(opened.file, 11);
  const db = openWriter(opened.file);
  expect(db.all('SELECT * FROM block')).toEqual(before);
  expect([a, b, large].map(({ cid }) => blockKey(db, cidBytes(cid)))).toEqual(before.map(({ key }) => key));
  expect(db.db.pragma('integrity_check', { simple: true })).toBe('ok');
  db.close();
});
