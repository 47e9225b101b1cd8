import { expect } from 'vitest';
import { ask } from '../../helpers/callers.ts';
import { invalid, lacking, notFound, nowhere, ok } from '../../helpers/entities.ts';
import { agent } from '../../helpers/processors.ts';
import { agentSays, type JobScene, jobScene } from '../job-scenes.ts';
import type { Call, Row, Scene } from '../row.ts';
import { noId, otherNetwork, placed, unknown } from './common.ts';

const below = (what: string) => (id: string) => `/agents/${id}/${what}`;

const invocation =
  (change: (j: JobScene) => object = () => ({}), behaviour = 'accept', as: (s: Scene) => Partial<Call> = () => ({})) =>
  async (s: Scene): Promise<Call> => {
    const uses_agents = [{ pi: nowhere }];
    const j = await jobScene(s, 'agent', behaviour, { actions_required: ['entity:update'], uses_agents });
    return {
      path: below('invoke')(j.processor.id),
      body: { target: j.target.id, ...change(j) },
      known: j,
      as: s.operator,
      ...as(s),
    };
  };
const confirmed = () => ({ confirm: true });
const role = (known: unknown) => `agent_${(known as JobScene).processor.id.toLowerCase()}`;
const granted = (known: unknown) => ({
  grants: [
    {
      agent_id: (known as JobScene).processor.id,
      role: role(known),
      expires_at: expect.any(String),
      was_update: false,
    },
  ],
  target_cid: expect.any(String),
  expires_at: expect.any(String),
});

const invoking: Row = {
  route: 'POST /agents/{id}/invoke',
  auth: 'required',
  action: 'agent:invoke',
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
          grants: [
            {
              agent: { id: processor.id, label: 'an agent' },
              actions: ['entity:update'],
              role: role(known),
              already_granted: false,
              expired: false,
              missing_actions: false,
            },
          ],
          target: { id: target.id, label: 'Target' },
          can_proceed: true,
          grants_needed: true,
          warnings: [
            {
              sub_agent_id: nowhere,
              parent_agent_id: processor.id,
              reason: 'not_found',
              message: `there is no agent ${nowhere}: it gets no permissions`,
            },
          ],
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
        ...granted(known),
      }),
    },
    {
      name: 'is refused by the agent',
      status: 202,
      call: invocation(confirmed, 'unavailable'),
      body: ({ known }) => ({ status: 'rejected', error: 'no key', retry_after: 60, ...granted(known) }),
    },
    {
      name: 'in development',
      status: 400,
      call: async (s) => ({
        path: below('invoke')((await agent(s.node, s.owner, s.collection.id)).id),
        body: { target: s.collection.id },
      }),
      body: invalid(['id'], expect.stringContaining('is in status development')),
    },
    {
      name: 'no target',
      status: 400,
      call: invocation(() => ({ target: undefined })),
      body: invalid(['target'], 'is required'),
    },
    {
      name: 'a target that is no collection',
      status: 400,
      call: invocation(({ file }) => ({ target: file.id })),
      body: ({ known }) => invalid(['target'], `there is no collection ${(known as JobScene).file.id}`),
    },
    {
      name: 'more than the caller holds',
      status: 403,
      call: invocation(confirmed, 'accept', (s) => ({ as: s.stranger })),
      body: { error: expect.stringMatching(/^Action not allowed: entity:update/) },
    },
    noId(below('invoke'), { target: nowhere }),
    otherNetwork(below('invoke'), { target: nowhere }),
    unknown(below('invoke'), { target: nowhere }),
    {
      name: 'an entity that is no agent',
      status: 404,
      call: async (s) => ({ path: below('invoke')((await placed(s)).id), body: { target: nowhere } }),
      body: notFound,
    },
  ],
};

const nobodys = 'job_01J00000000000000000000000';
const status = (id: string, job = nobodys, query = '') => `/agents/${id}/jobs/${job}/status${query}`;

/** A job of an agent that behaves in that way. */
async function begun(s: Scene, behaviour: string): Promise<{ id: string; job: string }> {
  const { path, body, known } = await invocation(confirmed, behaviour)(s);
  const answer = ok<{ job_id?: string }>(await ask(s.node, s.operator, `POST ${path}`, body));
  return { id: (known as JobScene).processor.id, job: answer.job_id ?? '' };
}

const said = {
  job_id: nobodys,
  status: 'running',
  progress: { total: 4, pending: 1, done: 3, error: 0 },
  started_at: '2026-01-01T00:00:00.000Z',
  phase: 'reading',
};

const state: Row = {
  route: 'GET /agents/{id}/jobs/{job_id}/status',
  auth: 'optional',
  action: 'agent:view',
  wire: '200 404 502',
  cases: [
    {
      name: 'what the agent says, and more than is known here',
      status: 200,
      call: async (s) => {
        const { id, job } = await begun(s, 'accept');
        await agentSays(said);
        return { path: status(id, job, '?detail=full&errors=5'), known: job };
      },
      body: ({ known }) => ({ ...said, job_id: known }),
    },
    {
      name: 'a job that the agent does not know',
      status: 404,
      call: async (s) => {
        const { id, job } = await begun(s, 'accept');
        await agentSays(null);
        return { path: status(id, job) };
      },
      body: lacking('There is no such job'),
    },
    {
      name: 'an agent that says nothing sensible',
      status: 502,
      call: async (s) => {
        const { id, job } = await begun(s, 'empty');
        await agentSays({ hello: 'world' });
        return { path: status(id, job) };
      },
      body: { error: 'Failed to reach agent: its answer does not say in which status the job is' },
    },
    {
      name: 'an unknown job',
      status: 404,
      call: async (s) => ({ path: status((await jobScene(s, 'agent')).processor.id) }),
      body: lacking('There is no such job'),
    },
    {
      name: 'more errors than there are',
      status: 400,
      call: async (s) => ({ path: status((await jobScene(s, 'agent')).processor.id, nobodys, '?errors=101') }),
      body: invalid(['errors'], 'must be at most 100'),
    },
    noId(status),
    otherNetwork(status),
    unknown(status),
  ],
};

export const agentJobRows: Row[] = [invoking, state];
