import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { type Entity, invalid, lacking, notFound, nowhere, ok, onTest } from '../../helpers/entities.ts';
import { klados } from '../../helpers/processors.ts';
import { failure, type JobScene, jobScene, writeLog } from '../job-scenes.ts';
import type { Call, Case, Row, Scene } from '../row.ts';
import { noId, otherNetwork, placed, unknown } from './common.ts';

const below = (what: string) => (id: string) => `/kladoi/${id}/${what}`;
const anywhere = { target_collection: nowhere, target_entity: nowhere };
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const role = ({ processor }: JobScene) => `klados_${processor.id.toLowerCase()}`;
const body = ({ target, file }: JobScene) => ({ target_collection: target.id, target_entity: file.id });

/** An invocation of an active klados; `change` alters its body. */
const invocation =
  (
    change: (j: JobScene, s: Scene) => object = () => ({}),
    { behaviour = 'accept', more = {}, call = {} }: { behaviour?: string; more?: object; call?: Partial<Call> } = {},
  ) =>
  async (s: Scene): Promise<Call> => {
    const j = await jobScene(s, 'klados', behaviour, more);
    return {
      path: below('invoke')(j.processor.id),
      body: { ...body(j), ...change(j, s) },
      known: j,
      as: s.operator,
      ...call,
    };
  };
const confirmed = () => ({ confirm: true });

/** What every endpoint below a klados refuses. */
const refusals = (path: (id: string) => string, given: object): Case[] => [
  noId(path, given),
  otherNetwork(path, given),
  unknown(path, given),
];

const started = {
  status: 'started',
  job_id: expect.stringMatching(/^job_[0-9A-HJKMNP-TV-Z]{26}$/),
  job_collection: expect.any(String),
};
const granted = (j: JobScene) => ({ klados_id: j.processor.id, role: role(j), expires_at: iso, was_update: false });

const invoking: Row = {
  route: 'POST /kladoi/{id}/invoke',
  auth: 'required',
  action: 'klados:invoke',
  wire: '200 202 400 401 403 404',
  cases: [
    {
      name: 'previews',
      status: 200,
      call: invocation(),
      body: ({ known }) => {
        const { processor, target } = known as JobScene;
        return {
          status: 'pending_confirmation',
          message: expect.stringContaining('"confirm": true'),
          grants: [
            {
              klados: { id: processor.id, label: 'a klados' },
              actions: ['entity:view', 'entity:create'],
              role: role(known as JobScene),
              already_granted: false,
              expired: false,
            },
          ],
          target: { id: target.id, label: 'Target' },
          expires_at: iso,
          can_proceed: true,
          grants_needed: true,
        };
      },
    },
    {
      name: 'starts',
      status: 202,
      call: invocation(confirmed),
      body: ({ known }) => ({
        ...started,
        klados_id: (known as JobScene).processor.id,
        grants: [granted(known as JobScene)],
        target_cid: expect.any(String),
        expires_at: iso,
      }),
    },
    {
      name: 'is refused by the klados',
      status: 202,
      call: invocation(confirmed, { behaviour: 'refuse' }),
      body: ({ known }) => ({
        status: 'rejected',
        error: 'no work today',
        retry_after: 60,
        grants: [granted(known as JobScene)],
        target_cid: expect.any(String),
        expires_at: iso,
      }),
    },
    {
      name: 'somebody whom the klados does not let',
      status: 403,
      call: async (s) => {
        const { id } = await klados(s.node, s.operator, s.collection.id);
        return { path: below('invoke')(id), body: anywhere, as: s.editor };
      },
      body: { error: 'Action not allowed: klados:invoke' },
    },
    {
      name: 'more than the caller holds',
      status: 403,
      call: async (s) => ({ ...(await invocation(confirmed)(s)), as: s.stranger }),
      body: {
        error: expect.stringMatching(/^Action not allowed: entity:create\. a klados needs it in the collection/),
      },
    },
    {
      name: 'one in development',
      status: 400,
      call: async (s) => ({
        path: below('invoke')((await klados(s.node, s.owner, s.collection.id)).id),
        body: anywhere,
      }),
      body: invalid(['id'], expect.stringContaining('is in status development')),
    },
    {
      name: 'no collection',
      status: 400,
      call: invocation(() => ({ target_collection: undefined })),
      body: invalid(['target_collection'], 'is required'),
    },
    {
      name: 'a collection that is none',
      status: 400,
      call: invocation(({ file }) => ({ target_collection: file.id })),
      body: ({ known }) => invalid(['target_collection'], `there is no collection ${(known as JobScene).file.id}`),
    },
    {
      name: 'a collection of the other network',
      status: 400,
      call: invocation(() => ({ target_collection: onTest })),
      body: invalid(['target_collection'], 'is not an id of the main network'),
    },
    {
      name: 'no target',
      status: 400,
      call: invocation(() => ({ target_entity: undefined })),
      body: invalid(['target_entity'], 'is required: the klados accepts one'),
    },
    {
      name: 'several targets',
      status: 400,
      call: invocation(({ file, target }) => ({ target_entity: undefined, target_entities: [file.id, target.id] })),
      body: invalid(['target_entities'], 'has more than one: the klados accepts one entity at a time'),
    },
    {
      name: 'a target that is nowhere',
      status: 400,
      call: invocation(() => ({ target_entity: nowhere })),
      body: invalid(['target_entity'], `there is no entity ${nowhere}`),
    },
    {
      name: 'input that misses the schema',
      status: 400,
      call: invocation(() => ({ input: { pages: [1, 'two'] } }), {
        more: { input_schema: { properties: { pages: { type: 'array', items: { type: 'integer' } } } } },
      }),
      body: invalid(['input', 'pages', 1], 'must be integer'),
    },
    {
      name: 'permissions for too long',
      status: 400,
      call: invocation(() => ({ expires_in: 86_401 })),
      body: invalid(['expires_in'], 'must be at most 86400'),
    },
    ...refusals(below('invoke'), anywhere),
    {
      name: 'an entity that is no klados',
      status: 404,
      call: async (s) => ({ path: below('invoke')((await placed(s)).id), body: anywhere }),
      body: notFound,
    },
  ],
};

const batchOf = ({ target, file }: JobScene, count: number) => ({
  target_collection: target.id,
  invocations: Array.from({ length: count }, () => ({ target_entity: file.id })),
});
const batch =
  (more: (j: JobScene) => object, as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const j = await jobScene(s, 'klados');
    return {
      path: below('invoke/batch')(j.processor.id),
      body: { ...batchOf(j, 3), ...more(j) },
      known: j,
      as: s.operator,
      ...as(s),
    };
  };
const anyBatch = { target_collection: nowhere, invocations: [{ target_entity: nowhere }] };

const batches: Row = {
  route: 'POST /kladoi/{id}/invoke/batch',
  auth: 'required',
  action: 'klados:invoke',
  wire: '200 202 400 401 403 404',
  cases: [
    {
      name: 'previews',
      status: 200,
      call: batch(() => ({})),
      body: { status: 'pending_confirmation', invocation_count: 3, can_proceed: true, grants_needed: true },
    },
    {
      name: 'records',
      status: 202,
      call: batch(confirmed),
      body: ({ known }) => ({
        status: 'dispatching',
        job_collection: expect.any(String),
        klados_id: (known as JobScene).processor.id,
        dispatch_id: expect.stringMatching(/^dispatch_/),
        total: 3,
        grants: [granted(known as JobScene)],
        target_cid: expect.any(String),
        expires_at: iso,
      }),
    },
    {
      name: 'no jobs',
      status: 400,
      call: batch(() => ({ invocations: [] })),
      body: invalid(['invocations'], 'must have at least 1 item'),
    },
    {
      name: 'a target that is nowhere',
      status: 400,
      call: batch(({ file }) => ({ invocations: [{ target_entity: file.id }, { target_entity: nowhere }] })),
      body: invalid(['invocations', 1, 'target_entity'], `there is no entity ${nowhere}`),
    },
    {
      name: 'more than the caller holds',
      status: 403,
      call: batch(confirmed, (s) => ({ as: s.stranger })),
      body: { error: expect.stringMatching(/^Action not allowed: entity:create/) },
    },
    ...refusals(below('invoke/batch'), anyBatch),
  ],
};

/** A job, and the log with which it failed. */
async function failed(s: Scene, behaviour = 'accept'): Promise<{ j: JobScene; log: Entity; job: string }> {
  const j = await jobScene(s, 'klados', behaviour);
  const answer = ok<{ job_id: string; job_collection: string }>(
    await ask(s.node, s.operator, `POST ${below('invoke')(j.processor.id)}`, { ...body(j), confirm: true }),
  );
  return { j, log: await writeLog(s, j.self, answer, failure), job: answer.job_id };
}

const reinvoking: Row = {
  route: 'POST /kladoi/{id}/reinvoke',
  auth: 'required',
  action: 'klados:invoke',
  wire: '200 202 400 401 403 404',
  cases: [
    {
      name: 'sends the request again',
      status: 202,
      call: async (s) => {
        const { j, log } = await failed(s);
        return { path: below('reinvoke')(j.processor.id), body: { log_id: log.id }, known: log.id, as: s.operator };
      },
      body: ({ known }) => ({ accepted: true, job_id: started.job_id, original_log_id: known }),
    },
    {
      name: 'is refused by the klados',
      status: 200,
      call: async (s) => {
        const { j, log } = await failed(s);
        const { endpoint } = j.processor.properties as { endpoint: string };
        const moved = await ask(s.node, s.operator, `PUT /kladoi/${j.processor.id}`, {
          expect_tip: j.processor.cid,
          endpoint: endpoint.replace('accept', 'refuse'),
        });
        const { activate } = await import('../../helpers/worker-processes.ts');
        await activate(s.node, s.operator, ok<Entity>(moved));
        return { path: below('reinvoke')(j.processor.id), body: { log_id: log.id }, known: log.id, as: s.operator };
      },
      body: ({ known }) => ({ accepted: false, error: 'no work today', retry_after: 60, original_log_id: known }),
    },
    {
      name: 'an entity that is no log',
      status: 400,
      call: async (s) => {
        const { processor, file } = await jobScene(s, 'klados');
        return { path: below('reinvoke')(processor.id), body: { log_id: file.id }, as: s.operator };
      },
      body: invalid(['log_id'], 'is not the log of a job'),
    },
    {
      name: 'the log of a job that did not fail',
      status: 400,
      call: async (s) => {
        const j = await jobScene(s, 'klados');
        const answer = ok<{ job_id: string; job_collection: string }>(
          await ask(s.node, s.operator, `POST ${below('invoke')(j.processor.id)}`, { ...body(j), confirm: true }),
        );
        const log = await writeLog(s, j.self, answer, { status: 'running' });
        return { path: below('reinvoke')(j.processor.id), body: { log_id: log.id }, as: s.operator };
      },
      body: invalid(['log_id'], 'the job has not failed'),
    },
    {
      name: 'the log of a job that was repeated',
      status: 400,
      call: async (s) => {
        const { j, log } = await failed(s);
        const path = below('reinvoke')(j.processor.id);
        ok(await ask(s.node, s.operator, `POST ${path}`, { log_id: log.id }));
        return { path, body: { log_id: log.id }, as: s.operator };
      },
      body: invalid(['log_id'], expect.stringMatching(/^the job has been repeated as job_\w+, which has not failed$/)),
    },
    ...refusals(below('reinvoke'), { log_id: nowhere }),
  ],
};

const status = (id: string, job: string, stream = '') => `/kladoi/${id}/jobs/${job}/status${stream}`;
const job = (id: string) => status(id, 'job_01J00000000000000000000000');

const states = (stream: '' | '/stream'): Row => ({
  route: `GET /kladoi/{id}/jobs/{job_id}/status${stream}`,
  auth: 'optional',
  action: 'klados:view',
  wire: '200 404',
  cases: [
    {
      name: 'a job that failed',
      status: 200,
      call: async (s) => {
        const { j, job } = await failed(s);
        return { path: status(j.processor.id, job, stream), known: { job, id: j.processor.id } };
      },
      also: ({ body, text }, { known }) => {
        const { job, id } = known as { job: string; id: string };
        const said = stream === '' ? body : JSON.parse(text.replace(/^data: /, ''));
        expect(said).toMatchObject({
          job_id: job,
          klados_id: id,
          status: 'error',
          progress: { total: 1, pending: 0, running: 0, done: 0, error: 1 },
          errors: [{ klados_id: id, job_id: job, ...failure.error }],
        });
      },
    },
    {
      name: 'an unknown job',
      status: 404,
      call: async (s) => {
        const { processor } = await jobScene(s, 'klados');
        return { path: `${job(processor.id)}${stream}` };
      },
      body: lacking('There is no such job'),
    },
    noId((id) => `${job(id)}${stream}`),
    otherNetwork((id) => `${job(id)}${stream}`),
    unknown((id) => `${job(id)}${stream}`),
  ],
});

export const kladosJobRows: Row[] = [invoking, batches, reinvoking, states(''), states('/stream')];
