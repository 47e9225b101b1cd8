import { afterAll, beforeAll, expect, test } from 'vitest';
import { NodeClient } from '../../src/server/kit/node-client.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, ok, onTest, read, remove } from '../helpers/entities.ts';
import { allow, command, ended, replying, within, workflow } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
let where: Entity;
let of: Entity;
let flow: Entity;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  me = operator(node);
  where = await collection(node, me, { label: 'target' });
  await allow(node, { echo: replying('return {}') });
  of = await command(node, me, where.id, 'echo', {
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
  });
  flow = await workflow(node, me, where.id, { only: { klados: of, then: { done: true } } });
});
afterAll(() => node[Symbol.asyncDispose]());

/** The log of a job that names those as the logs of the jobs that it came of, once it has ended. */
async function logOf(parent_logs: string[]): Promise<Entity> {
  const body = {
    ...{ target_entity: where.id, target_collection: where.id, confirm: true },
    rhiza: { id: flow.id, path: ['only'], parent_logs },
  };
  const started = await ask(node, me, `POST /kladoi/${of.id}/invoke`, body);
  const { job_id, job_collection } = ok<{ job_id: string; job_collection: string }>(started);
  expect(await ended(node, me, `/kladoi/${of.id}/jobs/${job_id}/status`)).toMatchObject({ status: 'done' });
  const [log] = (await within(node, me, job_collection, 'klados_log')) as [Entity];
  expect(log.properties.log_data).toMatchObject({ entry: { received: { from_logs: parent_logs } } });
  return log;
}

/** More entities than one call adds to, and one that is deleted. */
async function many(): Promise<{ gone: string; there: string[] }> {
  const made = await Promise.all(Array.from({ length: 121 }, () => create(node, me, { collection: where.id })));
  const [gone, ...there] = made as [Entity, ...Entity[]];
  await remove(node, me, gone);
  return { gone: gone.id, there: there.map(({ id }) => id) };
}

const peers = (log: Entity, predicate: string) =>
  log.relationships.filter((r) => r.predicate === predicate).map(({ peer }) => peer);

test.each([
  ['are no ids', ['no id', '', 'log_1']],
  ['are of the other network, or not here', [onTest, nowhere]],
  ['are very many', Array.from({ length: 600 }, (_, n) => `01J${String(n).padStart(23, '0')}`)],
])(
  'a job comes to its end whose parents %s',
  async (_, parents) => {
    expect(peers(await logOf(parents), 'received_from')).toEqual([]);
  },
  60_000,
);

test('a job is linked with those of its parents that are here still', async () => {
  const [gone, there] = [
    await create(node, me, { collection: where.id }),
    await create(node, me, { collection: where.id }),
  ];
  await remove(node, me, gone);
  const log = await logOf([gone.id, there.id, there.id]);
  expect(peers(log, 'received_from')).toEqual([there.id]);
  await expect.poll(async () => peers(await read(node, me, there.id), 'sent_to')).toEqual([log.id]);
}, 60_000);

test('a job comes to its end of whose parents its klados may not change one, and is linked with the others', async () => {
  const other = await collection(node, me, { label: 'other' });
  const [barred, there] = [
    await create(node, me, { collection: other.id }),
    await create(node, me, { collection: where.id }),
  ];
  const log = await logOf([barred.id, there.id]);
  expect(peers(log, 'received_from')).toEqual([barred.id, there.id]);
  await expect.poll(async () => peers(await read(node, me, there.id), 'sent_to')).toEqual([log.id]);
  expect(await read(node, me, barred.id)).toMatchObject({ cid: barred.cid });
}, 60_000);

test('of very many parents, too, each that is here still is linked with', async () => {
  const { gone, there } = await many();
  const log = await logOf([gone, ...there]);
  for (const id of [there[0], there.at(-1)])
    await expect.poll(async () => peers(await read(node, me, id ?? ''), 'sent_to')).toEqual([log.id]);
}, 60_000);

test('a worker adds to very many entities all but what is refused', async () => {
  const { gone, there } = await many();
  const key = me.headers.Authorization?.replace('ApiKey ', '') ?? '';
  const client = new NodeClient({ url: node.url, key, network: 'main' }, fetch);
  const additions = [gone, ...there].map((entity_id) => ({ entity_id, properties: { seen: true } }));
  await expect(client.add(additions)).rejects.toMatchObject({ status: 400, entity: gone });
  await expect.poll(async () => (await read(node, me, there.at(-1) ?? '')).properties).toMatchObject({ seen: true });
}, 60_000);
