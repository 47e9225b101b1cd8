import { platform } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForbiddenError } from '../../src/server/errors.ts';
import { admit, isLoopbackHost, isOwnHost, isOwnOrigin } from '../../src/server/http/host.ts';
import { commandLine } from '../helpers/command-line.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

describe('names of the node', () => {
  const own = { port: 4747, allowed: ['node.example', 'proxy.example:8443'] };

  test.each([
    ['localhost:4747', true],
    ['LOCALHOST:4747', true],
    ['127.0.0.1:4747', true],
    ['[::1]:4747', true],
    ['node.example', true],
    ['node.example:99', true],
    ['proxy.example:8443', true],
    ['proxy.example:8444', false],
    ['proxy.example', false],
    ['localhost', false],
    ['localhost:4748', false],
    ['127.0.0.2:4747', true],
    ['127.0.0.2:4748', false],
    ['127.evil.example:4747', false],
    ['evil.example:4747', false],
    ['localhost.evil.example:4747', false],
    ['localhost:4747@evil.example', false],
    ['localhost:4747:4747', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (host, expected) => {
    expect(isOwnHost(host, own)).toBe(expected);
  });

  test.each([
    ['localhost:4747', true],
    ['127.0.0.2:4747', true],
    ['[::1]:4747', true],
    ['node.example', false],
    ['127.example:4747', false],
    ['10.0.0.1:4747', false],
    [undefined, false],
  ])('%s is of this machine: %s', (host, expected) => {
    expect(isLoopbackHost(host)).toBe(expected);
  });

  test('port 80 may be left out', () => {
    expect(isOwnHost('localhost', { port: 80, allowed: [] })).toBe(true);
  });

  test.each([
    ['http://localhost:4747', 'localhost:4747', true],
    ['http://LOCALHOST:4747', 'localhost:4747', true],
    ['https://localhost:4747', 'localhost:4747', false],
    ['https://node.example', 'node.example', true],
    ['http://127.0.0.1:4747', 'localhost:4747', false],
    ['http://localhost:5173', 'localhost:4747', false],
    ['null', 'localhost:4747', false],
    ['http://localhost:4747.evil.example', 'localhost:4747', false],
  ])('origin %s at %s: %s', (origin, host, expected) => {
    expect(isOwnOrigin(origin, host)).toBe(expected);
  });

  test('reads may come from anywhere, writes may not', () => {
    const from = (method: string) => () =>
      admit({ method, host: 'localhost:4747', origin: 'https://evil.example' }, own);
    for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(from(method)).not.toThrow();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'get']) expect(from(method)).toThrow(ForbiddenError);
  });
});

describe('over the wire', () => {
  let node: TestNode;
  beforeAll(async () => {
    node = await startNode({ env: { ARCHEION_ALLOWED_HOSTS: 'node.example, other.example:81' } });
  });
  afterAll(() => node[Symbol.asyncDispose]());

  const health = (headers: Record<string, string>, method = 'GET') => node.fetch('/health', { method, headers });

  test('its own names are answered, others are 403 with a JSON body', async () => {
    const { port } = new URL(node.url);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'node.example', 'other.example:81'])
      expect(await health({ Host: host })).toMatchObject({ status: 200 });
    for (const host of ['localhost:1', 'evil.example', `evil.example:${port}`])
      expect(await health({ Host: host })).toMatchObject({
        status: 403,
        body: { error: expect.stringMatching(/^Forbidden: /) },
      });
  });

  // The same address as 127.0.0.1, under none of the names that every node has.
  test.each(['::ffff:127.0.0.1', ...(platform === 'linux' ? ['127.0.0.2'] : [])])(
    'a node answers at the address that it names: %s',
    async (host) => {
      const env = { ARCHEION_HOST: host, ARCHEION_PUBLIC_URL: 'https://archive.example.org' };
      await using other = await startNode({ env });
      expect((await fetch(`${other.url}/health`)).status).toBe(200);
      const { code, out } = await commandLine(other.data, ['status', '--json']);
      expect([code, JSON.parse(out)]).toMatchObject([0, { running: true }]);
      await expect(startNode({ data: other.data })).rejects.toThrow(/Another process uses/);
    },
  );

  test('a write of another origin is 403, one of its own passes', async () => {
    const { host } = new URL(node.url);
    const write = (origin: string) => node.fetch('/nothing', { method: 'POST', headers: { Origin: origin } });
    expect((await write('https://evil.example')).status).toBe(403);
    expect((await write('null')).status).toBe(403);
    expect((await write(`http://${host}`)).status).toBe(404);
  });

  test('no answer carries a CORS header, a preflight neither', async () => {
    const asked = { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'PUT' };
    const answers = [
      await health(asked),
      await health(asked, 'OPTIONS'),
      await node.fetch('/nothing', { headers: asked }),
    ];
    for (const { headers } of answers)
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(answers[1]).toMatchObject({ status: 204, text: '' });
  });
});
