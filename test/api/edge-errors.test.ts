import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Request } from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AlreadyExistsError,
  BusyError,
  ConflictError,
  ForbiddenError,
  NotFoundError,
  StorageError,
  TooLargeError,
  UnauthorizedError,
  UnavailableError,
  UnreachableError,
  ValidationError,
} from '../../src/server/errors.ts';
import { maxBodyBytes, nestsDeeper } from '../../src/server/http/body.ts';
import { Controller } from '../../src/server/http/controller.ts';
import { type RouteTable, routesOf } from '../../src/server/http/routes.ts';
import { StoredJson } from '../../src/server/http/stored-json.ts';
import { reasonOf } from '../../src/server/resources/refusals.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

const failures: Record<string, () => unknown> = {
  validation: () => ValidationError.at(['relationships_add', 0, 'peer'], 'is wrong'),
  unauthorized: () => new UnauthorizedError(),
  forbidden: () => new ForbiddenError(),
  missing: () => new NotFoundError('Entity not found', { deleted: true }),
  conflict: () => new ConflictError('bafyold', 'bafynew'),
  exists: () => new AlreadyExistsError('It exists'),
  large: () => new TooLargeError('Too large'),
  busy: () => new BusyError(3),
  storage: () => new StorageError('The disk failed'),
  full: () => new StorageError('No room', true),
  unreachable: () => new UnreachableError('Failed to reach agent: timeout'),
  unavailable: () => new UnavailableError('Not configured'),
  fault: () => new TypeError('secret detail'),
  odd: () => 'not even an error',
};

const stored = '{"id":"A","text":"grüße","n":1.0}';

/** Endpoints as a resource would have them, over a controller that does what its path says. */
class ProbeController extends Controller {
  fail(kind: string): unknown {
    throw failures[kind]?.();
  }
  async failLater(kind: string): Promise<unknown> {
    throw failures[kind]?.();
  }
  text(): unknown {
    return StoredJson.as(stored);
  }
  bytes(): unknown {
    return StoredJson.as(new TextEncoder().encode(stored));
  }
  nothing(): void {}
  created(): unknown {
    this.setStatus(201);
    this.setHeader('Location', '/probe/1');
    return { made: true };
  }
  echo(id: string, limit: number, body: unknown): unknown {
    return { id, limit, body };
  }
  async upload(request: Request): Promise<unknown> {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    return { bytes, parsed: request.body !== undefined };
  }
}

const kind = { in: 'path', name: 'kind', required: true, dataType: 'string' };
const id = { in: 'path', name: 'id', required: true, dataType: 'string' };
const get = (path: string, action: string, parameters: RouteTable['routes'][number]['parameters'] = []) => ({
  controller: ProbeController,
  method: 'get',
  path,
  caller: 'anyone' as const,
  action,
  parameters,
});

const probe: RouteTable = {
  models: {
    Thing: {
      dataType: 'refObject',
      properties: { label: { dataType: 'string', required: true, validators: { minLength: { value: 1 } } } },
      additionalProperties: true,
    },
  },
  routes: [
    get('/probe/fail/:kind', 'fail', [kind]),
    get('/probe/later/:kind', 'failLater', [kind]),
    get('/probe/text', 'text'),
    get('/probe/bytes', 'bytes'),
    get('/probe/nothing', 'nothing'),
    get('/probe/created', 'created'),
    {
      ...get('/probe/:id', 'echo', [
        id,
        { in: 'query', name: 'limit', dataType: 'integer', default: 10, validators: { maximum: { value: 100 } } },
        { in: 'body', name: 'requestBody', required: true, ref: 'Thing' },
      ]),
      method: 'post',
    },
    { ...get('/files/:id/content', 'upload', [{ in: 'request', name: 'request', required: true }]), method: 'post' },
  ],
};

let node: TestNode;
beforeAll(async () => {
  node = await startNode({ extend: (app, ctx) => app.use(routesOf(probe, ctx, () => () => new ProbeController())) });
});
afterAll(() => node[Symbol.asyncDispose]());

describe('errors become answers', () => {
  const expected: [string, number, unknown][] = [
    [
      'validation',
      400,
      {
        error: 'Validation failed',
        details: { issues: [{ path: ['relationships_add', 0, 'peer'], message: 'is wrong' }] },
      },
    ],
    ['unauthorized', 401, { error: 'Unauthorized: Missing or invalid authentication token' }],
    ['forbidden', 403, { error: 'Forbidden: You do not have permission to perform this action' }],
    ['missing', 404, { error: 'Entity not found', details: { deleted: true } }],
    [
      'conflict',
      409,
      { error: 'Conflict: entity was modified', details: { expected: 'bafyold', actual: 'bafynew' }, status: 409 },
    ],
    ['exists', 409, { error: 'It exists' }],
    ['large', 413, { error: 'Too large' }],
    ['busy', 503, { error: 'Service unavailable', details: { service: 'store', reason: expect.any(String) } }],
    ['storage', 503, { error: 'Service unavailable', details: { service: 'store', reason: 'The disk failed' } }],
    ['full', 507, { error: 'Insufficient storage', details: { service: 'store', reason: 'No room' } }],
    ['unreachable', 502, { error: 'Failed to reach agent: timeout' }],
    ['unavailable', 503, { error: 'Not configured' }],
    ['fault', 500, { error: 'Internal server error' }],
    ['odd', 500, { error: 'Internal server error' }],
  ];

  test.each(expected)('%s: %i, thrown or rejected', async (name, status, body) => {
    for (const path of [`/probe/fail/${name}`, `/probe/later/${name}`]) {
      const answer = await node.fetch(path);
      expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json; charset=utf-8' } });
      expect(answer.body).toEqual(body);
    }
  });

  test('busy says when to come again; a fault is logged with its stack, and only there', async () => {
    expect((await node.fetch('/probe/fail/busy')).headers['retry-after']).toBe('3');
    const before = node.logged.length;
    expect((await node.fetch('/probe/fail/fault')).text).not.toContain('secret detail');
    expect(node.logged.slice(before).join('')).toMatch(/secret detail.*edge-errors/);
  });
});

describe('answers', () => {
  test.each(['/probe/text', '/probe/bytes'])('%s is sent byte for byte, without an etag', async (path) => {
    const answer = await node.fetch(path);
    expect(answer).toMatchObject({ status: 200, text: stored });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(stored)),
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('etag');
    expect(answer.headers).not.toHaveProperty('x-powered-by');
  });

  test('HEAD has the headers alone, nothing is 204, a status and headers can be set', async () => {
    expect(await node.fetch('/probe/text', { method: 'HEAD' })).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-length': '35' },
    });
    expect(await node.fetch('/probe/nothing')).toMatchObject({ status: 204, text: '' });
    expect(await node.fetch('/probe/created')).toMatchObject({
      status: 201,
      body: { made: true },
      headers: { location: '/probe/1' },
    });
  });

  test('unknown paths and methods are 404 with a JSON body', async () => {
    for (const path of ['/nothing', '/probe', '/health/more', '/constructor', '/__proto__', '//', '/HEALTH'])
      expect(await node.fetch(path)).toMatchObject({ status: 404, body: { error: 'Not found' } });
    expect(await node.fetch('/health', { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: { error: 'Not found' },
    });
  });
});

describe('requests', () => {
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    node.fetch(path, { method: 'POST', body, headers });
  const json = { 'Content-Type': 'application/json' };
  const issues = (path: (string | number)[], message: unknown = expect.any(String)) => ({
    status: 400,
    body: { error: 'Validation failed', details: { issues: [{ path, message }] } },
  });

  test('body, query and path are checked together, and issues say where', async () => {
    expect(await post('/probe/a%20b?limit=5', { label: 'x', other: [1] })).toMatchObject({
      status: 200,
      body: { id: 'a b', limit: 5, body: { label: 'x', other: [1] } },
    });
    expect(await post('/probe/a?limit=1000', { label: '' })).toMatchObject({
      status: 400,
      body: {
        details: {
          issues: [
            { path: ['limit'], message: 'must be at most 100' },
            { path: ['label'], message: 'must have at least 1 character' },
          ],
        },
      },
    });
    expect(await post('/probe/a?limit=1&limit=2', { label: 'x' })).toMatchObject(
      issues(['limit'], 'must be an integer'),
    );
    expect(await post('/probe/a', undefined, json)).toMatchObject(issues(['label'], 'is required'));
    expect(await post('/probe/a', 'label=x', { 'Content-Type': 'text/plain' })).toMatchObject(
      issues([], 'the body must be JSON, sent with Content-Type: application/json'),
    );
    for (const type of [json, { 'Content-Type': 'text/plain' }, {}])
      expect(await post('/probe/a', undefined, type)).toMatchObject(issues(['label'], 'is required'));
  });

  test('a body without a type is JSON, and a GET may name a type without a body', async () => {
    expect(await post('/probe/a', '{"label":"x"}')).toMatchObject({ status: 200 });
    expect(await node.fetch('/health', { headers: json })).toMatchObject({ status: 200 });
  });

  test.each<[string, string | Uint8Array, Record<string, string>]>([
    ['half a document', '{"label":', {}],
    ['a bare word', 'null', {}],
    ['bytes that are no UTF-8', Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), {}],
    ['too much nesting', `{"label":"x","a":${'['.repeat(5000)}${']'.repeat(5000)}}`, {}],
    ['nesting behind a quote', `{"label":"\\"[","a":${'['.repeat(5000)}${']'.repeat(5000)}}`, {}],
  ])('%s is 400', async (_name, body, headers) => {
    expect(await post('/probe/a', body, { ...json, ...headers })).toMatchObject(issues([]));
  });

  test('of a body in another encoding than it says, that is what is said', async () => {
    for (const encoding of ['gzip', 'deflate', 'br', 'zstd'])
      expect(await post('/probe/a', '{"label":"x"}', { ...json, 'Content-Encoding': encoding })).toMatchObject(
        issues([], 'the body is not what its Content-Encoding says'),
      );
  });

  test('an unknown encoding or character set is 415', async () => {
    const { status, body } = await post('/probe/a', '{}', { ...json, 'Content-Encoding': 'lzma' });
    expect({ status, body }).toEqual({
      status: 415,
      body: { error: expect.stringMatching(/^Unsupported Media Type: send/) },
    });
    for (const [charset, status] of [
      ['latin1', 415],
      ['utf-16', 415],
      ['UTF-8', 200],
      ['"utf-8"', 200],
      ['utf8', 200],
      ['UTF8', 200],
      ['utf-80', 415],
    ] as const)
      expect(
        await post('/probe/a', '{"label":"x"}', { 'Content-Type': `application/json; charset=${charset}` }),
      ).toMatchObject({ status });
  });

  test('more than 32 MiB is 413, announced or not, packed or not', async () => {
    const large = `{"label":"${'x'.repeat(maxBodyBytes)}"}`;
    const tooLarge = { status: 413, body: { error: expect.stringContaining('32 MiB') } };
    expect(await post('/probe/a', large, json)).toMatchObject(tooLarge);
    expect(await post('/probe/a', gzipSync(large), { ...json, 'Content-Encoding': 'gzip' })).toMatchObject(tooLarge);
  });

  test('file content reaches its controller unparsed, whatever its type', async () => {
    expect(await post('/files/a/content?key=v1', '{"a":', json)).toMatchObject({
      status: 200,
      body: { bytes: 5, parsed: false },
    });
  });

  test('a bad percent-encoding is 400', async () => {
    expect(await post('/probe/%E0%A4%A', { label: 'x' })).toMatchObject(issues([]));
    expect(await node.fetch('/probe/fail/%')).toMatchObject(issues([]));
    expect(await node.fetch('/events?x=K%E4the')).toMatchObject(issues([]));
    expect(await node.fetch('/events?limit=1&x=50%')).toMatchObject({ status: 200 });
    expect(await rawAnswer('GET /events?limit=é HTTP/1.1\r\nHost: localhost\r\n\r\n')).toContain('percent-encoded');
  });

  test('credentials are 401 while nobody is known, but not on open paths', async () => {
    const headers = { Authorization: 'Bearer x' };
    expect(await node.fetch('/probe/text', { headers })).toMatchObject({
      status: 401,
      body: { error: expect.stringMatching(/^Unauthorized/) },
    });
    expect(await node.fetch('/health', { headers })).toMatchObject({ status: 200 });
    expect(await node.fetch('/probe/text', { headers: { 'X-Arke-Network': 'moon' } })).toMatchObject({ status: 400 });
    expect(await node.fetch('/probe/text', { headers: { 'X-Arke-Network': 'test' } })).toMatchObject({ status: 200 });
  });

  test.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['an absolute address', 'GET http://localhost/health HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    ['HTTP/1.0 without Host', 'GET /health HTTP/1.0\r\n\r\n'],
    [
      'two lengths',
      'POST /probe/a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['an endless path', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`],
  ])('%s gets a 4xx, and the node lives', async (_name, bytes) => {
    const answer = await rawAnswer(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(answer).toMatch(/\r\n\r\n\{"error":"[^"]+"/);
    expect(await node.fetch('/health')).toMatchObject({ status: 200 });
  });

  test('a client that leaves in the middle of a body leaves no fault', async () => {
    const before = node.logged.length;
    const { hostname, port } = new URL(node.url);
    const socket = connect(Number(port), hostname);
    const head = `POST /probe/a HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    await new Promise((resolve) => socket.write(head, resolve));
    await node.fetch('/health');
    socket.destroy();
    await node.fetch('/health');
    expect(node.logged.slice(before).filter((line) => line.includes('"level":50'))).toEqual([]);
  });

  test('a large body that is refused unread still gets its answer', async () => {
    const body = new Uint8Array(20_000_000);
    const headers = { Authorization: 'Bearer x', 'Content-Type': 'application/octet-stream' };
    expect(await post('/files/a/content', body, headers)).toMatchObject({ status: 401 });
    expect(await post('/nothing', body, { 'Content-Type': 'application/octet-stream' })).toMatchObject({ status: 404 });
  });

  test('an expectation that is not known is 417', async () => {
    expect(await post('/probe/a', { label: 'x' }, { Expect: 'wonders' })).toMatchObject({
      status: 417,
      body: { error: 'Expectation failed' },
    });
  });

  test('nesting is counted outside of strings', () => {
    const deeper = (text: string, limit: number) => nestsDeeper(new TextEncoder().encode(text), limit);
    expect(deeper('[[[]]]', 2)).toBe(true);
    expect(deeper('[[[]]]', 3)).toBe(false);
    expect(deeper('{"a":"[[[[","b":"\\"[[["}', 1)).toBe(false);
    expect(deeper('["\\\\",[[]]]', 2)).toBe(true);
    expect(deeper('["open', 1)).toBe(false);
  });
});

/** What the node answers to these bytes, until it closes the connection or the answer is whole. */
function rawAnswer(bytes: string): Promise<string> {
  const { hostname, port } = new URL(node.url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.endsWith('}')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(text));
  });
}

test('what is told of a refusal within an answer is its reason, where its message is a heading alone', () => {
  expect(reasonOf(NotFoundError.of('There is no such job'))).toBe('There is no such job');
  const reason = 'The system gives the node no more threads.';
  expect(reasonOf(new UnavailableError('Service unavailable', { service: 'threads', reason }))).toBe(reason);
});
