import { setTimeout as pause } from 'node:timers/promises';
import { type JobFailure, NodeCallError, storableFailure } from './job-error.ts';
import type { NodeApi, Properties } from './node-api.ts';
import type { BatchPlace } from './starter.ts';

/** One slot of a batch entity (processors.md, 2.8). */
export interface Slot {
  index: number;
  status: 'pending' | 'complete' | 'error';
  output_ids?: string[];
  job_id?: string;
  completed_at?: string;
  error?: { code: string; message: string };
}

/** What became of a slot: its outputs, or why there are none. */
export type SlotResult = { job_id: string; at: string } & ({ outputs: string[] } | { failure: JobFailure });

/** A batch as it is after a slot was written. */
export interface BatchState {
  /** All slots are complete, and it is for whoever wrote this one to hand them to the step that gathers. */
  gathers: boolean;
  properties: Properties;
  slots: Slot[];
}

/** What waits to be written to one batch together. */
interface Round {
  results: Map<number, SlotResult>;
  /** Those that the node does not take. */
  refused: Map<number, NodeCallError>;
  written: Promise<Properties>;
}

/**
 * Writes slots of batches. What comes for one batch while it is being written goes into the next version together, so
 * that thousands of slots do not make thousands of versions.
 */
export class Batches {
  readonly #api: NodeApi;
  readonly #next = new Map<string, Round>();
  readonly #running = new Map<string, Promise<unknown>>();

  constructor(api: NodeApi) {
    this.#api = api;
  }

  /** `total`: how many slots it has; for very many some are waited for. */
  async write(id: string, index: number, result: SlotResult, total = 0): Promise<BatchState> {
    const properties = await this.#join(id, index, result, total);
    return { gathers: properties.gather_slot === index, properties, slots: slotsOf(properties) };
  }

  async #join(id: string, index: number, result: SlotResult, total: number): Promise<Properties> {
    const next = this.#next.get(id) ?? this.#open(id, total);
    if (next.results.has(index)) return this.#change(id, new Map([[index, result]]));
    next.results.set(index, result);
    const written = await next.written;
    const refusal = next.refused.get(index);
    if (refusal) throw refusal;
    return written;
  }

  #open(id: string, total: number): Round {
    const results: Round['results'] = new Map();
    const refused: Round['refused'] = new Map();
    const before = this.#running.get(id) ?? Promise.resolve();
    const written = before.then(async () => {
      if (total > manySlots) await pause(collectMs);
      this.#next.delete(id);
      return this.#together(id, results, refused);
    });
    const ended = written.catch(() => undefined);
    this.#running.set(id, ended);
    void ended.then(() => {
      if (this.#running.get(id) === ended) this.#running.delete(id);
    });
    const round = { results, refused, written };
    this.#next.set(id, round);
    return round;
  }

  /** What the node does not take of one keeps those of others out no longer than until they are written by themselves. */
  async #together(id: string, results: Round['results'], refused: Round['refused']): Promise<Properties> {
    try {
      return await this.#change(id, results);
    } catch (error) {
      if (!isRefusal(error) || results.size === 1) throw error;
    }
    let written: Properties = {};
    for (const [index, result] of results) {
      try {
        written = await this.#change(id, new Map([[index, result]]));
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.set(index, error);
      }
    }
    return written;
  }

  #change(id: string, results: ReadonlyMap<number, SlotResult>): Promise<Properties> {
    return this.#api.change(id, (properties) => withResults(properties, results));
  }
}

/** A version of so many slots weighs so much that it is written less often. */
const manySlots = 100;
const collectMs = 250;

/** Whether it may be one of several results that the node does not take, and not whoever asks or the batch. */
function isRefusal(error: unknown): error is NodeCallError {
  return error instanceof NodeCallError && (error.status === 400 || error.status === 413);
}

function slotsOf(properties: Properties): Slot[] {
  return Array.isArray(properties.slots) ? (properties.slots as Slot[]) : [];
}

/** The slot that a batch of several ways fills together, null where a step gathers it. */
export function slotOfParts({ gather_step, outer }: Properties): BatchPlace | null {
  return gather_step === undefined && outer !== undefined ? (outer as BatchPlace) : null;
}

/** What a gather step is given: the outputs in the order of their slots. */
export function gathered(slots: readonly Slot[]): string[] {
  return slots.flatMap(({ output_ids = [] }) => output_ids);
}

/** The batch with these results; null where they all stand in it already. A complete slot stays as it is. */
function withResults(properties: Properties, results: ReadonlyMap<number, SlotResult>): Properties | null {
  const before = slotsOf(properties);
  const open = new Set(before.flatMap(({ index, status }) => (status === 'complete' ? [] : [index])));
  const taken = new Map([...results].filter(([index]) => open.has(index)));
  if (taken.size === 0) return null;
  const slots = before.map((slot) => {
    const result = taken.get(slot.index);
    return result === undefined ? slot : slotWith(slot.index, result);
  });
  const completed = slots.filter(({ status }) => status === 'complete').length;
  const ended = slots.every(({ status }) => status !== 'pending');
  const [last, result] = [...taken].at(-1) ?? [];
  const status = completed === slots.length ? 'complete' : ended ? 'error' : 'pending';
  return {
    ...properties,
    slots,
    completed,
    status,
    ...(status === 'complete' && { completed_at: result?.at, gather_slot: last }),
  };
}

function slotWith(index: number, result: SlotResult): Slot {
  const { job_id, at } = result;
  if ('failure' in result) {
    const { code, message } = storableFailure(result.failure);
    return { index, status: 'error', job_id, completed_at: at, error: { code, message } };
  }
  return { index, status: 'complete', output_ids: result.outputs, job_id, completed_at: at };
}
