import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { expect, test } from 'vitest';
import { lockFolder, refuseLocked } from '../../src/server/store/lock.ts';
import { asService, isRoot, nobody, serviceFolder } from '../helpers/service-user.ts';

test.skipIf(platform === 'win32')('a lock that can only be read is none', async () => {
  await using folder = await serviceFolder();
  await writeFile(join(folder.path, 'lock.db'), '');
  await chmod(join(folder.path, 'lock.db'), 0o444);
  if (isRoot) await chown(join(folder.path, 'lock.db'), nobody, nobody);
  expect(() => asService(() => lockFolder(folder.path))).toThrow(
    expect.objectContaining({
      reason: expect.stringContaining('lock.db can only be read, so that nothing would keep'),
    }),
  );
  // As on a disk that can only be read: nobody has it.
  expect(() => asService(() => refuseLocked(folder.path))).not.toThrow();
});

test.skipIf(!isRoot)('a lock that root has made is of the owner of the folder, who can take it later', async () => {
  await using folder = await serviceFolder();
  lockFolder(folder.path)[Symbol.dispose]();
  expect((await stat(join(folder.path, 'lock.db'))).uid).toBe(nobody);
  asService(() => lockFolder(folder.path))[Symbol.dispose]();
});
