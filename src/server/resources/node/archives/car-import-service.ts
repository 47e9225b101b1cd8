import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { DamagedArchiveError } from '../../../blocks/damaged-archive-error.ts';
import { FileStore } from '../../../blocks/file-store.ts';
import { StorageError, UnavailableError } from '../../../errors.ts';
import { isZip } from '../../../exchange/file-signature.ts';
import { DamagedPackageError } from '../../../exchange/packages/damaged-package-error.ts';
import { readPackage } from '../../../exchange/packages/package-reader.ts';
import { authorship } from '../../../model/actor.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { type Network, networkOf } from '../../../model/ids.ts';
import type { EditedBy } from '../../../model/manifest.ts';
import type { ArchiveFacts } from '../../../store/archive/archive-check.ts';
import type { Accompanying } from '../../../store/archive/archive-contents.ts';
import { type ArchiveRun, applyArchive, type ImportTally } from '../../../store/archive/archive-import.ts';
import { spool, spooledPath, sweepSpool } from '../../../store/archive/spool.ts';
import { archiveStoredAfter } from '../../../store/archive/stored-by-archive.ts';
import { newestBlock } from '../../../store/blocks.ts';
import type { Row } from '../../../store/commit.ts';
import { countMade } from '../../../store/imports/import-runs.ts';
import { filesFolder } from '../../../store/network-folders.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { asStorageError, isOfStorage, storageError } from '../../../store/storage-error.ts';
import { type ArchiveTask, archiveTask, archiveTasks, type BegunImport } from '../../../store/tasks.ts';
import { runTask } from '../../../store/threads/task-run.ts';
import type { LeftWorkView } from '../status/wire.ts';
import type { UnderWay } from '../under-way.ts';
import { countsIn, runRow, summary, withMade } from './import-counts.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { CarImportLineView } from './wire.ts';

/** After so many starts an import that ends each of them is left alone. */
const maxEnded = 3;

/** How often it is logged how far one is that a start completes, in milliseconds. */
const toldMs = 5000;

interface Log {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface CarImportSurroundings {
  networks: Networks;
  alone: OneAtATime;
  /** Of imports: while one is under way no archive begins to be taken in. */
  undos: Pick<UnderWay, 'ended'>;
  now: () => number;
  newId: (network: Network) => string;
  /** The schema name of manifests. */
  schema: string;
  log: Log;
  /** Whether what a start completes holds up nobody; else it is complete before anybody is answered. */
  behind: boolean;
  /** What a start completes is left to the next one as soon as that is given. */
  stopped?: AbortSignal | undefined;
}

/** An import that a start completes. */
type Resumed = ArchiveTask & Required<Pick<ArchiveTask, 'ended'>>;

/**
 * Imports of archives: received into a file, verified whole, recorded, applied in slices. From the record on a restart
 * completes it; before it nothing is kept.
 */
export class CarImportService implements AsyncDisposable {
  readonly #env: CarImportSurroundings;
  /** The runs that are being received or completed, with what has come of each. */
  readonly #atWork = new Map<string, ImportTally | undefined>();
  /** Of these, those that a start completes. */
  readonly #resumed = new Map<string, BegunImport>();
  #closing = false;
  /** Settled when no start completes any. Does not reject. */
  #completing: Promise<unknown> = Promise.resolve();
  /** Settled when the one that was received last is taken in, or given up. Does not reject. */
  #receiving: Promise<void> = Promise.resolve();

  constructor(env: CarImportSurroundings) {
    this.#env = env;
  }

  /**
   * Before the first line nothing has been changed. Until it is recorded `leaving` ends it, then it is completed.
   * @throws ForbiddenError, DamagedArchiveError, DamagedPackageError, StorageError; the reason of `leaving`
   */
  async *receive(
    caller: Caller,
    body: AsyncIterable<Uint8Array>,
    leaving: AbortSignal,
    fileName?: string,
  ): AsyncGenerator<CarImportLineView, void, undefined> {
    const by = authorship(operator(caller), 'import');
    const store = await this.#env.networks.get(caller.network);
    store.requirePlace();
    this.#env.alone.refuseBeside();
    const received = await spool(store.folder, body);
    let { name, path } = received;
    let recorded = false;
    const { promise: over, resolve } = Promise.withResolvers<void>();
    try {
      using _alone = this.#env.alone.begin('archive');
      let beside: Accompanying = new Map();
      if (await isPackage(path)) ({ name, path, beside } = await unpacked(store, path, leaving));
      const facts = await this.#check(store, path, { beside, leaving });
      await this.#env.undos.ended();
      const run = this.#begun(store, fileName, by);
      leaving.throwIfAborted();
      using _atWork = this.#begin(run.id);
      this.#receiving = over;
      await this.#record(store, { file: name, run }, true);
      recorded = true;
      // From here on leaving does not end it, however long the first slice takes.
      yield { progress: { entities: 0, total: facts.entities } };
      for await (const tally of applied(store, path, this.#run(run))) {
        if (!('done' in tally)) {
          if (this.#closing) throw new UnavailableError(stopping);
          this.#atWork.set(run.id, tally);
          yield { progress: { entities: tally.entities, total: facts.entities } };
          continue;
        }
        await this.#record(store, { file: name, run }, false, tally.done);
        recorded = false;
        yield { done: { run: run.id, ...summary(facts, tally.done) } };
      }
    } catch (error) {
      if (!isOfStorage(error)) throw error;
      throw recorded ? brokenOff(error) : asStorageError(error);
    } finally {
      if (!recorded) await rm(path, { force: true });
      if (path !== received.path) await rm(received.path, { force: true });
      resolve();
    }
  }

  async #check(
    store: NetworkStore,
    file: string,
    { beside, leaving }: { beside: Accompanying; leaving: AbortSignal },
  ): Promise<ArchiveFacts> {
    const { network, folder, database, fileId } = store;
    const args = { file, database, fileId, network, files: filesFolder(folder), beside };
    const check = runTask({ name: 'checkCar', args }, leaving);
    for (;;) {
      const next = await check.next();
      if (!next.done) continue;
      const { unnamed } = next.value;
      if (unnamed !== null) throw new DamagedPackageError(`${unnamed} ${otherBytes}`);
      return next.value;
    }
  }

  #begin(run: string): Disposable {
    this.#atWork.set(run, undefined);
    return {
      [Symbol.dispose]: () => {
        this.#atWork.delete(run);
      },
    };
  }

  /** Whether an archive is being taken in under that run at this moment. */
  isAtWork(run: string): boolean {
    return this.#atWork.has(run);
  }

  /** How far it is; undefined where it is not at work. */
  countsOf(run: string): object | undefined {
    return this.#atWork.has(run) ? countsIn(this.#atWork.get(run)) : undefined;
  }

  /** Whether any is on that network. */
  isAnyAtWork(network: Network): boolean {
    return this.#atWork.keys().some((run) => networkOf(run) === network);
  }

  #begun(store: NetworkStore, fileName: string | undefined, by: EditedBy): BegunImport {
    const { newId, now } = this.#env;
    return { id: newId(store.network), started: now(), name: fileName ?? null, by, newest: store.read(newestBlock) };
  }

  #run({ id, by, newest }: BegunImport): ArchiveRun {
    const { now, schema } = this.#env;
    return { now, run: id, by: by && { schema, edited_by: by }, newest };
  }

  /** That it is under way, or no more; and what has come of it. */
  async #record(store: NetworkStore, task: ArchiveTask, begins: boolean, tally?: ImportTally): Promise<void> {
    const { file, run, ended, left } = task;
    const { by, newest, ...begun } = run;
    const state = {
      file,
      run: { ...begun, ...(by && { by: { ...by } }), ...(newest !== undefined && { newest }) },
      ...(ended && { ended: { ...ended } }),
      ...(left && { left }),
    };
    const kept = begins ? { kind: archiveTask, state } : null;
    const rows: Row[] = [{ kind: 'task', id: `${archiveTask} ${file}`, task: kept }, runRow(run, tally)];
    await store.submit([{ changes: [], preconditions: [], rows, origin: 'car', time: this.#env.now() }]);
  }

  /**
   * Gives what completes what a crash interrupted, one after the other; for when a network is opened. One that ended the node at several
   * starts without bringing anything is left alone for good, since it would do so again.
   */
  async resume(network: Network): Promise<() => Promise<void>> {
    const { networks, log, behind } = this.#env;
    const store = await networks.get(network);
    const { unfinished, left } = store.read(archiveTasks);
    const tasks = [...unfinished, ...left];
    // Before others may be received.
    await sweepSpool(store.folder, new Set(tasks.map(({ file }) => file)));
    const resumed: { path: string; task: Resumed }[] = [];
    for (const task of tasks) {
      const path = spooledPath(store.folder, task.file) ?? '';
      const newest = store.read(newestBlock);
      const { ended } = task;
      const hasBrought = !task.left && ended !== undefined && store.read((db) => archiveStoredAfter(db, ended.newest));
      const starts = hasBrought ? 0 : (ended?.starts ?? 0);
      if (starts < maxEnded || !existsSync(path)) {
        resumed.push({ path, task: { ...task, ended: { starts, newest } } });
        continue;
      }
      // Where this cannot be written, the next start does; this one goes on all the same.
      if (!task.left) await this.#record(store, { ...task, left: true }, true).catch(() => undefined);
      log.error({ network, name: task.run.name, file: path }, leftAlone(starts));
    }
    return async () => {
      const completed = resumed.map(({ path, task }) => this.#resume(store, path, task));
      if (!behind) await Promise.all(completed);
    };
  }

  /** Completes one when those before it have ended; until then it counts as at work. */
  #resume(store: NetworkStore, path: string, task: Resumed): Promise<void> {
    const { alone, behind } = this.#env;
    const { run } = task;
    const atWork = this.#begin(run.id);
    this.#resumed.set(run.id, run);
    const completed = this.#completing.then(async () => {
      try {
        using _alone = behind ? await alone.beginNext('archive') : null;
        // The next one of several is not even read.
        const isOver = !(behind && this.#stopped) && (await this.#completed(store, path, task));
        if (isOver && path !== '') await rm(path, { force: true });
      } finally {
        this.#resumed.delete(run.id);
        atWork[Symbol.dispose]();
      }
    });
    this.#completing = completed.catch(() => undefined);
    return completed;
  }

  /** The imports that a start completes now, with how many entities each has brought or met so far; and those that broke off. */
  resumed(store: NetworkStore): LeftWorkView[] {
    const now = [...this.#resumed.values()].filter(({ id }) => networkOf(id) === store.network);
    const { unfinished } = store.read(archiveTasks);
    // Those that earlier programs began name no run.
    const brokenOff = unfinished.filter(({ run }) => !this.#atWork.has(run?.id));
    return [
      ...now.map(({ id, name }) => ({ what: 'archive' as const, name, done: this.#atWork.get(id)?.entities ?? 0 })),
      ...brokenOff.map(({ run }) => ({ what: 'archive' as const, name: run?.name ?? null, done: null })),
    ];
  }

  /** The node stops: an import that is under way is left to the next start, where it is now. */
  stop(): void {
    this.#closing = true;
  }

  get #stopped(): boolean {
    return this.#closing || this.#env.stopped?.aborted === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await Promise.all([this.#completing, this.#receiving]);
  }

  /** Whether nothing is left of it to do. */
  async #completed(store: NetworkStore, path: string, task: Resumed): Promise<boolean> {
    const { log } = this.#env;
    const { network } = store;
    const { file, run, ended } = task;
    try {
      log.warn({ network, file, name: run.name }, 'completing an import of an archive that was interrupted');
      let told = performance.now();
      // Taken back below where the node lives to tell of a failure.
      await this.#record(store, { ...task, ended: { ...ended, starts: ended.starts + 1 } }, true);
      const made = store.read((db) => countMade(db, run.id));
      let done: ImportTally | undefined;
      for await (const tally of applied(store, path, this.#run(run))) {
        if (this.#stopped) throw new UnavailableError(stopping);
        if (!('done' in tally)) {
          this.#atWork.set(run.id, withMade(tally, made));
          if (performance.now() - told < toldMs) continue;
          told = performance.now();
          log.warn({ network, file, entities: tally.entities }, 'an interrupted import is being completed');
        } else done = withMade(tally.done, made);
      }
      log.info({ network, ...done }, 'the import is complete');
      await this.#record(store, task, false, done);
      return true;
    } catch (error) {
      // Other files may be gone, too, those that it brings content into, say.
      const lost = error instanceof DamagedArchiveError || !existsSync(path);
      if (lost) await this.#record(store, task, false);
      // Where this cannot be written either, a start more is counted.
      else await this.#record(store, task, true).catch(() => undefined);
      if (error instanceof UnavailableError && this.#stopped) {
        log.warn({ network, file }, 'an interrupted import is left as it is now: the next start goes on with it');
        return false;
      }
      const way = lost ? 'import the archive again' : 'the next start tries again';
      log.error({ err: error, network, file }, `an interrupted import of an archive could not be completed: ${way}`);
      return lost;
    }
  }
}

const stopping = 'The node is stopping: its next start completes the import.';

/** What ended an import that had begun. Of a disk it is said that nothing was kept, which holds of the last write alone. */
function brokenOff(error: unknown): StorageError {
  const { reason, full } = storageError(error);
  const kept =
    'What had come of the archive by then is kept, and the next start of the node brings the rest; undoing the import takes it back.';
  return new StorageError(`${kept} It broke off: ${reason}`, full);
}

function leftAlone(starts: number): string {
  return `The node was ended ${starts} times in a row while it completed an interrupted import of an archive, which is left alone now: what it had brought stays until the import is undone, which forgets it, too. Import the archive again, with more memory where that was short; to have the interrupted import forgotten and keep what it had brought, delete this file and start the node again.`;
}

const otherBytes =
  'holds other bytes than any version in it names, so they were changed or are of something else. Get the package again, or import its history.car alone, which brings everything but the files.';

async function isPackage(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return isZip((await file.read(Buffer.alloc(4), 0, 4, 0)).buffer);
  } finally {
    await file.close();
  }
}

/**
 * The archive of a bag or crate, as a file of its own, and what stood beside it. The bytes of its files are kept by their
 * CIDs: what no version names is swept away later.
 */
async function unpacked(store: NetworkStore, path: string, leaving: AbortSignal) {
  const files = new FileStore(filesFolder(store.folder));
  const beside = new Map<string, string>();
  let archive: { name: string; path: string } | undefined;
  try {
    await readPackage(path, {
      async history(chunks) {
        archive = await spool(store.folder, until(leaving, chunks));
      },
      async content(chunks, at) {
        beside.set((await files.put(until(leaving, chunks))).cid, at);
      },
    });
  } catch (error) {
    if (archive) await rm(archive.path, { force: true });
    throw error;
  }
  return { ...(archive as unknown as { name: string; path: string }), beside };
}

/** What comes, until the signal is given. @throws its reason */
async function* until(signal: AbortSignal, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/** The tally of applying a file, now and then and at the end. */
async function* applied(
  store: NetworkStore,
  path: string,
  run: ArchiveRun,
): AsyncGenerator<ImportTally | { done: ImportTally }, void, undefined> {
  yield { done: yield* applyArchive(store, path, run) };
}
