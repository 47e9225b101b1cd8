import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';

// The program as it is built, started as a person or a service manager starts it.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'archeion-program-'));
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(data, { recursive: true, force: true });
});

test('serves, closes when asked to, and serves the same data again', async () => {
  const first = await serve();
  const { instance } = (await (await fetch(`${first.url}/health`)).json()) as { instance?: string };
  expect(instance).toEqual(expect.any(String));
  expect(await stopped(first.child)).toEqual([0, null]);

  const second = await serve();
  expect(await (await fetch(`${second.url}/health`)).json()).toMatchObject({ status: 'ok', instance });
  expect(await stopped(second.child)).toEqual([0, null]);
});

test('is found by other commands where Node is told to go through a proxy', async () => {
  const env = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' };
  await serve(env);
  const { stdout, stderr } = spawnSync(process.execPath, [launcher, 'remote', 'list', '--data', data], {
    ...{ env: { ...process.env, ...env }, encoding: 'utf8' },
  });
  expect([stdout, stderr]).toEqual(['no remotes; add one with "archeion remote add NAME URL"\n', '']);
});

test('closes as well where it is asked twice at once', async () => {
  const { child } = await serve();
  const closed = stopped(child);
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(existsSync(join(data, 'instance.json'))).toBe(true);
  expect(existsSync(join(data, 'node.json'))).toBe(false);
});

const script = '/usr/bin/script';

test.skipIf(!existsSync(script))('ends when its terminal is closed, as it does when asked to', async () => {
  const line = [process.execPath, launcher, 'serve', '--port', '0', '--data', data].join(' ');
  const terminal = spawn(script, ['-qfc', line, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
  running.push(terminal);
  await readyOf(terminal.stdout);
  const { pid } = JSON.parse(readFileSync(join(data, 'node.json'), 'utf8')) as { pid: number };
  terminal.kill('SIGKILL');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(existsSync(join(data, 'node.json'))).toBe(false);
  expect(existsSync(join(data, 'identity.db-wal'))).toBe(false);
  expect(await stopped((await serve()).child)).toEqual([0, null]);
});

test('says what every command takes, also what is run for each job', () => {
  const { stdout } = spawnSync(process.execPath, [launcher, 'processor', 'run', '--help'], { encoding: 'utf8' });
  expect(stdout).toMatch(/^Usage: archeion processor run /);
});

test('goes on without a terminal when one is closed, as under nohup', async () => {
  const { url, child } = await serve();
  child.kill('SIGHUP');
  await expectToGoOn(child, url);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('serves the built page with its script and style', async () => {
  const { url } = await serve();
  const page = await (await fetch(`${url}/ui/`)).text();
  expect(page).toContain('<title>Archeion</title>');
  const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => new URL(path ?? '', `${url}/ui/`));
  expect(assets.length).toBeGreaterThanOrEqual(3);
  for (const asset of assets) expect((await fetch(asset)).status, asset.pathname).toBe(200);
});

test('answers a wrong command line with exit code 2', async () => {
  const child = start(['no-such-command']);
  const [code] = await once(child, 'close');
  expect(code).toBe(2);
});

/** As a user that the machine knows nothing of, as a service's may be. */
const stranger = ['--user', '--map-user=54321'];
const env = { PATH: process.env.PATH };
const canBeStranger = spawnSync('unshare', [...stranger, 'true']).status === 0;

test.skipIf(!canBeStranger)('serves a folder that is named for a user without a home', async () => {
  const start = (...args: string[]) => spawn('unshare', [...stranger, process.execPath, launcher, ...args], { env });
  const child = start('serve', '--port', '0', '--data', data);
  running.push(child);
  const { url } = await readyOf(child.stdout);
  expect((await fetch(`${url}/health`)).status).toBe(200);
  expect(await stopped(child)).toEqual([0, null]);

  const unnamed = start('serve');
  running.push(unnamed);
  const said = unnamed.stderr.toArray();
  expect(await once(unnamed, 'exit')).toEqual([2, null]);
  expect((await said).join('')).toContain(
    'ARCHEION_DATA: must name a folder (or --data), since this user has no home.',
  );
});

test.skipIf(process.platform === 'win32')(
  'prints no link to the page into a journal that others may read',
  async () => {
    const journal = join(data, 'journal');
    const said: string[] = [];
    for (const isNamed of [true, false]) {
      const stream = openSync(journal, 'w');
      const { dev, ino } = fstatSync(stream, { bigint: true });
      const env = { ...process.env, JOURNAL_STREAM: `${dev}:${isNamed ? ino : 0}` };
      const args = [launcher, 'serve', '--port', '0', '--data', join(data, 'node')];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', stream], env });
      running.push(child);
      closeSync(stream);
      if (!child.stdout) throw new Error('the node has no output');
      await readyOf(child.stdout);
      await expect.poll(() => readFileSync(journal, 'utf8')).toContain('archeion open');
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
      said.push(readFileSync(journal, 'utf8'));
    }
    expect(said.map((text) => text.includes('#token='))).toEqual([false, true]);
  },
);

const full = '/dev/full';

test.skipIf(!existsSync(full))('goes on where what it says cannot be written', async () => {
  const disk = openSync(full, 'w');
  const env = { ...process.env, ARCHEION_LOG_LEVEL: 'debug' };
  const args = [launcher, 'serve', '--port', '0', '--data', data];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', disk], env });
  running.push(child);
  closeSync(disk);
  if (!child.stdout) throw new Error('the node has no output');
  const { url } = await readyOf(child.stdout);
  child.stdout.destroy();
  await expectToGoOn(child, url);
});

test('goes on where nobody reads what it says', async () => {
  const { url, child } = await serve({ ARCHEION_LOG_LEVEL: 'debug' });
  child.stdout.destroy();
  child.stderr.destroy();
  await expectToGoOn(child, url);
});

test('ends in its own words, or in none, where what it found cannot be written', async () => {
  await stopped((await serve()).child);
  const child = start(['conflicts', '--data', data]);
  child.stdout.destroy();
  const said = child.stderr.toArray();
  await once(child, 'exit');
  expect((await said).join('')).not.toContain('Error');
  if (!existsSync(full)) return;
  const left = start(['export', '--out', '/dev/stdout', '--data', data]);
  left.stdout.destroy();
  const told = left.stderr.toArray();
  expect(await once(left, 'exit')).toEqual([1, null]);
  expect((await told).join('')).toBe('archeion: Stopped. What was written by then is not whole.\n');
  const disk = openSync(full, 'w');
  // The word that starts a node means something else here.
  const cut = spawn(process.execPath, [launcher, 'processor', 'list', '--data', 'serve'], {
    stdio: ['pipe', disk, 'pipe'],
    cwd: data,
  });
  running.push(cut);
  closeSync(disk);
  const words = cut.stderr?.toArray();
  expect(await once(cut, 'exit')).toEqual([1, null]);
  expect((await words)?.join('')).toMatch(/^archeion: What it found could not be written: .*ENOSPC.*\n$/);
});

function start(args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [launcher, ...args], { env: { ...process.env, ...env } });
  running.push(child);
  return child;
}

/** Resolves with the address in the ready line; rejects with what the program said instead. */
async function serve(env?: Record<string, string>): Promise<{ url: string; child: ChildProcessWithoutNullStreams }> {
  const child = start(['serve', '--port', '0', '--data', data], env);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const { url } = await readyOf(child.stdout).catch(() => ({ url: null }));
  if (url === null) throw new Error(`The node ended before it was ready: ${said}`);
  return { url, child };
}

async function readyOf(input: Readable): Promise<{ url: string }> {
  for await (const line of createInterface({ input })) {
    const url = readyUrl(line);
    if (url) return { url };
  }
  throw new Error('The node ended before it was ready.');
}

/** Answers as before, and ends when it is asked to; nobody may read its output. */
async function expectToGoOn(child: ChildProcess, url: string): Promise<void> {
  for (let n = 0; n < 20; n++) expect((await fetch(`${url}/entities/${n}`)).status).toBe(400);
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

function stopped(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  const closed = once(child, 'close');
  child.stdout.resume();
  child.kill('SIGTERM');
  return closed;
}
