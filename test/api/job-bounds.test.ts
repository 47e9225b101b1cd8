import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, user } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { JobScene } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open({ env: { ARCHEION_JOB_DAYS: '2' } });
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

const day = 86_400_000;
const jobs = () => ask(scene.node, scene.who, 'GET /node/jobs');

describe('records of runs', () => {
  test('go when all of the run has long ended, and its log stays', async () => {
    const { id, self } = await scene.klados('accept');
    const started = await scene.invoke(id);
    const log = await scene.log(self, started, { status: 'done' });
    const later = { expires_in: 86_400 };
    const batch = {
      target_collection: scene.target.id,
      invocations: [{ target_entity: scene.file.id }],
      confirm: true,
    };
    const dispatch = ok<{ dispatch_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, { ...batch, ...later }),
    );
    await scene.node.ctx.invocations.idle();

    scene.clock.ms += 2 * day + 3_500_000;
    expect(await scene.node.ctx.invocations.prune()).toBe(0);
    expect((await scene.status(id, started.job_id)).status).toBe('done');

    scene.clock.ms += 200_000;
    expect(await scene.node.ctx.invocations.prune()).toBe(1);
    const gone = await ask(scene.node, scene.who, `GET /kladoi/${id}/jobs/${started.job_id}/status`);
    expect(gone.status).toBe(404);
    expect((await ask(scene.node, scene.who, `GET /entities/${log.id}`)).status).toBe(200);
    expect((await scene.status(id, dispatch.dispatch_id)).progress.total).toBe(1);

    scene.clock.ms += day;
    expect(await scene.node.ctx.invocations.prune()).toBe(1);
    const batchGone = await ask(scene.node, scene.who, `GET /kladoi/${id}/jobs/${dispatch.dispatch_id}/status`);
    expect(batchGone.status).toBe(404);
    expect(await scene.node.ctx.invocations.prune()).toBe(0);
  });

  test('of a run that was begun anew stay with all of it', async () => {
    const { id, self } = await scene.klados('accept');
    const started = await scene.invoke(id);
    const error = { code: 'TIMEOUT', message: 'too slow', retryable: true };
    const log = await scene.log(self, started, { status: 'error', error });
    scene.clock.ms += 1.5 * day;
    const again = ok<{ job_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/reinvoke`, { log_id: log.id }),
    );
    scene.clock.ms += day;
    expect(await scene.node.ctx.invocations.prune()).toBe(0);
    expect((await scene.status(id, started.job_id)).status).toBe('error');
    scene.clock.ms += 2 * day;
    expect(await scene.node.ctx.invocations.prune()).toBe(1);
    for (const job of [started.job_id, again.job_id])
      expect((await ask(scene.node, scene.who, `GET /kladoi/${id}/jobs/${job}/status`)).status).toBe(404);
  });

  test('of a run of more jobs than one write takes all go', async () => {
    const { id } = await scene.klados('accept');
    const invocations = Array.from({ length: 1100 }, () => ({ target_entity: scene.file.id }));
    const body = { target_collection: scene.target.id, invocations, confirm: true };
    const { dispatch_id } = ok<{ dispatch_id: string }>(
      await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body),
    );
    await scene.node.ctx.invocations.idle();
    const names = async () => JSON.stringify((await jobs()).body);
    expect(await names()).toContain(dispatch_id);
    scene.clock.ms += 3 * day;
    expect(await scene.node.ctx.invocations.prune()).toBe(1);
    expect(await names()).not.toContain(dispatch_id);
  });
});

describe('what starts a processor', () => {
  test('has at most 1 MiB, and ten thousand targets fit', async () => {
    const { id } = await scene.klados('accept', { accepts: { types: ['*'], cardinality: 'many' } });
    const other = await create(scene.node, scene.who, { type: 'file', collection: scene.target.id });
    const target_entities = Array.from({ length: 10_000 }, (_, i) => (i % 2 ? other.id : scene.file.id));
    const many = { target_collection: scene.target.id, target_entities };
    expect((await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke`, many)).status).toBe(200);
    const one = { target_collection: scene.target.id, target_entity: scene.file.id };
    const long = { ...one, input: { text: 'a'.repeat(2 ** 20) } };
    for (const path of ['invoke', 'reinvoke']) {
      const { status, body } = await ask(scene.node, scene.who, `POST /kladoi/${id}/${path}`, long);
      expect([status, body]).toEqual([
        413,
        {
          error:
            'The body is too large: at most 1 MiB of JSON start a processor; put what is longer into an entity and name it',
        },
      ]);
    }
  });

  test('has at most 8 MiB for a batch, and ten thousand inputs fit', async () => {
    const { id } = await scene.klados('accept');
    const input = { page: 1, language: 'en', quality: 'final', dpi: 300, note: 'a'.repeat(600) };
    const batch = (length: number, add: object = {}) => ({
      target_collection: scene.target.id,
      invocations: Array.from({ length }, () => ({ target_entity: scene.file.id, input: { ...input, ...add } })),
    });
    const send = (body: object) => ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body);
    expect((await send(batch(10_000))).status).toBe(200);
    const { status, body } = await send(batch(1, { text: 'a'.repeat(8 * 2 ** 20) }));
    expect([status, body]).toEqual([
      413,
      { error: 'The body is too large: at most 8 MiB of JSON start a batch of jobs; divide what is longer' },
    ]);
  });

  test('may be a workflow of 2,000 steps; more are refused when it is made', async () => {
    const { id } = await scene.klados('accept');
    const flow = (length: number) =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [
          `s${i}`,
          { klados: { id }, then: i === length - 1 ? { done: true } : { pass: `s${i + 1}` } },
        ]),
      );
    const make = (length: number) => {
      const body = { label: 'long', version: '1', entry: 's0', flow: flow(length), collection: scene.home.id };
      return ask(scene.node, scene.who, 'POST /rhizai', body);
    };
    const { id: rhiza } = ok<{ id: string }>(await make(2000));
    const preview = { target_collection: scene.target.id, target_entity: scene.file.id };
    const answer = ok<{ kladoi_count: number }>(
      await ask(scene.node, scene.who, `POST /rhizai/${rhiza}/invoke`, preview),
    );
    expect(answer.kladoi_count).toBe(1);
    const refused = await make(10_000);
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain('has 10000 steps: at most 2000');
  });

  test('is no workflow of more than 1 MiB, whoever may start it; who may not is told that first', async () => {
    const properties = { label: 'long', text: 'a'.repeat(2 ** 20) };
    const shown = await collection(scene.node, scene.who, { roles: { public: ['*:view'] } });
    const { id } = await create(scene.node, scene.who, { type: 'rhiza', properties, collection: shown.id });
    const viewer = await user(scene.node, 'viewer');
    const body = { target_collection: scene.target.id, target_entity: scene.file.id };
    const refused = await ask(scene.node, viewer, `POST /rhizai/${id}/invoke`, body);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([403, expect.stringContaining('rhiza:invoke')]);
    const large = await ask(scene.node, scene.who, `POST /rhizai/${id}/invoke`, body);
    expect([large.status, JSON.stringify(large.body)]).toEqual([400, expect.stringContaining('too large')]);
  });
});
