import { closeSync, openSync, readdirSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { encodeHistoric, encodeManifest } from '../../src/server/blocks/encode.ts';
import { StorageError } from '../../src/server/errors.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';
import type { Row } from '../../src/server/store/commit.ts';
import { openReader, openWriter } from '../../src/server/store/connection.ts';
import { importRun } from '../../src/server/store/imports/import-runs.ts';
import { isLogKept } from '../../src/server/store/jobs/job-logs.ts';
import { foreignGraves } from '../../src/server/store/migrations/0014-foreign-graves.ts';
import { dropCopies } from '../../src/server/store/migrations/kept-copy.ts';
import { type Migration, migrations } from '../../src/server/store/migrations/migrate.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { isOutdated } from '../../src/server/store/outdated.ts';
import { currentJson } from '../../src/server/store/projection.ts';
import { lastRun, listRemotes } from '../../src/server/store/remotes/remotes.ts';
import { ThreadQueue, writerThread } from '../../src/server/store/threads/thread-queue.ts';
import { checkDatabase } from '../../src/server/store/verify/verify-databases.ts';
import { Findings } from '../../src/server/store/verify/verify-findings.ts';
import { setBack } from '../helpers/earlier-schema.ts';
import { asService, isRoot, nobody, serviceFolder } from '../helpers/service-user.ts';
import { commit, first, idOf, next, openStore, step, writers } from '../helpers/store.ts';

/** What a later program would know: the present steps and two more. */
const later: Migration[] = [
  ...migrations,
  'CREATE TABLE later (n INTEGER) STRICT; INSERT INTO later SELECT count(*) FROM entity;',
  (db) => db.exec('ALTER TABLE later ADD COLUMN label TEXT'),
];
const version = migrations.length;

function schemaOf(file: string): unknown {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('SELECT name, sql FROM sqlite_schema ORDER BY name').all();
  } finally {
    db.close();
  }
}

test('an earlier database gets every step that it lacks, whatever its version, and keeps its rows', async () => {
  await using opened = await openStore('here');
  const a = first(idOf(1));
  await opened.store.submit([step(null, a)]);
  await opened.store.close();
  const fresh = join(opened.data, 'fresh.db');
  openWriter(fresh, later).close();
  for (let steps = version; steps <= later.length; steps++) {
    const db = openWriter(opened.file, later.slice(0, steps));
    expect(db.db.pragma('user_version', { simple: true })).toBe(steps);
    db.close();
  }
  expect(schemaOf(opened.file)).toEqual(schemaOf(fresh));
  const reader = openReader(opened.file);
  expect(reader.all('SELECT n, label FROM later')).toEqual([{ n: 1, label: null }]);
  expect(reader.get('SELECT id FROM entity')).toEqual({ id: a.id });
  reader.close();
});

test.each(later.map((_, i) => i + 1))('a database of version %i comes to the newest schema', async (steps) => {
  await using opened = await openStore('here');
  const file = join(opened.data, 'earlier.db');
  openWriter(file, later.slice(0, steps)).close();
  openWriter(file, later).close();
  const fresh = join(opened.data, 'fresh.db');
  openWriter(fresh, later).close();
  expect(schemaOf(file)).toEqual(schemaOf(fresh));
});

test('the database is copied before it is migrated, and the copy goes at a later good start', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(1)))]);
  await opened.store.close();
  const copy = `${opened.file}.before-${version}`;
  // What a start that ended in the middle of its copy has left.
  writeFileSync(`${copy}.partial`, 'half');
  writeFileSync(copy, 'older');
  openWriter(opened.file, later).close();
  const kept = new Database(copy, { readonly: true });
  expect(kept.pragma('user_version', { simple: true })).toBe(version);
  expect(kept.prepare('SELECT count(*) AS n FROM moves').get()).toEqual({ n: 1 });
  kept.close();
  const copies = () => readdirSync(join(opened.data, 'main')).filter((name) => name.includes('.before-'));
  expect(copies()).toEqual([`archeion.db.before-${version}`]);
  // Within the run that migrated it stays, the next run drops it.
  openWriter(opened.file, later).close();
  dropCopies(opened.file);
  expect(copies()).toHaveLength(1);
  dropCopies(opened.file, Date.now() + 1000);
  expect(copies()).toEqual([]);
  expect(() => openReader(opened.file).close()).not.toThrow();
});

test('the copy outlives a writer thread that ends', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(1)))]);
  await opened.store.close();
  setBack(opened.file, version - 1);
  const copies = () => readdirSync(join(opened.data, 'main')).filter((name) => name.includes('.before-'));
  const workers: Worker[] = [];
  const queue = new ThreadQueue((fileId) => {
    const worker = writerThread({ file: opened.file, asks: false, fileId });
    workers.push(worker);
    return worker;
  });
  await queue.open();
  expect(copies()).toEqual([`archeion.db.before-${version - 1}`]);
  await workers[0]?.terminate();
  await queue.submit([step(null, first(idOf(2)))]);
  expect([workers.length, copies()]).toEqual([2, [`archeion.db.before-${version - 1}`]]);
  await queue.close();
});

test('what a step has written stays in no log, neither for the next step nor when all are done', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  const log = () => statSync(`${opened.file}-wal`).size;
  const sizes: number[] = [];
  const large = 'INSERT INTO large SELECT zeroblob(1000000) FROM (VALUES (1), (2), (3), (4), (5))';
  const writer = openWriter(opened.file, [
    ...migrations,
    `CREATE TABLE large (bytes BLOB) STRICT; ${large}`,
    (db) => {
      sizes.push(log());
      db.exec(large);
    },
  ]);
  expect([...sizes, log()]).toEqual([0, 0]);
  writer.close();
});

test('further attempts of a step that fails keep to the copy that there is, while it is whole and of the same', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(1)))]);
  await opened.store.close();
  const copy = `${opened.file}.before-${version}`;
  const attempt = () => {
    expect(() => openWriter(opened.file, [...migrations, 'INSERT INTO nowhere VALUES (1)'])).toThrow('nowhere');
    return statSync(copy).ino;
  };
  const made = attempt();
  expect([attempt(), attempt()]).toEqual([made, made]);
  const rows = (file: string) => {
    const db = new Database(file);
    const { n } = db.prepare('SELECT count(*) AS n FROM meta').get() as { n: number };
    db.close();
    return n;
  };
  const before = rows(copy);
  // What an older program, put in place again, has written meanwhile.
  opened.meddle("INSERT INTO meta (name, value) VALUES ('later', '1')");
  const again = attempt();
  expect([again === made, rows(copy)]).toEqual([false, before + 1]);
  truncateSync(copy, statSync(copy).size - 4096);
  attempt();
  expect(rows(copy)).toBe(before + 1);
});

test('a start that completes what an earlier one left half done keeps the copy of before both', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([step(null, first(idOf(1)))]);
  await opened.store.close();
  const half = [...later.slice(0, version + 1), 'INSERT INTO nowhere VALUES (1)'];
  expect(() => openWriter(opened.file, half)).toThrow('nowhere');
  const copies = () => readdirSync(join(opened.data, 'main')).filter((name) => name.includes('.before-'));
  expect(copies()).toEqual([`archeion.db.before-${version}`]);
  const changed = () => statSync(`${opened.file}.before-${version}`).mtimeMs;
  const before = changed();
  // The clock of files is some milliseconds late.
  await setTimeout(50);
  const started = Date.now();
  await setTimeout(50);
  openWriter(opened.file, later).close();
  dropCopies(opened.file, started);
  expect(copies()).toEqual([version, version + 1].map((n) => `archeion.db.before-${n}`));
  expect(changed()).toBe(before);
  dropCopies(opened.file, Date.now() + 1000);
  expect(copies()).toEqual([]);
});

test.skipIf(!isRoot)(
  'a copy that root has made ends no later upgrade, and is of the owner of the database',
  async () => {
    await using folder = await serviceFolder();
    const file = join(folder.path, 'archeion.db');
    asService(() => openWriter(file).close());
    // Where a program that leaves it to root has made it.
    writeFileSync(`${file}.before-1`, 'of another version');
    openWriter(file, later.slice(0, version + 1)).close();
    expect(statSync(`${file}.before-${version}`).uid).toBe(nobody);
    asService(() => openWriter(file, later).close());
    expect(readdirSync(folder.path).filter((name) => name.includes('.before-'))).toHaveLength(3);
  },
);

test('a copy that fails leaves nothing of it, which would keep a full disk full', async () => {
  await using opened = await openStore('here');
  const made = Array.from({ length: 200 }, (_, n) => first(idOf(n), { properties: { text: 'x'.repeat(2000) } }));
  await opened.store.submit(made.map((one) => step(null, one)));
  await opened.store.close();
  const names = () => readdirSync(join(opened.data, 'main')).filter((name) => name.includes('.db'));
  // The half that a copy meets when it has written some, and an opening does not.
  const half = statSync(opened.file).size / 2;
  const file = openSync(opened.file, 'r+');
  writeSync(file, Buffer.alloc(half, 0xff), 0, half, half);
  closeSync(file);
  writeFileSync(`${opened.file}.before-${version}.partial-journal`, 'what a killed start has left');
  expect(() => openWriter(opened.file, later)).toThrow('malformed');
  expect(names()).toEqual(['archeion.db']);
});

test('what a step sorts is in a file, not in memory, and what is sorted later in memory', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  const [file, memory] = [1, 2];
  const kept: unknown[] = [];
  const writer = openWriter(opened.file, [
    ...migrations,
    (db) => void kept.push(db.pragma('temp_store', { simple: true })),
  ]);
  expect([...kept, writer.db.pragma('temp_store', { simple: true })]).toEqual([file, memory]);
  writer.close();
});

test('a step that fails leaves the database as it was', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  const before = schemaOf(opened.file);
  const failing = [...migrations, 'CREATE TABLE half (n INTEGER) STRICT; INSERT INTO nowhere VALUES (1);'];
  expect(() => openWriter(opened.file, failing)).toThrow('no such table: nowhere');
  expect(schemaOf(opened.file)).toEqual(before);
  openWriter(opened.file, later).close();
});

test('a new database that could not be made whole is none of an earlier program: nothing of it is there', async () => {
  await using opened = await openStore('here');
  const file = `${opened.file}.new`;
  const failing = [...migrations, 'INSERT INTO nowhere VALUES (1);'];
  expect(() => openWriter(file, failing)).toThrow('no such table: nowhere');
  expect(schemaOf(file)).toEqual([]);
  expect(isOutdated(file)).toBe(false);
  const told = vi.fn();
  openWriter(file, later, told).close();
  expect(told).not.toHaveBeenCalled();
});

describe.each(writers)('opening with the writer %s', (writer) => {
  test('a newer database is refused in plain words', async () => {
    await using opened = await openStore('here');
    await opened.store.close();
    opened.meddle('PRAGMA user_version = 99');
    const refused = NetworkStore.open(opened.data, 'main', { writer });
    await expect(refused).rejects.toThrow(StorageError);
    await expect(refused).rejects.toMatchObject({
      reason: `This database was written by a newer Archeion (schema 99, this program knows ${version}). Update the program.`,
    });
  });

  test('what is no database is refused in plain words', async () => {
    await using opened = await openStore('here');
    await opened.store.close();
    writeFileSync(opened.file, 'not a database'.repeat(1000));
    const refused = NetworkStore.open(opened.data, 'main', { writer });
    await expect(refused).rejects.toThrow(StorageError);
    await expect(refused).rejects.toMatchObject({ reason: expect.stringContaining('damaged') });
  });
});

test('moves of an earlier database say what they are of', async () => {
  await using opened = await openStore('here');
  const made = first(idOf(1));
  const changed = next(made, { properties: { label: 'another' } });
  await opened.store.submit([step(null, made), step(made, changed), step(null, first(idOf(2)))]);
  const moves = opened.rows('SELECT id, pi, cid, ver, time FROM moves');
  expect(moves).toMatchObject([
    { pi: made.id, cid: made.cid, ver: 1 },
    { pi: made.id, cid: changed.cid, ver: 2 },
    { pi: idOf(2), ver: 1 },
  ]);
  await opened.store.close();
  setBack(opened.file, 1);
  expect(isOutdated(opened.file)).toBe(true);
  openWriter(opened.file).close();
  expect(isOutdated(opened.file)).toBe(false);
  const reader = openReader(opened.file);
  expect(reader.all('SELECT id, pi, cid, ver, time FROM moves')).toEqual(moves);
  reader.close();
});

test('of imports of an earlier database nobody knows whether they ended', async () => {
  await using opened = await openStore('here');
  const run = { collection: null, made: false, started: 0, files: ['a.car'], counts: {}, ended: true };
  const rows: Row[] = [{ kind: 'import_run', id: idOf(1), ...run }];
  await opened.store.submit([{ changes: [], preconditions: [], rows, origin: 'car', time: 0 }]);
  expect(opened.store.read((db) => importRun(db, idOf(1)))).toMatchObject(run);
  await opened.store.close();
  setBack(opened.file, 3);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  expect(importRun(reader, idOf(1))).toMatchObject({ ...run, ended: null });
  reader.close();
});

test('a remote that showed no event is looked through once more: what was read of it to its end need not be all', async () => {
  await using opened = await openStore('here');
  const remote = { url: 'https://a.test', secret: null, instance: null, user: null, collections: [] };
  const run = { started: 1, ended: 2, report: '{"stopped":null}', error: null, fault: null, held: null, level: 1 };
  const rows = ['quiet', 'busy'].flatMap((name): Row[] => [
    { kind: 'remote', remote: name, direction: 'pull', ...remote },
    { kind: 'remote_run', remote: name, ...run, head: name === 'quiet' ? 0 : 3, notable: false },
    { kind: 'feed_seen', remote: name, first: 1, last: 3, cid: null, lost: false },
  ]);
  await opened.store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: 0 }]);
  await opened.store.close();
  setBack(opened.file, 7);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  const levels = listRemotes(reader).map(({ name, key }) => [name, lastRun(reader, key)?.level]);
  expect(Object.fromEntries(levels)).toEqual({ busy: 1, quiet: null });
  reader.close();
});

test('what deletions say of properties and relationships is in no index any more', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const inside = { relationships: [['collection', idOf(1)] as [string, string]] };
  const [live, gone] = [first(idOf(2), inside), first(idOf(3), inside)];
  await store.submit([step(null, first(idOf(1), { type: 'collection' })), step(null, live), step(null, gone)]);
  const rows = () => ({
    ...{ edges: opened.rows('SELECT * FROM edge'), listings: opened.rows('SELECT * FROM listing') },
    ...{ labels: opened.rows('SELECT * FROM label'), entities: opened.rows('SELECT id, label FROM entity') },
  });
  const before = rows();
  await store.submit([step(gone, next(gone, { deleted: true }))]);
  const after = rows();
  await store.close();
  const db = new Database(opened.file);
  for (const [table, kept] of Object.entries({ edge: before.edges, listing: before.listings, label: before.labels }))
    for (const row of kept)
      db.prepare(
        `INSERT OR IGNORE INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`,
      ).run(Object.values(row));
  db.prepare('UPDATE entity SET label = ? WHERE id = ?').run('gone', gone.id);
  db.close();
  setBack(opened.file, 12);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  expect(reader.all('SELECT * FROM edge')).toEqual(after.edges);
  expect(reader.all('SELECT * FROM listing')).toEqual(after.listings);
  expect(reader.all('SELECT * FROM label')).toEqual(after.labels);
  expect(reader.all('SELECT id, label FROM entity')).toEqual(after.entities);
  reader.close();
});

test('a deletion that says so in a form of another program is none of what is live', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const inside = { relationships: [['collection', idOf(1)] as [string, string]] };
  const live = first(idOf(2), inside);
  await store.submit([step(null, first(idOf(1), { type: 'collection' })), step(null, live)]);
  const tables = ['entity', 'edge', 'listing', 'label'];
  const rows = () => tables.map((table) => opened.rows(`SELECT * FROM ${table}`));
  const before = rows();
  const grave = encodeManifest({ ...next(live).manifest, schema: 'arke/eidos-deleted@v1' });
  const change = { id: live.id, expect: live.cid, tip: grave.cid, blocks: [grave] };
  await store.submit([commit([change], { origin: 'remote:plain' })]);
  const after = rows();
  expect(after[0]).toContainEqual(expect.objectContaining({ id: live.id, deleted: 1, json: null, label: '' }));
  await store.close();
  const db = new Database(opened.file);
  const [entities = [], ...derived] = before;
  for (const { key, label, json } of entities)
    db.prepare(
      'UPDATE entity SET deleted = 0, label = ?, json = ?, collection = NULL WHERE key = ? AND deleted = 1',
    ).run(label, json, key);
  for (const [n, table] of tables.slice(1).entries())
    for (const row of derived[n] ?? [])
      db.prepare(
        `INSERT OR IGNORE INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`,
      ).run(Object.values(row));
  db.close();
  setBack(opened.file, 13);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  expect(tables.map((table) => reader.all(`SELECT * FROM ${table}`))).toEqual(after);
  reader.close();
});

test.each<[string, (version: Manifest) => object]>([
  ['schema', (version) => ({ ...version, schema: 'arke/eidos-deleted@v1' })],
  ['lack of all else', ({ properties: _properties, relationships: _relationships, ...head }) => head],
])(
  'a deletion by its %s stays in a collection that only its chain names, and waits for no remote that has it not',
  async (_how, written) => {
    await using opened = await openStore('here');
    const live = first(idOf(2), { relationships: [['collection', idOf(1)]] });
    const { manifest, cid } = next(live, { properties: {}, relationships: [] });
    const grave = encodeHistoric({ ...written(manifest), prev: { '/': live.cid } } as JsonObject);
    const blocks = [live, grave].map(({ cid, bytes }) => ({ cid, bytes }));
    await opened.store.submit([commit([{ id: live.id, expect: null, tip: grave.cid, blocks }])]);
    await opened.store.close();
    opened.meddle(`DELETE FROM entity WHERE id = '${idOf(1)}';
      UPDATE entity SET deleted = 0, json = '${currentJson(cid, manifest)}', collection = NULL;
      INSERT INTO push_pending SELECT 1, key FROM entity; INSERT INTO push_pending SELECT 2, key FROM entity;
      INSERT INTO remote_entity (remote, entity, event, theirs) SELECT 2, key, 1, 1 FROM entity`);
    setBack(opened.file, 13);
    openWriter(opened.file).close();
    const reader = openReader(opened.file);
    const place = 'SELECT c.id FROM entity e JOIN entity c ON c.key = e.collection WHERE e.deleted = 1';
    expect(reader.all(place)).toEqual([{ id: idOf(1) }]);
    expect(reader.all('SELECT remote FROM push_pending')).toEqual([{ remote: 2 }]);
    reader.close();
  },
);

test('of many live entities those are read that may be deletions, by statements that are prepared once', async () => {
  await using opened = await openStore('here');
  const text = Array.from({ length: 500 }, (_, n) => `${n} of many`).join();
  const [plain, large] = [{}, { properties: { text } }];
  const made = [plain, large].flatMap((content, at) =>
    Array.from({ length: 20 }, (_, n) => first(idOf(20 * at + n), content)),
  );
  await opened.store.submit(made.map((one) => step(null, one)));
  // Its own members say that it is none.
  await opened.store.submit([step(null, first(idOf(100), { properties: { label: 'deleted' } }))]);
  await opened.store.close();
  const db = new Database(opened.file);
  const prepare = vi.spyOn(db, 'prepare');
  foreignGraves(db);
  expect(prepare.mock.calls.length).toBeLessThan(5);
  expect(db.prepare('SELECT count(*) AS n FROM entity WHERE deleted = 1').get()).toEqual({ n: 0 });
  db.close();
});

test('what an earlier program cut from the texts of a log ends between characters', async () => {
  await using opened = await openStore('here');
  const message = `${'x'.repeat(999)}\u{1f600} and more`;
  const entry = { status: 'error', error: { code: 'FAILED', message } };
  const properties = { job_id: 'job_1', klados_id: idOf(2), log_data: { entry } };
  const log = first(idOf(1), { type: 'klados_log', properties });
  await opened.store.submit([step(null, log)]);
  await opened.store.close();
  const db = new Database(opened.file);
  db.prepare('UPDATE job_log SET message = ?').run(message.slice(0, 1000));
  db.close();
  setBack(opened.file, 14);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  expect(reader.all('SELECT code, message FROM job_log')).toEqual([{ code: 'FAILED', message: 'x'.repeat(999) }]);
  const key = reader.get<{ entity: number }>('SELECT entity FROM job_log')?.entity ?? 0;
  expect(isLogKept(reader, key, log.manifest)).toBe(true);
  reader.close();
});

test('a log that an earlier program took for written by the user of a remote is of whoever wrote it here', async () => {
  await using opened = await openStore('here');
  const properties = { job_id: 'job_1', klados_id: idOf(2), status: 'done' };
  const { manifest } = first(idOf(1), { type: 'klados_log', properties });
  const by = (user_id: string) => {
    const one = { ...manifest, edited_by: { user_id, method: 'manual' as const } };
    return { ...encodeManifest(one), id: manifest.id, manifest: one };
  };
  const ours = by(idOf(2));
  await opened.store.submit([step(null, ours)]);
  await opened.store.submit([step(ours, by(idOf(3)))]);
  await opened.store.close();
  const db = new Database(opened.file);
  db.prepare('UPDATE job_log SET author = ?').run(idOf(3));
  db.close();
  setBack(opened.file, 15);
  openWriter(opened.file).close();
  const reader = openReader(opened.file);
  expect(reader.all('SELECT author FROM job_log')).toEqual([{ author: idOf(2) }]);
  reader.close();
});

test('what finds jobs by their states is made anew where the first programs have made it otherwise', async () => {
  await using opened = await openStore('here');
  await opened.store.close();
  setBack(opened.file, 17);
  const found = () => {
    const reader = openReader(opened.file);
    const findings = new Findings();
    checkDatabase(reader, findings, migrations);
    reader.close();
    return findings.report().problems.map(({ message }) => message);
  };
  expect(found()).toEqual([expect.stringMatching(/^How the index job_state is made /)]);
  openWriter(opened.file).close();
  expect(found()).toEqual([]);
});
