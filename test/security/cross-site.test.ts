import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { put } from '../helpers/files.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { browserThere, openBrowser } from '../ui/chromium.ts';

// What a page of somebody else's can do to the node on the same machine, in a real browser in which the operator is signed
// in. The session's cookie is SameSite=Strict, but a page that another program of this machine serves is of the same site.

interface Arrived {
  method: string;
  path: string;
  status: number;
  cookie: boolean;
}

describe.skipIf(!browserThere)('a page of somebody else', { timeout: 120_000 }, () => {
  let browser: Browser;
  let node: TestNode;
  let arrived: Arrived[];
  let theirs: Theirs;
  let context: BrowserContext;
  /** To open a window takes more than most tests do in it: they go on in this one, and what they open beside it is closed. */
  let page: Page;

  beforeAll(async () => {
    arrived = [];
    browser = await openBrowser(['--host-resolver-rules=MAP *.test 127.0.0.1']);
    context = await browser.newContext();
    page = await context.newPage();
    node = await startNode();
    theirs = await serveTheirs();
    subscribe('http.server.response.finish', noteAnswer);
  });
  afterAll(async () => {
    unsubscribe('http.server.response.finish', noteAnswer);
    await browser?.close();
    await theirs?.[Symbol.asyncDispose]();
    await node?.[Symbol.asyncDispose]();
  });

  /** As Node itself tells of every answer of every server, also of those that were refused before the node's own code. */
  const noteAnswer = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const { method = '', url: path = '', headers, socket } = request;
    if (String(socket.localPort) !== new URL(node.url).port) return;
    if (headers['user-agent'] === undefined) return;
    arrived.push({ method, path, status: response.statusCode, cookie: headers.cookie !== undefined });
  };

  beforeEach(async () => {
    await context.clearCookies();
    await context.addCookies([await session()]);
    arrived = [];
  });
  afterEach(async () => {
    for (const other of context.pages()) if (other !== page) await other.close();
  });

  /** The cookie of a session of the operator, as the browser keeps it that has signed in. */
  async function session() {
    const token = new URL(node.ctx.sessions.issueLink(node.url).url).hash.slice('#token='.length);
    const answer = await fetch(`${node.url}/node/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: node.url },
      body: JSON.stringify({ token }),
    });
    const [pair = '', ...attributes] = (answer.headers.getSetCookie()[0] ?? '').split('; ');
    expect(attributes).toEqual(expect.arrayContaining(['SameSite=Strict', 'HttpOnly']));
    const [name = '', value = ''] = pair.split('=');
    return { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' as const };
  }

  /** A page of the node itself. */
  async function ownPage(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`${node.url}/health`);
    return page;
  }

  const collections = async () =>
    ok<{ data: unknown[] }>(await ask(node, operator(node), 'GET /collections/catalog')).data.length;

  test('is what the node’s own page is not: that one reads and writes', async () => {
    const before = await collections();
    const own = await ownPage();
    expect(await own.evaluate(requested('/node/status'))).toBe(200);
    expect(await own.evaluate(requested('/collections', 'POST', { label: 'of its own' }))).toBe(201);
    expect(await collections()).toBe(before + 1);
  });

  describe.each([
    ['on another port of this machine', '127.0.0.1', true],
    ['of another site', 'evil.test', false],
  ])('%s', (_name, host, sameSite) => {
    let before: number;
    beforeEach(async () => {
      await page.goto(`http://${host}:${theirs.port}/`);
      before = await collections();
      arrived = [];
    });
    // Whatever it tried: nothing was written, and what was sent with the cookie was refused or could not be read.
    afterEach(async () => {
      expect(await collections()).toBe(before);
      expect(
        arrived.filter(({ method, status }) => !['GET', 'HEAD', 'OPTIONS'].includes(method) && status < 400),
      ).toEqual([]);
      if (!sameSite) expect(arrived.filter(({ cookie }) => cookie)).toEqual([]);
    });

    test.each(['include', 'omit'])('reads nothing (credentials: %s)', async (credentials) => {
      for (const path of ['/node/status', '/auth/whoami', '/users/me/keys', '/events', '/health', '/openapi.json']) {
        const read = `fetch('${node.url}${path}', { credentials: '${credentials}' }).then((it) => it.text(), () => 'nothing')`;
        expect(await page.evaluate(read), path).toBe('nothing');
        const opaque = `fetch('${node.url}${path}', { credentials: '${credentials}', mode: 'no-cors' }).then((it) => it.text(), () => '')`;
        expect(await page.evaluate(opaque), path).toBe('');
      }
      expect(arrived.length).toBeGreaterThan(0);
      if (sameSite && credentials === 'include') expect(arrived.some(({ cookie }) => cookie)).toBe(true);
    });

    test('writes nothing that needs the browser’s question first, which is answered with no', async () => {
      for (const [method, path] of [
        ['POST', '/collections'],
        ['PUT', '/collections/x'],
        ['DELETE', '/node/session'],
        ['PATCH', '/x'],
      ])
        expect(await page.evaluate(requested(`${node.url}${path}`, method, { label: 'theirs' }, 'include'))).toBe(
          'nothing',
        );
      expect(new Set(arrived.map(({ method }) => method))).toEqual(new Set(['OPTIONS']));
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', null])(
      'writes nothing by a request that needs no question (%s)',
      async (type) => {
        const headers = type === null ? '{}' : `{ 'Content-Type': '${type}' }`;
        const body = type === null ? `new Blob(['{"label":"theirs"}'])` : `'{"label":"theirs"}'`;
        await page.evaluate(
          `fetch('${node.url}/collections', { method: 'POST', mode: 'no-cors', credentials: 'include', headers: ${headers}, body: ${body} }).catch(() => 'the answer is kept from it')`,
        );
        expect(arrived).toEqual([{ method: 'POST', path: '/collections', status: 403, cookie: sameSite }]);
      },
    );

    test('writes nothing by a beacon', async () => {
      await page.evaluate(`navigator.sendBeacon('${node.url}/collections', new Blob(['{"label":"theirs"}']))`);
      await expect.poll(() => arrived).toMatchObject([{ method: 'POST', status: 403 }]);
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded'])('writes nothing by a form (%s)', async (enctype) => {
      await page.evaluate(`
        const form = document.createElement('form');
        Object.assign(form, { action: '${node.url}/collections', method: 'POST', enctype: '${enctype}' });
        const input = document.createElement('input');
        Object.assign(input, { name: '{"label":"theirs","x":"', value: '"}' });
        form.append(input);
        document.body.append(form);
        form.submit();`);
      await expect.poll(() => arrived.filter(({ method }) => method === 'POST')).toMatchObject([{ status: 403 }]);
      // Only there can it be sent elsewhere.
      await page.waitForURL(`${node.url}/collections`);
    });

    test('writes nothing from a sandbox without an origin', async () => {
      await page.evaluate(`
        const frame = document.createElement('iframe');
        frame.sandbox = 'allow-scripts';
        frame.srcdoc = \`<script>fetch('${node.url}/collections', { method: 'POST', mode: 'no-cors', body: '{"label":"theirs"}' })</script>\`;
        document.body.append(frame);`);
      await expect.poll(() => arrived).toMatchObject([{ method: 'POST', status: 403 }]);
    });

    test('gives the browser no session of its own choice', async () => {
      const token = new URL(node.ctx.sessions.issueLink(node.url).url).hash.slice('#token='.length);
      await page.evaluate(
        `fetch('${node.url}/node/session', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"token":"${token}"}' }).catch(() => '')`,
      );
      expect(arrived).toMatchObject([{ status: 403, cookie: sameSite }]);
      expect(await (await ownPage()).evaluate(requested('/node/status'))).toBe(200);
      arrived = [];
    });

    test.each([
      ['an image', `Object.assign(new Image(), { src: URL })`],
      ['a script', `Object.assign(document.createElement('script'), { src: URL })`],
      ['a style', `Object.assign(document.createElement('link'), { rel: 'stylesheet', href: URL })`],
      ['a sound', `Object.assign(new Audio(), { src: URL })`],
    ])('loads nothing as %s', async (_name, element) => {
      const stored = await create(node, operator(node));
      await put(node, operator(node), stored.id, 'k', 'globalThis.stolen = true');
      for (const path of ['/node/status', '/openapi.json', '/auth/whoami', `/entities/${stored.id}/content?key=k`]) {
        const loaded = await page.evaluate(`new Promise((resolve) => {
          const element = ${element.replace('URL', `'${node.url}${path}'`)};
          element.onload = element.oncanplay = () => resolve('loaded');
          element.onerror = () => resolve('refused');
          document.body.append(element);
        })`);
        expect(loaded, path).toBe('refused');
      }
      expect(await page.evaluate('globalThis.stolen')).toBeUndefined();
    });

    test('shows no page of the node in a frame', async () => {
      for (const path of ['/docs', '/ui/']) {
        await page.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: '${node.url}${path}' }))`,
        );
        await expect.poll(() => arrived.some((one) => one.path === path)).toBe(true);
      }
      const frames = page.frames().filter((frame) => frame !== page.mainFrame());
      for (const frame of frames)
        expect(await frame.evaluate('document.title').catch(() => '')).not.toMatch(/Archeion/);
    });

    test('follows no events, and opens no socket', async () => {
      const stream = `new Promise((resolve) => {
        const events = new EventSource('${node.url}/node/events/stream', { withCredentials: true });
        events.onmessage = events.onopen = () => resolve('open');
        events.onerror = () => { events.close(); resolve('refused'); };
      })`;
      expect(await page.evaluate(stream)).toBe('refused');
      const socket = `new Promise((resolve) => {
        const socket = new WebSocket('${node.url.replace('http', 'ws')}/events');
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('refused');
      })`;
      expect(await page.evaluate(socket)).toBe('refused');
    });

    test('holds no window of the node that it has opened', async () => {
      const opened = context.waitForEvent('page');
      await page.evaluate(`globalThis.theirs = window.open('${node.url}/docs')`);
      const window = await opened;
      await window.waitForLoadState();
      expect(await window.evaluate('window.opener')).toBeNull();
      expect(await page.evaluate('theirs.closed')).toBe(true);
    });
  });

  test('whose name was made to mean this machine is answered nothing but that', async () => {
    const { port } = new URL(node.url);
    const page = await context.newPage();
    const address = `http://rebound.test:${port}`;
    // Whatever came from there before, when the name still meant their server: its scripts have this origin.
    await page.goto(`${address}/start`);
    arrived = [];
    for (const path of ['/node/status', '/health', '/events', '/docs', '/ui/', '/entities/x'])
      expect(await page.evaluate(requested(path, 'GET', undefined, 'include')), path).toBe(403);
    expect(await page.evaluate(requested('/collections', 'POST', { label: 'theirs' }, 'include'))).toBe(403);
    const text = (await page.evaluate(`fetch('/node/status').then((it) => it.text())`)) as string;
    expect(JSON.parse(text)).toEqual({ error: expect.stringContaining('does not answer to that Host name') });
    expect(arrived.filter(({ cookie, status }) => cookie || status !== 403)).toEqual([]);
  });

  test('stored as a file runs nothing when it is opened', async () => {
    const script = `<script>document.title = 'ran'; fetch('/node/status').then(() => (document.title = 'reached'))</script>`;
    const page = await context.newPage();
    for (const [name, type, bytes] of [
      ['a.html', 'text/html', script],
      [
        'a.svg',
        'image/svg+xml',
        `<svg xmlns="http://www.w3.org/2000/svg"><script>fetch('/node/status')</script></svg>`,
      ],
      [
        'a.xml',
        'application/xhtml+xml',
        `<html xmlns="http://www.w3.org/1999/xhtml"><script>fetch('/node/status')</script></html>`,
      ],
    ] as const) {
      const stored = await create(node, operator(node));
      const path = `/entities/${stored.id}/content?key=k&filename=${name}`;
      ok(await ask(node, operator(node), `POST ${path}`, Buffer.from(bytes), { 'Content-Type': type }));
      // It would run: it does where it is shown.
      theirs.shown = { type, bytes };
      theirs.asked.length = 0;
      const other = await context.newPage();
      await other.goto(`http://127.0.0.1:${theirs.port}/`);
      await expect.poll(() => theirs.asked, { message: name }).toContain('/node/status');
      await other.close();
      arrived = [];
      const opened = `/entities/${stored.id}/content?key=k`;
      // What the browser saves instead of showing it is no page that it has come to.
      await page.goto(node.url + opened).catch(() => undefined);
      await expect
        .poll(() => arrived, { message: name })
        .toContainEqual(expect.objectContaining({ path: opened, status: 200 }));
      // What it had asked for would have come before what the next page asks for.
      await (await ownPage()).close();
      expect(await page.title()).not.toMatch(/ran|reached/);
      expect(arrived.filter((one) => one.path === '/node/status')).toEqual([]);
    }
  });

  test('in the public network is told that it may not go on into this one', async () => {
    const asked = {
      Origin: 'https://evil.test',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Private-Network': 'true',
    };
    const { status, headers } = await node.fetch('/node/status', { method: 'OPTIONS', headers: asked });
    expect(status).toBe(204);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

/** A request as the script of a page, which gives its status, or `nothing` where the browser does not let it see one. */
function requested(url: string, method = 'GET', body?: object, credentials = 'same-origin'): string {
  const sent = body ? `, headers: { 'Content-Type': 'application/json' }, body: '${JSON.stringify(body)}'` : '';
  return `fetch('${url}', { method: '${method}', credentials: '${credentials}'${sent} }).then((it) => it.status, () => 'nothing')`;
}

/** A server of somebody else's on this machine: `shown` is its answer to everything, and `asked` the paths that it was asked for. */
interface Theirs extends AsyncDisposable {
  port: number;
  shown: { type: string; bytes: string };
  asked: string[];
}

async function serveTheirs(): Promise<Theirs> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'Content-Type': theirs.shown.type }).end(theirs.shown.bytes);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const theirs: Theirs = {
    port: (server.address() as AddressInfo).port,
    shown: { type: 'text/html', bytes: '<body>theirs</body>' },
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return theirs;
}
