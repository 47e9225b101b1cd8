import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { attestFile } from '../../src/server/store/attest-log.ts';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { settled } from '../helpers/attestations.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, lastLine, operate, tipsOf, update, verified } from '../helpers/node-archives.ts';

const silent = () => undefined;

async function backup(node: TestNode, dir: string): Promise<Record<string, unknown>> {
  return lastLine(await operate(node, 'POST /node/backup', { dir }));
}

test('a backup under writes is one moment of the node, and restores to it under a new instance id', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const ada = await create(node, 'Ada');
  await done(node, 'POST /entities', { type: 'document', properties: { label: 'on test' } }, 'test');
  let going = true;
  let last = ada;
  const writing = (async () => {
    for (let i = 0; going; i++) last = await update(node, last, { round: i });
  })();
  const dir = join(folder.path, 'backup');
  expect(await backup(node, dir)).toMatchObject({
    done: { dir, networks: [{ network: 'main' }, { network: 'test' }] },
  });
  going = false;
  await writing;

  const data = join(folder.path, 'restored');
  await restoreBackup(dir, data, silent);
  await using restored = await startNode({ data });
  expect(restored.ctx.instance).not.toBe(node.ctx.instance);
  expect(await verified(restored)).toMatchObject({ ok: true, problems: [] });
  // The same key opens it, and what it has of Ada is a version that she had.
  const then = await done(restored, `GET /entities/${ada.id}`);
  expect(then.ver).toBeLessThanOrEqual(last.ver);
  expect((await operate(node, `GET /versions/manifest/${then.cid}`)).status).toBe(200);
  expect(await tipsOf(restored, 'test')).toEqual(await tipsOf(node, 'test'));
  await update(restored, then, { restored: true });
});

test('folders that are not empty, relative ones and the data folder itself are refused in words', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  await writeFile(join(folder.path, 'something'), '');
  const refused = async (dir: string) => {
    const { details } = (await backup(node, dir)) as { details?: { issues: { message: string }[] } };
    return details?.issues[0]?.message;
  };
  expect(await refused(folder.path)).toMatch(
    /is not empty, and nothing is ever overwritten: name a new or an empty folder/,
  );
  expect(await refused('relative')).toBe('must be an absolute path');
  expect(await refused(join(folder.path, 'half \ud83d'))).toBe('holds an unpaired surrogate');
  expect(await refused(join(node.data, 'inside'))).toMatch(/lies in the data folder/);
  expect(await refused(join(folder.path, 'something'))).toMatch(/is a file/);
  expect(await refused(join(folder.path, 'no', 'where'))).toMatch(/the folder above it does not exist/);
  expect(await refused(join(folder.path, 'something', 'below'))).toMatch(/would lie below a file: name a folder$/);
  expect(await readdir(folder.path)).toEqual(['something']);
  const proxied = await node.fetch('/node/backup', { method: 'POST', body: { dir: '/tmp/x' } });
  expect(proxied.status).toBe(401);
});

test('a request that a proxy passed on makes no backup', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const key = (await readFile(join(node.data, 'operator.key'), 'utf8')).trim();
  const answer = await node.fetch('/node/backup', {
    method: 'POST',
    body: { dir: join(folder.path, 'b') },
    headers: { Authorization: `ApiKey ${key}`, 'X-Forwarded-For': '203.0.113.7' },
  });
  expect(answer.status).toBe(403);
  expect(await readdir(folder.path)).toEqual([]);
});

test.each([
  ['archive.example', 403],
  ['localhost', 200],
])('nor does one that a proxy passed on without a word, as its name shows: %s', async (name, status) => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ env: { ARCHEION_ALLOWED_HOSTS: 'archive.example' } });
  const key = (await readFile(join(node.data, 'operator.key'), 'utf8')).trim();
  const { port } = new URL(node.url);
  const asked = request(`${node.url}/node/backup`, {
    method: 'POST',
    headers: { Authorization: `ApiKey ${key}`, 'Content-Type': 'application/json', Host: `${name}:${port}` },
  });
  asked.end(JSON.stringify({ dir: join(folder.path, 'b') }));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(status);
  const said = (await answer.setEncoding('utf8').toArray()).join('');
  expect(said).toContain(status === 200 ? '"done"' : 'on the machine');
  expect(await readdir(folder.path)).toEqual(status === 200 ? ['b'] : []);
});

test('restoring checks everything first and never overwrites', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  {
    await using node = await startNode();
    await create(node, 'Ada');
    await backup(node, dir);
  }
  const full = join(folder.path, 'full');
  await mkdir(full);
  await writeFile(join(full, 'something'), '');
  await expect(restoreBackup(dir, full, silent)).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('is not empty, and nothing is ever overwritten') }],
  });
  await expect(restoreBackup(full, join(folder.path, 'new'), silent)).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('is no backup') }],
  });

  const damaged = join(folder.path, 'damaged');
  await cp(dir, damaged, { recursive: true });
  const db = new Database(join(damaged, 'main', 'archeion.db'));
  db.exec("UPDATE entity SET label = 'Eda'");
  db.close();
  await expect(restoreBackup(damaged, join(folder.path, 'new'), silent)).rejects.toMatchObject({
    reason: 'The backup is damaged: main/archeion.db is not what it was when the backup was made.',
  });

  const leading = join(folder.path, 'leading');
  await cp(dir, leading, { recursive: true });
  const manifest = JSON.parse(await readFile(join(leading, 'backup.json'), 'utf8')) as { files: { path: string }[] };
  manifest.files.push({ ...manifest.files[0], path: '../../outside' });
  await writeFile(join(leading, 'backup.json'), JSON.stringify(manifest));
  await expect(restoreBackup(leading, join(folder.path, 'new'), silent)).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('is no backup that this program can read') }],
  });
  expect((await readdir(folder.path)).sort()).toEqual(['backup', 'damaged', 'full', 'leading']);
});

test('no backup is made of a node whose databases were moved away or replaced', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  await create(node, 'Ada');
  await settled(node);
  const dir = join(folder.path, 'backup');
  const database = databaseFile(node.data, 'main');
  const moved = async (path: string): Promise<() => Promise<void>> => {
    await rename(path, `${path}.away`);
    return () => rename(`${path}.away`, path);
  };
  const refused = async (words: RegExp) => {
    expect(JSON.stringify(await backup(node, dir))).toMatch(words);
    expect(await readdir(folder.path)).toEqual([]);
  };
  const back = [await moved(database), await moved(`${database}-wal`)];
  await refused(/The database archeion\.db was moved away or replaced/);
  await cp(`${database}.away`, database);
  await refused(/The database archeion\.db was moved away or replaced/);
  await rm(database);
  for (const put of back) await put();
  const log = await moved(attestFile(join(node.data, 'main')));
  await refused(/attest\.db is not there, but its log/);
  await log();
  expect(await backup(node, dir)).toMatchObject({
    done: { networks: [{ network: 'main', entities: expect.any(Number) }] },
  });
});
