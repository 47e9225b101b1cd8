import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, operate } from '../helpers/node-archives.ts';

const program = fileURLToPath(new URL('../../src/server/cli.ts', import.meta.url));

test('of a disk that can only be read a backup is verified, and a data folder said to be on one', async (context) => {
  await using folder = await temporaryFolder();
  const [data, dir] = [join(folder.path, 'data'), join(folder.path, 'backup')];
  await using opened = new AsyncDisposableStack();
  const node = opened.use(await startNode({ data }));
  await create(node, 'Ada');
  await operate(node, 'POST /node/backup', { dir });
  await opened.disposeAsync();
  expect(await commandLine(data, ['verify'])).toMatchObject({ code: 0, out: expect.stringContaining('all is well') });

  // As others see it, the disk stays as it is.
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
  const apart = (script: string, ...args: string[]) =>
    spawnSync('unshare', ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, folder.path, ...args], {
      encoding: 'utf8',
    });
  context.skip(apart(readOnly).status !== 0, 'this system lets nobody mount a folder in a namespace of his own');
  const verify = (at: string) => apart(`${readOnly}; exec "$@"`, process.execPath, program, 'verify', '--data', at);
  const said = verify(data);
  expect([said.status, said.stdout]).toEqual([1, '']);
  expect(said.stderr).toContain(`the data folder ${data} can only be read`);
  expect(said.stderr).toContain('Copy it to where you may write');
  expect(verify(dir)).toMatchObject({ status: 0, stdout: expect.stringContaining('all is well') });
});
