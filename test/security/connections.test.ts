import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { closeListener, createListener, type ListenerLimits, listen } from '../../src/server/http/listener.ts';
import { mostConnections } from '../../src/server/http/most-connections.ts';
import { openLog } from '../../src/server/log.ts';
import { readOperatorKey } from '../../src/server/store/accounts/operator-key.ts';
import { ask, operator } from '../helpers/callers.ts';
import { send, startNode, temporaryFolder } from '../helpers/node.ts';

let opened: AsyncDisposableStack;
beforeEach(() => {
  opened = new AsyncDisposableStack();
});
afterEach(() => opened.disposeAsync());

interface Served {
  url: string;
  port: number;
  server: Server;
  /** The paths that came to the app. */
  seen: string[];
}

const big = Buffer.alloc(16 * 2 ** 20, 'x');
/** Answers by path: what is never answered, what never ends, what is long, and the length of the body otherwise. */
const answers: Record<string, RequestListener> = {
  '/never': () => undefined,
  '/endless': (_request, response) => response.writeHead(200).write('one'),
  '/long': (_request, response) => response.end(big),
};
async function served(limits: ListenerLimits): Promise<Served> {
  const seen: string[] = [];
  const app: RequestListener = (request, response) => {
    seen.push(request.url ?? '');
    const answer = answers[request.url ?? ''];
    if (answer) return void answer(request, response);
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.on('error', () => undefined);
    request.on('end', () => response.end(String(length)));
  };
  const server = createListener(app, limits);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    server.closeAllConnections();
    return closeListener(server);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, server, seen };
}

/** A connection on which these bytes were sent; `closed` is what came until the other side ended it. */
function talking(port: number, text = '', { reads = true } = {}): { socket: Socket; closed: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  opened.defer(() => void socket.destroy());
  let heard = '';
  socket.on('error', () => undefined);
  if (reads) socket.on('data', (chunk) => (heard += chunk));
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(heard)));
  socket.write(text);
  return { socket, closed };
}

const quick: ListenerLimits = {
  times: { headersTimeout: 200, connectionsCheckingInterval: 50 },
  connections: { stalledMs: 300, lookEveryMs: 50 },
};
const upload = 'POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n';

describe('a client that is slow', () => {
  test.each([
    ['says nothing', ''],
    ['stops in its first line', 'GET / HT'],
    ['stops in its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '],
  ])('and %s is let go of', async (_name, text) => {
    const { port, seen } = await served(quick);
    expect(await talking(port, text).closed).toMatch(/^$|^HTTP\/1\.1 408 /);
    expect(seen).toEqual([]);
  });

  test.each([
    ['says nothing', ''],
    ['stops in its headers', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: '],
  ])('and %s, and does not read either that it is let go of, costs no connection any more', async (_name, text) => {
    const { port, server } = await served(quick);
    const arrived = once(server, 'connection');
    talking(port, text, { reads: false });
    const [accepted] = (await arrived) as [Socket];
    await once(accepted, 'close');
  });

  test('and sends its headers a byte at a time is let go of: each byte gains it nothing', async () => {
    const { port, seen } = await served(quick);
    const { socket, closed } = talking(port, 'GET / HTTP/1.1\r\nHost: x\r\n');
    const drip = setInterval(() => socket.write('X'), 20);
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
    expect(seen).toEqual([]);
  });

  test('and stops in a body is let go of', async () => {
    const { port, seen } = await served(quick);
    await talking(port, `${upload}some`).closed;
    expect(seen).toEqual(['/upload']);
  });

  test('and stops reading a long answer is let go of', async () => {
    const { port, server } = await served(quick);
    const arrived = once(server, 'connection');
    talking(port, 'GET /long HTTP/1.1\r\nHost: x\r\n\r\n', { reads: false });
    const [accepted] = (await arrived) as [Socket];
    await once(accepted, 'close');
  });

  test('but goes on, comes to its end', async () => {
    const { port } = await served({ connections: { stalledMs: 1500, lookEveryMs: 50 } });
    const { socket, closed } = talking(port, upload.replace('Host: x', 'Host: x\r\nConnection: close'));
    for (let i = 0; i < 30; i++) {
      await new Promise((resolve) => setTimeout(resolve, 80));
      socket.write('x');
    }
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*30$/);
  });

  test('that waits for the node is waited for', async () => {
    const { port, url } = await served(quick);
    const waiting = talking(port, 'GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
    await talking(port, `${upload}some`).closed;
    await talking(port, `${upload}some`).closed;
    expect((await send(url, '/')).text).toBe('0');
    expect(waiting.socket.destroyed).toBe(false);
  });
});

describe('when all connections are taken', () => {
  const most = 5;
  const few: ListenerLimits = { connections: { most } };

  /** As many clients as there may be, each with this request under way. */
  async function full(text: string, reads = true) {
    const node = await served(few);
    const clients = [];
    for (let i = 0; i < most; i++) {
      const arrived = once(node.server, 'connection');
      clients.push(talking(node.port, text, { reads }));
      await arrived;
    }
    const path = / (\S+) /.exec(text)?.[1];
    if (path !== undefined) await expect.poll(() => node.seen).toEqual(new Array(most).fill(path));
    return { ...node, clients };
  }

  test.each([
    ['say nothing', '', true],
    ['never send the rest of a body', `${upload}some`, true],
    ['never read their answer', 'GET /long HTTP/1.1\r\nHost: x\r\n\r\n', false],
    ['follow an answer without end', 'GET /endless HTTP/1.1\r\nHost: x\r\n\r\n', true],
  ])('by clients that %s, another one gets in, and one of them goes', async (_name, text, reads) => {
    const { url, server } = await full(text, reads);
    for (let i = 0; i < 3; i++) expect((await send(url, '/')).text).toBe('0');
    const count = await new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
    expect(count).toBeLessThanOrEqual(most);
  });

  test('the one that has waited longest goes first', async () => {
    const { url, clients } = await full('');
    const [first, ...others] = clients;
    await send(url, '/');
    await first?.closed;
    expect(others.map(({ socket }) => socket.destroyed)).toEqual([false, false, false, false]);
  });

  test('an upload that goes on is none that waits, however many that say nothing come after it', async () => {
    const length = 3 * most;
    let got = 0;
    answers['/counted'] = (request, response) => {
      request.on('data', (chunk: Buffer) => (got += chunk.length)).on('end', () => response.end('whole'));
    };
    opened.defer(() => void delete answers['/counted']);
    const { port, server, seen } = await served(few);
    const head = `POST /counted HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
    const { socket, closed } = talking(port, head);
    await expect.poll(() => seen).toEqual(['/counted']);
    for (let sent = 1; sent <= length; sent++) {
      const arrived = once(server, 'connection');
      talking(port);
      await arrived;
      socket.write('x');
      await vi.waitFor(() => expect(got).toBe(sent));
    }
    expect(await closed).toMatch(/^HTTP\/1\.1 200 [\s\S]*whole/);
  });

  test('by requests that the node works on, these are ended first', async () => {
    const { url, clients } = await full('GET /never HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect(send(url, '/')).rejects.toThrow(/ECONNRESET|socket hang up/);
    expect(clients.map(({ socket }) => socket.destroyed)).toEqual(new Array(most).fill(false));
  });
});

describe('requests that are sent on one connection without waiting', () => {
  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  async function sent(text: string) {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    answers['/held'] = (_request, response) => void gate.then(() => response.end('held'));
    opened.defer(() => void delete answers['/held']);
    const { port, server, seen } = await served({});
    let parsed = 0;
    server.on('request', () => parsed++);
    return { open, seen, parsed: () => parsed, ...talking(port, text) };
  }

  test('are served one after the other, in their order', async () => {
    const post = (body: string) => `POST /sum HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const { open, seen, parsed, closed } = await sent(
      `${get('/held')}${post('12345')}${post('a'.repeat(30_000))}${get('/last', 'Connection: close\r\n')}`,
    );
    await vi.waitFor(() => expect(parsed()).toBe(4), 30_000);
    expect(seen).toEqual(['/held']);
    open();
    expect((await closed).match(/\r\n\r\n[\w\r\n]*?(?:held|\d+)(?=HTTP|\r\n0|$)/g)).toHaveLength(4);
    expect(seen).toEqual(['/held', '/sum', '/sum', '/last']);
  });

  test('are not served once their client has gone', async () => {
    const { socket, open, seen, parsed, closed } = await sent(get('/held') + get('/next'));
    await vi.waitFor(() => expect(parsed()).toBe(2), 30_000);
    socket.destroy();
    await closed;
    open();
    const after = await served({});
    expect((await send(after.url, '/other')).status).toBe(200);
    expect(seen).toEqual(['/held']);
  });

  test('may be a hundred that wait; with one more the connection is closed', async () => {
    const most = await sent(get('/held') + get('/next').repeat(99) + get('/last', 'Connection: close\r\n'));
    await vi.waitFor(() => expect(most.parsed()).toBe(101), 30_000);
    most.open();
    expect((await most.closed).match(/HTTP\/1\.1 200/g)).toHaveLength(101);
    expect(most.seen.length).toBe(101);

    const more = await sent(get('/held') + get('/next').repeat(101));
    expect(await more.closed).toBe('');
    expect(more.seen).toEqual(['/held']);
  });
});

test('who asks one thing after the other keeps no node from its end', async () => {
  const { port, server, seen } = await served({});
  // Under way until the body comes.
  const { socket } = talking(port, 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\n\r\n');
  await expect.poll(() => seen.length).toBe(1);
  const closed = closeListener(server);
  socket.on('data', () => void socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n'));
  socket.write('x');
  await closed;
  // What was under way, and one more.
  expect(seen.length).toBeLessThanOrEqual(2);
});

test('an answer that is written when the node stops is read to its end, however slowly', async () => {
  const { port, server, seen } = await served({});
  const { socket, closed } = talking(port, 'GET /long HTTP/1.1\r\nHost: here\r\n\r\n', { reads: false });
  await expect.poll(() => seen).toEqual(['/long']);
  const ended = closeListener(server);
  // For longer than until it is looked again for connections on which nothing is done.
  await sleep(150);
  let length = 0;
  socket.on('data', (chunk) => (length += chunk.length));
  await Promise.all([closed, ended]);
  expect(length).toBeGreaterThan(big.length);
});

test('connections that the system refuses the node are told of, once a minute, and those after them are taken', async () => {
  const logged: string[] = [];
  const server = createListener((_request, response) => void response.end('here'));
  const log = openLog('info', { write: (line) => logged.push(line) });
  const url = `http://127.0.0.1:${await listen(server, '127.0.0.1', 0, log)}`;
  opened.defer(() => closeListener(server));
  // As Node tells of an accept() that failed.
  for (const code of ['ENFILE', 'ENFILE', 'EPERM', 'ENFILE'])
    server.emit('error', Object.assign(new Error(`accept ${code}`), { code, syscall: 'accept' }));
  expect(await send(url, '/')).toMatchObject({ status: 200, text: 'here' });
  expect(logged.map((line) => JSON.parse(line))).toMatchObject(
    ['accept ENFILE', 'accept EPERM'].map((message) => ({
      err: { message },
      msg: 'a connection could not be accepted',
    })),
  );
});

test('of the files that the system lets a process have open its connections leave the node those that it needs', () => {
  expect([80, 256, 1024, 4096, Number.POSITIVE_INFINITY].map(mostConnections)).toEqual([10, 28, 412, 1000, 1000]);
});

test.skipIf(!existsSync('/proc/self/limits'))(
  'as many idle connections as the system lets a process have files keep nobody from the node',
  async () => {
    const { path: data } = opened.use(await temporaryFolder());
    const program = join(import.meta.dirname, '../../build/archeion.mjs');
    const limited = 'ulimit -n 80; exec "$0" "$@"';
    const started = spawn('sh', ['-c', limited, process.execPath, program, 'serve', '--port', '0', '--data', data]);
    opened.defer(async () => {
      const ended = once(started, 'exit');
      started.kill();
      await ended;
    });
    const { value: ready = '' } = await createInterface({ input: started.stdout })[Symbol.asyncIterator]().next();
    const url = readyUrl(ready) ?? '';
    for (let n = 0; n < 120; n++) talking(Number(new URL(url).port));
    const headers = { Authorization: `ApiKey ${readOperatorKey(join(data, 'operator.key'))}` };
    for (let n = 0; n < 5; n++) {
      expect(await send(url, '/node/status', { headers })).toMatchObject({ status: 200 });
      const body = { label: 'still here' };
      expect(await send(url, '/collections', { method: 'POST', headers, body })).toMatchObject({ status: 201 });
    }
  },
);

test.skipIf(!existsSync('/proc/self/limits'))(
  'a node that may open too few files says so, and does not start',
  async () => {
    const { path: data } = opened.use(await temporaryFolder());
    const program = join(import.meta.dirname, '../../build/archeion.mjs');
    const args = [process.execPath, program, 'serve', '--port', '0', '--data', data];
    const { status, stderr } = spawnSync('sh', ['-c', 'ulimit -n 50; exec "$0" "$@"', ...args], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^archeion: The system lets .* 50 files .*"ulimit -n 1024"/),
    ]);
  },
);

test('ten thousand idle connections keep nobody from the node', { timeout: 90_000 }, async () => {
  const node = opened.use(await startNode());
  const args = [join(import.meta.dirname, 'idle-clients.mjs'), new URL(node.url).port, '10000'];
  const clients = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  opened.defer(() => void clients.kill());
  const lines = createInterface({ input: clients.stdout })[Symbol.asyncIterator]();
  const said = async () => JSON.parse((await lines.next()).value ?? '{}') as { opened: number; closed: number };

  const { opened: all } = await said();
  expect(all).toBeGreaterThan(9000);
  expect(await ask(node, operator(node), 'GET /node/status')).toMatchObject({ status: 200 });
  expect(await ask(node, operator(node), 'POST /collections', { label: 'still here' })).toMatchObject({ status: 201 });
  await expect
    .poll(async () => {
      clients.stdin.write('\n');
      return all - (await said()).closed;
    })
    .toBeLessThanOrEqual(1000);
});
