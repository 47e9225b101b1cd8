import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { Connection } from '../../src/server/store/connection.ts';
import { checkedBlock } from '../../src/server/store/verify/checked-block.ts';
import { first, idOf, openStore, step } from '../helpers/store.ts';

test('a version is worth what its bytes are', async () => {
  await using test = await openStore('here');
  const version = first(idOf(1), { properties: { label: 'x' } });
  await test.store.submit([step(null, version)]);
  expect(test.store.read((db) => checkedBlock(db, { key: 1 }))).toEqual({ valid: true, type: version.manifest.type });
  expect(test.store.read((db) => checkedBlock(db, { key: 2 }))).toEqual({ valid: false, type: null });
});

test('a database that fails says nothing about a version', () => {
  const db = new Connection(new Database(':memory:'));
  expect(() => checkedBlock(db, { key: 1 })).toThrow('no such table: block');
  db.close();
});
