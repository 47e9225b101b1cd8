import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../src/server/config.ts';
import type { Context } from '../../src/server/context.ts';
import { openLog } from '../../src/server/log.ts';
import { fromJson } from '../../src/server/model/from-json.ts';
import { type Overrides, startServer } from '../../src/server/server.ts';
import { ReaderThreads } from '../../src/server/store/threads/reader-threads.ts';
import { SideThread } from '../../src/server/store/threads/side-thread.ts';
import { noteCredential, noteSaid } from './spoken.ts';

/** One answer: `body` is the parsed JSON, `text` the bytes as text. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  body: unknown;
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  /** A value is sent as JSON; text and bytes as they are. */
  body?: unknown;
  /** The answer has no end: its first part is enough. */
  endless?: boolean;
}

/** A real node on a free port, in a folder of its own that goes with it. */
export interface TestNode extends AsyncDisposable {
  url: string;
  data: string;
  ctx: Context;
  /** The lines it has logged. */
  logged: string[];
  fetch(path: string, ask?: Ask): Promise<Answer>;
}

export interface StartOptions extends Overrides {
  env?: Record<string, string>;
  /** A data folder to use; it is then not removed. */
  data?: string;
}

/**
 * A thread takes as long to start as the rest of a node, so the nodes of a process share those that are not of one alone, and
 * write without one. `writer: 'thread'`: as the program does.
 */
const threads = { follower: new SideThread(), readers: new ReaderThreads(), writer: 'here' } as const;

/** A new empty folder that is removed when it is disposed of. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'archeion-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export async function startNode({ env = {}, data, ...overrides }: StartOptions = {}): Promise<TestNode> {
  await using opened = new AsyncDisposableStack();
  const folder = data ?? opened.use(await temporaryFolder()).path;
  const { config, secrets } = readConfig({ ARCHEION_PORT: '0', ...env }, { data: folder }, folder);
  const logged: string[] = [];
  const write = (line: string) => {
    logged.push(line);
    noteSaid(line);
  };
  for (const [name, value] of Object.entries(env))
    if (/(?<!PUBLIC)_(?:SECRET|KEY|TOKEN)$/.test(name)) noteCredential(value);
  const log = openLog('debug', { write });
  const node = opened.use(await startServer(config, secrets, { log, ...threads, ...overrides }));
  noteCredential(node.ctx.identity.ensureOperator().key);
  const all = opened.move();
  return {
    url: node.url,
    data: folder,
    ctx: node.ctx,
    logged,
    fetch: (path, ask) => send(node.url, path, ask),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** One request with exactly these headers (`fetch` would not let a test set Host), on a connection of its own. */
export function send(
  url: string,
  path: string,
  { method = 'GET', headers = {}, body, endless }: Ask = {},
): Promise<Answer> {
  const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const bytes = raw ? body : JSON.stringify(body);
  const type = raw ? {} : { 'Content-Type': 'application/json' };
  // Node frames the body of a DELETE only where it is told the length.
  const length =
    method === 'DELETE' && bytes !== undefined ? { 'Content-Length': String(Buffer.byteLength(bytes)) } : {};
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, path, method, headers: { ...type, ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('error', reject);
        const whole = () => {
          const text = Buffer.concat(chunks).toString();
          if ((response.statusCode ?? 0) >= 400) noteSaid(text);
          // Stored bytes may say that they are JSON, whatever they are.
          const { 'content-type': type = '', 'content-disposition': saved } = response.headers;
          const json = /\bjson\b/.test(type) && text !== '' && saved === undefined;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            body: json ? fromJson(text) : undefined,
          });
        };
        response.on('end', whole);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          if (!endless || response.statusCode !== 200) return;
          whole();
          response.destroy();
        });
      },
    );
    request.on('error', reject);
    request.end(bytes);
  });
}
