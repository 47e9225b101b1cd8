import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { filesIn } from '../helpers/files-in.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, lastLine, operate } from '../helpers/node-archives.ts';

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
