import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJob } from '../../src/server/kit/job-request.ts';
import { Kit } from '../../src/server/kit/kit.ts';
import type { Handler } from '../../src/server/kit/run-job.ts';
import { ask } from '../helpers/callers.ts';
import { type Entity, nowhere, ok, read } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';
import { within } from '../helpers/local.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
afterAll(() => scene[Symbol.asyncDispose]());

/** A hundred documents at a time, in the collection that is worked in. */
async function documents(count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const entities = Array.from({ length: Math.min(100, count - ids.length) }, () => ({ type: 'document' }));
    const body = { entities, default_collection: scene.target.id };
    const { results } = ok<{ results: { id: string }[] }>(
      await ask(scene.node, scene.who, 'POST /entities/batch', body),
    );
    ids.push(...results.map(({ id }) => id));
  }
  return ids;
}

/** A job of a worker with the kit, over HTTP: its log, and what its collection says of that. */
async function worked(targets: string[], handler: Handler): Promise<{ log: Entity; said: string[] }> {
  const of = await scene.klados('accept', {
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
    accepts: { types: ['document'], cardinality: 'many' },
  });
  const { target: place } = scene;
  const invocation = { target_collection: place.id, target_entities: targets, confirm: true };
  ok(await ask(scene.node, scene.who, `POST /kladoi/${of.id}/invoke`, invocation));
  const job = readJob(scene.endpoint.received.at(-1)?.body);
  const key = of.self.headers.Authorization?.replace('ApiKey ', '') ?? '';
  const at = { url: scene.node.url, network: 'main' as const, klados: of.id, key, label: 'Worker' };
  const kit = new Kit({ ...at, now: () => scene.clock.ms }, handler);
  await kit.run(job);
  await kit.close();
  await scene.node.ctx.additive.idle();
  const [log] = await within(scene.node, scene.who, job.job_collection, 'klados_log');
  if (!log) throw new Error('no log');
  const { relationships } = await read(scene.node, scene.who, job.job_collection);
  return { log, said: relationships.filter(({ peer }) => peer === log.id).map(({ predicate }) => predicate) };
}

test('a job of more things than a node looks at together is done, with links to them all', async () => {
  const ids = await documents(501);
  const [targets, outputs] = [ids.slice(0, 251), ids.slice(251)];
  const { log, said } = await worked(targets, async () => outputs);
  expect(log.properties).toMatchObject({ status: 'done', log_data: { entry: { outputs } } });
  const linked = (predicate: string) => log.relationships.flatMap((r) => (r.predicate === predicate ? [r.peer] : []));
  expect(new Set(linked('consumed'))).toEqual(new Set(targets));
  expect(new Set(linked('produced'))).toEqual(new Set(outputs));
  expect(said).toEqual(expect.arrayContaining(['log_started', 'log_done']));
});

test('a job that has done its work is done without its links where the node does not take these', async () => {
  const targets = await documents(2);
  const { log, said } = await worked(targets, async ({ note }) => {
    note('info', 'done what could be done');
    return [nowhere];
  });
  expect(log.properties).toMatchObject({
    status: 'done',
    log_data: {
      entry: { outputs: [nowhere] },
      messages: [
        { message: 'done what could be done' },
        { level: 'success' },
        { level: 'warning', message: expect.stringMatching(/^The links of the job are left out.*there is no entity/) },
      ],
    },
  });
  expect(log.relationships.some(({ predicate }) => predicate === 'consumed')).toBe(false);
  expect(said).toContain('log_done');
});

test('the log of a job whose outputs the node does not take does not say that it was completed', async () => {
  const targets = await documents(1);
  const { log, said } = await worked(targets, async ({ note }) => {
    note('info', 'looked at it');
    return ['\ud800'];
  });
  expect(log.properties).toMatchObject({
    status: 'error',
    log_data: {
      entry: { error: { code: 'VALIDATION_ERROR' } },
      messages: [
        { level: 'info', message: 'looked at it' },
        { level: 'error', message: 'Job failed' },
      ],
    },
  });
  expect(said).not.toContain('log_done');
});
