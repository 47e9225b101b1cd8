import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readdir, readFile, rm, rmdir, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { setBack } from '../helpers/earlier-schema.ts';
import { collection } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, imported, tipsOf, update } from '../helpers/node-archives.ts';

/** One command line on a data folder; `json` is what it printed, parsed. */
async function archeion(data: string, ...args: string[]) {
  const printed = await commandLine(data, args);
  return { ...printed, json: () => JSON.parse(printed.out) as Record<string, unknown> };
}

/** Lets a backup say of one of its databases what it is now, which it gives. */
async function listAnew(backup: string, name = 'main/archeion.db'): Promise<Buffer> {
  const listed = join(backup, 'backup.json');
  const [bytes, made] = [await readFile(join(backup, name)), JSON.parse(await readFile(listed, 'utf8'))];
  const entry = made.files.find(({ path }: { path: string }) => path === name);
  Object.assign(entry, { size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
  await writeFile(listed, JSON.stringify(made));
  return bytes;
}

test('export, import-car, verify, backup and restore, with and without a running node', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  {
    await using node = await startNode({ data: at('a') });
    const ada = await create(node, 'Ada');
    const first = (await archeion(at('a'), 'export', '--out', at('1.car'), '--json')).json();
    expect(first).toMatchObject({ out: at('1.car'), entities: 2 });
    await update(node, ada, { born: 1815 });
    expect(await archeion(at('a'), 'export', '--out', at('2.car'), '--since', at('1.car'))).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^What has changed since then, of 2 entities in all, in /),
    });
    const since = String(first.checkpoint);
    expect((await archeion(at('a'), 'export', '--out', at('3.car'), '--since', since)).code).toBe(0);
    expect(await readFile(at('3.car'))).toEqual(await readFile(at('2.car')));
    const whole = await readFile(at('1.car'));
    await symlink(at('1.car'), at('link.car'));
    for (const out of ['1.car', 'link.car'])
      expect(await archeion(at('a'), 'export', '--out', at(out), '--since', at('1.car'))).toMatchObject({
        code: 2,
        err: expect.stringMatching(/is the file that --since names: .* name another with --out\./),
      });
    expect(await readFile(at('1.car'))).toEqual(whole);
    const lines = await archeion(at('a'), 'export', '--out', at('a.ndjson'), '--format', 'ndjson', '--entity', ada.id);
    expect(lines.code).toBe(0);
    expect((await readFile(at('a.ndjson'), 'utf8')).trim().split('\n')).toHaveLength(2);
    expect((await archeion(at('a'), 'verify', '--json')).json()).toMatchObject({ ok: true });
    expect((await archeion(at('a'), 'backup', at('backup'))).code).toBe(0);
  }
  // From here on no node runs: each command starts one of its own, verify reads the folder.
  for (const file of ['1.car', '2.car']) {
    const report = await archeion(at('b'), 'import-car', at(file), '--json');
    expect([report.code, report.err]).toEqual([0, expect.stringMatching(/^(?:Made a new node in .+)?$/)]);
    expect(report.json()).toMatchObject({ forks: 0 });
  }
  expect((await archeion(at('b'), 'verify')).out).toMatch(/all is well/);
  expect((await archeion(at('c'), 'restore', at('backup'))).code).toBe(0);
  expect((await archeion(at('c'), 'restore', at('backup'))).err).toMatch(
    /is not empty, and nothing is ever overwritten/,
  );
  {
    await using restored = await startNode({ data: at('c') });
    await using copy = await startNode({ data: at('b') });
    expect(await tipsOf(copy)).toEqual(await tipsOf(restored));
    expect(await imported(copy, await readFile(at('1.car')))).toMatchObject({ versions: 0 });
  }
  expect((await readdir(folder.path)).filter((name) => name.includes('partial'))).toEqual([]);

  const db = new Database(databaseFile(at('b'), 'main'));
  db.exec("UPDATE entity SET label = 'Eda' WHERE label = 'Ada'");
  db.close();
  const wrong = await archeion(at('b'), 'verify', '--json');
  expect([wrong.code, wrong.json().problem_count]).toEqual([1, 1]);
});

test('a collection is exported by its label, and nothing where none has it', async () => {
  await using folder = await temporaryFolder();
  const [data, out] = [join(folder.path, 'data'), join(folder.path, 'letters.car')];
  await using node = await startNode({ data });
  const letters = await collection(node, operator(node), { label: 'Letters' });
  await create(node, 'Ada');
  for (const wanted of ['', 'Notes'])
    expect(await archeion(data, 'export', '--out', out, '--collection', wanted)).toMatchObject({
      code: 2,
      err: `archeion: There is no collection with the label or id ${wanted}.`,
    });
  expect(await readdir(folder.path)).toEqual(['data']);
  const whole = async (wanted: string) => {
    const { json } = await archeion(data, 'export', '--out', out, '--collection', wanted, '--json');
    return { report: json(), bytes: await readFile(out) };
  };
  const labelled = await whole('Letters');
  expect(labelled.report).toMatchObject({ entities: 1 });
  expect(labelled.bytes).toEqual((await whole(letters.id)).bytes);
});

test('a folder of an earlier program is verified when a node has brought it up to date', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const feed = async () => {
    await using node = await startNode({ data });
    return (await node.fetch('/events')).text;
  };
  {
    await using node = await startNode({ data });
    await update(node, await create(node, 'Ada'), { label: 'Ada Lovelace' });
  }
  const told = await feed();
  setBack(databaseFile(data, 'main'), 1);
  expect(await archeion(data, 'verify')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/An earlier Archeion has written .*"archeion serve"/),
  });
  expect(await feed()).toBe(told);
  expect((await archeion(data, 'verify')).out).toMatch(/all is well/);
});

test('a folder whose first start failed is said to be none of an earlier program, and is begun by the next one', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  await (await startNode({ data }))[Symbol.asyncDispose]();
  await rm(join(data, 'main'), { recursive: true, force: true });
  await mkdir(join(data, 'main'));
  const begun = new Database(databaseFile(data, 'main'));
  begun.pragma('journal_mode = WAL');
  begun.close();
  expect(await archeion(data, 'verify')).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/There is nothing in .*"archeion serve"/),
  });
  {
    await using node = await startNode({ data });
    await create(node, 'Ada');
    expect(node.logged.join('')).not.toContain('is brought up to date');
  }
  expect((await archeion(data, 'verify')).out).toMatch(/all is well/);
  const damaged = new Database(databaseFile(data, 'main'));
  damaged.pragma('user_version = 0');
  damaged.close();
  expect((await archeion(data, 'verify')).err).not.toContain('There is nothing in');
});

test('a backup of an earlier program is verified in a copy, and not changed', async () => {
  await using folder = await temporaryFolder();
  const [data, backup] = [join(folder.path, 'data'), join(folder.path, 'backup')];
  {
    await using node = await startNode({ data });
    await update(node, await create(node, 'Ada'), { label: 'Ada Lovelace' });
  }
  expect((await archeion(data, 'backup', backup)).err).toBe('');
  const file = databaseFile(backup, 'main');
  setBack(file, 1);
  const before = await listAnew(backup);
  // As in a place that nobody can write to.
  await chmod(file, 0o444);
  const sound = await archeion(backup, 'verify');
  expect([sound.err, sound.code]).toEqual(['', 0]);
  expect(sound.out).toMatch(/list of the backup: all is well\n.*: all is well\n(?:.*\n)*An earlier Archeion .* a copy/);
  expect((await readFile(file)).equals(before)).toBe(true);
  await chmod(file, 0o600);
  const db = new Database(file);
  db.exec("UPDATE entity SET label = 'Eda' WHERE label = 'Ada Lovelace'");
  db.close();
  await listAnew(backup);
  const wrong = await archeion(backup, 'verify', '--json');
  expect([wrong.code, wrong.json().problem_count]).toEqual([1, 1]);
});

test('what a newer program has written is neither verified nor restored', async () => {
  await using folder = await temporaryFolder();
  const [data, backup, again] = ['data', 'backup', 'again'].map((it) => join(folder.path, it)) as [
    string,
    string,
    string,
  ];
  {
    await using node = await startNode({ data });
    await create(node, 'Ada');
  }
  const db = new Database(databaseFile(data, 'main'));
  const schema = (db.pragma('user_version', { simple: true }) as number) + 1;
  expect((await archeion(data, 'backup', backup)).err).toBe('');
  db.pragma(`user_version = ${schema}`);
  db.close();
  const newer = { code: 1, out: '', err: expect.stringContaining(`a newer Archeion (schema ${schema}, `) };
  expect(await archeion(data, 'verify')).toMatchObject(newer);
  await copyFile(databaseFile(data, 'main'), databaseFile(backup, 'main'));
  await listAnew(backup);
  expect(await archeion(backup, 'verify', '--json')).toMatchObject(newer);
  expect(await archeion(again, 'restore', backup)).toMatchObject(newer);
  expect((await readdir(folder.path)).sort()).toEqual(['backup', 'data']);
});

test.each(['identity.db', 'chat.db', 'main/attest.db'])(
  'what a newer program has made of %s is no sound one, and is not restored',
  async (name) => {
    await using folder = await temporaryFolder();
    const [data, backup] = ['data', 'backup'].map((it) => join(folder.path, it)) as [string, string];
    {
      await using node = await startNode({ data });
      await create(node, 'Ada');
      await node.ctx.attestationLogs.of(await node.ctx.networks.get('main')).settle();
      expect((await ask(node, operator(node), 'GET /chat/sessions')).status).toBe(200);
    }
    expect((await archeion(data, 'backup', backup)).err).toBe('');
    for (const place of [data, backup]) {
      const db = new Database(join(place, name));
      db.exec('CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT');
      db.pragma('user_version = 99');
      db.close();
    }
    await listAnew(backup, name);
    const names = await readdir(backup, { recursive: true });
    for (const place of [data, backup]) {
      const { code, json } = await archeion(place, 'verify', '--json');
      const said = expect.stringMatching(`${basename(name)}.*a newer Archeion \\(schema 99, `);
      expect([code, json()]).toMatchObject([1, { ok: false, problem_count: 1, problems: [{ message: said }] }]);
    }
    expect(await archeion(join(folder.path, 'again'), 'restore', backup)).toMatchObject({
      ...{ code: 1, out: '' },
      err: expect.stringMatching(`${basename(name)}.*a newer Archeion \\(schema 99, `),
    });
    expect(await readdir(backup, { recursive: true })).toEqual(names);
    expect((await readdir(folder.path)).sort()).toEqual(['backup', 'data']);
  },
);

test('a verification that is told to stop stops', async () => {
  await using folder = await temporaryFolder();
  await using _node = await startNode({ data: join(folder.path, 'data') });
  const backup = join(folder.path, 'backup');
  expect((await archeion(join(folder.path, 'data'), 'backup', backup)).err).toBe('');
  const { code, out, err } = await commandLine(backup, ['verify'], AbortSignal.abort());
  expect([code, out, err]).toEqual([1, '', 'archeion: Stopped. Nothing was changed.']);
});

test('what cannot be is one sentence: no file, no folder, an unknown format, a damaged file', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const missing = await archeion(data, 'import-car', join(folder.path, 'none.car'));
  expect([missing.code, missing.err]).toEqual([2, expect.stringMatching(/^archeion: There is no file/)]);
  const circle = join(folder.path, 'circle.car');
  await symlink(circle, circle);
  const led = await archeion(data, 'import-car', circle);
  expect([led.code, led.err]).toEqual([
    2,
    expect.stringMatching(/^archeion: .*circle\.car cannot be read \(ELOOP.*\)\.$/),
  ]);
  await rm(circle);
  const empty = join(folder.path, 'empty');
  await mkdir(empty);
  expect(await archeion(empty, 'verify')).toMatchObject({ code: 2, err: expect.stringContaining('"archeion serve"') });
  expect(await readdir(empty)).toEqual([]);
  await rmdir(empty);
  const reading = ['status', 'verify', 'sync', 'conflicts'];
  for (const args of [...reading.map((name) => [name]), ['search', 'x'], ['remote', 'list'], ['backup', data]])
    expect(await archeion(data, ...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no node in'),
    });
  expect(await readdir(folder.path)).toEqual([]);
  const out = join(folder.path, 'x.zip');
  const other = await archeion(data, 'export', '--out', out, '--format', 'tar');
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('Allowed choices are car')]);
  const junk = join(folder.path, 'junk.car');
  await writeFile(junk, Buffer.alloc(100));
  const damaged = await archeion(data, 'import-car', junk);
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringMatching(/damaged at byte 0/)]);
  expect((await readdir(folder.path)).sort()).toEqual(['data', 'junk.car']);
});

test('import-car leads to import where a file has records, and import says how a pipe is named, before a node is made', async () => {
  await using folder = await temporaryFolder();
  const records = join(folder.path, 'works.csv');
  await writeFile(records, 'id,label\n1,Zebra\n');
  const data = join(folder.path, 'data');
  expect(await archeion(data, 'import-car', records)).toMatchObject({
    code: 2,
    err: `archeion: ${records} is text, and no CAR file, bag or crate: records are taken in by "archeion import".`,
  });
  expect(await archeion(data, 'import', '-', '--collection', 'Works')).toMatchObject({
    code: 2,
    err: 'archeion: There is no file -: what comes by a pipe is named /dev/stdin.',
  });
  expect(await readdir(folder.path)).toEqual(['works.csv']);
});
