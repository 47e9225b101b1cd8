import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { getuid } from 'node:process';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Outbound, type OutboundError, type OutboundRequest } from '../../src/server/jobs/outbound.ts';

/** Stands for the Internet: a loopback address that these tests take for a public one. */
const internet = '127.0.0.2';
const here = '127.0.0.1';
const names = new Map<string, string[]>([
  ['public.test', [internet]],
  ['private.test', [here]],
  ['both.test', [here, internet]],
  ['another.test', [internet]],
]);
let asked: string[] = [];

let opened: AsyncDisposableStack;
let outbound: Outbound;
beforeEach(() => {
  opened = new AsyncDisposableStack();
  asked = [];
  outbound = opened.use(
    new Outbound({
      isPublic: (address) => address === internet,
      resolve: async (host) => {
        asked.push(host);
        if (host === 'silent.test') return new Promise(() => undefined);
        const found = names.get(host);
        if (!found) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
        return found.map((address) => ({ address, family: 4 }));
      },
    }),
  );
});
afterEach(() => opened.disposeAsync());

interface Seen {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A server of somebody else's; `seen` are its requests. */
async function server(
  answer: RequestListener,
  host = internet,
  create: (listener: RequestListener) => ReturnType<typeof createServer> = createServer,
  port = 0,
): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const listening = create((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
  });
  await new Promise<void>((resolve) => listening.listen(port, host, resolve));
  opened.defer(
    () =>
      new Promise<void>((resolve) => {
        listening.close(() => resolve());
        listening.closeAllConnections();
      }),
  );
  return { port: (listening.address() as AddressInfo).port, seen };
}

/** A server that writes bytes of its own at will. */
async function socketServer(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const listening = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    talk(socket);
  });
  await new Promise<void>((resolve) => listening.listen(0, internet, resolve));
  opened.defer(
    () =>
      new Promise<void>((resolve) => {
        listening.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return (listening.address() as AddressInfo).port;
}

const get = (url: string, more: Partial<OutboundRequest> = {}) =>
  outbound.request({ url, method: 'GET', reach: 'public', timeoutMs: 5000, maxBytes: 1000, ...more });
const fault = (url: string, more: Partial<OutboundRequest> = {}): Promise<OutboundError> =>
  get(url, more).then(
    ({ status }) => {
      throw new Error(`answered ${status}`);
    },
    (error: OutboundError) => error,
  );

test('asks and is answered', async () => {
  const { port, seen } = await server((_, response) => response.writeHead(418, { 'X-A': 'b' }).end('{"a":1}'));
  const answer = await get(`http://public.test:${port}/a?b=c`, {
    method: 'POST',
    body: '{"q":1}',
    headers: { 'Content-Type': 'application/json' },
  });
  expect(answer).toMatchObject({ status: 418, headers: { 'x-a': 'b' } });
  expect(answer.body.toString()).toBe('{"a":1}');
  expect(seen).toMatchObject([{ method: 'POST', path: '/a?b=c', body: '{"q":1}' }]);
});

test('sends nothing but what it is given', async () => {
  const { port, seen } = await server((_, response) => response.writeHead(200, { 'Set-Cookie': 'a=b' }).end());
  await get(`http://${internet}:${port}/`);
  await get(`http://${internet}:${port}/`);
  for (const { headers } of seen) expect(Object.keys(headers).sort()).toEqual(['connection', 'host']);
});

describe('where it may go', () => {
  let port: number;
  let seen: Seen[];
  beforeEach(async () => {
    ({ port, seen } = await server((_, response) => response.end('within'), here));
  });

  test.each([
    ...['127.0.0.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.1', '127.0.0.1.'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:127.0.0.1]', '[::1]', '0.0.0.0', '[::]'],
    ...['private.test', 'PRIVATE.test'],
  ])('not to %s, which is this machine', async (host) => {
    expect(await fault(`http://${host}:${port}/`)).toMatchObject({ fault: 'forbidden', sent: false });
    expect(seen).toEqual([]);
  });

  test('to this machine where it may reach anywhere', async () => {
    for (const host of ['127.0.0.1', '2130706433', 'private.test'])
      expect((await get(`http://${host}:${port}/`, { reach: 'anywhere' })).body.toString()).toBe('within');
  });

  test('localhost is what the system says it is', async () => {
    const real = opened.use(new Outbound());
    const asking = { url: `http://localhost:${port}/`, method: 'GET', timeoutMs: 5000, maxBytes: 1000 } as const;
    expect((await real.request({ ...asking, reach: 'anywhere' })).body.toString()).toBe('within');
    await expect(real.request({ ...asking, reach: 'public' })).rejects.toMatchObject({
      fault: 'forbidden',
      sent: false,
    });
    expect(seen).toHaveLength(1);
  });

  test('a connection that may reach anywhere is not used by a request that may not', async () => {
    await get(`http://private.test:${port}/`, { reach: 'anywhere' });
    expect(await fault(`http://private.test:${port}/`)).toMatchObject({ fault: 'forbidden' });
    expect(seen).toHaveLength(1);
  });

  test('of a name with several addresses only those that are open', async () => {
    const outside = await server((_, response) => response.end('outside'));
    expect((await get(`http://both.test:${outside.port}/`)).body.toString()).toBe('outside');
    expect(await fault(`http://both.test:${port}/`)).toMatchObject({ fault: 'unreachable', sent: false });
    expect(seen).toEqual([]);
  });

  test('a name is looked up once a connection, so that what was checked is what is reached', async () => {
    const outside = await server((_, response) => response.end());
    await get(`http://public.test:${outside.port}/`);
    expect(asked).toEqual(['public.test']);
  });

  test.each(['ftp://public.test/', 'file:///etc/passwd', 'data:,x', 'nonsense', 'http://a:b@public.test/', ''])(
    'not to "%s"',
    async (url) => {
      expect(await fault(url)).toMatchObject({ fault: 'forbidden', sent: false });
    },
  );
});

describe('over TLS', () => {
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}.pem`, import.meta.url), 'utf8');
  const [key, cert] = [fixture('key'), fixture('certificate')];
  const secured = (listener: RequestListener) => createSecureServer({ key, cert }, listener);
  const secure = (answer: RequestListener, host?: string) => server(answer, host, secured);
  beforeEach(() => {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, cert]);
    opened.defer(() => setDefaultCACertificates(before));
  });

  test('asks and is answered, over one connection', async () => {
    const { port, seen } = await secure((_, response) => response.end('safely'));
    for (let i = 0; i < 2; i++) expect((await get(`https://public.test:${port}/a?b=c`)).body.toString()).toBe('safely');
    expect(seen).toMatchObject([{ path: '/a?b=c' }, { path: '/a?b=c' }]);
    expect(asked).toEqual(['public.test']);
  });

  test.runIf(getuid?.() === 0)('says no port that goes without saying', async () => {
    const { seen } = await server((_, response) => response.end(), internet, createServer, 80);
    const over = await server((_, response) => response.end(), internet, secured, 443);
    for (const url of ['http://public.test/', 'https://public.test/', 'https://public.test:443/']) await get(url);
    expect([...seen, ...over.seen].map(({ headers }) => headers.host)).toEqual(Array(3).fill('public.test'));
  });

  test('nothing is sent to who is not the one of the name, or does not speak it', async () => {
    const { port, seen } = await secure((_, response) => response.end('safely'));
    const plain = await server((_, response) => response.end('plainly'));
    for (const url of [
      `https://another.test:${port}/`,
      `https://${internet}:${port}/`,
      `https://public.test:${plain.port}/`,
    ])
      expect(await fault(url, { method: 'POST', body: 'secret' })).toMatchObject({ fault: 'unreachable', sent: false });
    setDefaultCACertificates(getCACertificates('bundled'));
    const another = opened.use(
      new Outbound({ isPublic: () => true, resolve: async () => [{ address: internet, family: 4 }] }),
    );
    const asking = {
      url: `https://public.test:${port}/`,
      method: 'GET',
      reach: 'public',
      timeoutMs: 5000,
      maxBytes: 9,
    } as const;
    await expect(another.request(asking)).rejects.toMatchObject({ fault: 'unreachable', sent: false });
    expect(seen).toEqual([]);
  });

  test('nothing goes to this machine, at once or when it is led there', async () => {
    const within = await secure((_, response) => response.end(), here);
    for (const host of ['127.0.0.1', 'private.test', '[::ffff:127.0.0.1]'])
      expect(await fault(`https://${host}:${within.port}/`)).toMatchObject({ fault: 'forbidden', sent: false });
    const leading = await server((_, response) =>
      response.writeHead(302, { Location: `https://private.test:${within.port}/` }).end(),
    );
    expect(await fault(`http://public.test:${leading.port}/`)).toMatchObject({ fault: 'forbidden' });
    expect(within.seen).toEqual([]);
  });
});

describe('redirects', () => {
  test('are followed to addresses that may be reached, without what the answers set', async () => {
    const last = await server((_, response) => response.end('at last'));
    const first = await server((_, response) =>
      response.writeHead(302, { Location: `http://public.test:${last.port}/b`, 'Set-Cookie': 'a=b' }).end('elsewhere'),
    );
    const { body } = await get(`http://${internet}:${first.port}/a`);
    expect(body.toString()).toBe('at last');
    expect(last.seen).toMatchObject([{ method: 'GET', path: '/b' }]);
    expect(last.seen[0]?.headers).not.toHaveProperty('cookie');
  });

  test.each(['http://127.0.0.1', 'http://private.test', 'http://[::ffff:127.0.0.1]', 'http://2130706433'])(
    'are not followed into this machine: %s',
    async (base) => {
      const within = await server((_, response) => response.end(), here);
      const first = await server((_, response) =>
        response.writeHead(307, { Location: `${base}:${within.port}/` }).end(),
      );
      expect(await fault(`http://public.test:${first.port}/`)).toMatchObject({ fault: 'forbidden' });
      // Also where the first address may be anywhere: who answers there does not lead the node about.
      expect(await fault(`http://public.test:${first.port}/`, { reach: 'anywhere' })).toMatchObject({
        fault: 'forbidden',
      });
      expect(within.seen).toEqual([]);
    },
  );

  test('within one place are followed there', async () => {
    const within = await server(
      (request, response) =>
        request.url === '/' ? response.writeHead(301, { Location: '/new' }).end() : response.end('moved'),
      here,
    );
    const { body } = await get(`http://127.0.0.1:${within.port}/`, { reach: 'anywhere' });
    expect(body.toString()).toBe('moved');
  });

  test.each(['file:///etc/passwd', 'http://a:b@public.test/', 'http://['])(
    'are not followed to %s',
    async (Location) => {
      const { port } = await server((_, response) => response.writeHead(302, { Location }).end());
      expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'forbidden' });
    },
  );

  test('without end are not followed for ever', async () => {
    const { port, seen } = await server((_, response) => response.writeHead(302, { Location: '/again' }).end());
    expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'redirected' });
    expect(seen).toHaveLength(4);
  });

  test('of what was posted are refused, since it may have been taken', async () => {
    const { port, seen } = await server((_, response) => response.writeHead(308, { Location: '/there' }).end());
    expect(await fault(`http://public.test:${port}/`, { method: 'POST', body: 'x' })).toMatchObject({
      fault: 'redirected',
      sent: true,
    });
    expect(seen).toHaveLength(1);
  });
});

describe('what others do', () => {
  test('a name that is unknown, and nobody there', async () => {
    expect(await fault('http://unknown.test/')).toMatchObject({ fault: 'unreachable', sent: false });
    const { port } = await server(() => undefined);
    await opened.disposeAsync();
    opened = new AsyncDisposableStack();
    outbound = opened.use(new Outbound({ isPublic: () => true }));
    expect(await fault(`http://${internet}:${port}/`, { method: 'POST', body: 'x' })).toMatchObject({
      fault: 'unreachable',
      sent: false,
    });
  });

  test('a name server that says nothing', async () => {
    expect(await fault('http://silent.test/', { timeoutMs: 100 })).toMatchObject({ fault: 'timeout', sent: false });
  });

  test('a body without end', async () => {
    const { port } = await server((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'too_large', sent: true });
  });

  test('a body that is announced too long, or comes compressed, is taken as it comes', async () => {
    const { port } = await server((_, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end('x'.repeat(999)),
    );
    expect((await get(`http://public.test:${port}/`)).body.length).toBe(999);
  });

  test('headers that come slowly', async () => {
    const port = await socketServer((socket) => {
      const timer = setInterval(() => socket.write('X'), 20);
      socket.on('close', () => clearInterval(timer));
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
    });
    expect(await fault(`http://public.test:${port}/`, { timeoutMs: 200 })).toMatchObject({
      fault: 'timeout',
      sent: true,
    });
  });

  test('a body that comes slowly', async () => {
    const { port } = await server((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    expect(await fault(`http://public.test:${port}/`, { timeoutMs: 200 })).toMatchObject({
      fault: 'timeout',
      sent: true,
    });
  });

  test('nothing at all', async () => {
    const port = await socketServer(() => undefined);
    expect(await fault(`http://public.test:${port}/`, { timeoutMs: 200 })).toMatchObject({
      fault: 'timeout',
      sent: true,
    });
  });

  test('headers without end', async () => {
    const port = await socketServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 2000; i++) socket.write(`X-${i}: ${'x'.repeat(100)}\r\n`);
    });
    expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'broken', sent: true });
  });

  test.each(['SSH-2.0-OpenSSH\r\n', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nxx', ''])(
    '"%j" and an end',
    async (text) => {
      const port = await socketServer((socket) => socket.end(text));
      expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'broken', sent: true });
    },
  );

  test('an upgrade that nobody asked for', async () => {
    const port = await socketServer((socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
    );
    expect(await fault(`http://public.test:${port}/`)).toMatchObject({ fault: 'broken', sent: true });
  });

  test('a second answer, which nobody reads', async () => {
    const one = 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n';
    const port = await socketServer((socket) => socket.on('data', () => socket.write(`${one}a${one}b`)));
    for (let i = 0; i < 2; i++) expect((await get(`http://public.test:${port}/`)).body.toString()).toBe('a');
  });

  test('a request that is given up', async () => {
    const port = await socketServer(() => undefined);
    const asking = new AbortController();
    const answer = fault(`http://public.test:${port}/`, { signal: asking.signal });
    asking.abort();
    expect(await answer).toMatchObject({ fault: 'aborted' });
  });
});
