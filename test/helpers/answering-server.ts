import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody's server was asked. */
export interface AskedRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface GivenAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** A value is sent as JSON, text as it is. */
  body?: unknown;
}

/** A server of somebody else's on this machine. */
export interface AnsweringServer extends AsyncDisposable {
  url: string;
  seen: AskedRequest[];
  /** What it answers from now on; undefined: nothing at all, ever. */
  answer: (request: AskedRequest) => GivenAnswer | undefined | Promise<GivenAnswer | undefined>;
}

export async function startAnsweringServer(
  answer: AnsweringServer['answer'] = () => ({ status: 404 }),
): Promise<AnsweringServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = '', url: path = '', headers } = request;
      const seen = { method, path, headers, body: Buffer.concat(chunks).toString() };
      made.seen.push(seen);
      const given = await made.answer(seen);
      if (!given) return;
      const text = typeof given.body === 'string' ? given.body : JSON.stringify(given.body ?? {});
      response.writeHead(given.status ?? 200, { 'Content-Type': 'application/json', ...given.headers }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: AnsweringServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    answer,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}
