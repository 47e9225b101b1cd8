import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RefusedJobError } from './job-error.ts';
import type { Kit } from './kit.ts';

/** Where the worker listens, and what shows that its address is the klados's. */
export interface ServeOptions {
  /** 0 or none for any free port. */
  port?: number;
  host?: string;
  /** What `POST /kladoi/{id}/verify` gave; needed until the endpoint is verified. */
  verificationToken?: string | null;
}

/** A worker that answers at `url` until it is closed. */
export interface Worker extends AsyncDisposable {
  url: string;
  /** For the token that comes once the klados is there. */
  prove(token: string): void;
  close(): Promise<void>;
}

const maxBody = 16 * 2 ** 20;

/** An HTTP server that is a klados: `/process`, `/.well-known/<service>-verification` and `/health`. */
export async function serve(kit: Kit, klados: string, options: ServeOptions): Promise<Worker> {
  let token = options.verificationToken ?? null;
  const server = createServer((request, response) => {
    answer(request)
      .then(([status, body]) => send(response, status, body))
      .catch(() => send(response, 500, { accepted: false, error: 'The worker failed.' }));
  });
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    const [url = '/', base] = [request.url, 'http://worker'];
    // What is no address is not found.
    const asked = URL.canParse(url, base) ? `${request.method} ${new URL(url, base).pathname}` : null;
    if (asked === 'POST /process') return takeJob(kit, request);
    if (asked === 'GET /health') return [200, { status: 'healthy', klados }];
    if (asked === `GET /.well-known/${kit.service}-verification` && token !== null)
      return [200, { verification_token: token, klados_id: klados }];
    return [404, { error: 'Not found' }];
  };
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const { address, port, family } = server.address() as AddressInfo;
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await kit.close();
  };
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    prove: (given) => {
      token = given;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function takeJob(kit: Kit, request: IncomingMessage): Promise<[number, object]> {
  try {
    const job = await kit.receive(request.headers, await bodyOf(request));
    kit.begin(job);
    return [200, { accepted: true, job_id: job.job_id }];
  } catch (error) {
    if (!(error instanceof RefusedJobError)) throw error;
    const { status, message, retryAfter } = error;
    return [status, { accepted: false, error: message, ...(retryAfter !== undefined && { retry_after: retryAfter }) }];
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) throw new RefusedJobError(413, 'The job is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}
