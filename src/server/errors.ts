/** Every way in which an operation can be refused. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'ALREADY_EXISTS'
  | 'PRECONDITION_FAILED'
  | 'TOO_LARGE'
  | 'TOO_MANY'
  | 'BUSY'
  | 'STORAGE'
  | 'STORAGE_FULL'
  | 'UNREACHABLE'
  | 'UNAVAILABLE';

/** What each is answered with over HTTP. */
export const statuses: Record<ErrorCode, number> = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  ALREADY_EXISTS: 409,
  PRECONDITION_FAILED: 412,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  BUSY: 503,
  STORAGE: 503,
  STORAGE_FULL: 507,
  UNREACHABLE: 502,
  UNAVAILABLE: 503,
};

export type IssuePath = (string | number)[];
/** One thing wrong with a request: where (`["relationships_add", 0, "peer"]`) and what. */
export interface Issue {
  path: IssuePath;
  message: string;
}

export type Details = Record<string, unknown>;

/**
 * The base of the errors that callers are meant to see; anything else is a fault of ours. Without a stack: it is an answer,
 * says by itself what it is about, and a stack would be a tenth of the work for a write that comes too late.
 */
export abstract class DomainError extends Error {
  override readonly name: string = 'DomainError';
  abstract readonly code: ErrorCode;
  /** What stands in the body's `details` (interface.md, Errors). */
  readonly details: Details | undefined;
  constructor(message: string, details?: Details) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.details = details;
  }
  /** All that there is to say, in words: where the message is a heading, the reason below it. */
  get sentence(): string {
    const reason = this.details?.reason;
    return typeof reason === 'string' ? reason : this.message;
  }
}

export class ValidationError extends DomainError {
  override readonly name = 'ValidationError';
  readonly code = 'VALIDATION_ERROR';
  readonly issues: Issue[];
  /** `more` stands beside the issues. */
  constructor(issues: Issue[], more?: Details) {
    super('Validation failed', { issues, ...more });
    this.issues = issues;
  }
  /** A single issue, the usual case. */
  static at(path: IssuePath, message: string): ValidationError {
    return new ValidationError([{ path, message }]);
  }
}

export class UnauthorizedError extends DomainError {
  override readonly name = 'UnauthorizedError';
  readonly code = 'UNAUTHORIZED';
  constructor(message = 'Unauthorized: Missing or invalid authentication token') {
    super(message);
  }
}

export class ForbiddenError extends DomainError {
  override readonly name = 'ForbiddenError';
  readonly code = 'FORBIDDEN';
  constructor(message = 'Forbidden: You do not have permission to perform this action', details?: Details) {
    super(message, details);
  }
}

export class NotFoundError extends DomainError {
  override readonly name = 'NotFoundError';
  readonly code = 'NOT_FOUND';
  constructor(message = 'Entity not found', details?: Details) {
    super(message, details);
  }
  /** Under the specification's one text, what it is that is not there: a sentence. */
  static of(reason: string, details?: Details): NotFoundError {
    return new NotFoundError(undefined, { reason, ...details });
  }
}

/**
 * A compare-and-swap that came too late (interface.md, Errors). `actual` is the current tip, or "" where there is none;
 * `reason` says what to do where another tip would not help.
 */
export class ConflictError extends DomainError {
  override readonly name = 'ConflictError';
  readonly code = 'CONFLICT';
  readonly expected: string;
  readonly actual: string;
  constructor(expected: string, actual: string, reason?: string) {
    super('Conflict: entity was modified', { expected, actual, ...(reason !== undefined && { reason }) });
    this.expected = expected;
    this.actual = actual;
  }
}

/** Something of that name is there already, where no tip is involved. */
export class AlreadyExistsError extends DomainError {
  override readonly name = 'AlreadyExistsError';
  readonly code = 'ALREADY_EXISTS';
  /** What is under way, which this cannot be done beside. */
  static beside(under_way: string, reason: string): AlreadyExistsError {
    return new AlreadyExistsError(reason, { under_way });
  }
}

/** What a header of the request makes a condition does not hold (RFC 9110, 13.1). `details` say of what. */
export class PreconditionError extends DomainError {
  override readonly name = 'PreconditionError';
  readonly code = 'PRECONDITION_FAILED';
  constructor(reason: string, details: Details) {
    super(`Precondition Failed: ${reason}`, details);
  }
}

export class TooLargeError extends DomainError {
  override readonly name = 'TooLargeError';
  readonly code = 'TOO_LARGE';
}

/** A limit whose refusal names itself in the body's `code` and says how much there may be (wire-contract.md 1.3, chat). */
export class LimitError extends DomainError {
  override readonly name = 'LimitError';
  readonly code: 'TOO_LARGE' | 'STORAGE_FULL';
  /** The body's `code`. */
  readonly label: string;
  constructor(
    code: LimitError['code'],
    { label, message, ...limits }: { label: string; message: string; limit: string; actual?: string },
  ) {
    super(message, { code: label, message, ...limits });
    this.code = code;
    this.label = label;
  }
}

/** Somebody has tried too often; they may try again after `retryAfter` seconds. */
export class TooManyRequestsError extends DomainError {
  override readonly name = 'TooManyRequestsError';
  readonly code = 'TOO_MANY';
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** A queue of writes is full, or something holds the write up; the caller should come again after `retryAfter` seconds. */
export class BusyError extends DomainError {
  override readonly name = 'BusyError';
  readonly code = 'BUSY';
  readonly retryAfter: number;
  constructor(retryAfter = 1, reason = 'The write queue is full; try again.') {
    super('Service unavailable', { service: 'store', reason });
    this.retryAfter = retryAfter;
  }
}

/** The database could not do it; nothing of the write is kept. `full`: the disk has no room. */
export class StorageError extends DomainError {
  override readonly name = 'StorageError';
  readonly code: ErrorCode;
  readonly reason: string;
  constructor(reason: string, full = false) {
    super(full ? 'Insufficient storage' : 'Service unavailable', { service: 'store', reason });
    this.reason = reason;
    this.code = full ? 'STORAGE_FULL' : 'STORAGE';
  }
}

/** The reason of what comes too late for this run of the node. */
export const closing = 'The node is closing.';

/** Another node or processor did not answer, or answered what it must not. */
export class UnreachableError extends DomainError {
  override readonly name = 'UnreachableError';
  readonly code = 'UNREACHABLE';
}

/** A part of this node is not configured or not running; the message names the setting. */
export class UnavailableError extends DomainError {
  override readonly name = 'UnavailableError';
  readonly code = 'UNAVAILABLE';
}

/** A refusal as plain data: its class does not survive the way to another thread. */
export interface PlainRefusal {
  code: ErrorCode;
  message: string;
  details: Details | undefined;
  retryAfter: number | undefined;
}

export function plainRefusal(error: DomainError): PlainRefusal {
  const { code, message, details } = error;
  return { code, message, details, retryAfter: error instanceof BusyError ? error.retryAfter : undefined };
}

class CarriedError extends DomainError {
  override readonly name = 'CarriedError';
  readonly code: ErrorCode;
  constructor({ code, message, details }: PlainRefusal) {
    super(message, details);
    this.code = code;
  }
}

/** The refusal that it was on the other thread, of its class where more than its answer depends on that. */
export function refusalAgain(refusal: PlainRefusal): DomainError {
  const { code, details = {}, retryAfter } = refusal;
  const { issues, ...more } = details;
  const { expected, actual, reason } = details as Record<string, string>;
  if (code === 'VALIDATION_ERROR') return new ValidationError(issues as Issue[], more);
  if (code === 'CONFLICT') return new ConflictError(expected ?? '', actual ?? '', reason);
  if (code === 'BUSY') return new BusyError(retryAfter, reason);
  if (code === 'STORAGE' || code === 'STORAGE_FULL') return new StorageError(reason ?? '', code === 'STORAGE_FULL');
  return new CarriedError(refusal);
}

/** Another process has the data folder: a node, also one that starts or stops, or a command. */
export class FolderInUseError extends UnavailableError {
  constructor(data: string) {
    super(
      `Another process uses the data folder ${data}: stop it (its address is in node.json there, where its disk has room for that), or name another folder with --data.`,
    );
  }
}
