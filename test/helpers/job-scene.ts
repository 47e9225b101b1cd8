import { ask, operator, type Person } from './callers.ts';
import { collection, create, type Entity, ok } from './entities.ts';
import { type StartOptions, startNode, type TestNode } from './node.ts';
import { type ProcessorEndpoint, startProcessorEndpoint } from './processor-endpoint.ts';
import { activeKlados } from './worker-processes.ts';

export interface Started {
  status: string;
  job_id: string;
  job_collection: string;
  error?: string;
  retry_after?: number;
  grants: { klados_id: string; role: string; expires_at: string; was_update: boolean }[];
  target_cid: string;
  expires_at: string;
}

export interface Status {
  status: string;
  progress: { total: number; pending: number; running: number; done: number; error: number };
  errors?: { job_id: string; code: string; message: string; retryable: boolean }[];
}

/** A node of an operator with a processor endpoint of every behaviour, a collection to work in and a file in it. */
export class JobScene implements AsyncDisposable {
  readonly clock: { ms: number };
  readonly node: TestNode;
  readonly who: Person;
  readonly endpoint: ProcessorEndpoint;
  readonly home: Entity;
  /** Where jobs work, and on what; see renew. */
  target: Entity;
  file: Entity;
  readonly #opened: AsyncDisposableStack;

  private constructor(
    parts: Pick<JobScene, 'clock' | 'node' | 'who' | 'endpoint' | 'home' | 'target' | 'file'>,
    opened: AsyncDisposableStack,
  ) {
    this.clock = parts.clock;
    this.node = parts.node;
    this.who = parts.who;
    this.endpoint = parts.endpoint;
    this.home = parts.home;
    this.target = parts.target;
    this.file = parts.file;
    this.#opened = opened;
  }

  static async open({
    env = {},
    data,
    ...more
  }: Pick<StartOptions, 'env' | 'data' | 'writer'> = {}): Promise<JobScene> {
    await using opened = new AsyncDisposableStack();
    const clock = { ms: Date.UTC(2026, 0, 1) };
    const endpoint = opened.use(await startProcessorEndpoint());
    const options = {
      now: () => clock.ms,
      env,
      ...more,
      ...(data !== undefined && { data }),
    };
    const node = opened.use(await startNode(options));
    const who = operator(node);
    const home = await collection(node, who, { label: 'processors', roles: { public: ['*:view', '*:invoke'] } });
    const target = await collection(node, who, { label: 'Target' });
    const file = await create(node, who, { type: 'file', collection: target.id });
    return new JobScene({ clock, node, who, endpoint, home, target, file }, opened.move());
  }

  /** Another target with a file in it, and nothing received. */
  async renew(): Promise<void> {
    this.target = await collection(this.node, this.who, { label: 'Target' });
    this.file = await create(this.node, this.who, { type: 'file', collection: this.target.id });
    this.endpoint.received.length = 0;
  }

  /** An active klados at an endpoint that behaves so, with a person who has its key. */
  async klados(behaviour: string, more: object = {}): Promise<{ id: string; self: Person }> {
    const given = { endpoint: `${this.endpoint.url}/${behaviour}`, ...more };
    const { klados, key } = await activeKlados(this.node, this.who, this.home.id, given);
    return { id: klados.id, self: { id: klados.id, headers: { Authorization: `ApiKey ${key}` } } };
  }

  invocation(more: object = {}): object {
    return { target_collection: this.target.id, target_entity: this.file.id, confirm: true, ...more };
  }

  async invoke(klados: string, more: object = {}, who = this.who): Promise<Started> {
    return ok<Started>(await ask(this.node, who, `POST /kladoi/${klados}/invoke`, this.invocation(more)));
  }

  async status(klados: string, job: string): Promise<Status> {
    return ok<Status>(await ask(this.node, this.who, `GET /kladoi/${klados}/jobs/${job}/status`));
  }

  /** The log that a klados writes of a job. */
  async log(
    self: Person,
    { job_id, job_collection }: Pick<Started, 'job_id' | 'job_collection'>,
    entry: object,
  ): Promise<Entity> {
    return ok<Entity>(
      await ask(this.node, self, 'POST /entities', logBody(this, self, { job_id, job_collection }, entry)),
    );
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }
}

export function logBody(
  { clock }: { clock: { ms: number } },
  self: Person,
  { job_id, job_collection }: Pick<Started, 'job_id' | 'job_collection'>,
  entry: object,
): object {
  const common = { klados_id: self.id, job_id, ...entry };
  const started_at = new Date(clock.ms).toISOString();
  const log_data = { entry: { type: 'klados_log', started_at, ...common }, messages: [] };
  return { type: 'klados_log', collection: job_collection, properties: { ...common, log_data } };
}

export const failed = { code: 'TIMEOUT', message: 'request timed out', retryable: true };
