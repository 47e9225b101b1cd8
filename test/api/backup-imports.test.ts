import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../src/server/model/manifest.ts';
import { spoolFolder } from '../../src/server/store/network-folders.ts';
import { archiveTask, archiveTasks } from '../../src/server/store/tasks.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { lastLine, operate, tipsOf } from '../helpers/node-archives.ts';
import { SampleState } from '../helpers/sample-archive.ts';

// Backups of a node that has accepted an archive and not imported it whole.

const file = '00000000-0000-4000-8000-000000000000.car';

/** Leaves an import of five entities under way; nothing goes on with it before the next start. */
async function leave(node: TestNode): Promise<void> {
  const state = new SampleState();
  for (let i = 0; i < 5; i++) state.write(`person ${i}`);
  const store = await node.ctx.networks.get('main');
  await mkdir(spoolFolder(store.folder), { recursive: true });
  await writeFile(join(spoolFolder(store.folder), file), await state.export());
  const task = { file, run: { id: '00000000000000000000000000', started: 0, name: 'five.car' } } as Json;
  const row = { kind: 'task' as const, id: `${archiveTask} ${file}`, task: { kind: archiveTask, state: task } };
  await store.submit([{ changes: [], preconditions: [], rows: [row], origin: 'car', time: 0 }]);
}

const backup = async (node: TestNode, dir: string) => lastLine(await operate(node, 'POST /node/backup', { dir }));
const underWay = async (node: TestNode) => (await node.ctx.networks.get('main')).read(archiveTasks).unfinished.length;

test('an import that was under way is in the backup with its archive, and a restored node completes it', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await using node = await startNode();
  await leave(node);
  expect(await backup(node, at('backup'))).toMatchObject({ done: { dir: at('backup') } });
  const list = JSON.parse(await readFile(join(at('backup'), 'backup.json'), 'utf8')) as { files: { path: string }[] };
  expect(list.files.map(({ path }) => path)).toContain(`main/spool/${file}`);

  const verified = await commandLine(at('none'), ['verify', '--data', at('backup')]);
  expect(verified.out).toContain('a node that is restored from this backup completes it');
  expect(verified.code).toBe(0);
  const restored = await commandLine(at('data'), ['restore', at('backup')]);
  expect(restored.out).toContain(
    '1 import of an archive was not complete when the backup was made: the node completes it at its next start.',
  );
  await using again = await startNode({ data: at('data') });
  expect([await underWay(again), (await tipsOf(again)).size]).toEqual([0, 5]);
  expect(existsSync(join(at('data'), 'main', 'spool', file))).toBe(false);
});

test('an import whose archive is not in the backup, or damaged there, is said to be lost', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await using node = await startNode();
  await leave(node);
  await backup(node, at('damaged'));
  await writeFile(join(at('damaged'), 'main', 'spool', file), 'other bytes');
  const verified = await commandLine(at('none'), ['verify', '--data', at('damaged')]);
  expect([verified.code, verified.out]).toEqual([1, expect.stringContaining(`main/spool/${file} is not what it was`)]);
  const restored = await commandLine(at('data'), ['restore', at('damaged')]);
  expect([restored.code, restored.err]).toEqual([1, expect.stringContaining(`(main/spool/${file})`)]);
  const lost = '1 import of an archive was not complete when the backup was made, and cannot be completed';
  expect(restored.out).toContain(lost);

  await rm(join(node.data, 'main', 'spool', file));
  await backup(node, at('without'));
  const found = await commandLine(at('none'), ['verify', '--data', at('without')]);
  expect(found.out).toContain('(five.car) is not complete, and cannot be completed: its file is not in this backup.');
  expect(found.out).not.toContain('completes it');
  const told = await commandLine(at('other'), ['restore', at('without'), '--json']);
  expect(JSON.parse(told.out)).toMatchObject({ left_out: [], imports: { under_way: 0, lost: 1 } });
  const here = await commandLine(node.data, ['verify']);
  expect(here.out).toContain('cannot be completed: its file is not here.');
});

test('an import that ends while the backup is made is in it as complete', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  await leave(node);
  const store = await node.ctx.networks.get('main');
  const done = { kind: 'task' as const, id: `${archiveTask} ${file}`, task: null };
  const spooled = join(spoolFolder(store.folder), file);
  // Its end falls between the moment of the database and the copy of its archive, or a little beside.
  const made = backup(node, join(folder.path, 'backup'));
  await expect.poll(() => existsSync(join(folder.path, 'backup', 'main', 'archeion.db')), { interval: 1 }).toBe(true);
  await store.submit([{ changes: [], preconditions: [], rows: [done], origin: 'car', time: 0 }]);
  await rm(spooled);
  expect(await made).toMatchObject({ done: { dir: join(folder.path, 'backup') } });
  const told = await commandLine(join(folder.path, 'data'), ['restore', join(folder.path, 'backup'), '--json']);
  expect(JSON.parse(told.out)).toMatchObject({ left_out: [], imports: { lost: 0 } });
});
