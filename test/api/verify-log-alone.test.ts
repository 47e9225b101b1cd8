import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, operate } from '../helpers/node-archives.ts';

test('of a database that was moved away from its log the verification says so, and not that nothing was written', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: join(folder.path, 'data') });
  await create(node, 'Ada');
  // As a kill leaves it: what was written last stands in the log alone. A journal goes meanwhile, with what it is for.
  const killed = join(folder.path, 'killed');
  await cp(node.data, killed, { recursive: true, filter: (path) => !path.endsWith('-journal') });
  await rm(join(killed, 'main', 'archeion.db'));
  const said = await commandLine(killed, ['verify']);
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('archeion.db is not there, but its log') });
});

test('a log that lies in a backup is not taken for a part of it, and nothing is written beside it', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: join(folder.path, 'data') });
  await create(node, 'Ada');
  const dir = join(folder.path, 'backup');
  expect(await (await operate(node, 'POST /node/backup', { dir })).text()).toContain('"done"');
  await writeFile(join(dir, 'main', 'archeion.db-wal'), 'x');
  const names = await readdir(join(dir, 'main'));
  const said = await commandLine(dir, ['verify']);
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('archeion.db-wal is none of the backup') });
  expect(await readdir(join(dir, 'main'))).toEqual(names);
  await rm(join(dir, 'main', 'archeion.db-wal'));
  expect(await commandLine(dir, ['verify'])).toMatchObject({ code: 0 });
});
