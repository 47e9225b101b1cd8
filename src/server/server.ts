import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Config, Secrets } from './config.ts';
import { type Context, openContext, version } from './context.ts';
import { openDataFolder, syncedBy } from './data-folder.ts';
import { UnavailableError } from './errors.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { type Log, openLog } from './log.ts';
import { instanceOf, writeNodeFile } from './node-file.ts';
import { lockFolder } from './store/lock.ts';

/** The program's version. */
export const programVersion: string = version;

/** A node that answers at `url` until it is disposed of. */
export interface RunningNode extends AsyncDisposable {
  url: string;
  ctx: Context;
}

/** What the process gives, and what tests give instead. */
export interface Overrides extends Pick<AppOptions, 'extend'> {
  log?: Log;
  now?: () => number;
  /** The process that node.json names. */
  pid?: number;
  /** The folder of the built page. */
  ui?: string | null;
}

/**
 * Starts a node: locks the data folder, builds the context, listens, writes node.json.
 * Disposing refuses new requests, lets running ones end (for 5 s), and closes everything in reverse.
 * @throws UnavailableError for a folder in use or on a network drive, and for a busy port
 */
export async function startServer(config: Config, secrets: Secrets, overrides: Overrides = {}): Promise<RunningNode> {
  await using opened = new AsyncDisposableStack();
  const log = overrides.log ?? openLog(config.logLevel);
  const data = await openDataFolder(config.data);
  opened.use(lockFolder(data));
  const service = syncedBy(data);
  if (service)
    log.warn(
      { data },
      `the data folder is in a folder that ${service} copies while it is written; name another with --data`,
    );
  const instance = await instanceOf(data);
  const now = overrides.now ?? Date.now;
  const ctx = opened.use(await openContext({ config: { ...config, data }, secrets, log, instance, now }));

  // The port is part of the names that the app answers to, and known once the server listens.
  const own = { port: config.port, allowed: config.allowedHosts };
  const app = createApp(ctx, { own, ui: overrides.ui ?? null, extend: overrides.extend });
  const server = listener(app);
  opened.defer(() => close(server));
  own.port = await listen(server, config);
  const url = addressOf(config.host, own.port);
  opened.use(await writeNodeFile(data, { url, pid: overrides.pid ?? 0, instance, version }));
  log.info({ url, data, version }, 'ready');

  const all = opened.move();
  return { url, ctx, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Headers must come quickly; a body may be an upload over a slow line. */
function listener(app: Express): Server {
  const server = createServer({ headersTimeout: 20_000, requestTimeout: 0, keepAliveTimeout: 65_000 }, app);
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
  return server;
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reasons: Record<string, string> = {
        EADDRINUSE: `The port ${port} is in use: stop what listens there, or use --port 0 for any free one.`,
        EACCES: `The port ${port} may not be opened by this user: use one above 1023, or --port 0 for any free one.`,
        EADDRNOTAVAIL: `The address ${host} is none of this machine: use --host 127.0.0.1.`,
        ENOTFOUND: `The address ${host} is unknown: use --host 127.0.0.1.`,
      };
      reject(
        new UnavailableError(
          reasons[error.code ?? ''] ?? `The node cannot listen on ${host}:${port} (${error.message}).`,
        ),
      );
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

/** An address that a program on this machine can use. */
function addressOf(host: string, port: number): string {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const graceMs = 5000;

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
