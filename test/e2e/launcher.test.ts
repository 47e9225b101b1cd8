import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
/** The oldest that the program is built for: the major version of the Node that the project brings. */
const oldest = Number.parseInt(broughtNode(), 10);
/** A Node of this machine that is too old for the program; without one, the restart cannot be seen here. */
const oldNode = findOldNode();

/** Stands in for out/main/cli.js: says who runs it and with what, ends as it is told. */
const program = `
const [, , order = '', ...rest] = process.argv;
// What it says first is the sign that it is ready for a signal.
if (order === 'wait') {
  process.on('SIGTERM', () => { console.log('closing'); process.exit(3); });
  setInterval(() => {}, 1000);
}
const { pid, versions, env } = process;
console.log(JSON.stringify({ node: versions.node, arenas: env.MALLOC_ARENA_MAX, pid, args: [order, ...rest] }));
if (order === 'die') process.kill(process.pid, 'SIGKILL');
else if (order === 'echo') process.stdin.pipe(process.stdout);
else if (order !== 'wait') process.exitCode = Number(order);
`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-launcher-'));
  mkdirSync(join(folder, 'build'));
  copyFileSync(launcher, join(folder, 'build', 'archeion.mjs'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the launcher', () => {
  test('runs the program in its own process where Node is new enough', async () => {
    build();
    const run = await ended(start(process.execPath, ['4', 'a b', '--flag']));
    expect(run.code).toBe(4);
    expect(JSON.parse(run.out)).toMatchObject({ node: process.versions.node, args: ['4', 'a b', '--flag'] });
  });

  test.runIf(process.platform === 'linux')('limits the arenas of the allocator, unless that is set', async () => {
    build();
    const limited = start(process.execPath, ['0']);
    const { pid } = limited;
    expect(JSON.parse((await ended(limited)).out)).toMatchObject({ arenas: '2', pid });
    const own = start(process.execPath, ['0'], { MALLOC_ARENA_MAX: '7' });
    expect(JSON.parse((await ended(own)).out)).toMatchObject({ arenas: '7' });
  });

  test.runIf(process.platform !== 'win32').each([
    [`${oldest - 1}.99.0`, true],
    [`${oldest}.0.0`, false],
  ])('under Node %s starts the project’s own: %s', async (version, restarted) => {
    build();
    const bin = join(folder, 'node_modules', 'node', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(folder, 'node_modules', 'node', 'package.json'), '{"name":"node"}');
    writeFileSync(join(bin, 'node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
    const run = await ended(start(process.execPath, ['0'], { MALLOC_ARENA_MAX: '2' }, saysItIs(version)));
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(run.out)).toMatchObject({ node: restarted ? process.versions.node : version });
  });

  test.runIf(process.platform !== 'win32')('closes where the shell of `npm start` has ended', async () => {
    build();
    const line = `'${process.execPath}' '${join(folder, 'build', 'archeion.mjs')}' wait; true`;
    const env = { ...process.env, npm_lifecycle_event: 'start', npm_package_name: 'archeion' };
    const shell = spawn('sh', ['-c', line], { env });
    shell.stdout.once('data', () => shell.kill('SIGTERM'));
    expect((await ended(shell)).out).toContain('closing');
  });

  test('says what to do when nothing is built', async () => {
    const run = await ended(start(process.execPath, ['serve']));
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('npm run build');
  });

  describe.runIf(oldNode)('under a Node that is too old', () => {
    const old = oldNode ?? '';

    test('starts itself again under the project’s own Node, with arguments and exit code', async () => {
      build();
      installNode();
      const run = await ended(start(old, ['5', 'a b', '--flag']));
      expect(run.code).toBe(5);
      expect(JSON.parse(run.out)).toMatchObject({
        node: process.versions.node,
        arenas: '2',
        args: ['5', 'a b', '--flag'],
      });
    });

    test('passes on what is written to it', async () => {
      build();
      installNode();
      const child = start(old, ['echo']);
      child.stdin.end('{"a":1}\n');
      expect((await ended(child)).out).toContain('{"a":1}\n');
    });

    test('passes on a signal and waits for the program to close', async () => {
      build();
      installNode();
      const child = start(old, ['wait']);
      child.stdout.once('data', () => child.kill('SIGTERM'));
      const run = await ended(child);
      expect(run.code).toBe(3);
      expect(run.out).toContain('closing');
    });

    test('ends by the signal that ended the program', async () => {
      build();
      installNode();
      const run = await ended(start(old, ['die']));
      expect(run).toMatchObject({ code: null, signal: 'SIGKILL' });
    });

    test('says what to do when the project’s own Node is not installed', async () => {
      build();
      const run = await ended(start(old, ['0']));
      expect(run).toMatchObject({ code: 1, out: '' });
      expect(run.err).toContain('npm ci');
    });
  });
});

function build(): void {
  mkdirSync(join(folder, 'out', 'main'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'out', 'main', 'cli.js'), program);
}

function installNode(): void {
  mkdirSync(join(folder, 'node_modules', 'node', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'node_modules', 'node', 'package.json'), '{"name":"node"}');
  symlinkSync(process.execPath, join(folder, 'node_modules', 'node', 'bin', 'node'));
}

/** What of a Node makes it say that it is another version. */
function saysItIs(version: string): string[] {
  const versions = `{ ...process.versions, node: '${version}' }`;
  return ['--import', `data:text/javascript,Object.defineProperty(process, 'versions', { value: ${versions} })`];
}

/** As package.json asks for it. */
function broughtNode(): string {
  const file = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(file) as { devDependencies: { node: string } }).devDependencies.node.replace(/^\D+/, '');
}

function start(
  node: string,
  args: string[],
  settings: Record<string, string> = {},
  flags: string[] = [],
): ChildProcessWithoutNullStreams {
  const { MALLOC_ARENA_MAX: _, ...env } = process.env;
  return spawn(node, [...flags, join(folder, 'build', 'archeion.mjs'), ...args], { env: { ...env, ...settings } });
}

function ended(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; signal: NodeJS.Signals | null; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal, out, err }));
  });
}

function findOldNode(): string | null {
  const candidates = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((part) => !part.includes('node_modules'))
    .map((part) => join(part, 'node'))
    .filter((file) => existsSync(file));
  return (
    candidates.find(
      (file) => Number.parseInt(execFileSync(file, ['-p', 'process.versions.node']).toString(), 10) < oldest,
    ) ?? null
  );
}
