import { afterAll, beforeAll, expect, test } from 'vitest';
import { RequestPool } from '../../src/server/request-pool.ts';
import type { LongRead } from '../../src/server/store/threads/long-reads.ts';
import { ReaderPool } from '../../src/server/store/threads/reader-pool.ts';
import { ReaderThreads } from '../../src/server/store/threads/reader-threads.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, read } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let owner: Person;
beforeAll(async () => {
  node = await startNode({ writer: 'thread' });
  owner = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const text = 'Ein langer Text. '.repeat(20_000);
const json = (bytes: unknown) => JSON.parse(new TextDecoder().decode(bytes as Uint8Array));

async function scene() {
  const { database: file, fileId } = await node.ctx.networks.get('main');
  const pool = node.ctx.largeRequests;
  if (!(pool instanceof RequestPool)) throw new Error('large requests are served by something else');
  const readOf = (id: string): LongRead<'storedJson'> => ({ file, fileId, name: 'storedJson', args: { id } });
  return { pool, file, fileId, readOf };
}

test('a thread of large requests runs brief reads, once one is there', async () => {
  const { pool, readOf } = await scene();
  expect(await pool.lend(readOf('none'))).toBeNull();
  const home = await collection(node, owner);
  const entity = await create(node, owner, { properties: { text }, collection: home.id });
  expect(json(await pool.lend(readOf(entity.id)))).toMatchObject({ id: entity.id, properties: { text } });
});

test('reads and large requests at once are all answered', async () => {
  const store = await node.ctx.networks.get('main');
  const home = await collection(node, owner);
  const first = await create(node, owner, { properties: { text }, collection: home.id });
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      if (i % 2 === 0) return json(await store.readLong('storedJson', { id: first.id })).id;
      const body = { type: 'document', properties: { i, text }, collection: home.id };
      return (await ask(node, owner, 'POST /entities', body)).status;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? first.id : 201)));
  expect(await read(node, owner, first.id)).toMatchObject({ properties: { text } });
});

test('a read is lent a thread only where it is brief, and has its own where there is none', async () => {
  const { file, fileId, readOf } = await scene();
  const asked: string[] = [];
  const lent = new TextEncoder().encode('"lent"');
  await using threads = new ReaderThreads();
  const pool = new ReaderPool(threads, async ({ name }) => {
    asked.push(name);
    return asked.length === 1 ? lent : null;
  });
  expect(json(await pool.run(readOf('none')))).toBe('lent');
  expect((await pool.run(readOf('none'))).length).toBe(0);
  expect(json(await pool.run({ file, fileId, name: 'counts', args: {} }))).toHaveProperty('live');
  // Its own thread is there now.
  await pool.run(readOf('none'));
  expect(asked).toEqual(['storedJson', 'storedJson']);
});
