import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { signatureOf } from '../../src/server/jobs/signature.ts';
import { Kit } from '../../src/server/kit/kit.ts';
import { type NodeKey, newNodeKey, readNodeKey } from '../../src/server/model/node-key.ts';

// What a worker knows of its node's key, of which it asks the node itself.

const clock = { ms: 0 };
/** The node's key, and how often it was asked for; while it is `away` it does not say. */
let key: NodeKey;
let asked: number;
let away: boolean;
const node = createServer((_request, response) => {
  asked++;
  if (away) response.writeHead(503).end('{}');
  else
    response.end(JSON.stringify({ public_key: Buffer.from(key.publicKey).toString('base64'), algorithm: 'ed25519' }));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
});
afterAll(() => {
  node.close();
  node.closeAllConnections();
});

let kit: Kit;
beforeEach(() => {
  [key, asked, away] = [readNodeKey(newNodeKey()), 0, false];
  clock.ms = Date.UTC(2026, 0, 1);
  kit = new Kit(
    { url, network: 'main', klados: '01J0000000000000000000000A', key: 'ak_0', label: 'Worker', now: () => clock.ms },
    async () => [],
  );
});

const job = {
  job_id: 'job_1',
  target_entity: '01J0000000000000000000000B',
  target_collection: '01J0000000000000000000000C',
  job_collection: '01J0000000000000000000000D',
  expires_at: '2030-01-01T00:00:00.000Z',
  network: 'main',
};
/** What becomes of a job that is signed with a key: `taken`, or the status of the refusal. */
async function sent(by: NodeKey): Promise<unknown> {
  const body = JSON.stringify({ ...job, api_base: url });
  const signature = signatureOf(by, body, Math.floor(clock.ms / 1000));
  return kit.receive({ 'x-arke-signature': signature }, Buffer.from(body)).then(
    () => 'taken',
    ({ status }: { status: number }) => status,
  );
}
const stranger = readNodeKey(newNodeKey());

test('strangers have the node asked for its key no more than twice a minute', async () => {
  expect(await sent(key)).toBe('taken');
  const answers = await Promise.all(Array.from({ length: 20 }, () => sent(stranger)));
  for (let time = 0; time < 20; time++) answers.push(await sent(stranger));
  expect(new Set(answers)).toEqual(new Set([401]));
  expect(asked).toBe(2);
  clock.ms += 30_000;
  expect([await sent(stranger), await sent(stranger), asked]).toEqual([401, 401, 3]);
});

test('and do not take the key away that is good', async () => {
  expect(await sent(key)).toBe('taken');
  away = true;
  expect([await sent(stranger), await sent(stranger)]).toEqual([503, 503]);
  expect(await sent(key)).toBe('taken');
  expect(asked).toBe(2);
  clock.ms += 30_000;
  expect([await sent(stranger), await sent(key), asked]).toEqual([503, 'taken', 3]);
});

test('a node that has another key is believed', async () => {
  expect(await sent(key)).toBe('taken');
  const former = key;
  key = readNodeKey(newNodeKey());
  expect([await sent(key), await sent(key), asked]).toEqual(['taken', 'taken', 2]);
  clock.ms += 30_000;
  expect([await sent(former), await sent(key)]).toEqual([401, 'taken']);
});
