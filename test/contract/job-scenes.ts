import { ask, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { type ProcessorEndpoint, startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { agentBody, kladosBody, rhizaBody } from '../helpers/processors.ts';
import { activate, processorKey } from '../helpers/worker-processes.ts';
import type { Scene } from './row.ts';

/** What an invocation by the operator takes: a processor that anybody may invoke, where it works, and on what. */
export interface JobScene {
  processor: Entity;
  target: Entity;
  file: Entity;
  /** Its own key. */
  self: Person;
}

const kinds = {
  klados: { path: '/kladoi', body: kladosBody },
  agent: { path: '/agents', body: agentBody },
};

let endpoint: Promise<ProcessorEndpoint> | undefined;

/** The endpoint that behaves in that way; of this machine, which only the operator's processors may have. */
export async function at(behaviour: string): Promise<string> {
  endpoint ??= startProcessorEndpoint();
  return `${(await endpoint).url}/${behaviour}`;
}

/** Sets what agents say of their jobs. */
export async function agentSays(status: unknown): Promise<void> {
  endpoint ??= startProcessorEndpoint();
  (await endpoint).status = status;
}

const invocable = { roles: { public: ['*:view', '*:invoke'] } };

export async function jobScene(
  s: Scene,
  type: 'klados' | 'agent',
  behaviour = 'accept',
  more: object = {},
): Promise<JobScene> {
  const { node, operator } = s;
  const home = await collection(node, operator, invocable);
  const { path, body } = kinds[type];
  const given = body(home.id, { endpoint: await at(behaviour), ...more });
  const made = ok<Entity>(await ask(node, operator, `POST ${path}`, given));
  const processor = await activate(node, operator, made);
  const target = await collection(node, operator, { label: 'Target' });
  const file = await create(node, operator, { type: 'file', collection: target.id });
  const key = processorKey(node, operator, made.id, type);
  return { processor, target, file, self: { id: made.id, headers: { Authorization: `ApiKey ${key}` } } };
}

/** An active workflow of one step, which that klados is. */
export async function rhizaOf(s: Scene, klados: Entity, more: object = {}): Promise<Entity> {
  const { node, operator } = s;
  const home = await collection(node, operator, invocable);
  const flow = { first: { klados: { id: klados.id, type: 'klados' }, then: { done: true } } };
  const { id, cid } = ok<Entity>(await ask(node, operator, 'POST /rhizai', rhizaBody(home.id, { flow, ...more })));
  return ok(await ask(node, operator, `PUT /rhizai/${id}`, { expect_tip: cid, status: 'active' }));
}

/** The log that a klados writes of a job. */
export async function writeLog(
  s: Scene,
  klados: Person,
  { job_id, job_collection }: { job_id: string; job_collection: string },
  entry: object,
): Promise<Entity> {
  const started_at = new Date(s.clock.ms).toISOString();
  const common = { klados_id: klados.id, job_id, ...entry };
  return create(s.node, klados, {
    type: 'klados_log',
    collection: job_collection,
    properties: { ...common, log_data: { entry: { type: 'klados_log', started_at, ...common }, messages: [] } },
  });
}

export const failure = {
  status: 'error',
  completed_at: '2026-01-01T00:00:01.000Z',
  error: { code: 'TIMEOUT', message: 'request timed out', retryable: true },
};
