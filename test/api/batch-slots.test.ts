import { afterAll, beforeAll, expect, test } from 'vitest';
import { Batches } from '../../src/server/kit/batch.ts';
import { NodeClient } from '../../src/server/kit/node-client.ts';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
});
afterAll(() => node[Symbol.asyncDispose]());

test('a failure of a slot that is complete already does not take the gathering from the one that completes', async () => {
  const me = operator(node);
  const { id: place } = await collection(node, me, { label: 'jobs' });
  const key = me.headers.Authorization?.replace('ApiKey ', '') ?? '';
  const api = new NodeClient({ url: node.url, key, network: 'main' }, fetch);
  const slots = [0, 1].map((index) => ({ index, status: 'pending' }));
  const { id } = await api.create({ type: 'batch', collection: place, properties: { slots, total: 2, completed: 0 } });
  const batches = new Batches(api);
  const result = (index: number) => ({ job_id: `job_${index}`, at: new Date().toISOString() });
  await batches.write(id, 0, { ...result(0), outputs: ['a'] });
  const failure = { code: 'TIMEOUT', message: 'too slow', retryable: true };
  const [last, failed] = await Promise.all([
    batches.write(id, 1, { ...result(1), outputs: ['b'] }),
    batches.write(id, 0, { ...result(0), failure }),
  ]);
  expect([last.gathers, failed.gathers]).toEqual([true, false]);
  const { properties } = await api.read(id);
  expect(properties).toMatchObject({ status: 'complete', completed: 2, gather_slot: 1 });
  // Asked again after an interruption, it is the same one.
  expect(await batches.write(id, 1, { ...result(1), outputs: ['b'] })).toMatchObject({ gathers: true });
});
