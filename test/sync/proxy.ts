import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Call {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body's bytes as text. */
  body: string;
}

/**
 * What happens to one call: an answer in place of the node's (`after` something), a changed one (its JSON, or its bytes; null breaks it off
 * where it is; `without` some headers), `takes` so many bytes of the body and then breaks off, `trickles` a space each so many milliseconds without end (under another status than 200 `as` that), `sends` another body on (its JSON), `cut` before it reaches the node, `lose` after the node has done it, undefined for what the node says.
 */
export type Fault =
  | { status: number; body?: unknown; headers?: Record<string, string>; after?: () => Promise<unknown> }
  | { change: (body: unknown) => unknown }
  | { bytes: (body: Buffer) => Buffer; breaks?: boolean; without?: string[] }
  | { takes: number }
  | { trickles: number; as?: number }
  | { sends: (body: unknown) => unknown }
  | 'cut'
  | 'lose'
  | undefined;

/** A remote that does not always do what it should, in front of a real node. */
export interface FaultyRemote extends AsyncDisposable {
  url: string;
  calls: Call[];
  /** Asked for each call. */
  fault: (call: Call) => Fault;
  /** The status of what the node finds not valid: the interface leaves it open. */
  invalid: number;
  /** Ends every connection that is open. */
  breakOff: () => void;
}

/** `plain`: what the node offers beyond the public interface is hidden; `stranger`: that it is a node, too. */
export async function startProxy(target: string, { plain = true, stranger = false } = {}): Promise<FaultyRemote> {
  const server = createServer((request, response) => {
    pass(proxy, target, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const hidden = ({ path }: Call): Fault => {
    if (path !== '/.well-known/archeion') return undefined;
    if (stranger) return { status: 404 };
    return plain ? { change: (body) => ({ ...(body as object), sync: undefined }) } : undefined;
  };
  let chosen: FaultyRemote['fault'] = () => undefined;
  const proxy: FaultyRemote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    invalid: 400,
    get fault() {
      const now = chosen;
      return (call: Call) => now(call) ?? hidden(call);
    },
    set fault(fault) {
      chosen = fault;
    },
    breakOff: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}

async function pass(
  proxy: FaultyRemote,
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { method = 'GET', url: path = '/', headers } = request;
  const call = { method, path, headers, body: body.toString() };
  proxy.calls.push(call);
  const fault = proxy.fault(call);
  if (fault === 'cut') {
    response.destroy();
    return;
  }
  if (typeof fault === 'object' && 'status' in fault) {
    await fault.after?.();
    response.writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers });
    response.end(JSON.stringify(fault.body ?? { error: 'as the test wants it' }));
    return;
  }
  if (typeof fault === 'object' && 'trickles' in fault) {
    response.writeHead(fault.as ?? 200, { 'Content-Type': 'application/json' });
    const timer = setInterval(() => response.write(' '), fault.trickles);
    response.once('close', () => clearInterval(timer));
    return;
  }
  if (typeof fault === 'object' && 'takes' in fault) {
    await forwardPart(target, request, body, fault.takes);
    response.destroy();
    return;
  }
  const sent = typeof fault === 'object' && 'sends' in fault ? fault.sends(JSON.parse(body.toString())) : null;
  const answer = await forward(target, request, sent === null ? body : Buffer.from(JSON.stringify(sent)));
  response.once('close', () => answer.destroy());
  if (fault === 'lose') {
    await text(answer);
    response.destroy();
    return;
  }
  const kept = ['content-type', 'etag', 'content-range', ...(fault === undefined ? ['content-length'] : [])];
  const without = typeof fault === 'object' && 'without' in fault ? (fault.without ?? []) : [];
  const shown = Object.entries(answer.headers).filter(([name]) => kept.includes(name) && !without.includes(name));
  const status = answer.statusCode === 400 ? proxy.invalid : (answer.statusCode ?? 0);
  response.writeHead(status, Object.fromEntries(shown));
  if (fault === undefined || 'sends' in fault) {
    answer.pipe(response);
    return;
  }
  const whole: Buffer[] = [];
  for await (const chunk of answer) whole.push(chunk as Buffer);
  const bytes = Buffer.concat(whole);
  if ('change' in fault) {
    response.end(JSON.stringify(fault.change(JSON.parse(bytes.toString()))));
    return;
  }
  const changed = fault.bytes(bytes);
  if (fault.breaks) response.write(changed, () => response.destroy());
  else response.end(changed);
}

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { hostname, port } = new URL(target);
  const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...kept } = headers;
  const sent = body.length > 0 ? { ...kept, 'content-length': String(body.length) } : kept;
  return new Promise((resolve, reject) => {
    const onward = send({ hostname, port, path: url, method, headers: sent, agent: false }, resolve);
    onward.on('error', reject);
    onward.end(body);
  });
}

/** Sends the beginning of a body and leaves, once it has been received. */
function forwardPart(target: string, { method, url, headers }: IncomingMessage, body: Buffer, bytes: number) {
  const { hostname, port } = new URL(target);
  const { host: _host, connection: _connection, 'transfer-encoding': _encoding, ...kept } = headers;
  return new Promise<void>((resolve) => {
    const sent = { ...kept, 'content-length': String(body.length) };
    const onward = send({ hostname, port, path: url, method, headers: sent, agent: false });
    onward.on('error', () => undefined);
    onward.on('close', () => resolve());
    onward.write(body.subarray(0, bytes), () => setTimeout(() => onward.destroy(), 50));
  });
}
