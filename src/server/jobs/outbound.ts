import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import type { Agent, Dispatcher } from 'undici';
import { isPublicAddress } from '../model/addresses.ts';

/** `anywhere`: addresses of this machine and of private networks too. */
export type Reach = 'public' | 'anywhere';

/** One request that the node makes because somebody's data says so. */
export interface OutboundRequest {
  /** http or https, without a name and password in it. */
  url: string;
  method: 'GET' | 'POST';
  /** Nothing else is sent: no credentials, no cookies. */
  headers?: Record<string, string>;
  body?: string;
  reach: Reach;
  /** For all of it, redirects and the last byte of the answer included. */
  timeoutMs: number;
  /** The most bytes of the answer's body. */
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutboundAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export type OutboundFault =
  /** The address, or one that it was redirected to, is none that may be reached. */
  | 'forbidden'
  /** No connection came about. */
  | 'unreachable'
  /** The time was over. */
  | 'timeout'
  | 'too_large'
  /** The connection broke, or what came was not HTTP. */
  | 'broken'
  /** Too many redirects, or one of a POST. */
  | 'redirected'
  /** The request's own signal. */
  | 'aborted';

/** Why there is no answer. `sent`: the other side may have got the request, or a part of it, and acted on it. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly fault: OutboundFault;
  readonly sent: boolean;
  constructor(fault: OutboundFault, message: string, sent: boolean) {
    super(message);
    this.fault = fault;
    this.sent = sent;
  }
}

/** What tests give instead. */
export interface OutboundSurroundings {
  /** All addresses of a host name. */
  resolve?: (host: string) => Promise<LookupAddress[]>;
  isPublic?: (address: string) => boolean;
}

type Library = typeof import('undici');

/** What requests go through. */
interface Client {
  request: Library['request'];
  agents: Record<Reach, Agent>;
}

const maxRedirects = 3;
const connectTimeout = 5000;
/** Idle connections are kept so briefly that the other side has hardly ever closed one when it is used again. */
const keepAliveTimeout = 1000;

/** A connection was refused before anything was sent. */
class ConnectError extends Error {
  readonly fault: OutboundFault;
  constructor(fault: OutboundFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/**
 * Every request that the node makes on somebody's word: to processors, and to verify them. Where it goes is decided when
 * the connection is made, by the address itself: after the name is resolved, on each redirect, and again once connected,
 * so that no name, spelling or change of a name server gets around it.
 */
export class Outbound implements AsyncDisposable {
  readonly #resolve: (host: string) => Promise<LookupAddress[]>;
  readonly #isPublic: (address: string) => boolean;
  #client: Promise<Client> | null = null;

  constructor({ resolve = resolveAll, isPublic = isPublicAddress }: OutboundSurroundings = {}) {
    this.#resolve = resolve;
    this.#isPublic = isPublic;
  }

  /** The library is loaded for the first request: a node that makes none is spared it. */
  async #open(): Promise<Client> {
    const library = await import('undici');
    return {
      request: library.request,
      agents: { public: this.#agent(library, 'public'), anywhere: this.#agent(library, 'anywhere') },
    };
  }

  /** @throws OutboundError */
  async request({ signal, timeoutMs, ...wanted }: OutboundRequest): Promise<OutboundAnswer> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const either = signal ? AbortSignal.any([deadline, signal]) : deadline;
    const state = { sent: false };
    try {
      return await this.#follow(wanted, either, state);
    } catch (error) {
      throw faultOf(error, state.sent, { timedOut: deadline.aborted, aborted: signal?.aborted === true, timeoutMs });
    }
  }

  async #follow(
    wanted: Omit<OutboundRequest, 'signal' | 'timeoutMs'>,
    signal: AbortSignal,
    state: { sent: boolean },
  ): Promise<OutboundAnswer> {
    let url = target(wanted.url);
    let { reach } = wanted;
    for (let redirects = 0; ; redirects++) {
      const response = await this.#one(url, { ...wanted, reach }, signal, state);
      const { location } = response.headers;
      if (!isRedirect(response.statusCode) || typeof location !== 'string')
        return {
          status: response.statusCode,
          headers: response.headers,
          body: await read(response.body, wanted.maxBytes),
        };
      // Nobody reads the rest, so its end may be an error.
      response.body.on('error', () => undefined).destroy();
      if (wanted.method !== 'GET')
        throw new OutboundError(
          'redirected',
          `answered ${response.statusCode} instead of taking it: give the address that it leads to`,
          true,
        );
      if (redirects === maxRedirects)
        throw new OutboundError('redirected', `was redirected more than ${maxRedirects} times`, true);
      const next = target(location, url);
      // Nobody sends the node elsewhere within its own network.
      if (next.origin !== url.origin) reach = 'public';
      url = next;
    }
  }

  async #one(
    url: URL,
    { method, headers, body, reach }: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'reach'>,
    signal: AbortSignal,
    state: { sent: boolean },
  ): Promise<Dispatcher.ResponseData> {
    this.#client ??= this.#open();
    const { request, agents } = await this.#client;
    const dispatcher = agents[reach].compose(
      (dispatch) => (options, handler) =>
        dispatch(
          options,
          noting(handler, () => (state.sent = true)),
        ),
    );
    const options = { method, headers: { ...headers }, body: body ?? null, signal, dispatcher };
    return await until(signal, request(url, options));
  }

  async #resolved(host: string): Promise<LookupAddress[]> {
    try {
      return await this.#resolve(host);
    } catch (error) {
      throw new ConnectError('unreachable', `${host} has no address (${codeOf(error)})`);
    }
  }

  #mayReach(address: string, reach: Reach): boolean {
    return reach === 'anywhere' || this.#isPublic(address);
  }

  #agent({ Agent, buildConnector }: Library, reach: Reach): Agent {
    const connect = buildConnector({
      timeout: connectTimeout,
      allowH2: false,
      // Whatever the name means by now, only what may be reached is connected to.
      lookup: (host, _, done) => {
        this.#resolved(host).then(
          (all) => {
            const open = all.filter(({ address }) => this.#mayReach(address, reach));
            if (open.length === 0) done(refused(host), []);
            else done(null, open);
          },
          (error: Error) => done(error, []),
        );
      },
      autoSelectFamily: true,
    });
    return new Agent({
      connect: (options, done) => {
        const host = bare(options.hostname);
        if (isIP(host) !== 0 && !this.#mayReach(host, reach)) {
          done(refused(host), null);
          return;
        }
        connect(options, (error, socket) => {
          if (error !== null) done(unconnected(error), null);
          else if (this.#mayReach(socket.remoteAddress ?? '', reach)) done(null, socket);
          else {
            socket.destroy();
            done(refused(host), null);
          }
        });
      },
      keepAliveTimeout,
      keepAliveMaxTimeout: keepAliveTimeout,
      maxHeaderSize: 16 * 1024,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const client = await this.#client;
    if (client) await Promise.all(Object.values(client.agents).map((agent) => agent.destroy()));
  }
}

/** Passes everything on to `handler`; `begun` is called when the request begins to be written to a connection. */
function noting(handler: Dispatcher.DispatchHandler, begun: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...args) => {
      begun();
      handler.onRequestStart?.(...args);
    },
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
}

function resolveAll(host: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** @throws ConnectError */
function target(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new ConnectError('forbidden', 'the address is none of http or https');
  if (url.username !== '' || url.password !== '')
    throw new ConnectError('forbidden', 'the address must not hold a name or password');
  return url;
}

function refused(host: string): ConnectError {
  return new ConnectError(
    'forbidden',
    `${host} is an address of this machine or of a private network, which only the operator's own processors may have ` +
      '(ARCHEION_PRIVATE_ENDPOINTS)',
  );
}

function unconnected(error: Error): ConnectError {
  return error instanceof ConnectError ? error : new ConnectError('unreachable', `no connection (${codeOf(error)})`);
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');
const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Does not wait for a connection that is still coming about; what has not been sent by then never is. */
function until<T>(signal: AbortSignal, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function read(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new OutboundError('too_large', `answered more than ${maxBytes} bytes`, true);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return String(code ?? message ?? 'unknown').slice(0, 100);
}

function faultOf(
  error: unknown,
  sent: boolean,
  { timedOut, aborted, timeoutMs }: { timedOut: boolean; aborted: boolean; timeoutMs: number },
): OutboundError {
  if (error instanceof OutboundError) return error;
  if (error instanceof ConnectError) return new OutboundError(error.fault, error.message, sent);
  if (timedOut) return new OutboundError('timeout', `did not answer in full within ${timeoutMs / 1000} seconds`, sent);
  if (aborted) return new OutboundError('aborted', 'was given up', sent);
  return new OutboundError('broken', `the connection broke (${codeOf(error)})`, sent);
}
