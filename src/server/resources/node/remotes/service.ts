import { AlreadyExistsError, NotFoundError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import type { Network } from '../../../model/ids.ts';
import type { SyncEngine } from '../../../sync/engine.ts';
import type { RemoteStatus } from '../../../sync/remote-status.ts';
import { emptyReport, type Report } from '../../../sync/report.ts';
import type { Run } from '../../../sync/runs.ts';
import { hoursLeft, lagOf } from '../../../sync/stand.ts';
import type { Watcher } from '../../../sync/watch.ts';
import { wordsOf } from '../../../sync/words.ts';
import type { SyncPreviewView } from './preview-wire.ts';
import type {
  AddRemoteBody,
  CheckRemoteBody,
  PendingChangesView,
  RemoteAddressBody,
  RemoteCheckView,
  RemoteKeyBody,
  RemoteSettingsBody,
  RemotesView,
  RemoteView,
  SyncLineView,
  SyncReportView,
  SyncRunView,
  WatchLineView,
} from './wire.ts';

/** How often a running sync says how far it is, in milliseconds. */
const progressEvery = 500;
/** What keeps a run from beginning does so within so many milliseconds. */
const soon = 100;

/** The operator's remotes: what this node mirrors, pushes to, and has conflicts with. */
export class RemotesService {
  readonly #sync: SyncEngine;
  readonly #watcher: Watcher;
  readonly #now: () => number;

  constructor({ sync, watcher, now }: { sync: SyncEngine; watcher: Watcher; now: () => number }) {
    this.#sync = sync;
    this.#watcher = watcher;
    this.#now = now;
  }

  async add(caller: Caller, body: AddRemoteBody): Promise<RemoteView> {
    operator(caller);
    const added = await this.#sync.add(caller.network, body);
    await this.#watcher.refresh(caller.network);
    return this.#view(caller.network, added);
  }

  async list(caller: Caller): Promise<RemotesView> {
    operator(caller);
    return this.all(caller.network);
  }

  async read(caller: Caller, name: string): Promise<RemoteView> {
    operator(caller);
    return this.#view(caller.network, await this.#sync.status(caller.network, name));
  }

  async configure(caller: Caller, name: string, body: RemoteSettingsBody): Promise<RemoteView> {
    operator(caller);
    const set = await this.#sync.configure(caller.network, name, body);
    await this.#watcher.refresh(caller.network);
    return this.#view(caller.network, set);
  }

  /** Asks an address what it is, and whose the key is; nothing is kept. */
  async check(caller: Caller, body: CheckRemoteBody): Promise<RemoteCheckView> {
    operator(caller);
    return { ...(await this.#sync.check(caller.network, body)) };
  }

  async rename(caller: Caller, name: string, to: string): Promise<RemoteView> {
    operator(caller);
    const { network } = caller;
    const set = await this.#watcher.without(network, name, () => this.#sync.rename(network, name, to));
    return this.#view(network, set);
  }

  async rekey(caller: Caller, name: string, { key, direction }: RemoteKeyBody): Promise<RemoteView> {
    operator(caller);
    const { network } = caller;
    const set = await this.#watcher.without(network, name, () => this.#sync.rekey(network, name, { key, direction }));
    return this.#view(network, set);
  }

  async move(caller: Caller, name: string, { url, key, direction }: RemoteAddressBody): Promise<RemoteView> {
    operator(caller);
    const { network } = caller;
    const to = { url, key, direction };
    const set = await this.#watcher.without(network, name, () => this.#sync.rekey(network, name, to));
    return this.#view(network, set);
  }

  async pending(caller: Caller, name: string, page: { after: number; limit: number }): Promise<PendingChangesView> {
    operator(caller);
    return this.#sync.pending(caller.network, name, page);
  }

  /**
   * Begins a run that goes on by itself; one that watching has begun is ended first. What it comes to is the remote's
   * `last_run`.
   * @throws NotFoundError, AlreadyExistsError where one that was begun by hand is under way
   */
  async begin(caller: Caller, name: string, accept: boolean): Promise<RemoteView> {
    operator(caller);
    const { network } = caller;
    const run = this.#watcher.without(network, name, () => this.#sync.run(network, name, emptyReport(), { accept }));
    const early = run.then(
      () => undefined,
      (error: unknown) => {
        // All others are kept with the run.
        if (error instanceof NotFoundError || error instanceof AlreadyExistsError) throw error;
      },
    );
    early.catch(() => undefined);
    if (await settledWithin(early, soon)) await early;
    return this.read(caller, name);
  }

  /** Ends the run under way, whoever began it; what it has done stays, and the next one goes on from there. */
  async stop(caller: Caller, name: string): Promise<RemoteView> {
    operator(caller);
    this.#sync.stop(caller.network, name);
    return this.read(caller, name);
  }

  /** All remotes of a network, whoever asks. */
  async all(network: Network): Promise<RemotesView> {
    return { remotes: (await this.#sync.list(network)).map((it) => this.#view(network, it)) };
  }

  async remove(caller: Caller, name: string): Promise<void> {
    operator(caller);
    await this.#watcher.without(caller.network, name, () => this.#sync.remove(caller.network, name));
  }

  /** Lines of progress while it runs, then what it did. `gone` ends it: whoever asked has left; `accept`:
   * they agree to whatever it changes. */
  async *sync(
    caller: Caller,
    name: string,
    { dryRun, accept, gone }: { dryRun: boolean; accept: boolean; gone: AbortSignal },
  ): AsyncGenerator<SyncLineView> {
    operator(caller);
    if (dryRun) {
      yield { preview: (await this.#sync.preview(caller.network, name)) as SyncPreviewView };
      return;
    }
    const report = emptyReport();
    const work = () => this.#sync.run(caller.network, name, report, { signal: gone, accept });
    const run = this.#watcher.without(caller.network, name, work);
    // What it throws is thrown below.
    run.catch(() => undefined);
    while (!(await settledWithin(run, progressEvery))) yield { progress: { ...report } };
    try {
      yield { done: reportView(await run) };
    } catch (error) {
      // What ended with whoever asked is no fault, and nobody is there to hear of it.
      if (!gone.aborted || error !== gone.reason) throw error;
    }
  }

  /** A line at the end of each run, for as long as somebody looks on. */
  async *watch(caller: Caller, name: string, gone: AbortSignal): AsyncGenerator<WatchLineView> {
    operator(caller);
    for await (const { run, next } of this.#watcher.look(caller.network, name, gone))
      yield { run: run && runView(run), next_run_at: timeView(next) };
  }

  #view(network: Network, { remote, seen, lastRun, running, missingContent, ...status }: RemoteStatus): RemoteView {
    const now = this.#now();
    const next = running ? null : this.#watcher.nextRun(network, remote.name);
    const facts = {
      lag: lagOf(seen, { lastRun, running }, now),
      hoursLeft: hoursLeft(lastRun, now),
      lastRun,
      running,
      next,
    };
    const pulls = remote.direction !== 'push';
    return {
      ...remote,
      ...status,
      missing_content: missingContent,
      words: wordsOf({ ...remote, ...status, ...facts, seen, pulls }, now),
      seen: seen.filter((it) => !it.lost).map(({ first, last }) => ({ first, last })),
      lost: seen
        .filter((it) => it.lost)
        .map(({ first, last, swept, uncatalogued }) => ({ first, last, swept, uncatalogued })),
      lag: facts.lag,
      all_read_at: timeView(lastRun?.level ?? null),
      unread_expire_in_h: facts.hoursLeft,
      running: running && reportView(running),
      last_run: lastRun && runView(lastRun),
      next_run_at: timeView(next),
    };
  }
}

function timeView(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

type Outcome = Pick<Run, 'started' | 'ended' | 'report' | 'error' | 'fault'>;

function runView({ started, ended, report, error, fault }: Outcome): SyncRunView {
  return {
    started_at: new Date(started).toISOString(),
    ended_at: new Date(ended).toISOString(),
    report: reportView(report),
    error,
    fault,
  };
}

function reportView(report: Report): SyncReportView {
  return { ...report };
}

async function settledWithin(run: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const settled = run.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}
