import { expect, test } from 'vitest';
import { NodeClient } from '../../src/server/kit/node-client.ts';

test.each([
  ['a node that fails', 500, '{"error":"Internal error"}', true],
  ['a node without room', 507, '{"error":"Insufficient storage"}', true],
  ['a proxy whose node is away', 503, '<h1>Service Unavailable</h1>', false],
  ['a proxy that fails', 500, '{"message":"upstream"}', false],
])('what answers is %s', async (_, status, body, isFault) => {
  const answering: typeof fetch = async () => new Response(body, { status });
  const client = new NodeClient({ url: 'http://127.0.0.1:1', key: 'ak_none', network: 'main' }, answering);
  await expect(client.read('01JQZ3M4N5P6Q7R8S9T0V1W2K1')).rejects.toMatchObject({ status, isFault, isPassing: true });
});
