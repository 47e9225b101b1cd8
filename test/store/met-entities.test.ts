import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { MetEntities, type MetEntity } from '../../src/server/store/imports/met-entities.ts';
import { temporaryFolder } from '../helpers/node.ts';

test('what is met is remembered as it was said last', () => {
  const met = new MetEntities();
  expect(met.get('a')).toBeUndefined();
  met.set('a', { mentioned: 2, said: Uint8Array.of(0, 1, 255) });
  expect(met.get('a')).toEqual({ mentioned: 2, said: Buffer.of(0, 1, 255) });
  met.set('a', { mentioned: null, said: new Uint8Array() });
  expect(met.get('a')).toEqual({ mentioned: null, said: Buffer.alloc(0) });
  met.close();
});

test('far more than memory keeps is remembered, each import its own', () => {
  const [met, other] = [new MetEntities(), new MetEntities()];
  const id = (n: number) => `${(n * 7919) % 50_000} ${'x'.repeat(20)}`;
  const entity = (n: number): MetEntity => ({ mentioned: n % 3 || null, said: Buffer.alloc(400, n) });
  for (let n = 0; n < 50_000; n++) met.set(id(n), entity(n));
  for (let n = 0; n < 50_000; n++) {
    const found = met.get(id(n));
    if (!found?.said || Buffer.compare(found.said, entity(n).said) !== 0 || found.mentioned !== entity(n).mentioned)
      expect(found).toEqual(entity(n));
  }
  expect(other.get(id(0))).toBeUndefined();
  met.close();
  other.close();
});

const program = fileURLToPath(new URL('../helpers/met-until-full.ts', import.meta.url));
const sentence =
  /The temporary file in which an import keeps what it has met cannot be written or read \(.+\)\. .*SQLITE_TMPDIR/;

test.runIf(process.platform === 'linux')('without room for it there is a clear error', () => {
  const limited = 'ulimit -S -f 2048; exec "$0" "$@"';
  const said = execFileSync('/bin/sh', ['-c', limited, process.execPath, program], { encoding: 'utf8' });
  expect(said).toMatch(/^STORAGE\w* /);
  expect(said).toMatch(sentence);
});

test('on a full disk it says that it is full', async (context) => {
  await using folder = await temporaryFolder();
  // A disk of its own, seen by nobody else, in a namespace in which whoever runs the test may mount one.
  const mounted = 'mount -t tmpfs -o size=1m none "$0"';
  const apart = (script: string, ...args: string[]) =>
    spawnSync('unshare', ['--user', '--map-root-user', '--mount', '/bin/sh', '-c', script, folder.path, ...args], {
      encoding: 'utf8',
    });
  context.skip(apart(mounted).status !== 0, 'this system lets nobody mount a small disk in a namespace of his own');
  const { stdout } = apart(`${mounted}; SQLITE_TMPDIR="$0" exec "$@"`, process.execPath, program);
  expect(stdout).toMatch(/^STORAGE_FULL .*database or disk is full/);
  expect(stdout).toMatch(sentence);
});
