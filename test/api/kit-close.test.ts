import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KladosJob, readJob } from '../../src/server/kit/job-request.ts';
import { Kit } from '../../src/server/kit/kit.ts';
import type { Handler } from '../../src/server/kit/run-job.ts';
import { ask } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { JobScene, type Status } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A klados with jobs that it was sent, and a worker of it that runs one at a time. */
async function worker(jobs: number, handler: Handler) {
  const of = await scene.klados('accept', {
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
    accepts: { types: ['document'], cardinality: 'one' },
  });
  const sent: KladosJob[] = [];
  while (sent.length < jobs) {
    const { id } = await create(scene.node, scene.who, { type: 'document', collection: scene.target.id });
    const invocation = { target_collection: scene.target.id, target_entity: id, confirm: true };
    ok(await ask(scene.node, scene.who, `POST /kladoi/${of.id}/invoke`, invocation));
    sent.push(readJob(scene.endpoint.received.at(-1)?.body));
  }
  const key = of.self.headers.Authorization?.replace('ApiKey ', '') ?? '';
  const at = { url: scene.node.url, network: 'main' as const, klados: of.id, key, label: 'Worker', atOnce: 1 };
  const faults: string[] = [];
  const onFault = ({ job_id }: KladosJob) => faults.push(job_id);
  const kit = new Kit({ ...at, now: () => scene.clock.ms, onFault }, handler);
  const ends = async () => (await Promise.all(sent.map(({ job_id }) => scene.status(of.id, job_id)))).map(endOf);
  return { kit, sent, faults, ends };
}

const endOf = ({ status, errors = [] }: Status) => [status, ...errors.map(({ code, retryable }) => [code, retryable])];
const stopped = ['error', ['SERVICE_UNAVAILABLE', true]];

test('a kit that closes takes no job, lets the one that runs come to its end, and gives back what waits', async () => {
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ran: string[] = [];
  const { kit, sent, faults, ends } = await worker(4, async ({ job }) => {
    ran.push(job.job_id);
    begun.resolve();
    await release.promise;
    return [];
  });
  const [running, waiting, another, later] = sent as [KladosJob, KladosJob, KladosJob, KladosJob];
  for (const job of [running, waiting, another]) kit.begin(job);
  await begun.promise;
  const closed = kit.close(60_000);
  const refusal = expect.objectContaining({ status: 503, message: 'The worker is closing.' });
  expect(() => kit.begin(running)).not.toThrow();
  // Sent again where the node did not hear that it was taken.
  expect(() => kit.begin(waiting)).toThrow(refusal);
  expect(() => kit.begin(later)).toThrow(refusal);
  await expect.poll(ends).toMatchObject([['running'], stopped, stopped, ['pending']]);
  release.resolve();
  await closed;
  expect(() => kit.begin(later)).toThrow(refusal);
  expect([ran, faults]).toEqual([[running.job_id], []]);
  await expect.poll(ends).toEqual([['done'], stopped, stopped, ['pending']]);
});

test('what runs for longer than a kit that closes waits for ends as stopped, and can be resumed', async () => {
  const begun = Promise.withResolvers<void>();
  const { kit, sent, faults, ends } = await worker(1, async ({ signal }) => {
    begun.resolve();
    await once(signal, 'abort');
    throw new Error('stopped in the middle');
  });
  for (const job of sent) kit.begin(job);
  await begun.promise;
  await kit.close(100);
  await expect.poll(ends).toEqual([stopped]);
  expect(faults).toEqual([]);
});

test('of what cannot be given back in time its program hears', async () => {
  const { kit, sent, faults } = await worker(3, async ({ signal }) => {
    await once(signal, 'abort');
    return [];
  });
  for (const job of sent) kit.begin(job);
  await scene.node[Symbol.asyncDispose]();
  await kit.close(100);
  expect(faults.sort()).toEqual(sent.map(({ job_id }) => job_id).sort());
});
