import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { readNodeFile } from '../../src/server/node-file.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { send, startNode, temporaryFolder } from '../helpers/node.ts';
import { create, exported } from '../helpers/node-archives.ts';

/** The built program: Node cannot run the sources of controllers, for their decorators. `npm test` builds it first. */
const program = resolve(import.meta.dirname, '../../out/main/cli.js');

type Child = ChildProcessByStdio<null, Readable, Readable>;
const children = new Set<Child>();

function archeion(args: string[], env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

/** How a command ends that ends by itself. */
async function finished(child: Child): Promise<{ code: number | null; out: string; err: string }> {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, out, err };
}

/** Waits for the ready line; `lines` goes on collecting stdout. */
async function ready(child: Child): Promise<{ url: string; lines: string[] }> {
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  child.stderr.resume();
  await Promise.race([
    once(reader, 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`ended with ${code} before it was ready`))),
  ]);
  return { url: (JSON.parse(lines[0] ?? '') as { ready: { url: string } }).ready.url, lines };
}

beforeAll(() => {
  if (!existsSync(program)) throw new Error('Build the program first: npm run build');
});

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'serve says where it answers in one line, and %s ends it well',
  async (signal) => {
    await using folder = await temporaryFolder();
    const child = archeion(['serve', '--port', '0', '--data', folder.path]);
    const { url, lines } = await ready(child);
    expect(await readNodeFile(folder.path)).toMatchObject({ url, pid: child.pid });
    expect(await send(url, '/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(lines).toEqual([JSON.stringify({ ready: { url } })]);
    expect(await readNodeFile(folder.path)).toBeNull();
  },
);

test('after a crash the folder is free, and what the crash left is replaced', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  const first = archeion(['--data', data, 'serve', '--port', '0']);
  const { url } = await ready(first);
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(await readNodeFile(data)).toMatchObject({ url });
  const second = archeion(['serve', '--port', '0'], { ARCHEION_DATA: data });
  const again = await ready(second);
  expect(await readNodeFile(data)).toMatchObject({ url: again.url, pid: second.pid });
  second.kill('SIGTERM');
  expect(await once(second, 'exit')).toEqual([0, null]);
});

test('a second process on one folder and a busy port end with one sentence and code 1', async () => {
  await using folder = await temporaryFolder();
  const first = archeion(['serve', '--port', '0', '--data', folder.path]);
  await ready(first);
  const second = await finished(archeion(['serve', '--port', '0', '--data', folder.path]));
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.err).toMatch(/^archeion: Another process uses the data folder [^\n]*\n$/m);

  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const busy = await finished(archeion(['serve', '--port', String(port), '--data', join(folder.path, 'other')]));
  other.close();
  expect(busy).toMatchObject({ code: 1, out: '' });
  expect(busy.err).toMatch(/^archeion: The port \d+ is in use: [^\n]*--port 0[^\n]*\n$/m);
  first.kill('SIGTERM');
  expect(await once(first, 'exit')).toEqual([0, null]);
});

test.each([
  [['serve', '--port', 'x'], /^archeion: --port: must be a number from 0 to 65535\.\n$/],
  [['serve', '--nonsense'], /unknown option '--nonsense'/],
  [['nonsense'], /unknown command 'nonsense'/],
  [['--network', 'moon', 'serve'], /Allowed choices are main, test/],
  [['serve', '--data', ''], /^archeion: --data: must name a folder\.\n$/],
])('%j is a wrong command line: code 2', async (args, message) => {
  await using folder = await temporaryFolder();
  const { code, out, err } = await finished(archeion(args, { ARCHEION_DATA: folder.path }));
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(message);
});

test.each([
  [{ ARCHEION_JWT_PUBLIC_KEY: 'none' }, 'ARCHEION_JWT_PUBLIC_KEY: must be a public key, as PEM or as JWK.'],
  [
    { ARCHEION_JWT_SECRET: 'one', ARCHEION_JWT_PUBLIC_KEY: 'another' },
    'ARCHEION_JWT_SECRET: set only one of ARCHEION_JWT_SECRET, ARCHEION_JWT_PUBLIC_KEY and ARCHEION_JWT_JWKS_URL.',
  ],
])('settings that cannot be used are named: code 2 (%j)', async (env, sentence) => {
  await using folder = await temporaryFolder();
  const ended = await finished(archeion(['serve', '--data', folder.path, '--port', '0'], env));
  expect(ended).toEqual({ code: 2, out: '', err: `archeion: ${sentence}\n` });
});

test('--help and --version are answers, on stdout', async () => {
  expect(await finished(archeion(['--version']))).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    err: '',
  });
  expect(await finished(archeion(['--help']))).toMatchObject({
    code: 0,
    out: expect.stringContaining('serve'),
    err: '',
  });
});

test('a signal after the word of the desktop ends the node at once, whatever it still waits for', async () => {
  await using folder = await temporaryFolder();
  // The port on which Electron's utility processes hear.
  const hears = `data:text/javascript,import { EventEmitter } from 'node:events';
process.parentPort = new EventEmitter();
process.on('message', (data) => process.parentPort.emit('message', { data }));`;
  const args = ['--import', hears, program, 'serve', '--port', '0', '--data', folder.path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] }) as unknown as Child;
  children.add(child);
  const { url } = await ready(child);
  const slow = connect(Number(new URL(url).port), '127.0.0.1');
  slow.on('error', () => undefined);
  slow.write('GET /health HTTP/1.1\r\nHost: ');
  await setTimeout(200);
  child.send('stop');
  await setTimeout(1500);
  expect(child.exitCode).toBeNull();
  const asked = performance.now();
  child.kill('SIGTERM');
  expect((await once(child, 'exit'))[0]).toBe(1);
  expect(performance.now() - asked).toBeLessThan(1500);
  slow.destroy();
});

test.each([
  ['a socket', (command: string) => command, (command: string) => command],
  ['a pipe', (command: string) => `${command} | cat`, (command: string) => `cat | ${command}`],
  ['a file', (command: string) => `${command} > out; cat out`, (command: string) => `cat > in; ${command} < in`],
])('stdout that is %s is exported to, and such a stdin imported from', async (_what, to, from) => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: join(folder.path, 'data') });
  await create(node, 'Ada');
  const shell = (line: string) => {
    const child = spawn('sh', ['-c', line, process.execPath, program], { cwd: folder.path });
    child.stdin.end('{"id":"1","label":"One"}\n');
    return Promise.all([buffer(child.stdout), text(child.stderr)]);
  };
  const command = (rest: string) => `"$0" "$1" ${rest} --data data`;
  const { car } = await exported(node);
  writeFileSync(join(folder.path, 'all.car'), car);
  const [all, said] = await shell(to(command('export --out /dev/stdout')));
  expect(said).toContain('2 entities in /dev/stdout');
  expect(all.equals(car)).toBe(true);
  // What stands in a file already is gone on from.
  const [lines] = await shell(to(`{ echo before; ${command('export --since all.car --out /dev/fd/1')}; }`));
  expect(lines.subarray(0, 7).toString()).toBe('before\n');
  expect(lines.length).toBeGreaterThan(100);
  const [answer, wrong] = await shell(from(command('import /dev/stdin --collection Letters --json')));
  expect(wrong).toBe('');
  expect(JSON.parse(answer.toString())).toMatchObject({ records: 1, created: 1 });
});

test('a folder that a newer program has written is left alone, and the reason is said', async () => {
  await using folder = await temporaryFolder();
  new Identity(folder.path, { now: Date.now, randomBytes }).close();
  mkdirSync(join(folder.path, 'main'));
  const file = join(folder.path, 'main/archeion.db');
  const database = new Database(file);
  database.pragma('user_version = 99');
  database.close();
  const before = readFileSync(file);
  const { code, out, err } = await finished(archeion(['serve', '--data', folder.path, '--port', '0']));
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^archeion: This database was written by a newer Archeion \(schema 99, .*Update the program\.$/m);
  expect(readFileSync(file)).toEqual(before);
});
