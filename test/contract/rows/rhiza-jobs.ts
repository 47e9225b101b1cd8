import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { type Entity, invalid, lacking, notFound, nowhere, ok } from '../../helpers/entities.ts';
import { rhiza } from '../../helpers/processors.ts';
import { failure, type JobScene, jobScene, rhizaOf, writeLog } from '../job-scenes.ts';
import type { Call, Row, Scene } from '../row.ts';
import { noId, otherNetwork, placed, unknown } from './common.ts';

const below = (what: string) => (id: string) => `/rhizai/${id}/${what}`;
const anywhere = { target_collection: nowhere, target_entity: nowhere };
const body = ({ target, file }: JobScene) => ({ target_collection: target.id, target_entity: file.id });

interface Known extends JobScene {
  rhiza: Entity;
}

async function workflow(s: Scene, behaviour = 'accept', more: object = {}): Promise<Known> {
  const j = await jobScene(s, 'klados', behaviour);
  return { ...j, rhiza: await rhizaOf(s, j.processor, more) };
}

const invocation =
  (change: (k: Known) => object = () => ({}), behaviour = 'accept', as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const known = await workflow(s, behaviour);
    return {
      path: below('invoke')(known.rhiza.id),
      body: { ...body(known), ...change(known) },
      known,
      as: s.operator,
      ...as(s),
    };
  };
const confirmed = () => ({ confirm: true });

const invoking: Row = {
  route: 'POST /rhizai/{id}/invoke',
  auth: 'required',
  action: 'rhiza:invoke',
  wire: '200 202 400 401 403 404',
  cases: [
    {
      name: 'previews',
      status: 200,
      call: invocation(),
      body: ({ known }) => {
        const { processor, target } = known as Known;
        return {
          status: 'pending_confirmation',
          grants: [
            {
              klados: { id: processor.id, label: 'a klados' },
              actions: ['entity:view', 'entity:create'],
              role: `klados_${processor.id.toLowerCase()}`,
              already_granted: false,
            },
          ],
          target: { id: target.id, label: 'Target' },
          kladoi_count: 1,
          all_ready: true,
        };
      },
    },
    {
      name: 'starts',
      status: 202,
      call: invocation(confirmed),
      body: ({ known }) => ({
        status: 'started',
        job_id: expect.stringMatching(/^job_/),
        job_collection: expect.any(String),
        rhiza_id: (known as Known).rhiza.id,
        expires_at: expect.any(String),
      }),
    },
    {
      name: 'is refused by the entry klados',
      status: 202,
      call: invocation(confirmed, 'refuse'),
      body: { status: 'rejected', error: 'no work today', retry_after: 60 },
    },
    {
      name: 'with a klados that is nowhere',
      status: 400,
      call: async (s) => {
        const j = await jobScene(s, 'klados');
        const { id } = await rhizaOf(s, { id: nowhere } as Entity);
        return { path: below('invoke')(id), body: { ...body(j), confirm: true } };
      },
      body: invalid(['id'], `${nowhere} in the workflow cannot work: not_found`),
    },
    {
      name: 'that is disabled',
      status: 400,
      call: async (s) => {
        const known = await workflow(s);
        const { id, cid } = known.rhiza;
        ok(await ask(s.node, s.operator, `PUT /rhizai/${id}`, { expect_tip: cid, status: 'disabled' }));
        return { path: below('invoke')(id), body: body(known) };
      },
      body: invalid(['id'], 'the workflow is in status disabled: set its status to active (PUT /rhizai/{id})'),
    },
    {
      name: 'no target',
      status: 400,
      call: invocation(() => ({ target_entity: undefined })),
      body: invalid(['target_entity'], 'is required: the klados accepts one'),
    },
    {
      name: 'more than the caller holds',
      status: 403,
      call: invocation(confirmed, 'accept', (s) => ({ as: s.stranger })),
      body: { error: expect.stringMatching(/^Action not allowed: entity:create/) },
    },
    {
      name: 'somebody whom the workflow does not let',
      status: 403,
      call: async (s) => {
        const { id } = await rhiza(s.node, s.operator, s.collection.id);
        return { path: below('invoke')(id), body: anywhere, as: s.editor };
      },
      body: { error: 'Action not allowed: rhiza:invoke' },
    },
    noId(below('invoke'), anywhere),
    otherNetwork(below('invoke'), anywhere),
    unknown(below('invoke'), anywhere),
    {
      name: 'an entity that is no rhiza',
      status: 404,
      call: async (s) => ({ path: below('invoke')((await placed(s)).id), body: anywhere }),
      body: notFound,
    },
  ],
};

/** A run whose one job has failed. */
async function failed(s: Scene): Promise<Known & { job: string }> {
  const known = await workflow(s);
  const answer = ok<{ job_id: string; job_collection: string }>(
    await ask(s.node, s.operator, `POST ${below('invoke')(known.rhiza.id)}`, { ...body(known), confirm: true }),
  );
  await writeLog(s, known.self, answer, { rhiza_id: known.rhiza.id, ...failure });
  return { ...known, job: answer.job_id };
}

const nobodys = 'job_01J00000000000000000000000';
const status = (id: string, job = nobodys, stream = '') => `/rhizai/${id}/jobs/${job}/status${stream}`;

const states = (stream: '' | '/stream'): Row => ({
  route: `GET /rhizai/{id}/jobs/{job_id}/status${stream}`,
  auth: 'optional',
  action: 'rhiza:view',
  wire: '200 404',
  cases: [
    {
      name: 'a run that failed',
      status: 200,
      call: async (s) => {
        const known = await failed(s);
        return { path: status(known.rhiza.id, known.job, stream), known };
      },
      also: ({ body, text }, { known }) => {
        const { job, processor, rhiza } = known as Known & { job: string };
        const said = stream === '' ? body : JSON.parse(text.replace(/^data: /, ''));
        expect(said).toEqual({
          job_id: job,
          rhiza_id: rhiza.id,
          status: 'error',
          progress: { total: 1, pending: 0, running: 0, done: 0, error: 1 },
          errors: [{ klados_id: processor.id, job_id: job, ...failure.error }],
          started_at: expect.any(String),
          completed_at: failure.completed_at,
        });
      },
    },
    {
      name: 'an unknown job',
      status: 404,
      call: async (s) => ({ path: status((await workflow(s)).rhiza.id, nobodys, stream) }),
      body: lacking('There is no such job'),
    },
    noId((id) => status(id, nobodys, stream)),
    otherNetwork((id) => status(id, nobodys, stream)),
    unknown((id) => status(id, nobodys, stream)),
  ],
});

const resume = (id: string, job = nobodys) => `/rhizai/${id}/jobs/${job}/resume`;

const resuming: Row = {
  route: 'POST /rhizai/{id}/jobs/{job_id}/resume',
  auth: 'required',
  action: 'rhiza:invoke',
  wire: '200 400 401 403 404',
  cases: [
    {
      name: 'repeats what failed',
      status: 200,
      call: async (s) => {
        const known = await failed(s);
        return { path: resume(known.rhiza.id, known.job), body: { error_codes: ['TIMEOUT'] }, known, as: s.operator };
      },
      body: ({ known }) => {
        const { job, processor } = known as Known & { job: string };
        const jobs = [{ original_job_id: job, klados_id: processor.id, new_job_id: expect.stringMatching(/^job_/) }];
        return { resumed: 1, skipped: 0, jobs };
      },
    },
    {
      name: 'leaves other codes',
      status: 200,
      call: async (s) => {
        const known = await failed(s);
        return { path: resume(known.rhiza.id, known.job), body: { error_codes: ['NOT_FOUND'] }, as: s.operator };
      },
      body: { resumed: 0, skipped: 1, jobs: [] },
    },
    {
      name: 'codes that are none',
      status: 400,
      call: async (s) => ({ path: resume((await workflow(s)).rhiza.id), body: { error_codes: 'TIMEOUT' } }),
      body: invalid(['error_codes'], 'must be a list'),
    },
    {
      name: 'an unknown job',
      status: 404,
      call: async (s) => ({ path: resume((await workflow(s)).rhiza.id), body: {} }),
      body: lacking('There is no such job'),
    },
    noId(resume, {}),
    otherNetwork(resume, {}),
    unknown(resume, {}),
  ],
};

export const rhizaJobRows: Row[] = [invoking, states(''), states('/stream'), resuming];
