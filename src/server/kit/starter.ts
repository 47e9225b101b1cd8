import { type Flow, type FlowStep, maxNested, readFlow } from '../model/flow.ts';
import type { RhizaContext } from '../model/job-request.ts';
import type { JsonObject } from '../model/manifest.ts';
import { type StepLevels, stepInput } from '../model/step-input.ts';
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
  levels: StepLevels;
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
    const { rhiza, path } = place ?? { rhiza: this.#job.rhiza.id, path: this.#job.rhiza.path };
    let context = { id: rhiza, path: [...path, step], parent_logs: [this.#log] };
    let current = stepOf(flow, step);
    const named = current.klados.id;
    const names = [step];
    const inputs = current.input ? [current.input] : [];
    while ((await this.#typeOf(current)) === 'rhiza') {
      const { id } = current.klados;
      if (names.length > maxNested)
        throw new JobError('VALIDATION_ERROR', `The workflows within step ${step} lead to no klados.`);
      const inner = await this.#api.read(id);
      const entry = String(inner.properties.entry);
      current = stepOf(flowOf(inner, id), entry);
      context = { ...context, id, path: [entry] };
      names.unshift(entry);
      if (current.input) inputs.unshift(current.input);
    }
    const type = names.length > 1 ? 'rhiza' : 'klados';
    return { named, type, klados: current.klados.id, step: names[0] ?? step, levels: { names, inputs }, context };
  }

  async #typeOf({ klados: { id, type } }: FlowStep): Promise<string> {
    return type ?? (await this.#api.read(id)).type;
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
        true,
      );
    }
  }

  #invocation({ levels, context }: Target, ids: string[], more: Partial<Invocation['rhiza']>): Invocation {
    const { input: given, target_collection, job_collection } = this.#job;
    const input: JsonObject = stepInput(levels, given) ?? {};
    const [only] = ids;
    return {
      ...(ids.length === 1 && only !== undefined ? { target_entity: only } : { target_entities: ids }),
      ...{ target_collection, job_collection },
      ...(Object.keys(input).length > 0 && { input }),
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
