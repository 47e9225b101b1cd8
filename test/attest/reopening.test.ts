import { join } from 'node:path';
import { platform } from 'node:process';
import { expect, test } from 'vitest';
import type { Slice } from '../../src/server/attest/advance.ts';
import { advanceLog, closeLogs } from '../../src/server/attest/attest-thread.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { openBelow } from '../helpers/open-files.ts';

test.runIf(platform === 'linux')('a log whose database cannot be opened is not left open at each attempt', async () => {
  await using folder = await temporaryFolder();
  const [database, log] = [join(folder.path, 'archeion.db'), join(folder.path, 'attest.db')];
  const files = { database, log, fileIds: { database: null, log: null } };
  for (let n = 0; n < 3; n++) expect(advanceLog({ files, slice: {} as Slice })).toHaveProperty('failed');
  expect(openBelow(folder.path)).toEqual([]);
  closeLogs();
});
