import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UnavailableError, ValidationError } from '../errors.ts';
import type { Log } from '../log.ts';
import { FaultNews } from '../model/fault-news.ts';
import { http } from '../node-http.ts';
import { boundConnections, type ConnectionLimits, connectionLimits } from './connections.ts';
import { answerOf } from './errors.ts';
import { sendJson } from './stored-json.ts';

/** Headers must come quickly; a body may be an upload over a slow line, as long as it moves (connections.ts). */
const times = {
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: 2 * 60 * 60_000,
  keepAliveTimeout: 65_000,
  // The host check answers a request without one.
  requireHostHeader: false,
};

/** What tests give instead. */
export interface ListenerLimits {
  times?: Partial<typeof times>;
  connections?: Partial<ConnectionLimits>;
}

/** What is called for a request. Express gives requests and answers a prototype of the app's. */
export type App = RequestListener & { request?: object; response?: object };

/**
 * Makes messages with the app's prototype at once: all that is done with an object is slower after its prototype was changed,
 * which Express would do to each.
 */
function madeFor<M extends new (...args: never[]) => object>(prototype: object | undefined, message: M): M {
  if (!prototype) return message;
  function Message(...args: unknown[]): object {
    return Reflect.construct(message, args, Message);
  }
  Message.prototype = prototype;
  return Message as unknown as M;
}

/** An HTTP server over an app that answers in JSON also where a request never reaches the app. */
export function createListener(app: App, limits: ListenerLimits = {}): Server {
  const server = http.createServer({
    ...times,
    ...limits.times,
    IncomingMessage: madeFor(app.request, http.IncomingMessage),
    ServerResponse: madeFor(app.response, http.ServerResponse),
  });
  boundConnections(server, { ...connectionLimits, ...limits.connections }, app);
  server.on('checkExpectation', (_request, response) => sendJson(response, 417, { error: 'Expectation failed' }));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What is written into an answer that has begun would be taken for a part of it.
    const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null };
    if (!socket.writable || (answer?.headersSent && !answer.writableEnded)) return void socket.destroy();
    const status = unreadable[error.code ?? ''] ?? '400 Bad Request';
    const body = JSON.stringify(error.code === 'HPE_INVALID_URL' ? unencoded : { error: status.slice(4) });
    const headers = `Connection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${body.length}`;
    socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
  });
  return server;
}

const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** As of a letter with an accent in a query that curl is given. In ASCII, since its characters are counted. */
const unencoded = answerOf(
  ValidationError.at(
    [],
    'the address has a character that must be percent-encoded (curl: -G --data-urlencode NAME=VALUE)',
  ),
).body;

/**
 * Listens, and answers the port: the one asked for, or for 0 a free one. What keeps connections out later is logged.
 * @throws UnavailableError in plain words, with the way out
 */
export function listen(server: Server, host: string, port: number, log: Pick<Log, 'error'>): Promise<number> {
  const reasons: Record<string, string> = {
    EADDRINUSE: `The port ${port} is in use: stop what listens there, or use --port 0 for any free one.`,
    EACCES: `The port ${port} may not be opened by this user: use one above 1023, or --port 0 for any free one.`,
    EADDRNOTAVAIL: `The address ${host} is none of this machine: use --host 127.0.0.1.`,
    ENOTFOUND: `The address ${host} is unknown: use --host 127.0.0.1.`,
  };
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? ''] ?? `The node cannot listen on ${host}:${port} (${error.message}).`;
      reject(new UnavailableError(reason));
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed).on('error', refusedBySystem(log));
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** For the errors of a server that listens: each is one connection that the system does not give (no more open files, say). */
function refusedBySystem(log: Pick<Log, 'error'>): (error: NodeJS.ErrnoException) => void {
  const faults = new FaultNews();
  return (error) => {
    if (faults.isNews(error.code ?? error.message)) log.error({ err: error }, 'a connection could not be accepted');
  };
}

/** An address at which a program on this machine reaches a server that listens on `host`. */
export function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const [graceMs, lookMs] = [5000, 100];

/** Refuses new requests, lets running ones end for five seconds, and ends those that are left. */
export function closeListener(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    // Who asks one thing after the other would else keep a connection, and be answered, until all are ended.
    server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const looking = setInterval(() => server.closeIdleConnections(), lookMs);
    server.close(() => {
      clearTimeout(timer);
      clearInterval(looking);
      resolve();
    });
    server.closeIdleConnections();
  });
}
