import type { ErrorRequestHandler, Request, Response } from 'express';
import {
  BusyError,
  ConflictError,
  DomainError,
  LimitError,
  NotFoundError,
  StorageError,
  statuses,
  TooManyRequestsError,
  ValidationError,
} from '../errors.ts';
import type { Log } from '../log.ts';
import { FaultNews } from '../model/fault-news.ts';
import { bodyTooLarge } from './body.ts';
import { sendJson } from './stored-json.ts';

export interface Answer {
  status: number;
  body: { error: string; code?: string; details?: unknown; status?: number };
  headers?: Record<string, string>;
}

/** The answer to what is no refusal. */
export const fault: Answer = { status: 500, body: { error: 'Internal server error' } };

/** The answer that a refusal gets (interface.md, Errors). */
export function answerOf(error: DomainError): Answer {
  const status = statuses[error.code];
  const body = { error: error.message, ...(error.details && { details: error.details }) };
  // The public client's retry helper looks for `status` (decisions.md, 409 body).
  if (error instanceof ConflictError) return { status, body: { ...body, status } };
  if (error instanceof LimitError)
    return { status, body: { error: error.message, code: error.label, details: error.details } };
  if (error instanceof BusyError || error instanceof TooManyRequestsError)
    return { status, body, headers: { 'Retry-After': String(error.retryAfter) } };
  return { status, body };
}

const otherEncoding =
  'Unsupported Media Type: send the body in UTF-8, plain or with Content-Encoding gzip, deflate, br or zstd';

/** What express and its body parser say of a request: `status`, and for the parser `type`. */
function fromExpress(error: unknown): Answer | undefined {
  if (typeof error !== 'object' || error === null || !('status' in error)) return undefined;
  const { status } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  const type = 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large')
    return answerOf(bodyTooLarge('limit' in error && typeof error.limit === 'number' ? error.limit : undefined));
  if (type === 'request.aborted' || type === 'request.size.invalid')
    return answerOf(ValidationError.at([], 'the body ended early'));
  if (error instanceof URIError) return answerOf(ValidationError.at([], 'the path has a bad percent-encoding'));
  // The errors of a decompression alone have codes.
  const unread = 'code' in error ? 'the body is not what its Content-Encoding says' : 'the request cannot be read';
  if (status === 400) return answerOf(ValidationError.at([], unread));
  return { status, body: { error: status === 415 ? otherEncoding : 'Request refused' } };
}

/** Answers a request that failed. */
export type AnswerFailed = (error: unknown, request: Request, response: Response) => void;

/** Every error becomes a JSON answer; logged is what is no refusal, what came too late to be answered, and faults of the disk. */
export function failureAnswer(parent: Log): AnswerFailed {
  const log = parent.child({ name: 'http' });
  const faults = new FaultNews();
  return (error, request, response) => {
    const refusal = error instanceof DomainError ? answerOf(error) : fromExpress(error);
    if (error instanceof StorageError && faults.isNews(error.reason))
      log.error({ reason: error.reason }, 'storage failed');
    if (!refusal || response.headersSent)
      log.error({ err: error, method: request.method, path: request.path }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const { status, body, headers } = refusal ?? fault;
    sendJson(response, status, body, headers);
    if (!request.complete) endLater(request);
  };
}

/** The last handler: what failed before an endpoint was found. */
export function errorHandler(answerFailed: AnswerFailed): ErrorRequestHandler {
  return (error, request, response, _next) => answerFailed(error, request, response);
}

/** How long the rest of a refused body is taken, so that its sender comes to read the answer. */
const drainMs = 10_000;

function endLater(request: Request): void {
  const timer = setTimeout(() => request.destroy(), drainMs).unref();
  request.once('close', () => clearTimeout(timer));
  request.resume();
}

/** What an unknown path is answered. */
export function unknownRoute(): NotFoundError {
  return new NotFoundError('Not found');
}
