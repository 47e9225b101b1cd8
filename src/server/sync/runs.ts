import { DomainError, UnreachableError } from '../errors.ts';
import { fromJson } from '../model/from-json.ts';
import type { Network } from '../model/ids.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { lastRun, type Remote, type RunRow } from '../store/remotes/remotes.ts';
import type { RunFault, SyncRow } from '../store/remotes/sync-rows.ts';
import { noteRows } from './note-rows.ts';
import { FailedInPartError, HeldOffError, KeyRefusedError } from './remote-errors.ts';
import { emptyReport, isActive, type Report } from './report.ts';

/** What a run came to; times are epoch milliseconds. */
export interface Run {
  started: number;
  ended: number;
  report: Report;
  /** Why it failed, in words; null where it did not. */
  error: string | null;
  fault: RunFault | null;
  /** It failed at some things alone, and did the rest. */
  inPart: boolean;
  /** For how long the remote wants to be left alone. */
  retryAfter: number | null;
  /** It was ended from here before it was done: that says nothing of the remote. */
  interrupted: boolean;
  /** Somebody has asked for that end. */
  stopped: boolean;
}

/** The last run with a remote, and what is known of its feed since. */
export interface LastRun extends Omit<Run, 'inPart' | 'retryAfter' | 'interrupted' | 'stopped'> {
  /** The newest event of its feed, as far as is known. */
  head: number | null;
  /** When all that its feed held then had been dealt with. */
  level: number | null;
  /** Until when the remote wants to be left alone. */
  held: number | null;
}

export type RunListener = (network: Network, remote: string, run: Run) => void;

/** What is said of a run that was ended from here. */
export const endedWords = 'It was ended before it was done.';

/** Of a run that goes on. */
const open = { error: null, fault: null, held: null };
/** Idle runs are written down no more often than this, in milliseconds. */
const quietWrites = 600_000;

/** The runs with remotes: what is under way, and the last one of each, which outlives the node's end. */
export class Runs {
  readonly #last = new Map<string, LastRun & { written: number }>();
  readonly #reports = new Map<string, Report>();
  readonly #listeners: RunListener[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** `listener` is called at the end of each run; it must return at once, and not throw. */
  onEnd(listener: RunListener): void {
    this.#listeners.push(listener);
  }

  /**
   * Does a run's work and keeps what it came to; `work` says when all of the feed has been dealt with. `signal` ends it,
   * whatever for; `stop` is aborted where somebody asked for that.
   */
  async record(
    { store, remote }: { store: NetworkStore; remote: Remote },
    { report, signal, stop }: { report: Report; signal: AbortSignal; stop: AbortSignal },
    work: (allRead: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const key = keyOf(store.network, remote.name);
    const started = this.#now();
    this.#reports.set(key, report);
    let failure: unknown;
    let level: number | null = null;
    try {
      await work(async () => {
        level = started;
        // What comes after it may take days, and need not be done again for the sake of it.
        if ((this.last(store, remote)?.level ?? null) === null)
          await this.#write(store, remote, { started, ended: this.#now(), report, level, ...open }, false, signal);
      });
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#reports.delete(key);
      const run: Run = {
        started,
        ended: this.#now(),
        report,
        error: failure === undefined ? null : signal.aborted ? endedWords : wordsOf(failure),
        fault: failure === undefined ? null : signal.aborted ? 'ended' : faultOf(failure),
        inPart: failure instanceof FailedInPartError,
        retryAfter: failure instanceof HeldOffError ? failure.retryAfter : null,
        interrupted: signal.aborted,
        stopped: stop.aborted,
      };
      await this.#keep({ store, remote }, run, level, signal);
      for (const listener of this.#listeners) listener(store.network, remote.name, run);
    }
  }

  /** What the run under way has done so far; null where there is none. */
  current(network: Network, remote: string): Report | null {
    return this.#reports.get(keyOf(network, remote)) ?? null;
  }

  /** Null where there was none. */
  last(store: NetworkStore, remote: Remote): LastRun | null {
    const found = this.#last.get(keyOf(store.network, remote.name)) ?? this.#read(store, remote);
    if (!found) return null;
    const { written: _, ...run } = found;
    return run;
  }

  /** What is known of a remote is read again: it is no more, or what its feed said before counts no more. */
  forget(network: Network, remote: string): void {
    this.#last.delete(keyOf(network, remote));
  }

  /** An idle run is told of by that name, too, though it was not written down. */
  rename(network: Network, remote: string, to: string): void {
    const last = this.#last.get(keyOf(network, remote));
    this.forget(network, remote);
    if (last) this.#last.set(keyOf(network, to), last);
  }

  async #keep(
    { store, remote }: { store: NetworkStore; remote: Remote },
    run: Run,
    level: number | null,
    signal: AbortSignal,
  ): Promise<void> {
    const before = this.#last.get(keyOf(store.network, remote.name)) ?? this.#read(store, remote);
    const { started, ended, report, error, fault, retryAfter, interrupted } = run;
    // One that was ended from here may not have been answered: what the remote asked for before counts on.
    const stands = interrupted && before !== undefined && (before.held ?? 0) > ended ? before.held : null;
    const held = retryAfter === null ? stands : ended + retryAfter;
    const quiet =
      before !== undefined &&
      !isActive(report) &&
      error === before.error &&
      held === null &&
      ended - before.written < quietWrites &&
      ended >= before.written;
    this.#last.set(keyOf(store.network, remote.name), {
      ...{ started, ended, error, fault, held, report: structuredClone(report) },
      head: report.head ?? before?.head ?? null,
      level: level ?? before?.level ?? null,
      written: quiet ? before.written : ended,
    });
    if (quiet) return;
    const notable = isActive(report) || error !== (before?.error ?? null);
    const kept = { started, ended, error, fault, held, level, report };
    await this.#write(store, remote, kept, notable, signal).catch((failure: unknown) => {
      // One that was ended waits for no room; until the node stops it is known all the same.
      if (!signal.aborted || failure !== signal.reason) throw failure;
    });
  }

  async #write(
    store: NetworkStore,
    remote: Remote,
    { report, ...run }: Omit<LastRun, 'head'>,
    notable: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const said = { head: report.head, report: JSON.stringify(report) };
    const row: SyncRow = { kind: 'remote_run', remote: remote.name, ...run, ...said, notable };
    await noteRows({ store, remote, signal, now: () => run.ended }, row);
  }

  #read(store: NetworkStore, { name, key }: Remote): (LastRun & { written: number }) | undefined {
    const row = store.read((db): RunRow | undefined => lastRun(db, key));
    if (!row) return undefined;
    const run = { ...row, report: { ...emptyReport(), ...(fromJson(row.report) as Report) }, written: row.ended };
    this.#last.set(keyOf(store.network, name), run);
    return run;
  }
}

/** What a remote is found by where those of all networks stand together. */
export function keyOf(network: Network, remote: string): string {
  return `${network} ${remote}`;
}

function faultOf(error: unknown): RunFault {
  if (error instanceof HeldOffError) return 'held';
  // It answered, and did the rest.
  if (error instanceof FailedInPartError) return 'other';
  if (error instanceof KeyRefusedError) return 'denied';
  return error instanceof UnreachableError ? 'unreachable' : 'other';
}

function wordsOf(error: unknown): string {
  if (error instanceof DomainError) return error.sentence;
  return error instanceof Error ? error.message : String(error);
}
