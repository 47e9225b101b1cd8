import { spawnSync } from 'node:child_process';
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { lockFolder, refuseLocked } from '../../src/server/store/lock.ts';
import { temporaryFolder } from '../helpers/node.ts';
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

test('of a disk that can only be read it says that, and nothing of rights', async (context) => {
  await using folder = await temporaryFolder();
  lockFolder(folder.path)[Symbol.dispose]();
  // As others see it, the disk stays as it is.
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
  const apart = (script: string, ...args: string[]) =>
    spawnSync('unshare', ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, folder.path, ...args], {
      encoding: 'utf8',
    });
  context.skip(apart(readOnly).status !== 0, 'this system lets nobody mount a folder in a namespace of his own');
  const lock = fileURLToPath(new URL('../../src/server/store/lock.ts', import.meta.url));
  const says = `import(${JSON.stringify(lock)})
    .then(({ lockFolder }) => lockFolder(${JSON.stringify(folder.path)}))
    .catch(({ reason }) => process.stdout.write(String(reason)))`;
  const { stdout } = apart(`${readOnly}; exec "$@"`, process.execPath, '--eval', says);
  expect(stdout).toContain(`The disk of the data folder ${folder.path} can only be read.`);
});

test('on a full disk it does not say that what is there can be read, which takes room', async (context) => {
  await using folder = await temporaryFolder();
  const lock = fileURLToPath(new URL('../../src/server/store/lock.ts', import.meta.url));
  const says = `const { lockFolder } = await import(${JSON.stringify(lock)});
    const { appendFileSync } = await import('node:fs');
    lockFolder('.')[Symbol.dispose]();
    try {
      for (;;) appendFileSync('filler', Buffer.alloc(4096));
    } catch {}
    try {
      lockFolder('.');
    } catch ({ code, reason }) {
      process.stdout.write([code, reason].join(': '));
    }`;
  const script = 'mount -t tmpfs -o size=128k tmpfs "$0" && cd "$0" && exec "$@"';
  const args = ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, folder.path];
  const program = [process.execPath, '--input-type=module', '--eval', says];
  const { stdout, status } = spawnSync('unshare', [...args, ...program], { encoding: 'utf8' });
  context.skip(status !== 0, 'this system lets nobody mount a folder in a namespace of his own');
  expect(stdout).toMatch(/^STORAGE_FULL: The disk is full, .*: not even what is there can be opened/);
});

test.skipIf(!isRoot)('a lock that root has made is of the owner of the folder, who can take it later', async () => {
  await using folder = await serviceFolder();
  lockFolder(folder.path)[Symbol.dispose]();
  expect((await stat(join(folder.path, 'lock.db'))).uid).toBe(nobody);
  asService(() => lockFolder(folder.path))[Symbol.dispose]();
});
