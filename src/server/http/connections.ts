import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export interface ConnectionLimits {
  /** How many connections there are at once. */
  most: number;
  /** How long a client may neither send what it owes nor read what it is given, in milliseconds. */
  stalledMs: number;
  /** How often that is looked at. */
  lookEveryMs: number;
  /** How many requests of one connection may wait for the answers to those before them. */
  waiting: number;
}

export const connectionLimits: ConnectionLimits = { most: 1000, stalledMs: 120_000, lookEveryMs: 10_000, waiting: 100 };

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

interface Connection {
  /** The one that is served, or was. */
  last: Exchange | null;
  isServed: boolean;
  /** Those that came before the answer to the one that is served had gone. */
  waiting: Exchange[];
  bytes: number;
  /** When bytes were last seen to have moved, either way. */
  moved: number;
}

/**
 * Bounds what connections cost. One that is too many takes the place of another: of the one that has waited longest for
 * its client, else of the one whose answer has gone on longest. So whoever holds all of them open, with requests that
 * never end or answers that are never read, does not keep others out. And each is served one request after the other, as
 * its answers leave: else whoever sends them without waiting would have any number of threads' turns, and of bodies in memory.
 */
export function boundConnections(
  server: Server,
  { most, stalledMs, lookEveryMs, waiting }: ConnectionLimits,
  serve: RequestListener,
): void {
  const open = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const given = longest(({ last }) => awaitsClient(last)) ?? longest(({ last }) => hasBegun(last));
      if (given === null) return void socket.destroy();
      open.delete(given);
      given.destroy();
    }
    open.set(socket, { last: null, isServed: false, waiting: [], bytes: 0, moved: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request, response) => {
    const connection = open.get(request.socket);
    // It has been given up.
    if (!connection) return;
    connection.moved = performance.now();
    if (!connection.isServed) begin(connection, { request, response });
    else if (connection.waiting.push({ request, response }) > waiting) request.socket.destroy();
  });

  function begin(connection: Connection, last: Exchange): void {
    connection.last = last;
    connection.isServed = true;
    last.response.once('close', () => {
      const next = connection.waiting.shift();
      connection.isServed = false;
      if (next && !next.request.socket.destroyed) begin(connection, next);
    });
    serve(last.request, last.response);
  }

  /** Of those that fit, the one that has waited longest. They are looked at anew only where it has gone on since the last look. */
  function longest(fits: (connection: Connection) => boolean): Socket | null {
    const found = oldest(open, fits);
    const connection = found && open.get(found);
    if (!connection || !hasMoved(found, connection)) return found;
    look();
    return oldest(open, fits);
  }

  function look(): void {
    for (const [socket, connection] of open) hasMoved(socket, connection);
  }

  // Node's own takes an answer that is written for one that has come, and cuts off what its client has not read yet.
  server.closeIdleConnections = () => {
    for (const [socket, { last, isServed }] of open) if (last?.request.complete && !isServed) socket.destroy();
  };

  const looking = setInterval(() => {
    look();
    const since = performance.now() - stalledMs;
    for (const [socket, { moved, last }] of open) if (moved < since && awaitsClient(last)) socket.destroy();
  }, lookEveryMs).unref();
  server.once('close', () => clearInterval(looking));
}

/** Whether bytes have moved, either way, since it was last looked at, which is noted. */
function hasMoved(socket: Socket, connection: Connection): boolean {
  const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
  if (bytes === connection.bytes) return false;
  Object.assign(connection, { bytes, moved: performance.now() });
  return true;
}

/** Of those that fit, the one for which it is longest that bytes moved. */
function oldest(open: Map<Socket, Connection>, fits: (connection: Connection) => boolean): Socket | null {
  let found: Socket | null = null;
  let since = Number.POSITIVE_INFINITY;
  for (const [socket, connection] of open)
    if (connection.moved < since && fits(connection)) [found, since] = [socket, connection.moved];
  return found;
}

/** Whether it is the client's turn: to ask, to send the rest of a body, or to read. */
function awaitsClient(last: Connection['last']): boolean {
  if (last === null) return true;
  const { request, response } = last;
  if (response.writableFinished || response.destroyed) return true;
  if (response.writableEnded || response.writableNeedDrain) return true;
  // A body that is not taken up waits for the node, not for its client.
  return !request.complete && request.readableLength < request.readableHighWaterMark;
}

function hasBegun(last: Connection['last']): boolean {
  return last?.response.headersSent === true;
}
