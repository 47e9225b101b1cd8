import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Answer, send } from '../helpers/node.ts';

export interface Call {
  method: string;
  path: string;
  body: string;
}

/**
 * What happens to one call: an answer in place of the node's, a changed one, `cut` before it reaches the node, `lose`
 * after the node has done it, undefined for what the node says.
 */
export type Fault =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { change: (body: unknown) => unknown }
  | 'cut'
  | 'lose'
  | undefined;

/** A remote that does not always do what it should, in front of a real node. */
export interface FaultyRemote extends AsyncDisposable {
  url: string;
  calls: Call[];
  /** Asked for each call. */
  fault: (call: Call) => Fault;
}

export async function startProxy(target: string): Promise<FaultyRemote> {
  const server = createServer((request, response) => {
    pass(proxy, target, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: FaultyRemote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    fault: () => undefined,
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
  const { method = 'GET', url: path = '/' } = request;
  const call = { method, path, body: Buffer.concat(chunks).toString() };
  proxy.calls.push(call);
  const fault = proxy.fault(call);
  if (fault === 'cut') {
    response.destroy();
    return;
  }
  if (typeof fault === 'object' && 'status' in fault) {
    response.writeHead(fault.status, { 'Content-Type': 'application/json', ...fault.headers });
    response.end(JSON.stringify(fault.body ?? { error: 'as the test wants it' }));
    return;
  }
  const answer = await forward(target, request, call);
  if (fault === 'lose') {
    response.destroy();
    return;
  }
  const text = typeof fault === 'object' ? JSON.stringify(fault.change(answer.body)) : answer.text;
  response.writeHead(answer.status, { 'Content-Type': 'application/json' });
  response.end(answer.status === 204 ? undefined : text);
}

function forward(target: string, request: IncomingMessage, { method, path, body }: Call): Promise<Answer> {
  const kept = ['authorization', 'content-type', 'x-arke-network'];
  const headers = Object.fromEntries(
    kept.flatMap((name) =>
      typeof request.headers[name] === 'string' ? [[name, request.headers[name] as string]] : [],
    ),
  );
  return send(target, path, { method, headers, ...(body !== '' && { body }) });
}
