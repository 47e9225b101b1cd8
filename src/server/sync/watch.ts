import { AlreadyExistsError, NotFoundError } from '../errors.ts';
import { type Network, networks as networkNames } from '../model/ids.ts';
import { lastMove } from '../store/events.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { Networks } from '../store/networks.ts';
import { findRemote, hasPending, listRemotes, type Remote } from '../store/remotes/remotes.ts';
import { hasWatched } from '../store/remotes/watched-networks.ts';
import { alarmAt } from './alarm.ts';
import type { SyncEngine } from './engine.ts';
import { closesAt, type Hours, opensAt, readHours } from './hours.ts';
import { isActive } from './report.ts';
import { keyOf, type Run } from './runs.ts';
import { nudgeDelay, type Schedule, type ScheduleEvent, scheduleStep, startSchedule } from './schedule.ts';

export interface WatcherNeeds {
  sync: SyncEngine;
  networks: Networks;
  /** The data folder. */
  data: string;
  now: () => number;
  random: () => number;
  log: { error(details: object, message: string): void };
}

/** What somebody who watches a remote hears: a run that ended, and when the next one begins; first only the latter. */
export interface Sighting {
  run: Run | null;
  /** Epoch milliseconds. */
  next: number | null;
}

type Viewer = (sighting: Sighting | null) => void;

/** One remote that is watched: by its own setting, or while somebody looks on. */
interface Watched {
  remote: Remote;
  store: NetworkStore;
  hours: Hours | null;
  schedule: Schedule;
  timer: Disposable | null;
  running: AbortController | null;
  /** Settled when no run is under way. */
  done: Promise<void>;
  /** How many want no run to begin. */
  paused: number;
  /** Tips have moved here since the run under way began, also one by hand, or since no other was to begin. */
  moved: boolean;
  /** The last move here of before it was looked whether anything waits, or the last run began. */
  seen: number;
  /** The remote has said since then that it has something new. */
  news: boolean;
  /** Ends the stream of the remote's events. */
  live: AbortController;
  /** Whether that is kept open, or opened again; not where the remote offered none when it was asked. */
  isFollowed: boolean;
  viewers: Set<Viewer>;
}

/**
 * Syncs by itself with the remotes that are watched; when, schedule.ts decides. Timers and runs are here, decisions are
 * not.
 */
export class Watcher implements AsyncDisposable {
  readonly #needs: WatcherNeeds;
  readonly #watched = new Map<string, Watched>();
  readonly #followed = new Set<NetworkStore>();
  /** Whether remotes are watched for their setting's sake. */
  #started = false;
  #ended = false;

  constructor(needs: WatcherNeeds) {
    this.#needs = needs;
    needs.sync.runs.onEnd((network, remote, run) => this.#ran(keyOf(network, remote), run));
  }

  /** From now on remotes whose setting says so are watched; networks that have some are opened. */
  async start(): Promise<void> {
    this.#started = true;
    const { data, log, networks } = this.#needs;
    for (const network of networkNames)
      try {
        if (hasWatched(data, network, networks.fileIdOf(network))) await this.refresh(network);
      } catch (error) {
        log.error({ error, network }, 'the remotes of a network cannot be watched');
      }
  }

  /** Looks at the remotes of a network again: some were added, removed, or set otherwise. */
  async refresh(network: Network): Promise<void> {
    const store = await this.#needs.networks.get(network);
    const remotes = store.read(listRemotes);
    for (const [key, watched] of this.#watched) {
      if (watched.store !== store) continue;
      const remote = remotes.find(({ name }) => name === watched.remote.name);
      if (!remote) this.#drop(key, watched);
      else this.#set(key, watched, remote);
    }
    if (this.#started) for (const remote of remotes) if (remote.watch) this.#watch(store, remote);
  }

  /** When the next run begins, in epoch milliseconds; null where the remote is not watched. */
  nextRun(network: Network, name: string): number | null {
    const watched = this.#watched.get(keyOf(network, name));
    return watched && !this.#ended ? watched.schedule.due : null;
  }

  /** Does `work` while watching begins no run with a remote; one that it has begun is ended first. */
  async without<T>(network: Network, name: string, work: () => Promise<T>): Promise<T> {
    const watched = this.#watched.get(keyOf(network, name));
    if (!watched) return work();
    watched.paused++;
    this.#arm(watched);
    watched.running?.abort();
    await watched.done;
    // What came before that has set its time already.
    if (watched.paused === 1) Object.assign(watched, { moved: false, news: false });
    try {
      return await work();
    } finally {
      watched.paused--;
      await this.refresh(network).catch((error: unknown) =>
        this.#needs.log.error({ error, network }, 'the remotes of a network cannot be looked at'),
      );
      if (this.#isCurrent(watched) && watched.paused === 0 && !this.#goesOn(watched)) this.#arm(watched);
    }
  }

  /**
   * Watches a remote for as long as somebody looks on, whatever its setting; gives what they see until the signal, or
   * until the remote is removed or the node stops. Who looks too slowly misses runs.
   * @throws NotFoundError
   */
  async *look(network: Network, name: string, gone: AbortSignal): AsyncGenerator<Sighting> {
    const store = await this.#needs.networks.get(network);
    const remote = store.read((db) => findRemote(db, name));
    if (!remote) throw new NotFoundError(`There is no remote ${name}`);
    if (this.#ended || gone.aborted) return;
    const watched = this.#watch(store, remote);
    const seen: (Sighting | null)[] = [];
    let wake = (): void => undefined;
    const viewer: Viewer = (sighting) => {
      if (seen.length < maxUnread || sighting === null) seen.push(sighting);
      wake();
    };
    const leave = () => viewer(null);
    watched.viewers.add(viewer);
    gone.addEventListener('abort', leave, { once: true });
    try {
      yield { run: null, next: watched.running ? null : watched.schedule.due };
      for (;;) {
        for (let next = seen.shift(); next !== undefined; next = seen.shift()) {
          if (next === null) return;
          yield next;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
          if (seen.length > 0) resolve();
        });
      }
    } finally {
      gone.removeEventListener('abort', leave);
      watched.viewers.delete(viewer);
      if (this.#isCurrent(watched) && !this.#wanted(watched)) this.#drop(keyOf(network, name), watched);
    }
  }

  /** Ends what is under way, keeping what it has done, and everybody's looking on. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended = true;
    const all = [...this.#watched];
    for (const [key, watched] of all) this.#drop(key, watched);
    await Promise.all(all.map(([, watched]) => watched.done));
  }

  #isCurrent(watched: Watched): boolean {
    return this.#watched.get(keyOf(watched.store.network, watched.remote.name)) === watched;
  }

  #wanted({ remote, viewers }: Watched): boolean {
    return viewers.size > 0 || (this.#started && remote.watch);
  }

  #watch(store: NetworkStore, remote: Remote): Watched {
    const key = keyOf(store.network, remote.name);
    const known = this.#watched.get(key);
    if (known) return known;
    const hours = hoursOf(remote);
    const watched: Watched = {
      ...{
        remote,
        store,
        hours,
        timer: null,
        running: null,
        done: Promise.resolve(),
        paused: 0,
        moved: false,
        seen: 0,
        news: false,
      },
      live: new AbortController(),
      isFollowed: false,
      viewers: new Set(),
      schedule: startSchedule(
        { at: this.#needs.now(), hours },
        this.#needs.sync.runs.last(store, remote)?.held ?? null,
      ),
    };
    this.#watched.set(key, watched);
    this.#follow(store);
    this.#listen(watched);
    this.#arm(watched);
    return watched;
  }

  /** A node says itself when it has something new; polling goes on, and finds what a stream may miss. */
  #listen(watched: Watched): void {
    const { sync, log } = this.#needs;
    const { store, remote, live } = watched;
    const onNews = () => {
      if (isBusy(watched)) watched.news = true;
      else if (this.#isCurrent(watched)) this.#step(watched, { kind: 'news' });
    };
    watched.isFollowed = true;
    sync
      .follow(store.network, remote.name, { onNews, signal: live.signal })
      .catch((error: unknown) => {
        if (this.#isCurrent(watched))
          log.error({ error, remote: remote.name }, 'the events of a remote cannot be followed');
      })
      .finally(() => {
        if (watched.live === live) watched.isFollowed = false;
      });
  }

  /** A remote of the same name may be another one: it has been removed and added again. */
  #set(key: string, watched: Watched, remote: Remote): void {
    const before = watched.remote;
    watched.remote = remote;
    watched.hours = hoursOf(remote);
    if (!this.#wanted(watched)) {
      this.#drop(key, watched);
      return;
    }
    if (remote.secret !== before.secret || remote.url !== before.url) {
      // Its stream of events was opened at the old address, or with the old key.
      watched.live.abort();
      watched.live = new AbortController();
      this.#listen(watched);
      this.#step(watched, { kind: 'rekeyed' });
    } else if (remote.hours !== before.hours && !watched.running) this.#step(watched, { kind: 'hours' });
  }

  #drop(key: string, watched: Watched): void {
    watched.timer?.[Symbol.dispose]();
    watched.timer = null;
    this.#watched.delete(key);
    watched.live.abort();
    watched.running?.abort();
    for (const viewer of watched.viewers) viewer(null);
  }

  #follow(store: NetworkStore): void {
    if (this.#followed.has(store)) return;
    this.#followed.add(store);
    store.onMoves(() => {
      for (const watched of this.#watched.values()) {
        if (watched.store !== store) continue;
        if (isBusy(watched)) watched.moved = true;
        // A second move before the first one's run has begun changes nothing.
        else if (watched.timer !== null && !this.#isSoon(watched) && this.#hasPending(watched))
          this.#step(watched, { kind: 'nudged' });
      }
    });
  }

  /** Whether the next run begins as soon as one that an edit calls for. */
  #isSoon({ schedule }: Watched): boolean {
    return schedule.due - this.#needs.now() <= nudgeDelay;
  }

  /** Also where that cannot be read: a run says why. */
  #hasPending(watched: Watched): boolean {
    const { store, remote, seen } = watched;
    try {
      watched.seen = store.look(lastMove);
      return store.look((db) => hasPending(db, remote.key, seen));
    } catch {
      return true;
    }
  }

  #step(watched: Watched, event: ScheduleEvent, at: number = this.#needs.now()): void {
    const { hours } = watched;
    watched.schedule = scheduleStep(watched.schedule, event, { at, random: this.#needs.random(), hours });
    this.#arm(watched);
  }

  #arm(watched: Watched): void {
    watched.timer?.[Symbol.dispose]();
    watched.timer = null;
    if (this.#ended || watched.paused > 0) return;
    const { now } = this.#needs;
    watched.timer = alarmAt(watched.schedule.due, now, () => {
      watched.timer = null;
      const at = now();
      // The machine may have slept until its hours were over.
      if (opensAt(watched.hours, at) > at) this.#step(watched, { kind: 'hours' }, at);
      else watched.done = this.#run(watched);
    });
  }

  async #run(watched: Watched): Promise<void> {
    const { sync, now, log } = this.#needs;
    const { store, remote, hours } = watched;
    const ending = new AbortController();
    watched.running = ending;
    watched.moved = false;
    watched.news = false;
    const closes = closesAt(hours, now());
    const closing = closes === null ? null : alarmAt(closes, now, () => ending.abort());
    const before = watched.schedule;
    try {
      watched.seen = store.look(lastMove);
      await sync.run(store.network, remote.name, undefined, { signal: ending.signal, unasked: true });
    } catch (error) {
      // What a run came to is kept and heard of (sync/runs.ts); here is what kept it from beginning.
      if (watched.schedule === before && !ending.signal.aborted) {
        const busy = error instanceof AlreadyExistsError;
        if (!busy) log.error({ error, remote: remote.name }, 'a sync could not begin');
        this.#step(watched, busy ? { kind: 'busy' } : { kind: 'failed', retryAfter: null });
      }
    } finally {
      closing?.[Symbol.dispose]();
      watched.running = null;
    }
    if (!this.#isCurrent(watched)) return;
    if (!this.#goesOn(watched) && watched.timer === null) this.#step(watched, { kind: 'hours' });
  }

  /** Whether something came during a run, so that the next one begins soon. */
  #goesOn(watched: Watched): boolean {
    if (watched.news) this.#step(watched, { kind: 'news' });
    else if (watched.moved && this.#hasPending(watched)) this.#step(watched, { kind: 'nudged' });
    else return false;
    return true;
  }

  /** A run has ended, whoever began it. */
  #ran(key: string, run: Run): void {
    const watched = this.#watched.get(key);
    if (!watched) return;
    const { ended, report, error, inPart, retryAfter, interrupted, stopped } = run;
    if (stopped) this.#step(watched, { kind: 'stopped' }, ended);
    else if (interrupted) this.#step(watched, { kind: 'hours' });
    else if (inPart) this.#step(watched, { kind: 'partial' }, ended);
    else if (error !== null || report.stopped !== null) this.#step(watched, { kind: 'failed', retryAfter }, ended);
    else this.#step(watched, { kind: 'ended', active: isActive(report) }, ended);
    // It answers: one that offered no stream, or was another node until somebody agreed, may offer one by now.
    if (error === null && report.stopped === null && !watched.isFollowed && !this.#ended) this.#listen(watched);
    for (const viewer of watched.viewers) viewer({ run, next: watched.schedule.due });
  }
}

const maxUnread = 1000;

/** Whether a run is under way that watching has begun, or whatever lets it begin none. */
function isBusy({ running, paused }: Watched): boolean {
  return running !== null || paused > 0;
}

function hoursOf({ hours }: Remote): Hours | null {
  return hours === null ? null : readHours(hours);
}
