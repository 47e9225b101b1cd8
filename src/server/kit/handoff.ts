import { doneTarget, type Flow, routesOf, type Then } from '../model/flow.ts';
import type { RhizaContext } from '../model/job-request.ts';
import { type Batches, gathered, type Slot, slotOfParts } from './batch.ts';
import { JobError, type JobFailure } from './job-error.ts';
import type { WorkflowJob } from './job-request.ts';
import type { NodeApi, Properties } from './node-api.ts';
import { gatherBehind, routed } from './route.ts';
import { type BatchPlace, flowOf, type StartedStep, Starter, stepOf, type Target } from './starter.ts';

/** One output of a job: an entity, with what routes look at. */
export interface Output {
  id: string;
  properties: Record<string, unknown>;
}

/** A handoff as the log keeps it (processors.md, 2.7). */
export interface HandoffRecord {
  type: 'pass' | 'scatter' | 'gather' | 'recurse';
  target: string;
  target_type: 'klados' | 'rhiza';
  batch_id?: string;
  outputs?: string[];
  invocations: { request: Record<string, unknown>; batch_index?: number }[];
  done_slots?: number;
  depth?: number;
}

/** What became of a job's outputs. */
export interface HandedOn {
  handoffs: HandoffRecord[];
  /** What was handed on and not taken, in words. */
  refused: string[];
}

export interface HandoffPorts {
  api: NodeApi;
  batches: Pick<Batches, 'write'>;
  /** Epoch milliseconds. */
  now: () => number;
  /** An id that the same parts always give. */
  deriveId: (...parts: string[]) => string;
}

/** A job that has done its work, in a workflow. */
export interface Finished {
  job: WorkflowJob;
  klados: string;
  log: string;
  outputs: Output[];
  /** Of the job as a whole; what the route of a gather looks at. */
  outputProperties: Record<string, unknown>;
}

/** How deep a recurse goes that does not say. */
const maxDepth = 100;
/** How many invocations are under way at once. */
const atOnce = 10;
/** From so many on, a handoff is recorded without its invocations: the log would weigh megabytes. */
export const manyOutputs = 100;

/**
 * Hands a job's outputs to the next step of its workflow, as the job's own step says (processors.md, 3.5). Where a branch
 * ends within a batch, whatever way, its slot is written, and the last one goes on to the step that gathers. Asked for
 * again after an interruption, nothing is started twice.
 * @throws JobError, NodeCallError where it cannot be handed on
 */
export function handOn(ports: HandoffPorts, finished: Finished): Promise<HandedOn> {
  return new Handoff(ports, finished).run();
}

type Forms = Pick<HandedOn, 'handoffs'>;

/** A step, or `done`, with the outputs that go there. */
interface Way {
  step: string;
  ids: string[];
}

/** A batch whose slots are all complete. */
interface Filled {
  batch_id: string;
  ids: string[];
  properties: Properties;
}

class Handoff {
  readonly #ports: HandoffPorts;
  readonly #is: Finished;
  readonly #starter: Starter;
  readonly #step: string;
  readonly #refused: string[] = [];

  constructor(ports: HandoffPorts, finished: Finished) {
    this.#ports = ports;
    this.#is = finished;
    this.#starter = new Starter(ports.api, finished.job, finished.log, ports.now);
    this.#step = finished.job.rhiza.path.at(-1) ?? '';
  }

  async run(): Promise<HandedOn> {
    return { ...(await this.#byForm()), refused: this.#refused };
  }

  async #byForm(): Promise<Forms> {
    const { rhiza } = this.#is.job;
    const flow = flowOf(await this.#ports.api.read(rhiza.id), rhiza.id);
    const { then } = stepOf(flow, this.#step);
    if ('scatter' in then) return this.#scatter(flow, then, then.scatter);
    if ('pass' in then) return this.#pass('pass', flow, then, then.pass);
    if ('recurse' in then && depthOf(rhiza) < (then.max_depth ?? maxDepth))
      return this.#pass('recurse', flow, then, then.recurse);
    if ('gather' in then && !rhiza.batch)
      throw new JobError('VALIDATION_ERROR', `Step ${this.#step} gathers, but nothing was scattered to it.`);
    return this.#end();
  }

  /** All outputs for the same step in one invocation. Within a batch, several ways fill the slot together. */
  async #pass(type: 'pass' | 'recurse', flow: Flow, then: Then, own: string): Promise<Forms> {
    const { rhiza } = this.#is.job;
    const ways: Way[] = [];
    for (const { id, properties } of this.#is.outputs) {
      const step = routed(then, own, properties);
      const way = ways.find((one) => one.step === step);
      if (way) way.ids.push(id);
      else ways.push({ step, ids: [id] });
    }
    if (ways.every(({ step }) => step === doneTarget)) return this.#end();
    const depth = depthOf(rhiza) + (type === 'recurse' ? 1 : 0);
    const parts = rhiza.batch && ways.length > 1 ? await this.#parts(ways) : null;
    const handoffs: HandoffRecord[] = [];
    for (const [index, { step, ids }] of ways.entries()) {
      if (step === doneTarget) continue;
      const target = await this.#starter.target(flow, step);
      const batch = parts === null ? rhiza.batch : { id: parts, index, total: ways.length };
      const { request } = await this.#start(target, ids, {
        ...(batch && { batch: placeOf(batch) }),
        ...(depth > 0 && { recurse_depth: depth }),
      });
      handoffs.push({
        ...record(type, target, [{ request: ids.length > manyOutputs ? {} : request }]),
        ...(type === 'recurse' && { depth: depthOf(rhiza) }),
      });
    }
    return { handoffs };
  }

  /** Each output in an invocation of its own; with a batch where a step behind gathers them again. */
  async #scatter(flow: Flow, then: Then, own: string): Promise<Forms> {
    const { job, outputs } = this.#is;
    const items = outputs.map(({ id, properties }, index) => ({ id, index, step: routed(then, own, properties) }));
    const going = items.filter(({ step }) => step !== doneTarget);
    const gather = gatherBehind(flow, own, routesOf(then));
    if (outputs.length === 0 || (going.length === 0 && gather === null)) return this.#end();
    if (going.length === 0 && gather !== null) return this.#gatherAll(flow, own, gather);
    const batch = gather === null ? null : await this.#batch(flow, own, gather, items);
    const invocations = await this.#startEach(flow, going, batch);
    const target = await this.#starter.target(flow, going[0]?.step ?? own);
    const scattered: HandoffRecord = {
      ...record('scatter', target, outputs.length > manyOutputs ? [] : invocations),
      ...(batch !== null && { batch_id: batch }),
      outputs: outputs.map(({ id }) => id),
      done_slots: outputs.length - going.length,
    };
    // What is scattered and not gathered goes its own way: for an outer batch these outputs are the result.
    const ended = batch === null && job.rhiza.batch ? await this.#end() : { handoffs: [] };
    return { handoffs: [scattered, ...ended.handoffs] };
  }

  /** A job that its processor does not take is an error of its slot alone. @throws JobError once all were asked, where the node takes some not at all */
  async #startEach(flow: Flow, going: { id: string; index: number; step: string }[], batch: string | null) {
    const total = this.#is.outputs.length;
    const depth = depthOf(this.#is.job.rhiza);
    const started: { request: Record<string, unknown>; batch_index?: number }[] = [];
    const faults: string[] = [];
    const failed = async (index: number, failure: JobFailure) => {
      if (batch !== null) await this.#ports.batches.write(batch, index, { ...this.#stamp(), failure }, total);
    };
    await someAtOnce(going, async ({ id, index, step }) => {
      try {
        const { request, refused } = await this.#start(await this.#starter.target(flow, step), [id], {
          ...(batch === null ? { scatter_total: total, scatter_index: index } : { batch: { id: batch, index, total } }),
          ...(depth > 0 && { recurse_depth: depth }),
        });
        if (total <= manyOutputs) started.push({ request, ...(batch !== null && { batch_index: index }) });
        if (refused !== undefined) await failed(index, { code: 'REJECTED', message: refused, retryable: true });
      } catch (error) {
        if (!(error instanceof JobError)) throw error;
        faults.push(error.message);
        const { code, message, retryable } = error;
        await failed(index, { code, message, retryable });
      }
    });
    if (faults.length === 0) return started.sort((a, b) => (a.batch_index ?? 0) - (b.batch_index ?? 0));
    const words = `${faults.length} of ${going.length} outputs could not be handed on. The first: ${faults[0]}`;
    throw new JobError('HANDOFF_REFUSED', words, true);
  }

  async #start(...given: Parameters<Starter['start']>): Promise<StartedStep> {
    const started = await this.#starter.start(...given);
    if (started.refused !== undefined) this.#refused.push(started.refused);
    return started;
  }

  /** The batch of a scatter. */
  async #batch(flow: Flow, own: string, gather: string, items: { id: string; step: string }[]) {
    const { klados } = this.#is;
    return this.#newBatch(
      'batch',
      items.map(({ id, step }) => ({ step, ids: [id] })),
      {
        label: `Scatter: ${klados} -> ${own} (${items.length} items)`,
        ...{ target_step: own, gather_step: gather },
        gather_klados: (await this.#starter.target(flow, gather)).klados,
      },
    );
  }

  /** The batch of the ways that a pass takes within another batch: nothing gathers it but the slot that it came of. */
  #parts(ways: Way[]) {
    return this.#newBatch('parts', ways, { label: `Parts: ${this.#is.klados} (${ways.length} ways)` });
  }

  /** A batch of one slot for each way; what goes nowhere is done already, with itself as result. */
  async #newBatch(kind: string, ways: Way[], more: Properties) {
    const { job, klados } = this.#is;
    const { rhiza, job_id } = job;
    const id = this.#ports.deriveId(kind, job_id);
    const created_at = this.#now();
    const slots = ways.map(
      ({ step, ids }, index): Slot =>
        step === doneTarget
          ? { index, status: 'complete', output_ids: ids, completed_at: created_at }
          : { index, status: 'pending' },
    );
    await this.#ports.api.create({
      id,
      type: 'batch',
      collection: job.job_collection,
      properties: {
        ...{ rhiza_id: rhiza.id, job_id, source_klados: klados, ...more },
        path: rhiza.path,
        ...(rhiza.batch && { outer: placeOf(rhiza.batch) }),
        recurse_depth: depthOf(rhiza),
        total: slots.length,
        completed: slots.filter(({ status }) => status === 'complete').length,
        status: 'pending',
        slots,
        created_at,
      },
    });
    return id;
  }

  /** Where all outputs of a scatter are done at once, there is nobody behind to gather them. */
  async #gatherAll(flow: Flow, own: string, step: string): Promise<Forms> {
    const { rhiza } = this.#is.job;
    const ids = this.#is.outputs.map(({ id }) => id);
    const target = await this.#starter.target(flow, step, { rhiza: rhiza.id, path: [...rhiza.path, own] });
    return { handoffs: [await this.#gather(target, ids, rhiza.batch, depthOf(rhiza))] };
  }

  /** Nothing follows here: within a batch its slot is complete, and the last one goes on to the step that gathers. */
  async #end(): Promise<Forms> {
    const { job, outputs, outputProperties } = this.#is;
    if (!job.rhiza.batch) return { handoffs: [] };
    const filled = await this.#fill(
      job.rhiza.batch,
      outputs.map(({ id }) => id),
    );
    if (!filled) return { handoffs: [] };
    const { batch_id, ids, properties } = filled;
    const { rhiza, path, step, outer, depth } = gathering(properties, job);
    const flow = flowOf(await this.#ports.api.read(rhiza), rhiza);
    const then = rhiza === job.rhiza.id ? flow.get(this.#step)?.then : undefined;
    // Where ways of one scatter name several steps that gather, whoever ends last does not choose.
    const next = then && 'gather' in then && then.gather === step ? routed(then, step, outputProperties) : step;
    if (ids.length === 0)
      throw new JobError('VALIDATION_ERROR', `Step ${next} has nothing to gather: no job of the batch gave an output.`);
    const target = await this.#starter.target(flow, next, { rhiza, path });
    const handoff = await this.#gather(target, ids, outer, depth);
    return { handoffs: [{ ...handoff, batch_id }] };
  }

  /** Fills a slot: what its batch came to, where it is for whoever filled this one to hand that on. */
  async #fill({ id, index, total }: BatchPlace, outputs: string[]): Promise<Filled | null> {
    const result = { ...this.#stamp(), outputs };
    const { gathers, properties, slots } = await this.#ports.batches.write(id, index, result, total);
    if (!gathers) return null;
    const ids = gathered(slots);
    const whole = slotOfParts(properties);
    return whole ? this.#fill(whole, ids) : { batch_id: id, ids, properties };
  }

  async #gather(target: Target, ids: string[], outer: BatchPlace | undefined, depth: number): Promise<HandoffRecord> {
    const { request } = await this.#start(target, ids, {
      ...(outer && { batch: placeOf(outer) }),
      ...(depth > 0 && { recurse_depth: depth }),
    });
    return record('gather', target, [{ request: ids.length > manyOutputs ? {} : request }]);
  }

  #stamp() {
    return { job_id: this.#is.job.job_id, at: this.#now() };
  }

  #now(): string {
    return new Date(this.#ports.now()).toISOString();
  }
}

function record(
  type: HandoffRecord['type'],
  { named, type: target_type }: Target,
  invocations: HandoffRecord['invocations'],
): HandoffRecord {
  return { type, target: named, target_type, invocations };
}

/** Where a batch is gathered. One that another program made may lack the place, which is then the job's own. */
function gathering(properties: Properties, job: WorkflowJob) {
  const { rhiza_id, path, target_step, gather_step, outer, recurse_depth } = properties;
  return {
    rhiza: String(rhiza_id),
    path: Array.isArray(path) ? [...(path as string[]), String(target_step)] : job.rhiza.path,
    step: String(gather_step),
    outer: outer as BatchPlace | undefined,
    depth: typeof recurse_depth === 'number' ? recurse_depth : depthOf(job.rhiza),
  };
}

function depthOf({ recurse_depth }: RhizaContext): number {
  return typeof recurse_depth === 'number' ? recurse_depth : 0;
}

function placeOf({ id, index, total }: BatchPlace): BatchPlace {
  return { id, index, total };
}

/** Begins them in order; after a fault no more. @throws the first fault, once all that were begun have ended */
async function someAtOnce<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const faults: unknown[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length && faults.length === 0)
      await run(items[next++] as T).catch((fault: unknown) => faults.push(fault));
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  if (faults.length > 0) throw faults[0];
}
