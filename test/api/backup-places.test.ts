import { once } from 'node:events';
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { restoreBackup } from '../../src/server/store/backup/restore-backup.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { commandLine } from '../helpers/command-line.ts';
import { filesIn } from '../helpers/files-in.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, lastLine, operate, verified } from '../helpers/node-archives.ts';

async function backup(node: TestNode, dir: string): Promise<Record<string, unknown>> {
  return lastLine(await operate(node, 'POST /node/backup', { dir }));
}

/** A backup of a node that has ended. */
async function madeBackup(dir: string): Promise<void> {
  await using node = await startNode();
  await create(node, 'Ada');
  await backup(node, dir);
}

/** All files of a folder with what is in them. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const paths = await filesIn(folder);
  return new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'base64')] as const)),
  );
}

test('no command spoils a backup whose folder it is given as the data folder, and it can be verified', async () => {
  await using folder = await temporaryFolder();
  const dir = join(folder.path, 'backup');
  await madeBackup(dir);
  const before = await contentOf(dir);
  for (const args of [['status'], ['search', 'Ada'], ['sync', '--once'], ['backup', `${dir}-2`], ['reindex']])
    expect(await commandLine(dir, args)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`${dir} is a backup, and a node that runs in it would spoil it`),
    });
  await expect(startNode({ data: dir })).rejects.toThrow(/is a backup/);
  expect(await commandLine(dir, ['verify'])).toMatchObject({ code: 0, out: expect.stringContaining('all is well') });
  expect(await contentOf(dir)).toEqual(before);
  expect((await commandLine(join(folder.path, 'restored'), ['restore', dir])).code).toBe(0);
});

test('a backup in which a node has run is a data folder as soon as it is no longer called a backup', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  {
    await using node = await startNode({ data });
    await create(node, 'Ada');
  }
  await writeFile(join(data, 'backup.json'), '{}');
  await expect(startNode({ data })).rejects.toThrow(/delete backup\.json there to go on with it as a data folder/);
  expect((await commandLine(data, ['verify'])).code).toBe(0);
});

/** The data folder of a node that runs where every path is another, as in a container: all that is seen of it is its address. */
async function besideContainer(node: TestNode, data: string, root: string): Promise<AsyncDisposable> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString().replace('"dir":"', `"dir":"${root}`);
    const headers = request.headers as Record<string, string>;
    const { method = 'GET', url = '/' } = request;
    for (const name of ['host', 'transfer-encoding', 'content-length']) delete headers[name];
    const answer = await node.fetch(url, { method, headers, ...(body !== '' && { body }) });
    response.writeHead(answer.status).end(answer.text.replaceAll(`"dir":"${root}`, '"dir":"'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await mkdir(data);
  await copyFile(join(node.data, 'operator.key'), join(data, 'operator.key'));
  const file = { url: `http://127.0.0.1:${port}`, pid: 1, instance: node.ctx.instance, version: '0.0.0' };
  await writeFile(join(data, 'node.json'), JSON.stringify(file));
  const lock = lockFolder(data);
  return {
    async [Symbol.asyncDispose]() {
      lock[Symbol.dispose]();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

test('a backup is not made where one happens to be', async () => {
  await using folder = await temporaryFolder();
  expect(await commandLine(folder.path, ['backup', ''])).toMatchObject({
    code: 2,
    err: 'archeion: Name a folder for the backup.',
  });
});

test('a backup that the node has made where the command does not see it is no success', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const inside = join(folder.path, 'inside');
  const dir = join(folder.path, 'backup');
  await mkdir(join(inside, folder.path), { recursive: true });
  await using _container = await besideContainer(node, join(folder.path, 'data'), inside);
  const unseen = { code: 1, out: '', err: expect.stringMatching(/ where this command does not see it: .* a service /) };
  expect(await commandLine(join(folder.path, 'data'), ['backup', dir])).toMatchObject(unseen);
  expect(await filesIn(join(inside, dir))).toContain('backup.json');
  // One of an earlier time in the same place is not the one that was made.
  await backup(node, dir);
  await rm(join(inside, dir), { recursive: true });
  expect(await commandLine(join(folder.path, 'data'), ['backup', dir])).toMatchObject(unseen);
});

test('a backup goes into an empty folder behind a link, and is restored into one', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  for (const name of ['disk', 'private']) await mkdir(at(name));
  await symlink(at('disk'), at('backup'));
  await symlink(at('private'), at('data'));
  {
    await using node = await startNode();
    await create(node, 'Ada');
    await symlink(node.data, at('within'));
    expect(await backup(node, join(at('within'), 'copy'))).toMatchObject({ error: 'Validation failed' });
    expect(await backup(node, at('backup'))).toMatchObject({ done: { dir: at('backup') } });
  }
  expect(await commandLine(at('data'), ['restore', at('backup')])).toMatchObject({ code: 0, err: '' });
  expect((await readdir(folder.path)).sort()).toEqual(['backup', 'data', 'disk', 'private', 'within']);
  expect(await readdir(at('private'))).toContain('identity.db');
  await using node = await startNode({ data: at('data') });
  expect((await verified(node)).ok).toBe(true);
});

test('a backup is not restored into itself', async () => {
  await using folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  await madeBackup(at('bk 1'));
  await symlink(at('bk 1'), at('link'));
  const before = await filesIn(at('bk 1'));
  for (const data of [at('bk 1', 'sub'), at('link', 'sub', 'data')])
    expect(await commandLine(data, ['restore', at('bk 1')])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/ lies in the backup: name one outside with --data\.$/),
    });
  expect(await filesIn(at('bk 1'))).toEqual(before);
  expect((await commandLine(at('bk 1 restored'), ['restore', at('bk 1')])).code).toBe(0);
});

test('what an interrupted restore has left is neither a data folder nor restored into', async () => {
  await using folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  await madeBackup(at('backup'));
  expect((await commandLine(at('data'), ['restore', at('backup')])).code).toBe(0);
  // As it is before the last file has been moved.
  const partial = at('data', '01234567-89ab-4cde-8fff-0123456789ab.partial');
  await mkdir(partial);
  await rename(at('data', 'identity.db'), join(partial, 'identity.db'));
  const before = await filesIn(at('data'));
  await expect(startNode({ data: at('data') })).rejects.toThrow(/has what an interrupted restore or backup has left/);
  const again = await commandLine(at('data'), ['restore', at('backup')]);
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('has what an interrupted backup or restore') });
  expect(await filesIn(at('data'))).toEqual(before);
});

test.each(['checked', 'copied'])(
  'a restore that is told to stop when a file is %s leaves nothing, and is made anew',
  async (when) => {
    await using folder = await temporaryFolder();
    const at = (name: string) => join(folder.path, name);
    await madeBackup(at('backup'));
    await mkdir(at('there'));
    for (const name of ['new', 'there']) {
      const stop = new AbortController();
      const report = ({ step }: { step: string }) => void (step === when && stop.abort(new Error('asked to stop')));
      await expect(restoreBackup(at('backup'), at(name), report, stop.signal)).rejects.toThrow('asked to stop');
    }
    expect((await readdir(folder.path)).sort()).toEqual(['backup', 'there']);
    expect(await readdir(at('there'))).toEqual([]);
    expect(await commandLine(at('new'), ['restore', at('backup')], AbortSignal.abort())).toMatchObject({
      code: 1,
      out: '',
      err: 'archeion: Stopped. Nothing was restored.',
    });
    expect((await commandLine(at('there'), ['restore', at('backup')])).code).toBe(0);
  },
);

test('what the file system refuses is one sentence', async () => {
  await using folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  await writeFile(at('file'), '');
  await madeBackup(at('backup'));
  expect(await commandLine(at('file', 'my', 'data'), ['restore', at('backup')])).toMatchObject({
    code: 2,
    err: `archeion: the data folder ${at('file', 'my', 'data')} would lie below a file: name a folder with --data.`,
  });
  const tooLong = at('x'.repeat(300));
  const refused = 'The file system reported an error: ENAMETOOLONG: ';
  expect(await commandLine(tooLong, ['restore', at('backup')])).toMatchObject({
    code: 1,
    err: expect.stringMatching(new RegExp(`^archeion: ${refused}[^\\n]*$`)),
  });
  await using node = await startNode();
  const { details } = (await backup(node, tooLong)) as { details?: { reason?: string } };
  expect(details?.reason).toMatch(new RegExp(`^${refused}`));
});
