import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';

export interface ConnectionLimits {
  /** How many connections there are at once. */
  most: number;
  /** How long a client may neither send what it owes nor read what it is given, in milliseconds. */
  stalledMs: number;
  /** How often that is looked at. */
  lookEveryMs: number;
}

export const connectionLimits: ConnectionLimits = { most: 1000, stalledMs: 120_000, lookEveryMs: 10_000 };

interface Connection {
  /** The newest one; answers leave in the order of their requests. */
  last: { request: IncomingMessage; response: ServerResponse } | null;
  bytes: number;
  /** When bytes were last seen to have moved, either way. */
  moved: number;
}

/**
 * Bounds what connections cost. One that is too many takes the place of another: of the one that has waited longest for
 * its client, else of the one whose answer has gone on longest. So whoever holds all of them open, with requests that
 * never end or answers that are never read, does not keep others out.
 */
export function boundConnections(server: Server, { most, stalledMs, lookEveryMs }: ConnectionLimits): void {
  const open = new Map<Socket, Connection>();

  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const given = oldest(open, ({ last }) => awaitsClient(last)) ?? oldest(open, ({ last }) => hasBegun(last));
      if (given === null) return void socket.destroy();
      open.delete(given);
      given.destroy();
    }
    open.set(socket, { last: null, bytes: 0, moved: performance.now() });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request, response) => {
    const connection = open.get(request.socket);
    if (!connection) return;
    connection.last = { request, response };
    connection.moved = performance.now();
  });

  const look = setInterval(() => {
    const now = performance.now();
    for (const [socket, connection] of open) {
      const bytes = socket.bytesRead + socket.bytesWritten - socket.writableLength;
      if (bytes !== connection.bytes) Object.assign(connection, { bytes, moved: now });
      else if (now - connection.moved > stalledMs && connection.last !== null && awaitsClient(connection.last))
        socket.destroy();
    }
  }, lookEveryMs).unref();
  server.once('close', () => clearInterval(look));
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
