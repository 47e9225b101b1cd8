import { afterAll, beforeAll, expect, test } from 'vitest';
import { type KladosJob, readJob } from '../../src/server/kit/job-request.ts';
import { Kit } from '../../src/server/kit/kit.ts';
import { ask } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

test('a kit that closes takes no job, and lets the one that runs come to its end', async () => {
  const of = await scene.klados('accept', {
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
    accepts: { types: ['document'], cardinality: 'one' },
  });
  const sent = async (): Promise<KladosJob> => {
    const { id } = await create(scene.node, scene.who, { type: 'document', collection: scene.target.id });
    const invocation = { target_collection: scene.target.id, target_entity: id, confirm: true };
    ok(await ask(scene.node, scene.who, `POST /kladoi/${of.id}/invoke`, invocation));
    return readJob(scene.endpoint.received.at(-1)?.body);
  };
  const [running, waiting, later] = [await sent(), await sent(), await sent()];
  const key = of.self.headers.Authorization?.replace('ApiKey ', '') ?? '';
  const at = { url: scene.node.url, network: 'main' as const, klados: of.id, key, label: 'Worker', atOnce: 1 };
  const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ran: string[] = [];
  const kit = new Kit({ ...at, now: () => scene.clock.ms }, async ({ job }) => {
    ran.push(job.job_id);
    begun.resolve();
    await release.promise;
    return [];
  });
  kit.begin(running);
  kit.begin(waiting);
  await begun.promise;
  const closed = kit.close();
  const refusal = expect.objectContaining({ status: 503, message: 'The worker is closing.' });
  expect(() => kit.begin(running)).not.toThrow();
  // Sent again where the node did not hear that it was taken: it goes to the next worker.
  expect(() => kit.begin(waiting)).toThrow(refusal);
  expect(() => kit.begin(later)).toThrow(refusal);
  release.resolve();
  await closed;
  expect(() => kit.begin(later)).toThrow(refusal);
  expect(ran).toEqual([running.job_id]);
});
