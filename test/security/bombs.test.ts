import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as dagCbor from '@ipld/dag-cbor';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { CID } from 'multiformats/cid';
import { create as digestOf } from 'multiformats/hashes/digest';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ZipFile } from 'yazl';
import { anonymous, ask, operator, type Person } from '../helpers/callers.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { create, exported, lastLine, operate } from '../helpers/node-archives.ts';

// What is small on the wire and large, deep or many when it is taken up.

let node: TestNode;
let car: Buffer;
beforeAll(async () => {
  node = await startNode({ writer: 'thread' });
  await create(node, 'one');
  car = Buffer.from((await exported(node)).car);
});
afterAll(() => node[Symbol.asyncDispose]());

/** Nothing came of it, and the node goes on. */
async function unharmed(): Promise<void> {
  expect(await ask(node, operator(node), 'GET /node/status')).toMatchObject({ status: 200 });
  expect(await ask(node, operator(node), 'GET /collections/catalog')).toMatchObject({ status: 200 });
}

test('large bodies without credentials are taken in up to a bound, and keep nobody else out', async () => {
  const { hostname, port } = new URL(node.url);
  const began = (headers: string) =>
    new Promise<Socket>((resolve) => {
      const head = `POST /entities HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${headers}\r\n\r\n`;
      const socket: Socket = connect(Number(port), hostname, () => socket.write(head, () => resolve(socket)));
    });
  const text = 'x'.repeat(100 * 1024);
  const asked = (who: Person) => ask(node, who, 'POST /entities', { type: 'document', properties: { text } });
  expect((await asked(anonymous)).status).toBe(401);
  const open = await Promise.all([began(`Content-Length: ${32 * 2 ** 20}`), began('Transfer-Encoding: chunked')]);
  await vi.waitFor(
    async () => expect(await asked(anonymous)).toMatchObject({ status: 503, headers: { 'retry-after': '10' } }),
    30_000,
  );
  expect((await asked(operator(node))).status).toBe(201);
  expect((await ask(node, anonymous, 'POST /search/entities', { query: 'x' })).status).toBe(401);
  for (const socket of open) socket.destroy();
  await vi.waitFor(async () => expect((await asked(anonymous)).status).toBe(401), 30_000);
});

test('those whose client has left while its token was looked at are not counted', async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256' }] });
  const held: ServerResponse[] = [];
  const provider = createServer((_request, response) => void held.push(response)).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/keys`;
  await using other = await startNode({ env: { ARCHEION_JWT_JWKS_URL: address } });
  const token = await new SignJWT({ sub: 'stranger', role: 'authenticated' })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const { host, hostname, port } = new URL(other.url);
  const asked = (who: Person) =>
    ask(other, who, 'POST /entities', { type: 'document', properties: { text: 'x'.repeat(100 * 1024) } });
  for (let n = 0; n < 3; n++) {
    const socket = connect(Number(port), hostname, () =>
      socket.write(
        `POST /entities HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${32 * 2 ** 20}\r\n\r\n`,
      ),
    );
    socket.on('error', () => undefined);
    await vi.waitFor(() => expect(other.ctx.requests.isBusy() && held.length > 0).toBe(true), 30_000);
    socket.resetAndDestroy();
    await vi.waitFor(() => expect(other.ctx.requests.isBusy()).toBe(false), 30_000);
  }
  for (const response of held) response.setHeader('Content-Type', 'application/json').end(jwks);
  // The token of all of them has been looked at when this one's has.
  expect((await ask(other, { id: '', headers: { Authorization: `Bearer ${token}` } }, 'GET /users/me')).status).toBe(
    403,
  );
  expect((await asked(anonymous)).status).toBe(401);
  provider.close();
});

describe('a packed body', () => {
  const zeros = Buffer.alloc(40 * 2 ** 20, ' ');
  const packings = {
    gzip: gzipSync(zeros),
    deflate: deflateSync(zeros),
    zstd: zstdCompressSync(zeros),
    br: brotliCompressSync(zeros, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  };

  test.each(Object.entries(packings))(
    'of %s that becomes far more than a body may have is a 413',
    async (encoding, body) => {
      expect(body.length).toBeLessThan(2 * 2 ** 20);
      const headers = { 'Content-Encoding': encoding, 'Content-Type': 'application/json' };
      const answer = await ask(node, operator(node), 'POST /entities', body, headers);
      expect(answer.status, answer.text).toBe(413);
      await unharmed();
    },
  );

  test.each(['gzip, gzip', 'gzip,br', 'x-gzip', 'compress'])('of %s is a 415', async (encoding) => {
    const body = gzipSync(packings.gzip);
    const headers = { 'Content-Encoding': encoding, 'Content-Type': 'application/json' };
    expect((await ask(node, operator(node), 'POST /entities', body, headers)).status).toBe(415);
  });

  test('that holds another is no JSON', async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' };
    const answer = await ask(node, operator(node), 'POST /entities', gzipSync(gzipSync('{}')), headers);
    expect(answer.status).toBe(400);
  });

  test('that is cut off, or no packing at all, is a 400', async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' };
    for (const body of [gzipSync('{"type":"t"}').subarray(0, 20), Buffer.from('{}'), Buffer.alloc(0)]) {
      const { status, text } = await ask(node, operator(node), 'POST /entities', body, headers);
      expect(status, text).toBe(400);
    }
  });
});

const varint = (value: bigint): Buffer => {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
};
const sha256 = (bytes: Uint8Array) => digestOf(0x12, createHash('sha256').update(bytes).digest());
function block(bytes: Uint8Array): Buffer {
  const cid = CID.createV1(0x71, sha256(bytes));
  return Buffer.concat([varint(BigInt(cid.bytes.length + bytes.length)), cid.bytes, bytes]);
}
const header = (root: CID): Buffer => {
  const bytes = dagCbor.encode({ version: 1, roots: [root] });
  return Buffer.concat([varint(BigInt(bytes.length)), bytes]);
};
const rootOf = (bytes: Uint8Array) => CID.createV1(0x71, sha256(bytes));
const lists = (depth: number) => Buffer.concat([Buffer.alloc(depth, 0x81), Buffer.from([0])]);
const maps = (depth: number) =>
  Buffer.concat([Buffer.alloc(depth * 3, Buffer.from([0xa1, 0x61, 0x61])), Buffer.from([0])]);
const archive = (bytes: Buffer) => Buffer.concat([header(rootOf(bytes)), block(bytes)]);

const archives: Record<string, () => Buffer> = {
  'a header of 2^63 bytes': () => varint(2n ** 63n),
  'a header longer than any number': () => Buffer.alloc(100, 0xff),
  'a header whose length is written in ten bytes of nothing': () =>
    Buffer.concat([Buffer.alloc(9, 0x80), Buffer.from([0x00])]),
  'a header of 4 GB that is not there': () => Buffer.concat([varint(2n ** 32n), Buffer.from('a')]),
  'a header nested 100,000 deep': () => Buffer.concat([varint(100_001n), lists(100_000)]),
  'a header with a list of 2^32 items': () =>
    Buffer.concat([varint(9n), Buffer.from([0x9a, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])]),
  'a header with a text of 2^53 bytes': () =>
    Buffer.concat([varint(9n), Buffer.from([0x7b, 0, 0x20, 0, 0, 0, 0, 0, 0])]),
  'a header without an end': () => Buffer.concat([varint(100n), Buffer.alloc(100, 0x9f)]),
  'a block of 2^63 bytes': () => Buffer.concat([header(rootOf(lists(1))), varint(2n ** 63n), Buffer.alloc(50)]),
  'a block of no bytes': () => Buffer.concat([header(rootOf(lists(1))), Buffer.from([0])]),
  'a CID that is longer than its block': () =>
    Buffer.concat([header(rootOf(lists(1))), varint(4n), Buffer.from([1, 0x71, 0x12, 0x20])]),
  'a digest of 2^60 bytes': () =>
    Buffer.concat([
      header(rootOf(lists(1))),
      varint(20n),
      Buffer.from([1, 0x71, 0x12]),
      varint(2n ** 60n),
      Buffer.alloc(20),
    ]),
  'another hash': () => Buffer.concat([header(rootOf(lists(1))), varint(6n), Buffer.from([1, 0x71, 0x13, 1, 0, 0])]),
  'a root nested 100,000 deep in lists': () => archive(lists(100_000)),
  'a root nested 100,000 deep in maps': () => archive(maps(100_000)),
  'a root nested five million deep': () => archive(lists(5_000_000)),
  'a root that names itself': () =>
    archive(
      Buffer.from(dagCbor.encode({ schema: 'archeion/archive@v1', shards: [{ first: '', shard: rootOf(lists(1)) }] })),
    ),
  '50,000 blocks that nothing leads to': () =>
    Buffer.concat([car, ...Array.from({ length: 50_000 }, (_, i) => block(dagCbor.encode(i)))]),
  'the same block 100,000 times': () => Buffer.concat([car, ...new Array(100_000).fill(block(dagCbor.encode(7)))]),
  'another archive behind it': () => Buffer.concat([car, car]),
  'zeros behind it': () => Buffer.concat([car, Buffer.alloc(1_000_000)]),
};

describe('an archive with', () => {
  test.each(Object.keys(archives))('%s', async (name) => {
    const response = await operate(node, 'POST /node/import-car', archives[name]?.() ?? Buffer.alloc(0));
    const line = await lastLine(response);
    // What is only superfluous may be read over; everything else is refused, in words.
    const harmless = /nothing leads to|the same block|zeros|another archive/.test(name);
    if (!(harmless && 'done' in line))
      expect(line.error, JSON.stringify(line)).toMatch(/damaged|Validation failed|too large/);
    expect(response.status).toBeLessThan(500);
    await unharmed();
  });
});

async function zip(entries: [string, Buffer][]): Promise<Buffer> {
  const file = new ZipFile();
  for (const [path, bytes] of entries) file.addBuffer(bytes, path, { compress: true });
  file.end();
  const chunks: Buffer[] = [];
  for await (const chunk of file.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('a package with', () => {
  const bagit = Buffer.from('BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n');
  const spaces = Buffer.alloc(70 * 2 ** 20, ' ');
  const packages: Record<string, () => Promise<Buffer>> = {
    'a manifest of 70 MB': () =>
      zip([
        ['bag/bagit.txt', bagit],
        ['bag/manifest-sha256.txt', spaces],
      ]),
    'a history of 70 MB of nothing': () =>
      zip([
        ['ro-crate-metadata.json', Buffer.from('{}')],
        ['history.car', spaces],
      ]),
    'a file of 70 MB of nothing': () =>
      zip([
        ['ro-crate-metadata.json', Buffer.from('{}')],
        ['files/a', spaces],
      ]),
    'a ZIP in a ZIP': async () => zip([['ro-crate-metadata.json', await zip([['a', spaces]])]]),
    '500 files of nothing': () =>
      zip([
        ['ro-crate-metadata.json', Buffer.from('{}')],
        ...Array.from({ length: 500 }, (_, i): [string, Buffer] => [`files/${i}`, Buffer.alloc(0)]),
      ]),
    'a line without end': () =>
      zip([
        ['bag/bagit.txt', bagit],
        ['bag/bag-info.txt', Buffer.from(`Payload-Oxum:${'\n'.repeat(500_000)}x`)],
        ['bag/manifest-sha256.txt', Buffer.from(`${'a'.repeat(64)}${' '.repeat(500_000)}x`)],
      ]),
  };

  test.each(Object.keys(packages))('%s is refused', async (name) => {
    const bytes = await packages[name]?.();
    const response = await operate(node, 'POST /node/import-car', bytes);
    const { error } = await lastLine(response);
    expect(error).toMatch(/damaged|cannot be imported/);
    expect(response.status).toBeLessThan(500);
    await unharmed();
  });
});

describe('a deep body', () => {
  test.each([
    ['lists', '['.repeat(5_000_000)],
    ['objects', '{"a":'.repeat(3_000_000)],
    ['closed lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['brackets in a text', JSON.stringify({ type: 5, text: '['.repeat(5_000_000) })],
    ['a million members', `{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":0`).join()}}`],
    ['a million equal members', `{${'"a":0,'.repeat(1_000_000)}"a":0}`],
    ['a number of a million digits', `{"type":"t","properties":{"a":${'9'.repeat(1_000_000)}}}`],
  ])('of %s is a 400', async (_name, body) => {
    const answer = await ask(node, operator(node), 'POST /entities', body, { 'Content-Type': 'application/json' });
    expect(answer.status, answer.text.slice(0, 200)).toBe(400);
    await unharmed();
  });
});
