import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { settled } from '../helpers/attestations.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, operate } from '../helpers/node-archives.ts';
import { indexIdle } from '../helpers/searches.ts';

function meddle<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const sent = `INSERT INTO job (id, run, type, processor, collection, target, asker, request, state, attempts, created, expires)
  VALUES ('job_1', 'job_1', 'klados', 'p', 'c', 't', '{}', '{}', 'sent', 1, 0, 9000000000000)`;
const stateOf = (file: string) => meddle(file, (db) => db.prepare('SELECT state FROM job').pluck().get());

test('a node whose jobs cannot be taken up starts for reading, and takes them up when it can', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const file = databaseFile(data, 'main');
  let id = '';
  {
    await using node = await startNode({ data });
    ({ id } = await create(node, 'Ada'));
  }
  meddle(file, (db) => {
    db.exec(sent);
    db.exec("CREATE TRIGGER full BEFORE UPDATE ON job BEGIN SELECT RAISE(ABORT, 'no room'); END");
  });
  await using node = await startNode({ data });
  expect(await done(node, `GET /entities/${id}`)).toMatchObject({ id });
  expect(stateOf(file)).toBe('sent');
  meddle(file, (db) => db.exec('DROP TRIGGER full'));
  await expect.poll(() => stateOf(file)).toBe('unknown');
});

test('a network whose first use failed is indexed and attested once it is opened again', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const file = databaseFile(data, 'test');
  let id = '';
  {
    await using node = await startNode({ data });
    const ada = { type: 'document', properties: { label: 'Ada' } };
    ({ id } = await done(node, 'POST /entities', ada, 'test'));
  }
  meddle(file, (db) => db.exec('ALTER TABLE job RENAME TO job_away'));
  await using node = await startNode({ data });
  expect((await operate(node, `GET /entities/${id}`, undefined, 'test')).status).toBe(503);
  meddle(file, (db) => db.exec('ALTER TABLE job_away RENAME TO job'));
  await done(node, 'POST /entities', { type: 'document', properties: { label: 'Grace' } }, 'test');
  await settled(node, 'test');
  await indexIdle(node, 'test');
  const found = await operate(node, 'POST /search/entities', { query: 'Grace' }, 'test');
  expect(await found.text()).toContain('Grace');
});
