import { execFileSync } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { type ClientRequest, createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Shell } from '../../src/server/commands/parts/shell.ts';
import { run } from '../../src/server/commands/run.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { ask, operator } from '../helpers/callers.ts';
import { commandLine, screen } from '../helpers/command-line.ts';
import { collection, ok } from '../helpers/entities.ts';
import type { Started } from '../helpers/job-scene.ts';
import { allow, command, replying } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

/** A command line that runs: what it says on stderr as it comes, and its exit code. */
function begun(data: string, args: string[], more: Pick<Shell, 'input'> = {}) {
  const said: string[] = [];
  const stop = new AbortController();
  const ended = run(args, {
    env: {},
    pid: 1,
    dataFolder: data,
    ui: null,
    terminal: null,
    out: (line) => void said.push(line),
    err: (line) => void said.push(line),
    stopped: stop.signal,
    ...more,
  });
  return { said, ended, stop };
}

test.each([
  ['ended', false],
  ['stopped', true],
])('a command that runs the node of another waits for it when it has %s', async (_how, isStopped) => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await mkdir(at('data'));
  for (const name of ['first.csv', 'second.csv']) execFileSync('mkfifo', [at(name)]);
  await writeFile(at('third.csv'), 'id,label\n2,Wool\n');
  const first = begun(at('data'), ['import', at('first.csv'), '--collection', 'First']);
  // Opened when the command reads it: its node runs by then.
  const toFirst = await open(at('first.csv'), 'w');
  await toFirst.write('id,label\n1,Zebra\n');
  const second = begun(at('data'), ['import', at('second.csv'), at('third.csv'), '--collection', 'Second']);
  const toSecond = await open(at('second.csv'), 'w');
  await toSecond.write('id,label\n1,Zebra\n');
  if (isStopped) first.stop.abort();
  await toFirst.close();
  await expect.poll(() => first.said.join('\n')).toContain('Other commands use the node');
  await toSecond.close();
  expect([await second.ended, await first.ended]).toEqual([0, isStopped ? 1 : 0]);
  expect(second.said.join('\n')).toContain('2 records, 2 entities created');
});

test.each([
  ['ended', false],
  ['stopped', true],
])('what a command has left off itself when it has %s is no other command', async (_how, isStopped) => {
  await using folder = await temporaryFolder();
  const row = (id: number) => `${JSON.stringify({ id, label: `Zebra ${id}`, text: 'stripes '.repeat(80) })}\n`;
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => row(from + i)).join('');
  const file = join(folder.path, 'zebras.ndjson');
  // What is stopped would go on for as long as somebody writes.
  if (isStopped) execFileSync('mkfifo', [file]);
  else await writeFile(file, `${rows(0, 1500)}{"id":12345678901234567890123}\n${rows(1500, 30_000)}`);
  const data = join(folder.path, 'data');
  const { said, ended, stop } = begun(data, ['import', file, '--collection', 'Zebras']);
  if (isStopped) {
    const writer = await open(file, 'w');
    await writer.write(rows(0, 1500));
    await expect.poll(() => existsSync(join(data, 'main', 'search.db'))).toBe(true);
    stop.abort();
    await writer.close();
  }
  expect(await ended).toBe(1);
  expect(said.join('\n')).toContain(isStopped ? 'Stopped' : 'line 1501: id is beyond 2^53-1');
  expect(said.join('\n')).not.toContain('Other commands');
});

test('commands that begin together without a node all do what they are for', async () => {
  await using folder = await temporaryFolder();
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const all = Array.from({ length: 4 }, () => begun(folder.path, ['key', 'create']));
  const codes = await Promise.all(all.map(({ ended }) => ended));
  expect({ codes, said: all.map(({ said }) => said) }).toEqual({
    codes: [0, 0, 0, 0],
    said: all.map(() => expect.arrayContaining([expect.stringMatching(/^uk_/)])),
  });
});

test('a command waits while another process has the folder and does not answer yet, and says so', async () => {
  await using folder = await temporaryFolder();
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const lock = lockFolder(folder.path);
  const { said, ended } = begun(folder.path, ['key', 'create']);
  const left = begun(folder.path, ['key', 'create']);
  const words = `Another process has the data folder ${folder.path}, as a node that starts, or one whose disk is full: waiting until it answers or ends.`;
  await expect.poll(() => [...said, ...left.said]).toEqual([words, words]);
  left.stop.abort();
  expect([await left.ended, ...left.said]).toEqual([1, words, 'archeion: Stopped.']);
  lock[Symbol.dispose]();
  expect([await ended, ...said]).toEqual([0, words, expect.stringMatching(/^uk_/)]);
});

test('a node that ends is found by no command, which waits until it has the folder', async () => {
  await using folder = await temporaryFolder();
  const node = await startNode({ data: folder.path });
  node.ctx.system.end();
  const health = await fetch(new URL('/health', node.url));
  expect([health.status, await health.json()]).toEqual([503, expect.objectContaining({ error: expect.anything() })]);
  const { said, ended } = begun(folder.path, ['key', 'create']);
  await expect.poll(() => said).toEqual([expect.stringContaining('until it answers or ends')]);
  await node[Symbol.asyncDispose]();
  expect([await ended, said.at(-1)]).toEqual([0, expect.stringMatching(/^uk_/)]);
});

/** A request from a port that has been used before: the system gives it back after a moment. */
async function askedFrom(localPort: number, port: number, headers: Record<string, string>): Promise<ClientRequest> {
  for (;;) {
    const options = { host: '127.0.0.1', port, localPort, agent: false, method: 'POST', path: '/entities' };
    const asked = request({ ...options, headers: { ...headers, 'Content-Length': 100, Expect: '100-continue' } });
    asked.flushHeaders();
    try {
      await once(asked, 'continue');
      return asked.on('error', () => undefined);
    } catch (error) {
      if (!/^EADDR/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
      await after(200);
    }
  }
}

test('another command is waited for also where it has a port that the command itself has had', async () => {
  await using folder = await temporaryFolder();
  await using stack = new AsyncDisposableStack();
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const used: [number, number][] = [];
  const note = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => used.push([socket.localPort ?? 0, socket.remotePort ?? 0]));
  };
  subscribe('net.client.socket', note);
  stack.defer(() => void unsubscribe('net.client.socket', note));
  const input = new PassThrough();
  const { said, ended } = begun(folder.path, ['mcp'], { input: () => input });
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
  await expect.poll(() => said).toEqual([expect.stringContaining('"result"')]);
  const [own, port] = used.at(-1) ?? [0, 0];
  const key = await readFile(join(folder.path, 'operator.key'), 'utf8');
  const other = await askedFrom(own, port, { Authorization: `ApiKey ${key.trim()}` });
  stack.defer(() => void other.destroy());
  input.end();
  await expect.poll(() => said.join('\n')).toContain('Other commands use the node');
  other.destroy();
  expect(await ended).toBe(0);
}, 60_000);

test("the operator's key goes to nobody who answers where a node was that was killed", async () => {
  await using folder = await temporaryFolder();
  const asked: IncomingHttpHeaders[] = [];
  let instance = '';
  await using impostor = createServer((request, response) => {
    asked.push(request.headers);
    response.end(JSON.stringify({ instance }));
  }).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const url = `http://127.0.0.1:${(impostor.address() as AddressInfo).port}`;
  {
    await using node = await startNode({ data: folder.path });
    instance = node.ctx.instance;
  }
  const file = join(folder.path, 'node.json');
  const left = JSON.stringify({ url, pid: 1, instance, version: '0.0.0' });
  await writeFile(file, left);
  const { code, err } = await commandLine(folder.path, ['status']);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  expect([code, err]).toEqual([1, expect.stringContaining(`delete ${file}`)]);
  // Nor while another node begins there, which has the folder by then.
  [instance] = ['another'];
  let isLeft: boolean | undefined;
  const extend = () => {
    isLeft = existsSync(file);
  };
  await using _node = await startNode({ data: folder.path, extend });
  expect(isLeft).toBe(false);
});

test('serve waits for a moment while a command has the folder, and not for longer', async () => {
  await using folder = await temporaryFolder();
  const lock = lockFolder(folder.path);
  const { said, ended, stop } = begun(folder.path, ['serve', '--port', '0']);
  expect(await Promise.race([ended, after(1000, 'it waits')])).toBe('it waits');
  lock[Symbol.dispose]();
  await expect.poll(() => said).toEqual([expect.stringContaining('"ready"')]);
  const second = begun(folder.path, ['serve', '--port', '0']);
  expect([await second.ended, second.said]).toEqual([
    1,
    [expect.stringMatching(/Another process uses the data folder .* where its disk has room for that/)],
  ]);
  stop.abort();
  expect(await ended).toBe(0);
});

test('a node that runs for one command sends and runs no job that waits', async () => {
  await using folder = await temporaryFolder();
  await using endpoint = await startProcessorEndpoint();
  const runs = join(folder.path, 'runs');
  const data = join(folder.path, 'data');
  const hangs = `require('node:fs').appendFileSync(${JSON.stringify(runs)}, 'run '); return new Promise(() => setInterval(() => {}, 1000));`;
  let [job, path, body] = ['', '', {}];
  {
    await using node = await startNode({ data });
    const who = operator(node);
    await allow(node, { slow: replying(hangs) });
    const place = await collection(node, who);
    const target = { target_collection: place.id, confirm: true };
    const slow = await command(node, who, place.id, 'slow');
    [path, body] = [`/kladoi/${slow.id}/invoke`, { ...target, target_entity: place.id }];
    job = ok<Started>(await ask(node, who, `POST ${path}`, body)).job_id;
    const { klados } = await activeKlados(node, who, place.id, { endpoint: `${endpoint.url}/unavailable` });
    const invocations = Array.from({ length: 3 }, () => ({ target_entity: place.id }));
    ok(await ask(node, who, `POST /kladoi/${klados.id}/invoke/batch`, { ...target, invocations }));
    await expect.poll(() => existsSync(runs)).toBe(true);
    await expect.poll(() => endpoint.received.length).toBe(3);
    await node.ctx.invocations.idle();
  }
  for (let i = 0; i < 4; i++) expect(await commandLine(data, ['status'])).toMatchObject({ code: 0 });
  {
    await using lent = await startNode({ data, lent: true, env: { ARCHEION_PUBLIC_URL: 'https://node.example' } });
    expect(await ask(lent, operator(lent), `POST ${path}`, body)).toMatchObject({
      status: 503,
      body: { details: { reason: expect.stringContaining('runs for one command alone') } },
    });
  }
  expect([await readFile(runs, 'utf8'), endpoint.received.length]).toEqual(['run ', 3]);
  endpoint.become('unavailable', 'accept');
  await using node = await startNode({ data });
  await expect.poll(() => readFile(runs, 'utf8')).toBe('run run ');
  await expect.poll(() => endpoint.received.length).toBe(6);
  const { jobs } = ok<{ jobs: { sending: string }[] }>(await ask(node, operator(node), `GET /node/jobs/${job}`));
  expect(jobs[0]?.sending).toBe('accepted');
});

test('what the node of a command warns of is said at a terminal in words', async () => {
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'Dropbox', 'archeion');
  await mkdir(data, { recursive: true });
  await writeFile(join(folder.path, 'works.csv'), 'id,label\n1,Zebra\n');
  const never = new AbortController().signal;
  const args = ['import', join(folder.path, 'works.csv'), '--collection', 'Works'];
  const { code, err } = await commandLine(data, args, never, screen().terminal);
  expect([code, err.split('\n')[0]]).toEqual([
    0,
    `Warning: the data folder is in a folder that Dropbox copies while it is written; name another with --data (data: ${data})`,
  ]);
});
