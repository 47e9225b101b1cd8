import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StorageError } from '../../src/server/errors.ts';
import { inProcessQueue } from '../../src/server/store/commit-queue.ts';
import { openWriter } from '../../src/server/store/connection.ts';
import { findStanding } from '../../src/server/store/entities.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { rebuiltProjections, storedProjections } from '../helpers/projections.ts';
import { first, idOf, next, openStore, step, type TestStore, type Version, writers } from '../helpers/store.ts';

function consistent({ store, rows }: TestStore, versions: Version[]): void {
  expect(rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  store.read((db) => {
    expect(storedProjections(db)).toEqual(rebuiltProjections(db));
    expect(versions.filter(({ cid }) => findVersion(db, cid) === undefined)).toEqual([]);
  });
}

test('a database without room says that the disk is full, keeps what it has, and writes again with room', async () => {
  await using opened = await openStore('here');
  let room = 100;
  const queue = inProcessQueue(opened.file, (file) => {
    const connection = openWriter(file);
    connection.db.pragma(`max_page_count = ${room}`);
    return connection;
  });
  const kept: Version[] = [];
  let refused: unknown;
  for (let n = 1; refused === undefined && n < 1000; n++) {
    const version = first(idOf(n), { properties: { text: 'x'.repeat(2000) } });
    await queue.submit([step(null, version)]).then(
      () => kept.push(version),
      (error: unknown) => {
        refused = error;
      },
    );
  }
  expect(refused).toBeInstanceOf(StorageError);
  expect(refused).toMatchObject({ code: 'STORAGE_FULL', reason: expect.stringMatching(/^The disk is full\./) });
  expect(kept.length).toBeGreaterThan(5);
  consistent(opened, kept);
  const last = kept[0] as Version;
  const larger = next(last, { properties: { text: 'y'.repeat(40_000) } });
  await expect(queue.submit([step(last, larger)])).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  expect(opened.tip(last.id)).toBe(last.cid);
  room = 10_000;
  const size = () => statSync(opened.file).size;
  const before = size();
  // The connection with the old bound was given up with the error.
  expect(await queue.submit([step(last, larger)])).toMatchObject([{ committed: true }]);
  // What the log has comes into the database at once: it may have taken all the room there was.
  await expect.poll(size).toBeGreaterThan(before);
  await queue.close();
  consistent(opened, [...kept, larger]);
});

test.each(writers)(
  'a database that is moved away or replaced meanwhile takes no writes until it is back (%s)',
  async (writer) => {
    await using opened = await openStore(writer);
    const { store, file } = opened;
    const [a, b] = [first(idOf(1)), first(idOf(2))];
    await store.submit([step(null, a)]);
    const refused = {
      code: 'STORAGE',
      reason: expect.stringMatching(/^The database archeion.db was moved away or replaced/),
    };
    renameSync(file, `${file}.away`);
    await expect(store.submit([step(null, b)])).rejects.toMatchObject(refused);
    // The connection was given up with the error; another one must not make an empty database.
    await expect(store.submit([step(null, b)])).rejects.toMatchObject(refused);
    expect(existsSync(file)).toBe(false);
    copyFileSync(`${file}.away`, file);
    await expect(store.submit([step(null, b)])).rejects.toMatchObject(refused);
    renameSync(`${file}.away`, file);
    expect(await store.submit([step(null, b)])).toMatchObject([{ committed: true }]);
    consistent(opened, [a, b]);
  },
);

test('a data folder that turns read-only is named as the cause, and is written again afterwards', async () => {
  await using opened = await openStore('here');
  let readOnly = false;
  const queue = inProcessQueue(opened.file, (file) => {
    const connection = openWriter(file);
    if (readOnly) connection.db.pragma('query_only = ON');
    return connection;
  });
  const a = first(idOf(1));
  await queue.submit([step(null, a)]);
  opened.meddle("CREATE TRIGGER fails BEFORE INSERT ON moves BEGIN SELECT RAISE(ABORT, 'no'); END");
  readOnly = true;
  await expect(queue.submit([step(a, next(a))])).rejects.toThrow(StorageError);
  opened.meddle('DROP TRIGGER fails');
  await expect(queue.submit([step(a, next(a))])).rejects.toMatchObject({
    code: 'STORAGE',
    reason: expect.stringContaining('read-only'),
  });
  expect(opened.tip(a.id)).toBe(a.cid);
  readOnly = false;
  expect(await queue.submit([step(a, next(a))])).toMatchObject([{ committed: true }]);
  await queue.close();
});

test.runIf(process.platform === 'linux')(
  'a file that may not grow fails writes in the writer thread until it may',
  async () => {
    const data = mkdtempSync(join(tmpdir(), 'archeion-full-'));
    const program = fileURLToPath(new URL('../helpers/full-disk-writer.ts', import.meta.url));
    const limited = `ulimit -S -f 2048; exec "$0" "$@"`;
    const child = spawn('/bin/sh', ['-c', limited, process.execPath, program, data], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const failed = /^failed (\S+) (\d+) (.*)$/.exec((await lines.next()).value ?? '') ?? [];
      expect(failed[1]).toMatch(/^STORAGE/);
      expect(Number(failed[2])).toBeGreaterThan(5);
      expect(failed[3]).toMatch(/^The disk (is full|could not be read or written)\./);
      await promisify(execFile)('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
      expect((await lines.next()).value).toBe(`recovered ${Number(failed[2]) + 1}`);
      if (child.exitCode === null) await once(child, 'exit');
      expect(child.exitCode).toBe(0);
      const db = openWriter(join(data, 'main', 'archeion.db'));
      expect(db.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(db.get('SELECT count(*) AS n FROM moves')).toEqual({ n: Number(failed[2]) + 1 });
      db.close();
    } finally {
      child.kill('SIGKILL');
      rmSync(data, { recursive: true });
    }
  },
);

/** Overwrites a page's beginning; gives the bytes that were there. */
function exchange(file: string, page: number, bytes: Buffer): Buffer {
  const fd = openSync(file, 'r+');
  try {
    const before = Buffer.alloc(bytes.length);
    readSync(fd, before, 0, before.length, (page - 1) * 4096);
    writeSync(fd, bytes, 0, bytes.length, (page - 1) * 4096);
    return before;
  } finally {
    closeSync(fd);
  }
}

test.each(writers)('a damaged page stops only what touches it (writer %s)', async (writer) => {
  await using opened = await openStore('here');
  const made = Array.from({ length: 200 }, (_, n) => first(idOf(n), { properties: { text: `${n}`.repeat(300) } }));
  await opened.store.submit(made.map((it) => step(null, it)));
  await opened.store.close();
  const raw = new Database(opened.file, { readonly: true });
  const { pageno } = raw
    .prepare("SELECT pageno FROM dbstat WHERE name = 'block' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 5")
    .get() as { pageno: number };
  raw.close();
  const whole = exchange(opened.file, pageno, Buffer.alloc(64, 0xff));

  const store = await NetworkStore.open(opened.data, 'main', { writer });
  const readable: Version[] = [];
  const damaged: Version[] = [];
  for (const version of made) {
    try {
      if (store.read((db) => findStanding(db, version.id))?.cid === version.cid) readable.push(version);
    } catch (error) {
      expect(error).toBeInstanceOf(StorageError);
      expect(error).toMatchObject({ reason: expect.stringContaining('The database file is damaged.') });
      damaged.push(version);
    }
  }
  expect(damaged.length).toBeGreaterThan(0);
  expect(damaged.length).toBeLessThan(20);
  expect(readable.length + damaged.length).toBe(made.length);
  const hit = damaged[0] as Version;
  expect(() => store.look((db) => findStanding(db, hit.id))).toThrow(StorageError);
  await expect(store.submit([step(hit, next(hit))])).rejects.toMatchObject({
    code: 'STORAGE',
    reason: expect.stringContaining('The database file is damaged.'),
  });
  const sound = readable[0] as Version;
  expect(await store.submit([step(sound, next(sound))])).toMatchObject([{ committed: true }]);
  await store.close();

  exchange(opened.file, pageno, whole);
  const mended = await NetworkStore.open(opened.data, 'main', { writer });
  expect(mended.read((db) => db.all('PRAGMA integrity_check'))).toEqual([{ integrity_check: 'ok' }]);
  expect(await mended.submit([step(hit, next(hit))])).toMatchObject([{ committed: true }]);
  await mended.close();
});

test('a long read of a damaged page is a StorageError too, and the thread reads on', async () => {
  await using opened = await openStore('here');
  const inside = (n: number) => first(idOf(n), { relationships: [['collection', idOf(900)]] });
  await opened.store.submit([1, 2, 3].map((n) => step(null, inside(n))));
  await opened.store.close();
  const raw = new Database(opened.file, { readonly: true });
  const { rootpage } = raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'listing'").get() as {
    rootpage: number;
  };
  raw.close();
  const whole = exchange(opened.file, rootpage, Buffer.alloc(64, 0xff));
  const store = await NetworkStore.open(opened.data, 'main', { writer: 'here' });
  const query = { collection: idOf(900), limit: 10, offset: 0, expand: false };
  await expect(store.readLong('listing', query)).rejects.toMatchObject({
    name: 'StorageError',
    reason: expect.stringContaining('The database file is damaged.'),
  });
  exchange(opened.file, rootpage, whole);
  const answer = JSON.parse(new TextDecoder().decode(await store.readLong('listing', query)));
  expect(answer.entities).toHaveLength(3);
  await store.close();
});

test('a version whose bytes have changed is said to be damaged, and a write over it is refused alone', async () => {
  await using opened = await openStore('here');
  const [small, large, other] = [
    first(idOf(1)),
    first(idOf(2), { properties: { text: 'x'.repeat(9000) } }),
    first(idOf(3)),
  ];
  await opened.store.submit([small, large, other].map((it) => step(null, it)));
  opened.meddle('UPDATE block SET bytes = zeroblob(length(bytes)) WHERE entity IN (1, 2)');
  for (const { cid, id } of [small, large]) {
    expect(() => opened.store.read((db) => findVersion(db, cid))).toThrow(StorageError);
    expect(() => opened.store.read((db) => findStanding(db, id))).toThrow('Service unavailable');
  }
  const outcomes = await opened.store.submit([small, large, other].map((it) => step(it, next(it))));
  expect(outcomes).toMatchObject([
    { committed: false, refused: expect.stringContaining('damaged') },
    { committed: false, refused: expect.stringMatching(/./) },
    { committed: true },
  ]);
});
