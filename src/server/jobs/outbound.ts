import { type LookupAddress, lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { isPublicAddress } from '../model/addresses.ts';
import { http } from '../node-http.ts';
import { CheckedAgent, type Gate } from './checked-agent.ts';
import { ConnectError, codeOf } from './connect-error.ts';

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

type Protocol = 'http:' | 'https:';

const maxRedirects = 3;

/**
 * Every request that the node makes on somebody's word: to processors, and to verify them. Where it goes is decided when
 * the connection is made, by the address itself: after the name is resolved, on each redirect, and again once connected,
 * so that no name, spelling or change of a name server gets around it.
 */
export class Outbound implements Disposable {
  readonly #resolve: (host: string) => Promise<LookupAddress[]>;
  readonly #isPublic: (address: string) => boolean;
  /** By where they may go and how: a connection that may reach anywhere is not used by a request that may not. */
  readonly #agents = new Map<string, CheckedAgent>();

  constructor({ resolve = resolveAll, isPublic = isPublicAddress }: OutboundSurroundings = {}) {
    this.#resolve = resolve;
    this.#isPublic = isPublic;
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
      const status = response.statusCode!;
      if (!isRedirect(status) || location === undefined)
        return { status, headers: response.headers, body: await read(response, wanted.maxBytes) };
      // Nobody reads the rest, so its end may be an error.
      response.on('error', () => undefined).destroy();
      if (wanted.method !== 'GET')
        throw new OutboundError(
          'redirected',
          `answered ${status} instead of taking it: give the address that it leads to`,
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

  #one(
    url: URL,
    { method, headers, body, reach }: Pick<OutboundRequest, 'method' | 'headers' | 'body' | 'reach'>,
    signal: AbortSignal,
    state: { sent: boolean },
  ): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const defaultPort = url.protocol === 'https:' ? 443 : 80;
    const request = http.request({
      protocol: url.protocol,
      host: bare(url.hostname),
      port: url.port || defaultPort,
      // Which the Host header leaves out.
      defaultPort,
      path: url.pathname + url.search,
      agent: this.#agent(url.protocol as Protocol, reach),
      method,
      headers,
      maxHeaderSize: 16 * 1024,
    });
    // It begins to be written when it is given a connection.
    request.once('socket', () => {
      state.sent = true;
    });
    request.once('response', resolve).on('error', reject);
    request.once('close', () => reject(new Error('closed')));
    // A connection that is still coming about is not waited for; what has not been sent by then never is.
    const stop = () => {
      request.destroy();
      reject(signal.reason);
    };
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    request.once('close', () => signal.removeEventListener('abort', stop));
    request.end(body);
    return promise;
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

  #agent(protocol: Protocol, reach: Reach): CheckedAgent {
    const key = `${protocol} ${reach}`;
    const agent = this.#agents.get(key) ?? new CheckedAgent(protocol, this.#gate(reach));
    this.#agents.set(key, agent);
    return agent;
  }

  #gate(reach: Reach): Gate {
    return {
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
      check: (host, address) => {
        if (!this.#mayReach(address, reach)) throw refused(host);
      },
    };
  }

  [Symbol.dispose](): void {
    for (const agent of this.#agents.values()) agent[Symbol.dispose]();
  }
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

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');
const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

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
