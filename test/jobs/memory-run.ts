import { Batches } from '../../src/server/kit/batch.ts';
import { NodeCallError } from '../../src/server/kit/job-error.ts';
import type { KladosJob } from '../../src/server/kit/job-request.ts';
import type { EntityView, Invocation, Link, NodeApi, Properties } from '../../src/server/kit/node-api.ts';
import { type Handler, runJob } from '../../src/server/kit/run-job.ts';

export const at = Date.parse('2026-02-20T10:00:00.000Z');
/** When the time of all jobs is up. */
export const end = at + 3_600_000;

/** What a step's worker does with its job. */
export type Worker = Handler;

interface Started {
  klados: string;
  job: KladosJob;
}

/**
 * A node's part in a workflow, in memory: entities, and jobs that are started with the same handoff once. The workers are
 * the kit itself.
 */
export class MemoryRun implements NodeApi {
  readonly entities = new Map<string, EntityView>();
  readonly started: Started[] = [];
  readonly #workers: Record<string, Worker>;
  readonly #handedOn = new Map<string, string>();
  readonly batches = new Batches(this);
  /** Called before each call to the node; what it throws is the call's answer. */
  onCall: (call: string, id: string, body?: unknown) => void = () => undefined;
  /** Which handoffs the processor behind them does not take, and what it says. */
  refuse: (invocation: Invocation) => boolean | string = () => false;
  /** What the workers take for the time. */
  ms = at;
  #next = 0;
  #done = 0;

  constructor(workers: Record<string, Worker>) {
    this.#workers = workers;
    this.put('JOBS', 'collection');
    this.put('TARGET', 'collection');
  }

  put(id: string, type: string, properties: Properties = {}): void {
    this.entities.set(id, { id, cid: `${id}-1`, type, properties, relationships: [] });
  }

  async read(id: string): Promise<EntityView> {
    this.onCall('read', id);
    const found = this.entities.get(id);
    if (!found) throw new NodeCallError(404, `Entity not found: ${id}`);
    return structuredClone(found);
  }

  async create({ id = `E${++this.#next}`, type, properties, relationships = [] }: Parameters<NodeApi['create']>[0]) {
    this.onCall('create', type, properties);
    if (!this.entities.has(id))
      this.entities.set(id, structuredClone({ id, cid: `${id}-1`, type, properties, relationships }));
    return { id };
  }

  async add(additions: Parameters<NodeApi['add']>[0]): Promise<void> {
    for (const { entity_id, properties = {}, relationships_add = [] } of additions) {
      this.onCall('add', entity_id, properties);
      const entity = this.entities.get(entity_id);
      if (!entity) throw new NodeCallError(400, `${entity_id} is not here`);
      merge(entity.properties, structuredClone(properties));
      entity.relationships = upserted(entity.relationships, relationships_add);
    }
  }

  addNow(additions: Parameters<NodeApi['add']>[0]): Promise<void> {
    return this.add(additions);
  }

  async change(id: string, next: (properties: Properties) => Properties | null): Promise<Properties> {
    const entity = this.entities.get(id);
    if (!entity) throw new NodeCallError(404, `Entity not found: ${id}`);
    const changed = next(structuredClone(entity.properties));
    this.onCall('change', id, changed);
    if (changed) entity.properties = structuredClone(changed);
    return structuredClone(entity.properties);
  }

  async invoke(klados: string, invocation: Invocation) {
    this.onCall('invoke', klados, invocation);
    const { confirm: _, expires_in: __, ...request } = invocation;
    const digest = JSON.stringify([klados, request]);
    const known = this.#handedOn.get(digest);
    if (known) return { started: true as const, job_id: known };
    const refused = this.refuse(invocation);
    if (refused !== false)
      return { started: false as const, error: refused === true ? 'the processor has no time' : refused };
    const job_id = this.start(klados, request);
    this.#handedOn.set(digest, job_id);
    return { started: true as const, job_id };
  }

  start(klados: string, request: Partial<KladosJob>): string {
    const job_id = `job_${String(this.started.length + 1).padStart(4, '0')}`;
    const job = {
      ...{ job_id, target_collection: 'TARGET', job_collection: 'JOBS', api_base: 'http://node' },
      ...{ expires_at: new Date(end).toISOString(), network: 'main' as const },
      ...structuredClone(request),
    };
    this.started.push({ klados, job });
    return job_id;
  }

  /** Runs everything that is started, and what that starts, until nothing is left. */
  async settle(): Promise<void> {
    while (this.#done < this.started.length) {
      const some = this.started.slice(this.#done);
      this.#done = this.started.length;
      await Promise.all(some.map((one) => this.run(one)));
    }
  }

  run({ klados, job }: Started) {
    const worker = this.#workers[klados];
    if (!worker) throw new Error(`no worker ${klados}`);
    const { batches } = this;
    const runner = { klados, label: klados, version: '1', api: this, batches, now: () => this.ms, signal: never };
    return runJob(runner, job, worker);
  }

  ofType(type: string): EntityView[] {
    return [...this.entities.values()].filter((one) => one.type === type);
  }

  /** The logs by the steps of their jobs, in the order in which they were begun. */
  logs(): { step: string; status: unknown; outputs: unknown; error: unknown; id: string; links: Link[] }[] {
    return this.ofType('klados_log').map(({ id, properties, relationships }) => {
      const { entry } = properties.log_data as { entry: Properties };
      const step = this.started.find(({ job }) => job.job_id === properties.job_id)?.job.rhiza?.path.join('/') ?? '';
      return { id, step, status: properties.status, outputs: entry.outputs, error: entry.error, links: relationships };
    });
  }

  /** The jobs as `path: targets`. */
  jobs(): string[] {
    return this.started.map(
      ({ job }) => `${job.rhiza?.path.join('/')}: ${(job.target_entities ?? [job.target_entity]).join(' ')}`,
    );
  }
}

const never = new AbortController().signal;

function merge(into: Properties, from: Properties): void {
  for (const [key, value] of Object.entries(from)) {
    const old = into[key];
    if (isMap(old) && isMap(value)) merge(old, value);
    else into[key] = value;
  }
}

function isMap(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function upserted(links: Link[], added: Link[]): Link[] {
  const rest = links.filter((one) => !added.some((a) => a.predicate === one.predicate && a.peer === one.peer));
  return [...rest, ...structuredClone(added)];
}
