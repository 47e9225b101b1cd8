import { setImmediate as turnEnds } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Connection, openReader, openWriter } from '../../src/server/store/connection.ts';
import { findTip } from '../../src/server/store/entities.ts';
import type { NetworkStore } from '../../src/server/store/network-store.ts';
import { TurnReads } from '../../src/server/store/threads/turn-reads.ts';
import { first, idOf, openStore, step, type TestStore, writers } from '../helpers/store.ts';

const isHere = (store: NetworkStore, n: number) => store.read((db) => findTip(db, idOf(n)) !== undefined);
const added = (n: number) => [step(null, first(idOf(n)))];

/** What a process beside it has written, whose answers it does not see. */
function writeBeside({ store }: TestStore): void {
  const writer = openWriter(store.database);
  writer.run("INSERT INTO task (id, kind, state) VALUES ('one', 'a', '{}')");
  writer.close();
}

const seen = ({ store }: TestStore) => store.look((db) => db.all('SELECT id FROM task').length);

test('reads of one turn see one state, those of the next what has been written since', async () => {
  await using opened = await openStore('here');
  expect(seen(opened)).toBe(0);
  writeBeside(opened);
  expect(seen(opened)).toBe(0);
  expect(opened.store.read(() => seen(opened))).toBe(0);
  await turnEnds();
  expect(seen(opened)).toBe(1);
});

test.each(writers)('what was answered is seen in the same turn, with the writer %s', async (writer) => {
  await using opened = await openStore(writer);
  const { store } = opened;
  for (let n = 1; n <= 50; n++) {
    const written = store.submit(added(n)).then(() => isHere(store, n));
    const other = store.submit(added(100 + n)).then(() => isHere(store, 100 + n));
    expect(isHere(store, n)).toBe(false);
    expect(await Promise.all([written, other])).toEqual([true, true]);
  }
});

test('where an error has ended the state that reads share, those after it share another one', async () => {
  await using opened = await openStore('here');
  const reader = openReader(opened.store.database);
  const turn = new TurnReads(reader);
  const count = () => turn.read((db) => db.all('SELECT id FROM task').length);
  const ending = () =>
    turn.read((db) => {
      // As SQLite does by itself where the disk fails.
      (db as Connection).run('ROLLBACK');
      throw new Error('the disk failed');
    });
  expect(count()).toBe(0);
  expect(ending).toThrow('the disk failed');
  expect(count()).toBe(0);
  expect(reader.db.inTransaction).toBe(true);
  writeBeside(opened);
  expect(count()).toBe(0);
  turn.renew();
  expect(count()).toBe(1);
  turn.renew();
  reader.close();
});

test('a read that fails spoils none after it', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const failing = () => store.read((db) => db.all('SELECT nothing FROM nowhere'));
  expect(failing).toThrow();
  expect(isHere(store, 1)).toBe(false);
  await store.submit(added(1));
  expect(isHere(store, 1)).toBe(true);
});

test('a state that cannot be ended while something is read in it is ended before the next read', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([...added(1), ...added(2)]);
  const reader = openReader(opened.store.database);
  const turn = new TurnReads(reader);
  const rows = turn.read((db) => db.each('SELECT 1 FROM entity'));
  rows.next();
  await turnEnds();
  expect(reader.db.inTransaction).toBe(true);
  rows.return?.();
  writeBeside(opened);
  expect(turn.read((db) => db.all('SELECT id FROM task').length)).toBe(1);
  await turnEnds();
  expect(reader.db.inTransaction).toBe(false);
  reader.close();
});
