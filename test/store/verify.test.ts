import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Network } from '../../src/server/model/ids.ts';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { runTask } from '../../src/server/store/threads/task-run.ts';
import { verifyStore } from '../../src/server/store/verify/verify.ts';
import { checkDatabase } from '../../src/server/store/verify/verify-databases.ts';
import { Findings, type VerifyReport } from '../../src/server/store/verify/verify-findings.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, lastLine, operate, remove, update, verified } from '../helpers/node-archives.ts';

// Each kind of damage is done to a closed database by hand, and must be named.

const damages: [string, string, { kind: string; message: RegExp }][] = [
  [
    "a version's bytes",
    "UPDATE block SET bytes = CAST(replace(CAST(bytes AS TEXT), 'Ada', 'Eda') AS BLOB) WHERE key = (SELECT tip FROM entity WHERE label = 'Ada')",
    { kind: 'block', message: /stored with/ },
  ],
  [
    "a tip that is another entity's",
    "UPDATE entity SET tip = (SELECT tip FROM entity WHERE label = 'Outside') WHERE label = 'Ada'",
    { kind: 'entity', message: /tip is a version of another entity/ },
  ],
  [
    'a tip that went back',
    "UPDATE entity SET tip = (SELECT min(b.key) FROM block b WHERE b.entity = entity.key) WHERE label = 'Ada'",
    { kind: 'move', message: /not where the moves lead/ },
  ],
  [
    'a relationship that is not indexed',
    "DELETE FROM edge WHERE source = (SELECT key FROM entity WHERE label = 'Ada')",
    { kind: 'edge', message: /1 of its relationships are not indexed/ },
  ],
  [
    'a relationship that nobody has',
    "INSERT INTO edge SELECT (SELECT key FROM entity WHERE label = 'Outside'), (SELECT min(key) FROM predicate), key FROM entity WHERE label = 'Ada'",
    { kind: 'edge', message: /1 are that it has not/ },
  ],
  [
    'a missing line of a listing',
    "DELETE FROM listing WHERE entity = (SELECT key FROM entity WHERE label = 'Ada')",
    { kind: 'listing', message: /not listed/ },
  ],
  [
    'a line too many in a listing',
    "INSERT INTO listing SELECT l.collection, e.created_at, e.id, e.type, e.key FROM entity e, (SELECT collection FROM listing LIMIT 1) l WHERE e.label = 'Outside'",
    { kind: 'listing', message: /listed in a collection that it is not in/ },
  ],
  [
    'a label that finds nothing',
    "DELETE FROM label WHERE entity = (SELECT key FROM entity WHERE label = 'Ada')",
    { kind: 'listing', message: /not found by its label/ },
  ],
  [
    'a label that finds something else',
    "UPDATE label SET folded = 'eda' WHERE folded = 'ada'",
    { kind: 'listing', message: /found by a label that it has not/ },
  ],
  [
    'the stored JSON',
    "UPDATE entity SET json = replace(json, '1815', '1816') WHERE label = 'Ada'",
    { kind: 'entity', message: /differs from its tip in json/ },
  ],
  [
    'a label',
    "UPDATE entity SET label = 'Eda' WHERE label = 'Ada'",
    { kind: 'entity', message: /differs from its tip in label/ },
  ],
  [
    'a missing version',
    "DELETE FROM block WHERE ver = 1 AND entity = (SELECT key FROM entity WHERE label = 'Ada')",
    { kind: 'chain', message: /lacks the version before it/ },
  ],
  [
    'a version that nobody finds',
    "DELETE FROM block_cid_recent WHERE block = (SELECT tip FROM entity WHERE label = 'Ada')",
    { kind: 'block', message: /is not found by its CID/ },
  ],
  [
    'what is to be found by a CID and is not here',
    'INSERT INTO block_cid SELECT tail + 1, block FROM block_cid_recent LIMIT 1',
    { kind: 'block', message: /[0-9]+ versions can be sought by a CID, and [0-9]+ are here/ },
  ],
  [
    'a missing tip',
    "DELETE FROM block WHERE key = (SELECT tip FROM entity WHERE label = 'Ada')",
    { kind: 'entity', message: /tip cannot be read/ },
  ],
  [
    'a move that is not there',
    "DELETE FROM moves WHERE id = (SELECT min(m.id) FROM moves m JOIN entity e ON e.key = m.entity WHERE e.label = 'Ada')",
    { kind: 'move', message: /does not begin where/ },
  ],
  [
    'a move that leads to another version',
    'UPDATE moves SET new_tip = old_tip WHERE id = (SELECT max(id) FROM moves WHERE old_tip IS NOT NULL)',
    { kind: 'move', message: /names another version/ },
  ],
  ...["pi = 'x' || substr(pi, 2)", "cid = 'x' || substr(cid, 2)", 'ver = ver + 1'].map(
    (changed): (typeof damages)[number] => [
      `a move with another ${changed.slice(0, 3).trim()}`,
      `UPDATE moves SET ${changed} WHERE id = (SELECT max(id) FROM moves)`,
      { kind: 'move', message: /names another version/ },
    ],
  ),
  ...['lncal', 'remote', 'remote:'].map((origin): (typeof damages)[number] => [
    `a move that is said to be by ${origin}`,
    `UPDATE moves SET origin = '${origin}' WHERE id = (SELECT max(id) FROM moves)`,
    { kind: 'move', message: /by what there never was/ },
  ]),
  [
    "a deleted entity's collection",
    'UPDATE entity SET collection = NULL WHERE deleted = 1',
    { kind: 'entity', message: /differs from its tip in collection/ },
  ],
  [
    'what a log is said to say of its job',
    "UPDATE job_log SET status = 'error'",
    { kind: 'entity', message: /kept of it as the log of a job is not what it says/ },
  ],
  [
    'who a log is said to be of',
    "UPDATE job_log SET author = 'somebody'",
    { kind: 'entity', message: /kept of it as the log of a job is not what it says/ },
  ],
  [
    'a log that no job finds',
    'DELETE FROM job_log',
    { kind: 'entity', message: /kept of it as the log of a job is not what it says/ },
  ],
  [
    'what a log says that is none',
    "UPDATE job_log SET entity = (SELECT key FROM entity WHERE label = 'Ada')",
    { kind: 'entity', message: /kept of 1 logs of jobs is of none/ },
  ],
];

/** What is damaged, in a copy of its own each time. */
let sound: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  sound = await temporaryFolder();
  await make(sound.path);
});
afterAll(() => sound[Symbol.asyncDispose]());

test('a folder that nobody has damaged is sound', async () => {
  expect(await verify(sound.path)).toMatchObject({ ok: true, problems: [] });
});

test.each(damages)('%s is found', async (_name, damage, { kind, message }) => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  const db = new Database(databaseFile(folder.path, 'main'));
  expect(db.prepare(damage).run().changes).toBeGreaterThan(0);
  db.close();
  const report = await verify(folder.path);
  expect(report.ok).toBe(false);
  expect(report.problems).toContainEqual(expect.objectContaining({ kind, message: expect.stringMatching(message) }));
});

/** An index, how many columns its rows have, with the key of the table, and what the first of them is in the rows that change. */
const indexes: [string, number, string][] = [
  ['sqlite_autoindex_entity_1', 2, "SELECT id FROM entity WHERE label = 'Ada'"],
  ['edge_peer', 3, "SELECT peer FROM edge WHERE source = (SELECT key FROM entity WHERE label = 'Ada')"],
  ['block_entity', 3, "SELECT key FROM entity WHERE label = 'Ada'"],
  ['moves_entity', 2, "SELECT key FROM entity WHERE label = 'Ada'"],
];

test.each(indexes)(
  'rows that the index %s does not have are found, and a restored backup finds them',
  async (...damage) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    await curate(data);
    const entityOf = async (node: TestNode) => {
      const { id } = (await node.ctx.networks.get('main')).read(
        (db) => db.get<{ id: string }>("SELECT id FROM entity WHERE label = 'Ada'") ?? { id: '' },
      );
      return (await operate(node, `GET /entities/${id}`)).status;
    };
    alterEntries(databaseFile(data, 'main'), ...damage);
    const report = await verify(data);
    const found = { kind: 'database', message: expect.stringMatching(`^row [0-9]+ missing from index ${damage[0]}.$`) };
    expect(report.problems).toContainEqual(found);
    expect(report.remarks).toContainEqual(expect.stringContaining('restore it into an empty folder'));
    const backup = join(folder.path, 'backup');
    {
      await using node = await startNode({ data });
      if (damage[0] === 'sqlite_autoindex_entity_1') expect(await entityOf(node)).toBe(404);
      expect(await lastLine(await operate(node, 'POST /node/backup', { dir: backup }))).toHaveProperty('done');
    }
    const restored = join(folder.path, 'restored');
    await restoreBackup(backup, restored, () => undefined);
    expect(await verify(restored)).toMatchObject({ ok: true, problems: [], remarks: [] });
    await using node = await startNode({ data: restored });
    expect(await entityOf(node)).toBe(200);
  },
);

test('a backup whose indexes cannot be made anew is restored as it is', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  await curate(data);
  const [index, columns, which] = indexes[0] as (typeof indexes)[number];
  alterEntries(databaseFile(data, 'main'), index, columns, which);
  const db = new Database(databaseFile(data, 'main'));
  // As a write does that does not find the row.
  db.exec("INSERT INTO entity (id, type, json, tip) SELECT id, type, json, tip FROM entity WHERE label = 'Ada'");
  db.close();
  const backup = join(folder.path, 'backup');
  {
    await using node = await startNode({ data });
    await lastLine(await operate(node, 'POST /node/backup', { dir: backup }));
  }
  await restoreBackup(backup, join(folder.path, 'restored'), () => undefined);
  expect(await verify(join(folder.path, 'restored'))).toMatchObject({ ok: false });
});

test('rows that a table has lost are not called whole, though all indexes know them', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'some.db');
  const change = (...sql: string[]) => {
    const db = new Database(file);
    db.unsafeMode();
    db.pragma('writable_schema = ON');
    for (const one of sql) db.exec(one);
    db.close();
  };
  change('CREATE TABLE some (name)', 'CREATE INDEX by_name ON some (name)', "INSERT INTO some VALUES ('a'), ('b')");
  // While it is no table's index nothing keeps it up to date.
  change(
    "CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'by_name'",
    "DELETE FROM sqlite_schema WHERE name = 'by_name'",
  );
  change("DELETE FROM some WHERE name = 'a'", 'INSERT INTO sqlite_schema SELECT * FROM kept');
  change('DROP TABLE kept', 'PRAGMA user_version = 1');
  const findings = new Findings();
  const db = openReader(file);
  checkDatabase(db, findings, ['CREATE TABLE some (name); CREATE INDEX by_name ON some (name)']);
  db.close();
  const { problems, remarks } = findings.report();
  expect(problems.map(({ message }) => message)).toEqual(['wrong # of entries in index by_name.']);
  expect(remarks).toEqual([]);
});

/** Changes rows of an index and not those of its table, as a damaged page does; how many there are stays right. */
function alterEntries(file: string, index: string, columns: number, which: string): void {
  const names = ['a', 'b', 'c'].slice(0, columns).join();
  const change = (sql: string) => {
    const db = new Database(file);
    try {
      db.unsafeMode();
      db.pragma('writable_schema = ON');
      return db.prepare(sql).run().changes;
    } finally {
      db.close();
    }
  };
  // Seen as a table, since the rows of one without row ids lie as those of an index do.
  change(
    `INSERT INTO sqlite_schema SELECT 'table', 'seen', 'seen', rootpage,
       'CREATE TABLE seen (${names}, PRIMARY KEY (${names})) WITHOUT ROWID' FROM sqlite_schema WHERE name = '${index}'`,
  );
  const other = "CASE typeof(a) WHEN 'text' THEN a || 'x' ELSE a + 1000000 END";
  expect(change(`UPDATE seen SET a = ${other} WHERE a = (${which})`)).toBeGreaterThan(0);
  change("DELETE FROM sqlite_schema WHERE name = 'seen'");
}

test('a folder that was exchanged with that of the other network is not called sound', async () => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  await rename(join(folder.path, 'main'), join(folder.path, 'test'));
  const { problems } = await verify(folder.path, 'test');
  expect(problems).toEqual([
    { kind: 'entity', message: expect.stringMatching(/^Entities of the main network lie here \([0-9]+\)/) },
  ]);
});

describe('a file of other bytes than its name says', () => {
  const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';

  async function damaged(data: string) {
    await curate(data);
    const files = join(data, 'main', 'files');
    await mkdir(join(files, cid.slice(-2)), { recursive: true });
    await writeFile(join(files, cid.slice(-2), cid), 'other bytes');
    return files;
  }

  const problem = (words: string) => ({
    ok: false,
    counts: { damaged_files: 1 },
    problems: [{ kind: 'file', message: expect.stringContaining(`The bytes of ${cid} ${words}`) }],
  });

  test('is found and set aside, not deleted', async () => {
    await using folder = await temporaryFolder();
    const files = await damaged(folder.path);
    const place = join('main', 'files', 'damaged');
    const words = `are not those of its CID. They lie now in ${join(place, cid)}, and count as missing`;
    expect(await verify(folder.path)).toMatchObject(problem(words));
    expect(await readFile(join(files, 'damaged', cid), 'utf8')).toBe('other bytes');
    const again = await verify(folder.path);
    expect(again).toMatchObject({ ok: true, counts: { files: 0, damaged_files: 0 } });
    expect(again.remarks).toEqual([expect.stringContaining(`1 damaged file lies aside in ${place}`)]);
  });

  test('stays where it is in a folder that cannot be written to', async () => {
    await using folder = await temporaryFolder();
    const files = await damaged(folder.path);
    await writeFile(join(files, 'damaged'), 'in the way, as a folder that is only read is');
    for (let times = 0; times < 2; times++)
      expect(await verify(folder.path)).toMatchObject(problem('are not those of its CID. They stay where they are'));
  });
});

test('a database that cannot be read is a report, not an exception', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, 'main'));
  await writeFile(databaseFile(folder.path, 'main'), 'this is no database, whatever its name says'.repeat(100));
  expect(await verify(folder.path)).toMatchObject({ ok: false, problems: [{ kind: 'database' }] });
});

test.each(['identity.db', 'chat.db'])('a damaged %s is found with whatever network is verified', async (name) => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  await writeFile(join(folder.path, name), 'this is no database, whatever its name says'.repeat(100));
  expect(await verify(folder.path)).toMatchObject({
    ok: false,
    problems: [{ kind: 'database', message: `${name} cannot be read: file is not a database.` }],
  });
});

test('a move is said to be by no other remote than there ever was', async () => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  const by = (origin: string) => {
    const db = new Database(databaseFile(folder.path, 'main'));
    db.prepare('UPDATE moves SET origin = ? WHERE id = (SELECT max(id) FROM moves)').run(origin);
    db.exec(`INSERT OR REPLACE INTO sync_log (seq, time, remote, kind, detail)
      VALUES (1, 1, 'museum', 'added', 'http://museum.test'), (2, 2, 'museum', 'renamed', 'first')`);
    db.close();
    return verify(folder.path);
  };
  const pushed = `from:${'0'.repeat(26)}/a node`;
  for (const origin of ['remote:museum', 'remote:first', pushed]) expect(await by(origin)).toMatchObject({ ok: true });
  for (const origin of ['remote:nuseum', 'frim:museum', 'from:museum'])
    expect((await by(origin)).problems).toMatchObject([{ kind: 'move' }]);
  await by('remote:nuseum');
  const db = new Database(databaseFile(folder.path, 'main'));
  db.exec('DELETE FROM sync_log WHERE seq = 1');
  db.close();
  // Who was noted in what has left the log nobody knows.
  expect(await verify(folder.path)).toMatchObject({ ok: true });
});

test.each([
  ['identity.db', 'identity.db: ', 'table api_key', 'label TEXT', 'labem TEXT'],
  ['main/attest.db', 'attest.db: ', 'table head', 'root BLOB', 'soot BLOB'],
  ['main/archeion.db', '', 'table remote_run', 'started', 'sdarted'],
])('a changed letter in how the tables of %s are made is found', async (path, name, table, from, to) => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  const file = join(folder.path, path);
  await writeFile(file, (await readFile(file)).toString('latin1').replace(from, to), 'latin1');
  expect((await verify(folder.path)).problems).toContainEqual({
    kind: 'database',
    message: expect.stringMatching(`^${name}How the ${table} is made is not what Archeion has written there`),
  });
});

test.each([20, 60])('a signing key of which the %ith sign has changed is found', async (at) => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  const db = new Database(join(folder.path, 'identity.db'));
  const { value } = db.prepare("SELECT value FROM setting WHERE name = 'node_key'").get() as { value: string };
  const sign = value[at - 1] === 'A' ? 'B' : 'A';
  db.prepare("UPDATE setting SET value = ? WHERE name = 'node_key'").run(
    value.slice(0, at - 1) + sign + value.slice(at),
  );
  db.close();
  const message = expect.stringMatching(/^identity\.db: The node's signing key is not the one that has signed/);
  expect((await verify(folder.path)).problems).toEqual([{ kind: 'database', message }]);
});

test('a pair with one side is a remark, and writes go on meanwhile', async () => {
  await using node = await startNode();
  const folder = await create(node, 'folder');
  const child = await create(node, 'child');
  const relationships_add = [{ predicate: 'contains', peer: child.id }];
  await done(node, `PUT /entities/${folder.id}`, { expect_tip: folder.cid, relationships_add });
  const writes = Array.from({ length: 30 }, (_, i) => create(node, `written meanwhile ${i}`));
  const [report] = await Promise.all([verified(node), ...writes]);
  expect(report).toMatchObject({ ok: true, problems: [] });
  expect(report.remarks.join()).toContain('1 relationships of the pair contains/in stand on one side only');
});

test('who gives up verifying is told the reason that was given', async () => {
  await using folder = await temporaryFolder();
  await curate(folder.path);
  const args = { database: databaseFile(folder.path, 'main'), folder: join(folder.path, 'main') };
  const leaving = new AbortController();
  const task = runTask({ name: 'verify', args }, leaving.signal).next();
  const reason = new Error('the client has gone');
  leaving.abort(reason);
  await expect(task).rejects.toBe(reason);
});

// A file that may not grow is like a full disk, on which nothing comes to lie beside a database.
test.runIf(platform() === 'linux')(
  'nothing is found wrong where the disk is too full for a database to be opened',
  async () => {
    await using folder = await temporaryFolder();
    await curate(folder.path);
    const program = new URL('../../src/server/store/verify/verify.ts', import.meta.url);
    const args = { database: databaseFile(folder.path, 'main'), folder: join(folder.path, 'main') };
    const says = `const { verifyStore } = await import(${JSON.stringify(program)});
    const found = await verifyStore(${JSON.stringify(args)}, () => undefined).catch((error) => error);
    process.stdout.write(JSON.stringify([found.code, found.reason, found.problems]))`;
    const limited = ['-c', 'ulimit -S -f 8; exec "$0" "$@"', process.execPath, '--input-type=module', '--eval', says];
    const { stdout } = await promisify(execFile)('/bin/sh', limited);
    expect(JSON.parse(stdout)).toEqual(['STORAGE_FULL', expect.stringContaining('not even what is there'), null]);
  },
);

function curate(data: string): Promise<void> {
  return cp(sound.path, data, { recursive: true });
}

async function make(data: string): Promise<void> {
  await using node = await startNode({ data });
  const collection = await done(node, 'POST /collections', { label: 'People' });
  await update(node, await create(node, 'Ada', { collection: collection.id }), { born: 1815 });
  await remove(node, await create(node, 'Gone', { collection: collection.id }));
  await create(node, 'Outside');
  await done(node, 'POST /entities', {
    type: 'klados_log',
    properties: { job_id: 'job_1', klados_id: collection.id, status: 'done' },
  });
}

/** As the thread does that a node leaves it to. */
function verify(data: string, network: Network = 'main'): Promise<VerifyReport> {
  return verifyStore({ database: databaseFile(data, network), folder: join(data, network) }, () => undefined);
}
