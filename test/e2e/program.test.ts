import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';

// The program as it is built, started as a person or a service manager starts it.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcessWithoutNullStreams[] = [];
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

test('closes as well where it is asked twice at once', async () => {
  const { child } = await serve();
  const closed = stopped(child);
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(existsSync(join(data, 'instance.json'))).toBe(true);
  expect(existsSync(join(data, 'node.json'))).toBe(false);
});

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

function start(args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [launcher, ...args]);
  running.push(child);
  return child;
}

/** Resolves with the address in the ready line; rejects with what the program said instead. */
async function serve(): Promise<{ url: string; child: ChildProcessWithoutNullStreams }> {
  const child = start(['serve', '--port', '0', '--data', data]);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { url, child };
  }
  throw new Error(`The node ended before it was ready: ${said}`);
}

function stopped(child: ChildProcessWithoutNullStreams): Promise<unknown[]> {
  const closed = once(child, 'close');
  child.stdout.resume();
  child.kill('SIGTERM');
  return closed;
}
