import PQueue from 'p-queue';
import { FileStore } from '../blocks/file-store.ts';
import { PartialFiles } from '../blocks/partial-files.ts';
import { AlreadyExistsError, NotFoundError, type UnreachableError } from '../errors.ts';
import { LoopTurns } from '../loop/loop-turns.ts';
import { idOn, type Network } from '../model/ids.ts';
import { filesFolder, partialsFolder } from '../store/network-folders.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { findRemote, listRemotes, pushMark, type Remote } from '../store/remotes/remotes.ts';
import type { RemoteSettings, SyncRow } from '../store/remotes/sync-rows.ts';
import { alignAliases } from './aliases.ts';
import { agreement } from './brake.ts';
import { checkFailing } from './check-failing.ts';
import { syncContent } from './content-sync.ts';
import type { NewRemote, Preview, RemoteChange, RunOptions, SyncOptions } from './engine-options.ts';
import { type Changed, introducedAgain } from './introduced-again.ts';
import { cardOf, type Introduction, introduced } from './introduction.ts';
import { KeySeal } from './key-seal.ts';
import { followLive, type LiveOptions } from './live.ts';
import { Patience, untilSpent } from './patience.ts';
import { pin } from './pin.ts';
import { previewOf } from './preview.ts';
import { askKnown, bury, pull } from './pull.ts';
import { push } from './push.ts';
import { maxBytes } from './push-blocks.ts';
import { type ContentMemory, nothingKnown, nothingNoted } from './push-context.ts';
import { noteMark } from './push-mark.ts';
import { type PendingChanges, pendingChanges } from './push-pending.ts';
import { RemoteClient } from './remote.ts';
import {
  checkedDirection,
  checkedScope,
  checkedSettings,
  checkedUrl,
  checkNewName,
  everything,
  isSameScope,
  isWider,
  pushes,
} from './remote-settings.ts';
import { type RemoteStatus, statusOf } from './remote-status.ts';
import { emptyReport, type Report } from './report.ts';
import { endedWords, keyOf, Runs } from './runs.ts';
import { Throttle } from './throttle.ts';
import { passedOver } from './wanted-version.ts';

/** Mirrors remotes and pushes to them; the decisions are in state.ts and feed.ts, the rules in SPEC.md. */
export class SyncEngine implements AsyncDisposable {
  readonly #options: SyncOptions;
  readonly #seal: KeySeal;
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #endings = new Map<string, AbortController>();
  readonly #closing = new AbortController();
  readonly #turns = new LoopTurns();
  readonly #memories = new Map<string, ContentMemory>();
  readonly #flights = new Map<string, Promise<string | null>>();
  readonly runs: Runs;

  constructor(options: SyncOptions) {
    this.#options = options;
    this.#seal = new KeySeal(options.sealKey ?? null);
    this.runs = new Runs(options.now);
  }

  /**
   * Makes a remote known, with the first question already asked: which node it is, and which user the key is of. That
   * user becomes an alias of the operator.
   * @throws ValidationError, AlreadyExistsError, UnreachableError
   */
  async add(network: Network, wanted: NewRemote): Promise<RemoteStatus> {
    const { networks, identity, instance: own } = this.#options;
    const url = checkedUrl(wanted.url);
    const settings = checkedSettings({ watch: false, max_kbps: null, hours: null }, wanted);
    const scope = checkedScope(network, everything, wanted);
    const { collections } = scope;
    const secret = wanted.key ?? null;
    const direction = checkedDirection(secret, wanted.direction, 'both');
    const store = await networks.get(network);
    store.read((db) => checkNewName(db, wanted.name));
    await using client = await this.#client(network, { url, secret });
    const { instance, user } = await introduced(client, { network, own, keyed: secret !== null });
    const sealed = secret === null ? null : this.#seal.seal(secret);
    const rows: SyncRow[] = [
      { kind: 'remote', remote: wanted.name, url, secret: sealed, instance, user, direction, collections },
      { kind: 'remote_settings', remote: wanted.name, ...settings },
      { kind: 'remote_scope', remote: wanted.name, ...scope, wider: false },
    ];
    await this.#alone(network, wanted.name, async () => {
      // While it was asked another one may have got the name, and would be this one from now on.
      store.read((db) => checkNewName(db, wanted.name));
      await this.#write(store, ...rows);
    });
    alignAliases(store, identity);
    return this.status(network, wanted.name);
  }

  /** The first question without making anything known. @throws ValidationError, UnreachableError */
  async check(network: Network, wanted: Pick<NewRemote, 'url' | 'key'>): Promise<Introduction> {
    await using client = await this.#client(network, { url: checkedUrl(wanted.url), secret: wanted.key ?? null });
    return await introduced(client, { network, own: this.#options.instance, keyed: client.isKeyed });
  }

  async list(network: Network): Promise<RemoteStatus[]> {
    const store = await this.#options.networks.get(network);
    const names = store.read((db) => listRemotes(db).map(({ name }) => name));
    return Promise.all(names.map((name) => this.status(network, name)));
  }

  /**
   * Sets how the node syncs with a remote by itself, and what comes of it. What is here stays, and goes on being followed.
   * @throws NotFoundError, ValidationError, AlreadyExistsError where what comes is to change while it runs
   */
  async configure(network: Network, name: string, wanted: RemoteChange): Promise<RemoteStatus> {
    const { store, remote } = await this.#remote(network, name);
    const rows: SyncRow[] = [{ kind: 'remote_settings', remote: name, ...checkedSettings(remote, wanted) }];
    const scope = checkedScope(network, remote, wanted);
    const set = () => this.#write(store, ...rows);
    if (isSameScope(remote, scope)) await set();
    else {
      rows.push({ kind: 'remote_scope', remote: name, ...scope, wider: isWider(remote, scope) });
      await this.#alone(network, name, set);
      this.#memoryOf(network, remote).compared = null;
      this.runs.forget(network, name);
    }
    return this.status(network, name);
  }

  /** @throws NotFoundError */
  async status(network: Network, name: string): Promise<RemoteStatus> {
    const { store, remote } = await this.#remote(network, name);
    return statusOf(store, remote, this.runs);
  }

  /** What was mirrored stays; what no other remote has is this node's from now on. @throws NotFoundError, AlreadyExistsError while it runs */
  async remove(network: Network, name: string): Promise<void> {
    const { store, remote } = await this.#remote(network, name);
    await this.#alone(network, name, async () => {
      await this.#write(store, { kind: 'remote_gone', remote: name });
      // The next one may have its name and its number.
      this.#memories.delete(placeOf(network, remote));
      this.runs.forget(network, name);
      alignAliases(store, this.#options.identity);
    });
  }

  /** Everything that is kept of it stays. @throws NotFoundError, AlreadyExistsError while it runs, or where the name is taken */
  async rename(network: Network, name: string, to: string): Promise<RemoteStatus> {
    const { store } = await this.#remote(network, name);
    const isNew = () => store.read((db) => checkNewName(db, to));
    isNew();
    const set = async () => {
      isNew();
      await this.#write(store, { kind: 'remote_renamed', remote: name, to });
      this.runs.rename(network, name, to);
    };
    await this.#alone(network, name, () => this.#alone(network, to, set));
    return this.status(network, to);
  }

  /**
   * Another key for a remote, or none, and another address: whoever the key is of becomes the operator's alias there instead of the one
   * before, which is not sent any more. Everything else that is kept of it stays.
   * @throws NotFoundError, ValidationError, UnreachableError, AlreadyExistsError while it runs, or where it is another one
   */
  async rekey(network: Network, name: string, to: Changed): Promise<RemoteStatus> {
    const { store, remote } = await this.#remote(network, name);
    const url = to.url === undefined ? remote.url : checkedUrl(to.url);
    const secret = typeof to.key === 'string' ? this.#seal.seal(to.key) : to.key === null ? null : remote.secret;
    // Without a key a remote could only be read, whatever was wanted.
    const direction = checkedDirection(secret, to.direction, remote.secret === null ? 'both' : remote.direction);
    const userOf = async (): Promise<string | null> => {
      await using client = await this.#client(network, { url, secret });
      return await introducedAgain(client, remote, to, { network, own: this.#options.instance });
    };
    await this.#alone(network, name, async () => {
      // A key can be taken away from what cannot be reached, or is another node by now.
      const user = to.key === null && to.url === undefined ? null : await userOf();
      const rows: SyncRow[] = to.url === undefined ? [] : [{ ...remote, url, direction, kind: 'remote', remote: name }];
      if (to.key !== undefined) rows.push({ kind: 'remote_key', remote: name, secret, user, direction });
      await this.#write(store, ...rows);
      this.#memoryOf(network, remote).compared = null;
      if (to.key !== undefined) this.runs.forget(network, name);
      alignAliases(store, this.#options.identity);
    });
    return this.status(network, name);
  }

  /** A page of what differs from a remote, as far as is known here. @throws NotFoundError */
  async pending(network: Network, name: string, page: { after: number; limit: number }): Promise<PendingChanges> {
    const { store, remote } = await this.#remote(network, name);
    return pendingChanges({ store, remote, turns: this.#turns }, this.#self(network), page);
  }

  /** Ends the run with a remote that is under way, whoever began it; what it has done stays. False where there is none. */
  stop(network: Network, name: string): boolean {
    const ending = this.#endings.get(keyOf(network, name));
    ending?.abort();
    return ending !== undefined;
  }

  /** What a run would do, without doing it. @throws NotFoundError, UnreachableError */
  async preview(network: Network, name: string): Promise<Preview> {
    const { now, service } = this.#options;
    const { store, remote } = await this.#remote(network, name);
    await using client = await this.#client(network, remote);
    const needs = { store, remote, client, schema: `${service}/eidos@v1`, now, turns: this.#turns };
    return await previewOf({ ...needs, self: this.#self(network) });
  }

  /**
   * One run: pull, then push. It stops before it changes very much, and where the remote is not what it was, unless
   * `accept` says that somebody agrees. Gives what it did, also where it stopped early; `report` is filled while it runs.
   * @throws NotFoundError, AlreadyExistsError where a run with it is under way, UnreachableError
   */
  async run(
    network: Network,
    name: string,
    report: Report = emptyReport(),
    { signal, accept = false, unasked = false }: RunOptions = {},
  ): Promise<Report> {
    const { store, remote } = await this.#remote(network, name);
    const own = new AbortController();
    const ending = AbortSignal.any([own.signal, this.#closing.signal, ...(signal ? [signal] : [])]);
    const work = (allRead: () => Promise<void>) =>
      this.#sync({ store, remote }, report, { signal: ending, accept, unasked, allRead });
    let isEnded = false;
    await this.#alone(network, name, async () => {
      this.#endings.set(keyOf(network, name), own);
      try {
        await this.runs.record({ store, remote }, { report, signal: ending, stop: own.signal }, work);
      } catch (error) {
        // Who has asked for it waits still, unless it was ended by leaving.
        if (!ending.aborted || signal?.aborted) throw error;
        isEnded = true;
      } finally {
        this.#endings.delete(keyOf(network, name));
      }
    });
    return isEnded ? { ...report, stopped: endedWords } : report;
  }

  async #sync(
    { store, remote }: { store: NetworkStore; remote: Remote },
    report: Report,
    { signal, allRead, ...asked }: Required<RunOptions> & { allRead: () => Promise<void> },
  ): Promise<void> {
    const { now, service } = this.#options;
    const { accept } = asked;
    const { network } = store;
    await using client = await this.#client(network, remote, signal);
    const card = remote.instance === null ? null : await cardOf(client, true);
    const instance = card?.instance ?? null;
    const reset = instance !== remote.instance;
    if (reset && !accept) {
      report.stopped = `${client.host} is another node than before. Nothing was done. ${agreement(remote.name)}`;
      report.stop = { kind: 'other' };
      return;
    }
    remote.instance = instance;
    const self = this.#self(network);
    const memory = this.#memoryOf(network, remote);
    const newest = `/events?${new URLSearchParams({ limit: '1', network })}`;
    const ctx = {
      ...{ store, remote, client, signal, schema: `${service}/eidos@v1`, now, report, self, turns: this.#turns },
      ...{ blocks: card?.blocks ?? false, instance: this.#options.instance },
      files: new FileStore(filesFolder(store.folder)),
      partials: new PartialFiles(partialsFolder(store.folder)),
      ...{ memory, settled: memory.settled, roomThere: maxBytes },
      patience: new Patience(() => client.read(newest)),
      flights: this.#flights,
      passed: passedOver(),
      long: new PQueue({ concurrency: 1 }),
      brake: this.#options.brake,
      ...nothingNoted(),
    };
    const options = { ...asked, reset };
    const isRead = remote.direction !== 'push';
    let unread: UnreachableError | null;
    try {
      unread = await untilSpent(() => (isRead ? pull(ctx, options) : askKnown(ctx, options)));
    } finally {
      // Not before all is compared: until then nobody knows what this one has. What fails after that is tried again.
      if (report.swept) {
        memory.compared = null;
        this.runs.forget(network, remote.name);
      }
      if (reset && report.swept) await pin(ctx);
    }
    if (isRead && unread === null && report.stopped === null) await allRead();
    const sends = pushes(remote) && report.stopped === null;
    // What cannot be read says nothing of what can be written, and that nothing of files.
    ctx.patience.anew();
    const unsent = sends ? await untilSpent(() => push(ctx, { accept })) : null;
    ctx.patience.anew();
    if (report.stopped === null) await bury(ctx, options);
    await syncContent(ctx, { sends: sends && report.stopped === null });
    const isMarked = store.read((db) => pushMark(db, remote.key)) !== undefined;
    const isBeyond = report.sent.files > 0 || unsent !== null || !isMarked;
    if (sends && report.stopped === null && isBeyond) await noteMark(ctx);
    if (report.stopped !== null) return;
    if (unread ?? unsent) throw unread ?? unsent;
    checkFailing(ctx);
  }

  /** The next run with each remote looks at all content again: some may have been lost here. One under way goes on as it is. */
  compareContent(network: Network): void {
    for (const place of this.#memories.keys()) if (place.startsWith(`${network} `)) this.#memories.delete(place);
  }

  #self(network: Network): string[] {
    return [idOn(network, this.#options.identity.ensureOperator().account.id)];
  }

  #memoryOf(network: Network, remote: Remote): ContentMemory {
    const memory = this.#memories.get(placeOf(network, remote)) ?? nothingKnown();
    this.#memories.set(placeOf(network, remote), memory);
    return memory;
  }

  /**
   * Follows a node's events as they happen until `signal`, or the engine's end; runs are the caller's to start. Gives
   * false where the remote is no node, another one than before, or one that offers no stream.
   * @throws NotFoundError
   */
  async follow(
    network: Network,
    name: string,
    live: Pick<LiveOptions, 'onNews' | 'onState' | 'signal'>,
  ): Promise<boolean> {
    const { remote } = await this.#remote(network, name);
    if (remote.instance === null) return false;
    const signal = AbortSignal.any([live.signal, this.#closing.signal]);
    await using client = await this.#client(network, remote, signal);
    const offers = async () => {
      const card = await cardOf(client);
      return card !== null && card.instance === remote.instance && card.live;
    };
    const { random, wait } = this.#options;
    return await followLive(client, { ...live, offers, signal, random, wait });
  }

  /** Ends the runs that are under way; what they have done so far is kept. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running.values());
  }

  /** For who asks for it now. @throws BusyError where too much waits to be written already */
  async #write(store: NetworkStore, ...rows: SyncRow[]): Promise<void> {
    await store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: this.#options.now() }]);
  }

  async #remote(network: Network, name: string) {
    const store = await this.#options.networks.get(network);
    const remote = store.read((db) => findRemote(db, name));
    if (!remote) throw new NotFoundError(`There is no remote ${name}`);
    return { store, remote };
  }

  async #alone<T>(network: Network, name: string, work: () => Promise<T>): Promise<T> {
    const key = keyOf(network, name);
    if (this.#running.has(key)) throw AlreadyExistsError.beside('sync', `A sync with ${name} is under way.`);
    const running = work();
    this.#running.set(key, running);
    try {
      return await running;
    } finally {
      this.#running.delete(key);
    }
  }

  async #client(
    network: Network,
    { url, secret: stored, max_kbps = null }: Pick<Remote, 'url' | 'secret'> & Partial<RemoteSettings>,
    signal: AbortSignal = this.#closing.signal,
  ): Promise<RemoteClient> {
    const { service, random, wait, clock, answerWindow, environment = {} } = this.#options;
    const secret = stored === null ? null : this.#seal.open(stored);
    const throttle = max_kbps === null ? undefined : new Throttle(max_kbps, clock);
    const own = { service, random, wait, answerWindow, environment };
    return RemoteClient.open({ ...own, url, secret, network, signal, throttle });
  }
}

function placeOf(network: Network, { key, name }: Remote): string {
  return `${network} ${key} ${name}`;
}
