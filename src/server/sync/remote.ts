import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'undici';
import { DomainError, UnreachableError } from '../errors.ts';
import { jsonOrNull } from '../model/from-json.ts';
import type { Network } from '../model/ids.ts';
import { retryAfterOf } from '../model/retry-after.ts';
import { type ConnectionOptions, openPool } from './connection.ts';
import { elsewhereWords, isFailed, isRedirect } from './failed-status.ts';
import { failureWords, isSilence } from './failure-words.ts';
import { notTrickling } from './least-rate.ts';
import { DeniedError, FailedAnswerError, HeldOffError, LostAnswerError } from './remote-errors.ts';
import type { Throttle } from './throttle.ts';
import { readWords } from './wire.ts';

/** One answer; `body` is null where it is no JSON. */
export interface RemoteAnswer {
  status: number;
  body: unknown;
}

export interface RemoteOptions extends ConnectionOptions {
  /** http or https, with or without a path in front of the endpoints'. */
  url: string;
  secret: string | null;
  network: Network;
  /** The service's name on the wire, which names the network header. */
  service: string;
  signal?: AbortSignal | undefined;
  /** What holds up bytes in both directions, where there is a limit. */
  throttle?: Throttle | undefined;
  /** Milliseconds in each of which an answer brings something worthwhile; tests give their own. */
  answerWindow?: number | undefined;
  /** Between 0 and 1. */
  random: () => number;
  /** Milliseconds to wait; tests give their own. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

interface Sent {
  answer: RemoteAnswer;
  retryAfter: number | null;
}

/** Bytes of a file as a remote gives them. */
export interface FileAnswer {
  /** 200 or 206. */
  status: number;
  etag: string | null;
  contentRange: string | null;
  contentType: string | null;
  bytes: AsyncGenerator<Uint8Array>;
}

/** Bytes to be sent; `source` is asked anew for each attempt. */
export interface SentBytes {
  type: string;
  size: number;
  source: () => AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
}

/** How an attempt is tried again. */
interface Patient {
  /** Whether the attempt brought so much that it does not count. */
  moved?: () => boolean;
  /** A 5xx, 408 or 425 that stays is given back. */
  gives?: boolean;
  tries?: number;
}

type Response = Awaited<ReturnType<Pool['request']>>;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

const attempts = 6;
/** An attempt that brought so much of a file was not in vain. */
const worthwhileBytes = 65_536;
/**
 * Each has taken its time. A line that is lost in the middle of a run, and cannot be made again, is two of them; who has answered nothing
 * yet had no line that could be lost.
 */
const [mostSilences, mostFirstSilences] = [2, 1];
const firstWait = 200;
const longestWait = 60_000;
/** A batch of 100 large entities, and not the memory of the node. */
const maxAnswerBytes = 64 * 1024 * 1024;

/**
 * A client of one remote: requests go to its address and nowhere else (redirects are not followed), answers have a
 * bounded size, 429 and 503 are obeyed. Reads are tried again; writes are not but after a 429, for their answer may only be lost.
 */
export class RemoteClient implements AsyncDisposable {
  readonly #pool: Pool;
  readonly #prefix: string;
  readonly #headers: Record<string, string>;
  readonly #options: RemoteOptions;
  #hasAnswered = false;
  /** The name of the host, for messages. */
  readonly host: string;

  private constructor(options: RemoteOptions, pool: Pool) {
    const url = new URL(options.url);
    this.#options = options;
    this.#pool = pool;
    this.host = url.host;
    this.#prefix = url.pathname.replace(/(?<!\/)\/+$/, '');
    this.#headers = {
      accept: 'application/json',
      [`x-${options.service}-network`]: options.network,
      ...(options.secret !== null && { authorization: `ApiKey ${options.secret}` }),
    };
  }

  /** Whether a key goes with each request. */
  get isKeyed(): boolean {
    return this.#options.secret !== null;
  }

  /** Opens no connection yet. @throws UnreachableError */
  static async open(options: RemoteOptions): Promise<RemoteClient> {
    return new RemoteClient(options, await openPool(options.url, options));
  }

  /**
   * A read: tried again after a broken connection, 408, 425, 429 and 5xx, `tries` times at most.
   * @throws UnreachableError when it has been tried often enough, FailedAnswerError where it was answered that it failed then
   */
  read(path: string, body?: unknown, tries = attempts): Promise<RemoteAnswer> {
    const send = async () => {
      const { answer, retryAfter } = await this.#send(body === undefined ? 'GET' : 'POST', path, body);
      return { answer, value: answer, retryAfter };
    };
    return this.#again(path, send, { tries });
  }

  /**
   * A read whose answer is bytes, which `take` uses as they come; tried again like others, also where they break off.
   * Gives the answer instead where it is none of 200.
   * @throws UnreachableError, and what `take` throws of its own as a DomainError
   */
  readBytes<T>(
    path: string,
    body: unknown,
    take: (bytes: AsyncGenerator<Uint8Array>) => Promise<T>,
  ): Promise<{ taken: T } | RemoteAnswer> {
    return this.#again<{ taken: T } | RemoteAnswer>(path, async () => {
      const response = await this.#request('POST', path, body);
      if (response.statusCode === 200) {
        const taken = await take(this.#bounded(response.body, path));
        return { answer: { status: 200, body: null }, value: { taken }, retryAfter: null };
      }
      const { answer, retryAfter } = await this.#answerOf(response, path);
      return { answer, value: answer, retryAfter };
    });
  }

  /**
   * A read of a file: `headers` are asked for before each attempt, `take` uses what comes. Tried again like others, also
   * where it breaks off, and for as long as that brings something. Gives the answer instead where it is none of 200 and
   * 206, also a 5xx that stays, and a redirect, which says nothing of other files.
   * @throws UnreachableError, and what `take` throws of its own as a DomainError
   */
  fetchFile<T>(
    path: string,
    headers: () => Record<string, string>,
    take: (file: FileAnswer) => Promise<T>,
  ): Promise<{ taken: T } | RemoteAnswer> {
    let come = 0;
    const send = async () => {
      const response = await this.#request('GET', path, undefined, { headers: headers() });
      const { statusCode: status } = response;
      if (isRedirect(status)) {
        leave(response);
        const error = `${this.host} sends elsewhere for it (${status}), where it is not fetched from`;
        const answer: RemoteAnswer = { status, body: { error } };
        return { answer, value: answer, retryAfter: null };
      }
      if (status !== 200 && status !== 206) {
        const { answer, retryAfter } = await this.#answerOf(response, path);
        return { answer, value: answer, retryAfter };
      }
      const text = (value: string | string[] | undefined) => (typeof value === 'string' ? value : null);
      const counted = async function* (bytes: AsyncIterable<Uint8Array>) {
        for await (const chunk of bytes) {
          come += chunk.length;
          yield chunk;
        }
      };
      const bytes = counted(this.#bounded(response.body, path, Number.POSITIVE_INFINITY));
      const { etag, 'content-range': range, 'content-type': type } = response.headers;
      const said = { etag: text(etag), contentRange: text(range), contentType: text(type) };
      try {
        const taken = await take({ status, ...said, bytes });
        return { answer: { status, body: null }, value: { taken }, retryAfter: null };
      } finally {
        leave(response);
      }
    };
    const moved = () => {
      const enough = come >= worthwhileBytes;
      if (enough) come = 0;
      return enough;
    };
    return this.#again<{ taken: T } | RemoteAnswer>(path, send, { moved, gives: true });
  }

  /**
   * What a GET answers as it comes, without end; not tried again. Silence for a minute ends it.
   * @throws UnreachableError for anything but 200
   */
  async *stream(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const response = await this.#request('GET', path, undefined, { own: signal });
    if (response.statusCode !== 200) {
      const { answer } = await this.#answerOf(response, path);
      throw new UnreachableError(`${this.host} answered ${answer.status} to ${path}`);
    }
    yield* response.body;
  }

  async #again<T>(
    path: string,
    send: () => Promise<{ answer: RemoteAnswer; value: T; retryAfter: number | null }>,
    { moved = () => false, gives = false, tries = attempts }: Patient = {},
  ): Promise<T> {
    let silences = 0;
    for (let attempt = 1; ; attempt++) {
      let after: number | null = null;
      let failure: string;
      let failed = false;
      let isSilent = false;
      try {
        const { answer, value, retryAfter } = await send();
        if (answer.status !== 429 && !isFailed(answer.status)) return value;
        if (gives && attempt === tries && isFailed(answer.status) && retryAfter === null) return value;
        failure = `it answered ${answer.status} to ${path}`;
        failed = isFailed(answer.status);
        after = retryAfter;
      } catch (error) {
        if (error instanceof DomainError) throw error;
        failure = failureWords(error);
        isSilent = isSilence(error);
      }
      this.#options.signal?.throwIfAborted();
      this.#heed(attempt, after);
      if (moved()) [attempt, silences] = [1, 0];
      silences = isSilent ? silences + 1 : 0;
      if (attempt === tries || silences === (this.#hasAnswered ? mostSilences : mostFirstSilences)) {
        const words = `${this.host} cannot be read: ${failure}`;
        throw failed ? new FailedAnswerError(words) : new UnreachableError(words);
      }
      await this.#pause(attempt, after);
    }
  }

  /**
   * A write: sent again only where the remote says that it did nothing (429).
   * @throws LostAnswerError where it may have been carried out, HeldOffError also then, DeniedError where the key does not count
   */
  write(method: Exclude<Method, 'GET'>, path: string, body: unknown): Promise<RemoteAnswer> {
    return this.#write(() => this.#send(method, path, body));
  }

  /** A write whose body is a file's bytes. @throws as `write` */
  writeBytes(method: 'POST' | 'PUT', path: string, bytes: SentBytes): Promise<RemoteAnswer> {
    return this.#write(async () => this.#answerOf(await this.#request(method, path, undefined, { bytes }), path));
  }

  /**
   * A client of another address that this remote has named: nothing that proves who we are goes there, and under another
   * name than its own it leads to no private network.
   */
  elsewhere(origin: string): Promise<RemoteClient> {
    const outsideOnly = new URL(origin).hostname !== new URL(this.#options.url).hostname;
    return RemoteClient.open({ ...this.#options, url: origin, secret: null, connections: 1, outsideOnly });
  }

  async #write(send: () => Promise<Sent>): Promise<RemoteAnswer> {
    for (let attempt = 1; ; attempt++) {
      let sent: Sent;
      try {
        sent = await send();
      } catch (error) {
        this.#options.signal?.throwIfAborted();
        const message = error instanceof Error ? error.message : String(error);
        throw new LostAnswerError(`The answer of ${this.host} was lost: ${message}`);
      }
      const { answer, retryAfter } = sent;
      if (isFailed(answer.status)) {
        this.#heed(attempt, retryAfter);
        // What was sent may be sent again once the tip has been read, and not at once.
        await this.#pause(attempt, retryAfter);
        throw new LostAnswerError(`${this.host} answered ${answer.status}`);
      }
      // Another address is sent no key.
      if (answer.status === 401 && this.#options.secret !== null)
        throw new DeniedError(this.host, readWords(answer.body, answer.status));
      if (answer.status !== 429) return answer;
      this.#heed(attempt, retryAfter);
      if (attempt === attempts) throw new UnreachableError(`${this.host} takes no more requests for now`);
      await this.#pause(attempt, retryAfter);
    }
  }

  /**
   * A wait that is asked for and is too long for a run, or is asked for at all tries, ends the run; not where a call has fewer
   * of these: what it looks for is something that the run can do without.
   */
  #heed(attempt: number, after: number | null): void {
    if (after !== null && (after > longestWait || attempt === attempts)) throw new HeldOffError(this.host, after);
  }

  async #pause(attempt: number, after: number | null): Promise<void> {
    const { random, signal, wait } = this.#options;
    const backOff = firstWait * 2 ** (attempt - 1) * (0.5 + random());
    const ms = Math.min(after ?? backOff, longestWait);
    if (wait) await wait(ms, signal);
    else await sleep(ms, undefined, { signal });
  }

  async #send(method: Method, path: string, body: unknown): Promise<Sent> {
    return this.#answerOf(await this.#request(method, path, body), path);
  }

  async #request(
    method: Method,
    path: string,
    body: unknown,
    { own, headers, bytes: file }: { own?: AbortSignal; headers?: Record<string, string>; bytes?: SentBytes } = {},
  ): Promise<Response> {
    const { throttle } = this.#options;
    const signals = [this.#options.signal, own].filter((it) => it !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    if (file) {
      const { type, size, source } = file;
      const more = { 'content-type': type, 'content-length': String(size), ...file.headers };
      return this.#pool.request({
        ...{ method, path: this.#prefix + path, headers: { ...this.#headers, ...more } },
        body: size === 0 ? Buffer.alloc(0) : Readable.from(this.#slowed(source(), signal)),
        ...(signal && { signal }),
      });
    }
    const bytes = body === undefined ? null : body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
    const type = bytes === body ? 'application/vnd.ipld.car; version=1' : 'application/json';
    if (throttle && bytes !== null) await throttle.pass(bytes.length, signal);
    const response = await this.#pool.request({
      method,
      path: this.#prefix + path,
      headers: { ...this.#headers, ...(bytes !== null && { 'content-type': type }), ...headers },
      body: bytes,
      ...(signal && { signal }),
    });
    this.#hasAnswered = true;
    return response;
  }

  async *#slowed(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    for await (const chunk of bytes) {
      await this.#options.throttle?.pass(chunk.length, signal);
      yield chunk;
    }
  }

  async *#bounded(body: AsyncIterable<Uint8Array>, path: string, most = maxAnswerBytes): AsyncGenerator<Uint8Array> {
    const { signal, throttle, answerWindow } = this.#options;
    // A file goes on where it was, and a limit may be as low as anybody likes.
    const isBorne = most > maxAnswerBytes || throttle !== undefined;
    let size = 0;
    for await (const chunk of isBorne ? body : notTrickling(body, `${this.host} answers ${path}`, answerWindow)) {
      size += chunk.length;
      if (size > most) throw new FailedAnswerError(`${this.host} answers more than ${most} bytes to ${path}`);
      yield chunk;
      await throttle?.pass(chunk.length, signal);
    }
  }

  async #answerOf(response: Response, path: string): Promise<Sent> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#bounded(response.body, path)) chunks.push(chunk);
    const status = response.statusCode;
    if (isRedirect(status))
      throw new UnreachableError(elsewhereWords(this.#options.url, status, response.headers.location));
    const answer: RemoteAnswer = { status, body: jsonOrNull(Buffer.concat(chunks).toString()) };
    return { answer, retryAfter: retryAfterOf(response.headers['retry-after'], response.headers.date) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.destroy();
  }
}

/** Ends an answer of which nobody reads more: it would keep the connection, and may never end by itself. */
function leave({ body }: Response): void {
  body.on('error', () => undefined).destroy();
}
