import { beginningOf } from '../model/cut-text.ts';

/** What stands in a failed job's log (processors.md, 2.7). */
export interface JobFailure {
  code: string;
  message: string;
  /** Whether the same job may succeed when it is resumed. */
  retryable: boolean;
}

const retryableCodes = ['NETWORK_ERROR', 'RATE_LIMITED', 'TIMEOUT', 'SERVICE_UNAVAILABLE', 'TEMPORARY_FAILURE'];

/** Ends a job with a code of its own; what a handler throws otherwise is a `PROCESSING_ERROR`. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly code: string;
  readonly retryable: boolean;

  /** `retryable` is by default what processors.md, 3.11 says of the code. */
  constructor(code: string, message: string, retryable = retryableCodes.includes(code)) {
    super(message);
    this.code = code;
    this.retryable = retryable;
  }
}

/** A call to the node that was refused, with the HTTP status of the refusal; 0 where the node was not reached. */
export class NodeCallError extends Error {
  override readonly name = 'NodeCallError';
  readonly status: number;
  /** Of several additions the one that was refused by itself: others of the call were taken. */
  readonly entity: string | undefined;
  /** Whether the node says so itself, and not what stands in front of it. */
  readonly isItsOwn: boolean;
  /** In how many seconds the node may be asked again, as it says. */
  readonly retryAfter: number | undefined;

  constructor(
    status: number,
    message: string,
    more: { entity?: string; isItsOwn?: boolean; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.isItsOwn = more.isItsOwn ?? true;
    this.status = status;
    this.entity = more.entity;
    this.retryAfter = more.retryAfter;
  }

  /** Whether the same call may succeed soon. */
  get isPassing(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429;
  }

  /** Whether the node has answered that it failed, which it may do each time: of what is damaged, or without room on its disk. */
  get isFault(): boolean {
    if (!this.isItsOwn) return false;
    return this.status === 500 || this.status === 507 || (this.status === 503 && this.retryAfter === undefined);
  }
}

/** Whether the node does not take what was to be added to an entity, however often it is asked. */
export function isRefusalOf(entity: string, error: unknown): error is NodeCallError {
  return error instanceof NodeCallError && !error.isPassing && (error.entity ?? entity) === entity;
}

/** What a call about one entity threw; where that was not found it says which one, since a job may have thousands. */
export function naming(entity: string, error: unknown): unknown {
  if (!(error instanceof NodeCallError) || error.status !== 404) return error;
  return new NodeCallError(404, `${error.message}: ${entity}`);
}

/** One of several additions that the node did not take, though it took the others. */
export interface FailedAddition {
  entity_id: string;
  error: string;
}

/** To be called once the others are sent. @throws NodeCallError that names the first one */
export function refuseFailed([first]: readonly FailedAddition[]): void {
  if (first) throw new NodeCallError(400, `${first.entity_id}: ${first.error}`, { entity: first.entity_id });
}

/** Why a request to `/process` is refused, with the HTTP status of the refusal. */
export class RefusedJobError extends Error {
  override readonly name = 'RefusedJobError';
  readonly status: number;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(status: number, message: string, retryAfter?: number) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const codes: Record<number, string> = {
  0: 'NETWORK_ERROR',
  400: 'VALIDATION_ERROR',
  401: 'PERMISSION_DENIED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'TEMPORARY_FAILURE',
  413: 'INVALID_INPUT',
  429: 'RATE_LIMITED',
};

/** Said of a job that had handed on a part. */
export const beginsAgain = 'what it had handed on by then begins once more where the job is repeated by itself';

/** How a job failed that had handed on a part by then, which is not to begin once more with it unasked. */
export function failedInPart({ code, message, retryable }: JobFailure): JobFailure {
  return { code, retryable: false, message: retryable ? `${message.replace(/[.]$/, '')}; ${beginsAgain}` : message };
}

const maxMessage = 2000;
const maxCode = 100;

/** A failure in words of others, as it can be kept. */
export function storableFailure({ code, message, retryable }: JobFailure): JobFailure {
  return { code: beginningOf(String(code), maxCode), message: beginningOf(message, maxMessage), retryable };
}

/** What the system says of a file, also in the node's words, without where that lies: a log is read by others, also elsewhere. */
function wordsOf({ message }: Error): string {
  const from = message.search(/, [a-z]{1,12} '/);
  if (from === -1 || !/\bE[A-Z]{2,14}: /.test(message.slice(0, from))) return message;
  const opened = message.indexOf("'", from);
  const closed = message.lastIndexOf("'");
  return message.slice(0, from) + (closed > opened ? message.slice(closed + 1) : '');
}

/** Whatever ended a job, as its log says it. */
export function failureOf(error: unknown): JobFailure {
  if (error instanceof JobError) return storableFailure(error);
  const message = beginningOf(error instanceof Error ? wordsOf(error) : String(error), maxMessage);
  if (error instanceof NodeCallError) {
    const code = codes[error.status] ?? (error.status >= 500 ? 'SERVICE_UNAVAILABLE' : 'PROCESSING_ERROR');
    return { code, message, retryable: retryableCodes.includes(code) };
  }
  return error instanceof Error
    ? { code: 'PROCESSING_ERROR', message, retryable: true }
    : { code: 'INTERNAL_ERROR', message, retryable: false };
}
