import { UnreachableError } from '../errors.ts';
import { saysWhy } from './wire.ts';

/** The request may have been carried out: nobody knows. */
export class LostAnswerError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/** The remote answers, but fails at what it was asked for, however often it is asked: that may be so of nothing else. */
export class FailedAnswerError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/** Whether it is what was asked for that failed, and not the remote as a whole, as far as an error tells. */
export function isFailure(error: unknown): error is LostAnswerError | FailedAnswerError {
  return error instanceof LostAnswerError || error instanceof FailedAnswerError;
}

interface Answered {
  status: number;
  body: unknown;
}

/** What a proxy says, too, while what stands behind it is not to be had. */
const proxied = [403, 404, 405, 410];

/** Whether it may be what stands before a remote that answers, and passes nothing on. */
export function isProxied({ status }: Pick<Answered, 'status'>): boolean {
  return proxied.includes(status);
}

/** That the key does not count, and that it is too much at once, is so whoever says it. */
const plainlySaid = [401, 413];

/**
 * A remote says why it does not take or have something; a page in place of that is of what stands before it, and may be gone in a moment.
 * @throws FailedAnswerError
 */
export function checkMeant(host: string, answer: Answered): void {
  const { status, body } = answer;
  if (status < 400 || saysWhy(body)) return;
  if (proxied.includes(status) || (!plainlySaid.includes(status) && isPage(answer)))
    throw new FailedAnswerError(`${host} answered ${status} and does not say why, as a proxy does`);
}

/** Whether an answer is none that a remote gives: those are JSON objects. */
export function isPage({ body }: Answered): boolean {
  return typeof body !== 'object' || body === null;
}

/** What was done is not said, so that it may be none of the remote's words. @throws FailedAnswerError */
export function checkSaid(host: string, answer: Answered): void {
  if (isPage(answer))
    throw new FailedAnswerError(`${host} answered ${answer.status} and does not say what it did, as a proxy does`);
}

/** The key does not count there, or none was given where one is wanted: that it answers again does not help. */
export class KeyRefusedError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/** The key does not count there, or what stands before the remote says so for a while: nothing was done. */
export class DeniedError extends KeyRefusedError {
  constructor(host: string, words: string) {
    super(
      `${host} does not accept the key: ${words}. No more was sent. It is tried again with the next sync; where that goes on, give it another key.`,
    );
  }
}

/** All of a run was done but what the remote failed at. */
export class FailedInPartError extends UnreachableError {
  override readonly name = 'UnreachableError';
}

/** The remote wants to be left alone for longer than a run waits: `retryAfter` is for how many milliseconds. */
export class HeldOffError extends UnreachableError {
  override readonly name = 'UnreachableError';
  readonly retryAfter: number;
  constructor(host: string, retryAfter: number) {
    super(`${host} wants to be left alone for ${Math.ceil(retryAfter / 1000)} seconds. Sync with it again after that.`);
    this.retryAfter = retryAfter;
  }
}
