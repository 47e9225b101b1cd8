import type { MessageKey } from '../messages/translate.ts';

/** One thing that is wrong with a request, and where. */
export interface Issue {
  path: (string | number)[];
  message: string;
}

/**
 * Why a request came to nothing. `unreachable`: there was no answer, so a write may or may not have happened. `conflict`:
 * the tip is another one (`details.actual`). `gone`: deleted, `details` says when. `unreadable`, `too-large`, `damaged`,
 * `no-mapping`, `empty`, `insecure`: a file of the reader's own, of which nothing was asked. `name-taken`: what was to be new was there already, and is
 * as it was. `unavailable`: the node does not do it now, for a reason that it gives (`details.under_way`: beside what).
 * `elsewhere`: another node or service that it asked did not answer. `goes-on`: the answer broke off; what was asked for does not.
 */
export type FailureKind =
  | 'unreachable'
  | 'signed-out'
  | 'forbidden'
  | 'missing'
  | 'gone'
  | 'conflict'
  | 'invalid'
  | 'broken'
  | 'unavailable'
  | 'elsewhere'
  | 'unreadable'
  | 'too-large'
  | 'damaged'
  | 'no-mapping'
  | 'empty'
  | 'insecure'
  | 'name-taken'
  | 'goes-on';

/** A request that came to nothing. `message` is what the node said, in English; people are told `sentenceOf`. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly status: number;
  readonly details: Record<string, unknown>;

  constructor(kind: FailureKind, message: string, status = 0, details: Record<string, unknown> = {}) {
    super(message);
    this.name = 'Failure';
    this.kind = kind;
    this.status = status;
    this.details = details;
  }

  get issues(): Issue[] {
    return Array.isArray(this.details.issues) ? (this.details.issues as Issue[]) : [];
  }

  /** The tip that a write did not expect; null where that is not why it failed. */
  get actual(): string | null {
    const { actual } = this.details;
    return this.kind === 'conflict' && typeof actual === 'string' && actual !== '' ? actual : null;
  }
}

export function unreachable(cause: unknown): Failure {
  return new Failure('unreachable', cause instanceof Error ? cause.message : String(cause));
}

/** The failure that an answer of the node tells. */
export function failureOf(status: number, body: unknown): Failure {
  const { error, details } = (typeof body === 'object' && body !== null ? body : {}) as {
    error?: unknown;
    details?: Record<string, unknown>;
  };
  const heading = typeof error === 'string' ? error : `HTTP ${status}`;
  const reason = details?.reason;
  // Of an archive the heading says it already.
  const isMore = typeof reason === 'string' && !heading.endsWith(reason);
  const message = isMore ? `${heading}: ${reason}` : heading;
  // A proxy before the node says the same of the node, and not in its words.
  const kind = status === 502 && typeof error === 'string' ? 'elsewhere' : kindOf(status, details);
  return new Failure(kind, message, status, details);
}

function kindOf(status: number, details: Record<string, unknown> | undefined): FailureKind {
  if (status === 401) return 'signed-out';
  if (status === 403) return 'forbidden';
  if (status === 404) return details?.deleted === true ? 'gone' : 'missing';
  if (status === 409 && details?.actual !== undefined) return 'conflict';
  const isBeside = details !== undefined && taskIn(details) !== undefined;
  if (status === 409 && isBeside) return 'unavailable';
  // What it says of one of its parts is no more than that.
  if (status === 503 && (details === undefined || isBeside)) return 'unavailable';
  return status >= 400 && status < 500 ? 'invalid' : 'broken';
}

/** Whether the node no longer knows who asks. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'signed-out';
}

/** Whether what was asked for is not there, or not for whoever asks: that another attempt is answered otherwise is not to be expected. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'missing' || error.kind === 'gone' || error.kind === 'forbidden');
}

/** What the node does one of at a time, or not beside what was asked for. */
const tasks = [
  'archive',
  'backup',
  'exports',
  'import',
  'imports',
  'other_import',
  'reindexing',
  'sync',
  'verification',
] as const;

/** What was under way on the node, which a failure says to be in the way. */
function taskIn({ under_way: task }: Record<string, unknown>): (typeof tasks)[number] | undefined {
  return tasks.find((one) => one === task);
}

/** The text that says what a failure means and what to do. */
export function sentenceOf(error: unknown): MessageKey {
  if (!(error instanceof Failure)) return 'failure.page';
  const task = error.kind === 'unavailable' ? taskIn(error.details) : undefined;
  return task ? `failure.under-way.${task}` : `failure.${error.kind}`;
}

const wholeKinds: readonly FailureKind[] = [
  'unreachable',
  'signed-out',
  'unreadable',
  'too-large',
  'damaged',
  'empty',
  'insecure',
  'name-taken',
  'goes-on',
];

/** What the node said of it, in English, where that text does not say all of it; else null. */
export function saidOf(error: unknown): string | null {
  if (!(error instanceof Error) || isSaidBySentence(error)) return null;
  const issues = error instanceof Failure ? error.issues : [];
  return issues.length > 0 ? issues.map(({ message }) => message).join('; ') : error.message;
}

function isSaidBySentence(error: Error): boolean {
  if (!(error instanceof Failure)) return false;
  if (error.kind === 'unavailable') return taskIn(error.details) !== undefined;
  const plain = error.kind === 'missing' || error.kind === 'gone' || error.kind === 'conflict';
  return wholeKinds.includes(error.kind) || (plain && typeof error.details.reason !== 'string');
}
