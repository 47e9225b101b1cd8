import { rm } from 'node:fs/promises';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { Config, Secrets } from './config.ts';
import { type Context, openContext, type Surroundings, version } from './context.ts';
import { openDataFolder, syncedBy } from './data-folder.ts';
import { StorageError, UnavailableError } from './errors.ts';
import { type AppOptions, createApp } from './http/app.ts';
import { connectionLimits } from './http/connections.ts';
import { addressOf, closeListener, createListener, listen } from './http/listener.ts';
import { mostConnections, openFilesLimit, refuseFewFiles } from './http/most-connections.ts';
import { type Log, openLog } from './log.ts';
import { instanceOf, isAlive, type NodeFile, nodeFilePath, readNodeFile, writeNodeFile } from './node-file.ts';
import { refuseForeignLogs } from './store/foreign-log.ts';
import { lockFolder } from './store/lock.ts';
import { dropCopies } from './store/migrations/kept-copy.ts';
import { checkStartable } from './store/startable.ts';
import { storingLater } from './store/storage-error.ts';

/** A node that answers at `url` until it is disposed of. */
export interface RunningNode extends AsyncDisposable {
  url: string;
  ctx: Context;
}

/** What the process gives, and what tests give instead. */
export interface Overrides extends Pick<AppOptions, 'extend'> {
  log?: Log;
  now?: () => number;
  /** Waits before sync asks again for what failed. */
  wait?: Surroundings['wait'];
  /** In which sync expects something worthwhile of an answer. */
  answerWindow?: Surroundings['answerWindow'];
  follower?: Surroundings['follower'];
  readers?: Surroundings['readers'];
  writer?: Surroundings['writer'];
  /** The process that node.json names. */
  pid?: number;
  /** Whether there is a process of that id. */
  isRunning?: ((pid: number) => boolean) | undefined;
  /** The folder of the built page. */
  ui?: string | null;
  /** Whether remotes that are set to it are watched, and what was accepted on any network is gone on with. */
  watch?: boolean;
  stopped?: Surroundings['stopped'];
  /** Whether it runs for one command, and ends with that: it sends no jobs, which would be cut off or call back to nobody. */
  lent?: boolean;
}

/**
 * Starts a node: locks the data folder, builds the context, listens, writes node.json.
 * Disposing refuses new requests, lets running ones end (for 5 s), and closes everything in reverse.
 * @throws UnavailableError for a folder in use, on a network drive, of a backup or half restored, for a busy port, and where it may
 * open too few files
 */
export async function startServer(config: Config, secrets: Secrets, overrides: Overrides = {}): Promise<RunningNode> {
  await using opened = new AsyncDisposableStack();
  const files = openFilesLimit();
  refuseFewFiles(files);
  const log = overrides.log ?? openLog(config.logLevel);
  const data = await openDataFolder(config.data);
  checkStartable(data);
  opened.use(lockFolder(data));
  refuseForeignLogs(data);
  await refuseSecond(data, overrides.isRunning ?? (() => false));
  const service = syncedBy(data);
  if (service)
    log.warn(
      { data },
      `the data folder is in a folder that ${service} copies while it is written; name another with --data`,
    );
  const instance = await instanceOf(data);
  const now = overrides.now ?? Date.now;
  const ctx = opened.use(
    await openContext({
      config: { ...config, data },
      secrets,
      log,
      instance,
      now,
      ...{ wait: overrides.wait, answerWindow: overrides.answerWindow },
      follower: overrides.follower,
      readers: overrides.readers,
      writer: overrides.writer,
      behind: overrides.watch ?? false,
      stopped: overrides.stopped,
    }),
  );

  const others = opened.use(new OtherNetworks(ctx));

  // The port is part of the names that the app answers to, and known once the server listens.
  const own = { port: config.port, allowed: config.allowedHosts };
  const app = createApp(ctx, { own, ui: overrides.ui ?? null, extend: overrides.extend });
  const most = mostConnections(files);
  if (most < connectionLimits.most)
    log.warn(
      { open_files: files, connections: most },
      'the system lets this process open few files: there are fewer connections',
    );
  const server = createListener(app, { connections: { most } });
  opened.defer(() => closeListener(server));
  // Before the listener, which would wait for those who look on.
  opened.use(ctx.watcher);
  opened.defer(() => ctx.peers.stream.close());
  opened.defer(() => ctx.invocations.close());
  own.port = await listen(server, config.host, config.port, log);
  const url = addressOf(config.host, own.port);
  own.allowed = [...own.allowed, ...hostOf(url)];
  opened.use(await toldOf(data, { url, pid: overrides.pid ?? 0, instance, version }, log));
  opened.defer(() => ctx.system.end());
  if (!overrides.lent) await ctx.invocations.start(url);
  if (overrides.watch) await ctx.watcher.start();
  log.info({ url, data, version }, 'ready');
  if (overrides.watch) others.open();

  const all = opened.move();
  return { url, ctx, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The host of an address as requests name it; of an address that is none (an IPv6 zone in it) there is none. */
function hostOf(url: string): string[] {
  const host = URL.parse(url)?.host;
  return host === undefined ? [] : [host];
}

const againMs = 1000;

/**
 * A node that others cannot be told of, since the disk is full, can be read all the same; they are told once there is room.
 * @throws StorageError
 */
async function toldOf(data: string, node: NodeFile, log: Log): Promise<AsyncDisposable> {
  const tell = () => storingLater(() => writeNodeFile(data, node));
  try {
    return await tell();
  } catch (error) {
    if (!(error instanceof StorageError && error.code === 'STORAGE_FULL')) throw error;
    log.warn(
      { data },
      'the disk is full: until there is room other commands do not find this node (node.json is missing)',
    );
  }
  const stopped = new AbortController();
  const later = async () => {
    for (;;) {
      await sleep(againMs, undefined, { signal: stopped.signal, ref: false }).catch(() => undefined);
      if (stopped.signal.aborted) return null;
      const told = await tell().catch(() => null);
      if (told) return told;
    }
  };
  const telling = later();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await (await telling)?.[Symbol.asyncDispose]();
    },
  };
}

/**
 * The lock of a node that runs may have been deleted, for one that was left behind: there would be two writers. What a node that
 * was killed has left is removed, since commands would believe it now that the folder is locked.
 */
async function refuseSecond(data: string, isRunning: (pid: number) => boolean): Promise<void> {
  const known = await readNodeFile(data);
  const file = nodeFilePath(data);
  if (known && ((await isAlive(known)) ?? isRunning(known.pid)))
    throw new UnavailableError(
      `The data folder ${data} is in use: its node runs at ${known.url}, and its lock.db was deleted, or this is a copy of it. Stop that first; where it is no node of yours, delete ${file}.`,
    );
  await storingLater(() => rm(file, { force: true }));
}

/**
 * Networks that nobody has asked for yet, opened beside all else; a stop waits for the one in hand. The copies of before an upgrade
 * go once they are open: the node is ready by then.
 */
class OtherNetworks implements AsyncDisposable {
  readonly #ctx: Pick<Context, 'networks' | 'archives' | 'log'>;
  readonly #stopped = new AbortController();
  #opening: Promise<void> = Promise.resolve();

  constructor(ctx: Pick<Context, 'networks' | 'archives' | 'log'>) {
    this.#ctx = ctx;
  }

  open(): void {
    this.#opening = this.#openAll();
  }

  async #openAll(): Promise<void> {
    const { networks, log } = this.#ctx;
    const failed = (network: string, error: unknown) =>
      log.error({ err: error, network }, 'a network could not be opened; the next request that needs it tries again');
    // Whoever waits for the start goes first.
    await turn();
    for (const { network, database } of await networks.openExisting(failed, this.#stopped.signal))
      try {
        dropCopies(database);
      } catch (error) {
        log.warn(
          { err: error, network },
          'the copy of before an upgrade could not be removed; the next start tries again, or remove it yourself',
        );
      }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    this.#ctx.archives.carImports.stop();
    await this.#opening;
  }
}
