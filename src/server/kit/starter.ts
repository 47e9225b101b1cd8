import { type Flow, type FlowStep, readFlow } from '../model/flow.ts';
import type { RhizaContext } from '../model/job-request.ts';
import type { JsonObject } from '../model/manifest.ts';
import { JobError, NodeCallError } from './job-error.ts';
import type { WorkflowJob } from './job-request.ts';
import type { Invocation, NodeApi, Properties } from './node-api.ts';

/** Whom a step is for, and where in the workflow that puts it. */
export interface Target {
  /** What the step names, a klados or a rhiza. */
  named: string;
  type: 'klados' | 'rhiza';
  /** Who is invoked: of a rhiza the klados of its entry, which then goes on by itself. */
  klados: string;
  step: string;
  input: JsonObject | undefined;
  context: { id: string; path: string[]; parent_logs: string[] };
}

export interface StartedStep {
  /** As the log keeps it. */
  request: Record<string, unknown>;
  refused?: string;
}

export type BatchPlace = NonNullable<RhizaContext['batch']>;

/** The invocations that one job makes of the kladoi behind it. */
export class Starter {
  readonly #api: NodeApi;
  readonly #job: WorkflowJob;
  readonly #log: string;
  readonly #now: () => number;
  readonly #targets = new Map<string, Promise<Target>>();

  constructor(api: NodeApi, job: WorkflowJob, log: string, now: () => number) {
    this.#api = api;
    this.#job = job;
    this.#log = log;
    this.#now = now;
  }

  /** `place`: where the step's flow stands, if it is not that of the job. */
  target(flow: Flow, step: string, place: { rhiza: string; path: string[] } | null = null): Promise<Target> {
    const key = `${place?.rhiza ?? ''} ${step}`;
    const target = this.#targets.get(key) ?? this.#find(flow, step, place);
    this.#targets.set(key, target);
    return target;
  }

  async #find(flow: Flow, step: string, place: { rhiza: string; path: string[] } | null): Promise<Target> {
    const { klados, input } = stepOf(flow, step);
    const { rhiza, path } = place ?? { rhiza: this.#job.rhiza.id, path: this.#job.rhiza.path };
    const parent_logs = [this.#log];
    const type = klados.type ?? (await this.#api.read(klados.id)).type;
    const named = klados.id;
    if (type !== 'rhiza')
      return {
        named,
        type: 'klados',
        klados: named,
        step,
        input,
        context: { id: rhiza, path: [...path, step], parent_logs },
      };
    const inner = await this.#api.read(named);
    const entry = String(inner.properties.entry);
    const first = stepOf(flowOf(inner, named), entry);
    return {
      ...{ named, type, klados: first.klados.id, step: entry, input: first.input },
      context: { id: named, path: [entry], parent_logs },
    };
  }

  /**
   * Starts a target on some entities. `refused`: its processor did not take the job, which the node keeps, so that it can
   * be resumed by itself. @throws JobError where the node takes no such job
   */
  async start(target: Target, ids: string[], more: Partial<Invocation['rhiza']>): Promise<StartedStep> {
    const invocation = this.#invocation(target, ids, more);
    try {
      const answer = await this.#api.invoke(target.klados, invocation);
      const request = this.#recorded(invocation);
      return answer.started ? { request } : { request, refused: `Step ${target.step} was refused: ${answer.error}` };
    } catch (error) {
      if (!(error instanceof NodeCallError) || error.status === 0 || error.status >= 500) throw error;
      throw new JobError(
        'HANDOFF_REFUSED',
        `Step ${target.step} was refused (${error.status}): ${error.message}`,
        false,
      );
    }
  }

  /** Input has three levels, the later wins (processors.md, 3.6). */
  #invocation({ step, input, context }: Target, ids: string[], more: Partial<Invocation['rhiza']>): Invocation {
    const { input: given, target_collection, job_collection } = this.#job;
    const steps = given?.steps as Record<string, JsonObject> | undefined;
    const merged = { ...input, ...given, ...(steps && Object.hasOwn(steps, step) ? steps[step] : {}) };
    const [only] = ids;
    return {
      ...(ids.length === 1 && only !== undefined ? { target_entity: only } : { target_entities: ids }),
      ...{ target_collection, job_collection },
      ...(Object.keys(merged).length > 0 && { input: { ...merged, ...(steps && { steps }) } }),
      expires_in: this.#remaining(),
      confirm: true,
      rhiza: { ...context, ...more },
    };
  }

  /** What follows may take as long as this job still might: the grants end when the invoker said. */
  #remaining(): number {
    const left = Math.ceil((Date.parse(this.#job.expires_at) - this.#now()) / 1000);
    return Math.min(86_400, Math.max(60, left));
  }

  #recorded({ confirm: _, expires_in: __, ...request }: Invocation): Record<string, unknown> {
    const { api_base, expires_at, network } = this.#job;
    return { ...request, api_base, expires_at, network };
  }
}

/** The flow of a rhiza. @throws JobError */
export function flowOf({ type, properties }: { type: string; properties: Properties }, id: string): Flow {
  const flow = type === 'rhiza' ? readFlow(properties.flow) : null;
  if (flow === null) throw new JobError('VALIDATION_ERROR', `${id} is no rhiza with a flow.`);
  return flow;
}

/** @throws JobError */
export function stepOf(flow: Flow, step: string): FlowStep {
  const found = flow.get(step);
  if (!found) throw new JobError('VALIDATION_ERROR', `The rhiza has no step ${step}.`);
  return found;
}
