import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRemotes, readyUrl, sendArchive, signIn } from '../../src/main/node-client.ts';
import { operator } from '../helpers/callers.ts';
import { collection, create, read } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

const token = 'T'.repeat(43);
describe('the shell and its node', () => {
  let node: TestNode;
  beforeEach(async () => {
    node = await startNode();
    node.ctx.sessions.acceptToken(token);
  });
  afterEach(() => node[Symbol.asyncDispose]());

  test('the shell signs in with the run’s token, once, and reads how sync stands', async () => {
    const session = await signIn(node.url, token);
    expect(session.url).toBe(node.url);
    expect(session.cookie.name).toMatch(/^archeion_/);
    expect(await readRemotes(session)).toEqual([]);
    await expect(signIn(node.url, token)).rejects.toThrow('401');
    await expect(readRemotes({ ...session, cookie: { ...session.cookie, value: 'x' } })).rejects.toThrow('401');
  });

  test('the shell sees the remotes of both networks', async () => {
    await using origin = await startNode();
    const { status } = await node.fetch('/node/remotes', {
      method: 'POST',
      headers: operator(node).headers,
      body: { name: 'origin', url: origin.url },
    });
    expect(status).toBe(201);
    const [remote] = await readRemotes(await signIn(node.url, token));
    expect(remote).toMatchObject({
      name: 'origin',
      pending: 0,
      conflicts: 0,
      refused: 0,
      running: null,
      last_run: null,
    });
  });

  test('the shell imports an archive, and says why one is refused', async () => {
    await using other = await startNode();
    await using folder = await temporaryFolder();
    const them = operator(other);
    const home = await collection(other, them, { label: 'Letters' });
    const letter = await create(other, them, { collection: home.id, properties: { label: 'To Ada' } });
    const answer = await fetch(`${other.url}/node/export`, { headers: them.headers });
    const file = join(folder.path, 'letters.car');
    writeFileSync(file, Buffer.from(await answer.arrayBuffer()));

    const session = await signIn(node.url, token);
    const shares: number[] = [];
    const report = await sendArchive(session, file, (share) => void shares.push(share));
    expect(report).toMatchObject({ created: report?.entities, advanced: 0, forks: 0 });
    expect((await read(node, operator(node), letter.id)).properties).toEqual({ label: 'To Ada' });
    for (const share of shares) expect(share).toBeLessThanOrEqual(1);
    const { body } = await node.fetch('/node/imports', { headers: operator(node).headers });
    expect(body).toMatchObject({ imports: [{ files: ['letters.car'] }] });
    expect(await sendArchive(session, file, () => undefined)).toMatchObject({
      created: 0,
      unchanged: report?.entities,
    });

    writeFileSync(file, 'no archive');
    await expect(sendArchive(session, file, () => undefined)).rejects.toThrow(/\w/);
    await expect(sendArchive({ ...session, url: 'http://127.0.0.1:9' }, file, () => undefined)).rejects.toThrow();
  });

  test('the shell waits for the answer for longer than fetch does', async () => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'none.car');
    writeFileSync(file, 'no archive');
    const session = await signIn(node.url, token);
    await using way = await slowWay(node.url);
    const agents = globalThis as unknown as Record<symbol, { constructor: new (limits: object) => object }>;
    const usual = Symbol.for('undici.globalDispatcher.1');
    const before = agents[usual];
    if (!before) throw new Error('fetch has no agent');
    Object.assign(agents, { [usual]: new before.constructor({ headersTimeout: 1 }) });
    try {
      const sent = sendArchive({ ...session, url: way.url }, file, () => undefined);
      const answer = sent.catch((error: Error) => error.message);
      await expect.poll(() => way.asked).toBe(1);
      // The limit of fetch has passed for what began later.
      await expect(fetch(way.url)).rejects.toThrow('fetch failed');
      way.letThrough();
      expect(await answer).toContain('this node does not answer to that Host name');
    } finally {
      Object.assign(agents, { [usual]: before });
    }
  });

  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nContent-Length: 999\r\n\r\n';
  test.each(['', head, `${head}{"progress":`])(
    'there is no report of an import whose node ended after %j',
    async (said) => {
      await using folder = await temporaryFolder();
      const file = join(folder.path, 'none.car');
      // More than is on the way at a time.
      writeFileSync(file, Buffer.alloc(20_000_000));
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => socket.write(said, () => socket.destroy()));
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      expect(await sendArchive({ url, cookie: { name: 'a', value: 'b' } }, file, () => undefined)).toBeNull();
      server.close();
    },
  );

  test('the shell reads a report with signs at which other programs end lines, in pieces', async () => {
    const report = { entities: 2, created: 2, advanced: 0, unchanged: 0, forks: 0, remarks: ['one\u2028two\u2029é'] };
    const lines = [{ progress: { entities: 1, total: 2 } }, { done: report }];
    const shares: number[] = [];
    const said = lines.map((line) => ` ${JSON.stringify(line)}\n`).join('');
    expect(await answered('200 OK', said, (share) => void shares.push(share))).toEqual(report);
    expect(shares).toEqual([0.5]);
  });

  test.each([
    [
      { error: 'Insufficient storage', details: { reason: 'The disk is full.' } },
      'Insufficient storage: The disk is full.',
    ],
    [{ error: 'No: it is damaged', details: { reason: 'it is damaged' } }, 'No: it is damaged'],
    [{ error: 'No', details: { issues: [{ message: 'a' }, { message: 'b' }] } }, 'No: a; b'],
    [{ error: 'No', details: {} }, 'No'],
  ])('the shell says why an archive was refused: %j', async (body, words) => {
    await expect(answered('507 X', JSON.stringify(body))).rejects.toThrow(new Error(words));
    await expect(answered('200 OK', `${JSON.stringify(body)}\n`)).rejects.toThrow(new Error(words));
  });

  test('an archive that cannot be read is not imported, for that reason', async () => {
    await using folder = await temporaryFolder();
    const session = await signIn(node.url, token);
    const sent = (file: string) => sendArchive(session, file, () => undefined);
    await expect(sent(folder.path)).rejects.toThrow('EISDIR');
    await expect(sent(join(folder.path, 'gone.car'))).rejects.toThrow('ENOENT');
  });
});

/** What becomes of an archive that is answered so, a byte at a time. */
async function answered(status: string, body: string, progress: (share: number) => void = () => undefined) {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'none.car');
  writeFileSync(file, 'an archive');
  const bytes = Buffer.from(body);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', async () => {
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
      for (const byte of bytes) {
        socket.write(Buffer.from([byte]));
        await new Promise(setImmediate);
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await sendArchive({ url, cookie: { name: 'a', value: 'b' } }, file, progress);
  } finally {
    server.close();
  }
}

/** The way to a node on which answers wait until they are let through; `asked` counts the connections. */
async function slowWay(to: string) {
  const open = Promise.withResolvers<void>();
  const way = { url: '', asked: 0, letThrough: open.resolve, [Symbol.asyncDispose]: async () => void server.close() };
  const server = createServer((near) => {
    way.asked++;
    const far = connect(Number(new URL(to).port), '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => undefined);
      one.once('close', () => other.destroy());
    }
    near.pipe(far);
    void open.promise.then(() => far.pipe(near));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  way.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return way;
}

describe('the ready line', () => {
  test('gives the address of the node', () => {
    expect(readyUrl('{"ready":{"url":"http://127.0.0.1:4747"}}')).toBe('http://127.0.0.1:4747');
  });

  test.each([
    '',
    'ready',
    'null',
    '[]',
    '{"ready":true}',
    '{"ready":{"url":7}}',
    '{"ready":{"url":"127.0.0.1"}}',
    '{"ready":{"url":"http://127.0.0.1:4747"}',
  ])('is not %j', (line) => {
    expect(readyUrl(line)).toBeNull();
  });
});
