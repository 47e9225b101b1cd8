import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Outbound } from '../../src/server/jobs/outbound.ts';
import { publicLookup } from '../../src/server/sync/public-lookup.ts';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { kladosBody } from '../helpers/processors.ts';
import { readTree } from '../helpers/source-tree.ts';

// Requests that the node makes on somebody's word. How the one door to processors decides is in test/jobs/outbound.test.ts,
// which addresses are public in test/model/addresses.test.ts; here is that there is no other door, and that it is shut to
// whoever asks over HTTP.

test('requests leave the program in these files alone', () => {
  const leaves =
    /\bfrom 'undici'|import\('undici'\)|\bfetch\(|node:(?:https|tls)'|\bhttp\.request\(|createRemoteJWKSet|\brequest as httpRequest\b/;
  const found = readTree(new URL('../../src/server/', import.meta.url)).filter(({ code }) =>
    leaves.test(code.replaceAll(/\.fetch\(|#fetch\(|^\s*(?:async function )?fetch\(.*[{;]$/gm, '')),
  );
  expect(found.map(({ path }) => path)).toEqual([
    // Where the operator has said: a model, the program's own node, a remote, keys of the identity provider.
    'chat/model-endpoint.ts',
    'commands/parts/client.ts',
    'http/jwt.ts',
    // On the word of others: only what jobs/outbound.ts lets through.
    'jobs/checked-agent.ts',
    'jobs/outbound.ts',
    // The program's own node, whether it runs; the models and remotes of the operator.
    'node-file.ts',
    'search/embed-thread.ts',
    'sync/connection.ts',
    'sync/remote.ts',
  ]);
});

describe('a klados of somebody', () => {
  let node: TestNode;
  let inner: { port: number; close: () => void };
  let reached: string[];
  let stranger: Person;
  let home: Entity;
  beforeAll(async () => {
    reached = [];
    const server = createServer((request, response) => {
      reached.push(`${request.method} ${request.url}`);
      response.end('{}');
    });
    server.listen(0, '0.0.0.0');
    await once(server, 'listening');
    inner = { port: (server.address() as AddressInfo).port, close: () => void server.close() };
    node = await startNode();
    stranger = await user(node, 'stranger');
    home = await collection(node, stranger);
  });
  afterAll(async () => {
    inner?.close();
    await node?.[Symbol.asyncDispose]();
  });

  test.each([
    ...['127.0.0.1', '127.1', '127.0.0.01', '2130706433', '0x7f.1', '0x7f000001', '017700000001', '0177.0.0.1'],
    ...['0.0.0.0', '0', 'localhost', 'LOCALHOST', 'localhost.', '[::1]', '[::]', '[0:0:0:0:0:0:0:1]'],
    ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '[fd00::1]',
      '[fe80::1]',
      '100.64.0.1',
      '①②⑦.⓪.⓪.①',
    ],
  ])('at %s is not asked', async (host) => {
    const endpoint = `http://${host}:${inner.port}/`;
    const made = await ask(node, stranger, 'POST /kladoi', { ...kladosBody(home.id), endpoint });
    // Some of these are refused as addresses, all others when they are to be reached.
    if (made.status === 400) return;
    const { id } = ok<Entity>(made);
    ok(await ask(node, stranger, `POST /kladoi/${id}/verify`));
    const answer = await ask(node, stranger, `POST /kladoi/${id}/verify?confirm=true`, { confirm: true });
    expect(JSON.stringify(answer.body), answer.text).toMatch(
      /address of this machine or of a private network|"verified":false/,
    );
    expect(reached).toEqual([]);
  });

  test('of the operator is: the door is what shuts it out, not the machine', async () => {
    const own = await collection(node, operator(node));
    const endpoint = `http://127.0.0.1:${inner.port}/`;
    const { id } = ok<Entity>(await ask(node, operator(node), 'POST /kladoi', { ...kladosBody(own.id), endpoint }));
    ok(await ask(node, operator(node), `POST /kladoi/${id}/verify`));
    await ask(node, operator(node), `POST /kladoi/${id}/verify`, { confirm: true });
    expect(reached.length).toBeGreaterThan(0);
  });
});

test('a name that means another address each time it is asked for gains nothing by it', async () => {
  let asked = 0;
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('within');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // First what may be reached (and does not answer), then this machine.
  const addresses = ['192.0.2.1', '127.0.0.1'];
  await using outbound = new Outbound({
    isPublic: (address) => address === '192.0.2.1',
    resolve: async () => [{ address: addresses[Math.min(asked++, 1)] ?? '', family: 4 }],
  });
  const wanted = { url: `http://rebound.test:${port}/`, method: 'GET', reach: 'public', maxBytes: 1000 } as const;
  await expect(outbound.request({ ...wanted, timeoutMs: 200 })).rejects.toMatchObject({ sent: false });
  await expect(outbound.request({ ...wanted, timeoutMs: 5000 })).rejects.toMatchObject({
    fault: 'forbidden',
    sent: false,
  });
  expect(asked).toBe(2);
  expect(seen).toEqual([]);
  server.close();
});

describe('where a remote has bytes sent to', () => {
  const found = (addresses: string[]): Parameters<LookupFunction>[2] | unknown =>
    new Promise((done) => {
      const resolve = ((_host: string, _options: object, answer: (error: null, all: object[]) => void) =>
        answer(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )) as unknown as typeof lookup;
      publicLookup(resolve)('storage.example', { all: true }, (error, all) => done(error?.message ?? all));
    });

  test('is none of the private addresses that its name may mean', async () => {
    expect(await found(['127.0.0.1', '10.0.0.1'])).toBe(
      'storage.example is an address of this machine or of a private network',
    );
    expect(await found(['127.0.0.1', '93.184.215.14'])).toEqual([{ address: '93.184.215.14', family: 4 }]);
  });

  test('a real name of this machine is refused', async () => {
    const answer = await new Promise((done) => publicLookup()('localhost', {}, (error) => done(error?.message)));
    expect(answer).toBe('localhost is an address of this machine or of a private network');
  });
});
