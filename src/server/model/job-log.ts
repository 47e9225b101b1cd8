import { beginningOf } from './cut-text.ts';
import type { Json, Manifest } from './manifest.ts';
import { momentOf } from './moments.ts';

export type LogStatus = 'running' | 'done' | 'error';

/** What a log entity (type `klados_log`) says of its job; processors write it, so it is read leniently. */
export interface JobLog {
  job: string;
  klados: string;
  status: LogStatus;
  /** ISO 8601, as they were written; null where there is none. */
  started: string | null;
  completed: string | null;
  error: JobError | null;
  /** How many jobs it says it has handed on to. */
  promised: number;
}

export interface JobError {
  code: string;
  message: string;
  retryable: boolean;
}

export const logType = 'klados_log';
/** Longer texts of a processor are cut. */
const maxText = 1000;

/** The log that an entity is; null where it is none, or does not say whose. */
export function jobLogOf({ type, deleted, properties }: Manifest): JobLog | null {
  if (type !== logType || deleted) return null;
  const entry = member(member(properties, 'log_data'), 'entry');
  const job = text(properties, 'job_id') ?? text(entry, 'job_id');
  const klados = text(properties, 'klados_id') ?? text(entry, 'klados_id');
  const status = member(entry, 'status') ?? member(properties, 'status');
  if (job === null || klados === null || !isStatus(status)) return null;
  return {
    job,
    klados,
    status,
    started: time(entry, 'started_at'),
    completed: time(entry, 'completed_at'),
    error: status === 'error' ? errorOf(member(entry, 'error')) : null,
    promised: promisedBy(member(entry, 'handoffs')),
  };
}

function isStatus(value: Json | undefined): value is LogStatus {
  return value === 'running' || value === 'done' || value === 'error';
}

function errorOf(error: Json | undefined): JobError {
  return {
    code: text(error, 'code') ?? 'UNKNOWN',
    message: text(error, 'message') ?? '',
    retryable: member(error, 'retryable') === true,
  };
}

/** processors.md 2.7: a scatter hands on its outputs but for those that were done with, the others one for each call. */
function promisedBy(handoffs: Json | undefined): number {
  if (!Array.isArray(handoffs)) return 0;
  return handoffs.reduce<number>((sum, handoff) => {
    const outputs = count(handoff, 'outputs');
    const calls = count(handoff, 'invocations');
    if (member(handoff, 'type') !== 'scatter' || outputs === null) return sum + (calls ?? 1);
    const done = member(handoff, 'done_slots');
    return sum + Math.max(0, outputs - (typeof done === 'number' ? done : 0));
  }, 0);
}

function count(value: Json | undefined, name: string): number | null {
  const list = member(value, name);
  return Array.isArray(list) ? list.length : null;
}

function member(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

function text(value: Json | undefined, name: string): string | null {
  const found = member(value, name);
  return typeof found === 'string' && found !== '' ? beginningOf(found, maxText) : null;
}

function time(value: Json | undefined, name: string): string | null {
  const found = text(value, name);
  const at = found === null ? Number.NaN : momentOf(found);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}
