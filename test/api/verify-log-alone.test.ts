import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create } from '../helpers/node-archives.ts';

test('of a database that was moved away from its log the verification says so, and not that nothing was written', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: join(folder.path, 'data') });
  await create(node, 'Ada');
  // As a kill leaves it: what was written last stands in the log alone.
  const killed = join(folder.path, 'killed');
  await cp(node.data, killed, { recursive: true });
  await rm(join(killed, 'main', 'archeion.db'));
  const said = await commandLine(killed, ['verify']);
  expect(said).toMatchObject({ code: 1, err: expect.stringContaining('archeion.db is not there, but its log') });
});
