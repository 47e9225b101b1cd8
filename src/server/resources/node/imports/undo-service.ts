import { rm } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { AlreadyExistsError, ForbiddenError, NotFoundError, StorageError, ValidationError } from '../../../errors.ts';
import { type Caller, operator, refuseRevoked } from '../../../model/caller.ts';
import type { Network } from '../../../model/ids.ts';
import { tombstone } from '../../../model/next-version.ts';
import { spooledPath } from '../../../store/archive/spool.ts';
import type { Row } from '../../../store/commit.ts';
import type { Reader } from '../../../store/connection.ts';
import { findEntity, findStanding, type Standing } from '../../../store/entities.ts';
import {
  countMade,
  type ImportRun,
  importRun,
  importRuns,
  liveIn,
  type MadeEntity,
  madeByRun,
} from '../../../store/imports/import-runs.ts';
import { importStandings } from '../../../store/imports/import-sources.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import { archiveTask, archiveTasks } from '../../../store/tasks.ts';
import type { EntityWrites, Prepared } from '../../entities/writes.ts';
import type { UnderWay } from '../under-way.ts';
import type {
  ChangedSinceView,
  ImportCountsView,
  ImportMadeView,
  ImportRunsView,
  ImportRunView,
  UndoLineView,
  UndoneView,
} from './wire.ts';

/** Knows which imports are at work. */
export interface ImportsAtWork {
  isReading(id: string): boolean;
  /** Whether any reads a file into that collection, or on that network into any where it is null. */
  isReadingInto(network: Network, collection: string | null): boolean;
  /** Whether more may come of it. */
  isOpen(id: string): boolean;
  /** How far it is; undefined where it is not at work. */
  countsOf(id: string): object | undefined;
  /** From now on nothing more comes of it, where no file is being read. */
  refuseMore(id: string): void;
}

/** Knows which archives are being taken in. */
export interface ArchivesAtWork {
  isAtWork(run: string): boolean;
  isAnyAtWork(network: Network): boolean;
  /** How far it is; undefined where it is not at work. */
  countsOf(run: string): object | undefined;
}

/** How much the caller may not delete, and why the first of it: an archive has millions of entities. */
interface Barred {
  count: number;
  why: ForbiddenError | null;
}

const maxRuns = 100;
/** So many are looked at, or deleted in one commit, before everything else that waits has its turn. */
const perSlice = 100;
const perLook = 1000;
const maxExamples = 100;
const first = Number.MAX_SAFE_INTEGER;
/** The note of the versions that an undo writes. */
const note = 'Import undone';

/** What earlier imports made, and its deletion. What was changed since stays as it is. */
export class ImportUndoService {
  readonly #writes: EntityWrites;
  readonly #atWork: ImportsAtWork;
  readonly #archives: ArchivesAtWork;
  /**
   * What is taken in beside one is half deleted and half brought back, by which of them comes to it first, so each waits for the
   * other to end or is refused.
   */
  readonly #undos: Pick<UnderWay, 'begin'>;
  readonly #undoing = new Set<string>();

  constructor(on: {
    writes: EntityWrites;
    imports: ImportsAtWork;
    archives: ArchivesAtWork;
    undos: Pick<UnderWay, 'begin'>;
  }) {
    this.#writes = on.writes;
    this.#atWork = on.imports;
    this.#archives = on.archives;
    this.#undos = on.undos;
  }

  /** `before`: the id of the last one of the page before. @throws ForbiddenError, ValidationError */
  async list(caller: Caller, before?: string): Promise<ImportRunsView> {
    operator(caller);
    const store = await this.#writes.store(caller);
    return store.read((db) => {
      const after = before === undefined ? first : importRun(db, before)?.key;
      // An empty page would say that there are none before.
      if (after === undefined) throw ValidationError.at(['before'], 'must be `next` of the page before');
      const runs = importRuns(db, after, maxRuns);
      const next = runs.length === maxRuns ? (runs.at(-1)?.id ?? null) : null;
      return { imports: runs.map((run) => this.#view(db, run)), next };
    });
  }

  /** What of it is still as the import left it, and what is not. */
  async made(caller: Caller, id: string): Promise<ImportMadeView> {
    operator(caller);
    const store = await this.#writes.store(caller);
    const run = this.#run(store, id);
    const changed_examples: ChangedSinceView[] = [];
    const counts = { made: 0, untouched: 0, changed: 0, deleted: 0 };
    for await (const page of pages(store, run, perLook))
      for (const entity of page) {
        counts.made++;
        if (entity.deleted) counts.deleted++;
        else if (entity.untouched) counts.untouched++;
        else {
          counts.changed++;
          if (changed_examples.length < maxExamples) changed_examples.push(changedView(entity));
        }
      }
    return store.read((db) => ({
      import: this.#view(db, run),
      ...counts,
      changed_examples,
      collection_goes:
        run.collection !== null &&
        isOwnCollection(db, run) &&
        liveIn(db, run.collection, counts.untouched + 1) === counts.untouched,
    }));
  }

  /**
   * Deletes what the import made and nobody has changed since, the collection last if the import made it and nothing is
   * in it any more. Each deletion is a version that can be taken back. Ended early, it is gone on with by another undo.
   * An import that waits for further files takes none from now on.
   * An import of an archive that was broken off is completed at no start any more, and nothing is kept of it.
   * @throws NotFoundError, AlreadyExistsError while the import, another undo of it, or another import of what it may have made is at
   * work; ForbiddenError once the others are deleted, where some of it may not be
   */
  async *undo(caller: Caller, id: string): AsyncGenerator<UndoLineView, void, undefined> {
    operator(caller);
    this.#refuseAtWork(id);
    const { untouched: total, import: own } = await this.made(caller, id);
    this.#refuseAtWork(id);
    this.#refuseBeside(caller.network, own.collection?.id ?? null);
    using _undo = this.#undos.begin();
    this.#undoing.add(id);
    this.#atWork.refuseMore(id);
    const result: UndoneView = { deleted: 0, total, kept: 0, kept_examples: [], collection_deleted: false };
    try {
      const store = await this.#writes.store(caller);
      const run = this.#run(store, id);
      await this.#forget(store, id);
      const keep = (entity: MadeEntity) => {
        result.kept++;
        if (result.kept_examples.length < maxExamples) result.kept_examples.push(changedView(entity));
      };
      const barred: Barred = { count: 0, why: null };
      const collections: MadeEntity[] = [];
      for await (const all of pages(store, run, perSlice)) {
        const page = all.filter(({ type }) => type !== 'collection');
        collections.push(...all.filter(({ type }) => type === 'collection'));
        for (const entity of page) if (!entity.deleted && !entity.untouched) keep(entity);
        const doomed = page.filter(({ deleted, untouched }) => !deleted && untouched);
        if (doomed.length === 0) continue;
        refuseRevoked(caller);
        const kept = await this.#bury(caller, store, run, doomed, barred);
        kept.forEach(keep);
        result.deleted += doomed.length - kept.length;
        yield { progress: { deleted: result.deleted, total } };
      }
      // An archive's collections go when nothing else lies in them: those in others first.
      let left = collections.filter(({ deleted }) => !deleted);
      const stay = new Set<string>();
      for (let before = left.length + 1; left.length < before; ) {
        before = left.length;
        const still: MadeEntity[] = [];
        for (const entity of left) {
          const { id, untouched } = entity;
          const alone = !stay.has(id) && untouched && store.read((db) => liveIn(db, id, 1)) === 0;
          const { count } = barred;
          still.push(...(alone ? await this.#bury(caller, store, run, [entity], barred) : [entity]));
          if (barred.count > count) stay.add(id);
        }
        left = still;
      }
      left.forEach(keep);
      result.deleted += collections.filter(({ deleted }) => !deleted).length - left.length;
      result.collection_deleted = await this.#buryCollection(caller, store, run);
      refuseBarred(result.deleted, barred);
      yield { done: result };
    } catch (error) {
      throw error instanceof StorageError && result.deleted > 0 ? brokenOff(result.deleted, error) : error;
    } finally {
      this.#undoing.delete(id);
    }
  }

  /** Deletes entities in one commit and gives those that stay: somebody was quicker, or the caller may not, as `barred` says then. */
  async #bury(
    caller: Caller,
    store: NetworkStore,
    run: ImportRun,
    doomed: MadeEntity[],
    barred: Barred,
  ): Promise<MadeEntity[]> {
    const kept: MadeEntity[] = [];
    let left = doomed;
    while (left.length > 0) {
      const now = new Map(
        store
          .read((db) => madeByRun(db, run.key, Math.max(...left.map(({ key }) => key)) + 1, perSlice))
          .map((one) => [one.key, one]),
      );
      const open = left.flatMap(({ key }) => now.get(key) ?? []);
      kept.push(...open.filter(({ deleted, untouched }) => !deleted && !untouched));
      left = open.filter(({ deleted, untouched }) => !deleted && untouched);
      if (left.length === 0) break;
      const stays = new Set<string>();
      const steps = store.read((db) =>
        left.flatMap(({ id }) => {
          const grave = this.#graveUnlessBarred(db, caller, this.#writes.standing(db, caller.network, id));
          if (!(grave instanceof ForbiddenError)) return [grave];
          barred.why ??= grave;
          stays.add(id);
          return [];
        }),
      );
      barred.count += stays.size;
      kept.push(...left.filter(({ id }) => stays.has(id)));
      left = left.filter(({ id }) => !stays.has(id));
      if (steps.length === 0) break;
      // From now on the deletion is what the import left, so that importing again brings the entity back.
      const rows = steps.map(({ cid, next }) => forgotten(next.id, cid));
      if ((await this.#writes.attempt(store, steps, rows)).committed) break;
    }
    return kept;
  }

  async #buryCollection(caller: Caller, store: NetworkStore, run: ImportRun): Promise<boolean> {
    const { collection } = run;
    if (collection === null) return false;
    const steps = store.read((db) => {
      const standing = findStanding(db, collection);
      if (!standing || !isOwnCollection(db, run) || liveIn(db, collection, 1) > 0) return [];
      return [this.#grave(db, caller, standing)];
    });
    const rows = steps.map(({ cid, next }) => forgotten(next.id, cid));
    return steps.length > 0 && (await this.#writes.attempt(store, steps, rows)).committed;
  }

  /** @throws AlreadyExistsError */
  #refuseAtWork(id: string): void {
    if (this.#archives.isAtWork(id) || this.#atWork.isReading(id) || this.#undoing.has(id))
      throw AlreadyExistsError.beside('import', 'This import is being read or undone: wait until that ends.');
  }

  /**
   * What another import has met before it is deleted would be gone, and what it meets after that be brought back. An archive brings
   * whatever there is; records have ids of their collection. @throws AlreadyExistsError
   */
  #refuseBeside(network: Network, collection: string | null): void {
    if (this.#archives.isAnyAtWork(network) || this.#atWork.isReadingInto(network, collection))
      throw AlreadyExistsError.beside(
        'other_import',
        'Another import, which may bring the same, is under way: undo this one when that has ended.',
      );
  }

  /** Of an archive that is not being taken in, what keeps its file goes, and the file: the next start would bring back what is undone. */
  async #forget(store: NetworkStore, id: string): Promise<void> {
    const { unfinished, left } = store.read(archiveTasks);
    // Those that earlier programs began name no run.
    for (const { file } of [...unfinished, ...left].filter(({ run }) => run?.id === id)) {
      const row = { kind: 'task' as const, id: `${archiveTask} ${file}`, task: null };
      await store.submit([
        { changes: [], preconditions: [], rows: [row], origin: 'local', time: this.#writes.env.now() },
      ]);
      await rm(spooledPath(store.folder, file) ?? '', { force: true });
    }
  }

  #graveUnlessBarred(db: Reader, caller: Caller, base: Standing): Prepared | ForbiddenError {
    try {
      return this.#grave(db, caller, base);
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      return error;
    }
  }

  #grave(db: Reader, caller: Caller, base: Standing): Prepared {
    const stamp = this.#writes.stamp(operator(caller), note);
    return this.#writes.step(db, caller, base, tombstone(base.manifest, base.cid, undefined, stamp), undefined);
  }

  #view(db: Reader, run: ImportRun): ImportRunView {
    const { id, collection, made, started, files, counts, ended } = run;
    const row = collection === null ? undefined : findEntity(db, collection);
    const goesOn = ended === false && (this.#atWork.isOpen(id) || this.#archives.isAtWork(id));
    // Once it has ended, what is kept is all; it may count as at work for a moment more.
    const atWork = ended ? undefined : (this.#atWork.countsOf(id) ?? this.#archives.countsOf(id));
    // An archive is counted at its end: of one that was broken off it is known what it made, and no more.
    const isCounted = collection !== null || ended !== false;
    const kept = () => ({ ...(counts as object), ...(!isCounted && { created: countMade(db, id) }) });
    return {
      id,
      collection:
        collection === null
          ? null
          : { id: collection, label: row?.label ?? null, created: made, deleted: row?.deleted ?? true },
      started_at: new Date(started).toISOString(),
      files,
      // Earlier ones did not count what differs.
      counts: { differing: 0, ...(atWork ?? kept()) } as unknown as ImportCountsView,
      state: ended === null ? 'unknown' : ended ? 'ended' : goesOn ? 'open' : 'broken_off',
    };
  }

  #run(store: NetworkStore, id: string): ImportRun {
    const run = store.read((db) => importRun(db, id));
    if (!run) throw new NotFoundError('Import not found');
    return run;
  }
}

/** What an import made, what came last first, in short reads. */
async function* pages(store: NetworkStore, { key }: ImportRun, size: number): AsyncGenerator<MadeEntity[]> {
  for (let before = first; ; ) {
    const page = store.read((db) => madeByRun(db, key, before, size));
    if (page.length > 0) yield page;
    if (page.length < size) return;
    before = page.at(-1)?.key ?? 0;
    await setImmediate();
  }
}

/** Whether the import made its collection, or brought it back, and that is as it was then. */
function isOwnCollection(db: Reader, { made, collection }: ImportRun): boolean {
  const row = made && collection !== null ? findEntity(db, collection) : undefined;
  if (row === undefined || row.deleted) return false;
  return row.ver === 1 || importStandings(db, [row.id]).get(row.id)?.untouched === true;
}

/** @throws ForbiddenError */
function refuseBarred(deleted: number, { count, why }: Barred): void {
  if (!why) return;
  if (deleted === 0) throw why;
  throw new ForbiddenError(`${deleted} were deleted, ${count} stay: ${why.message}`);
}

/** Of a disk it is said that nothing was kept, which holds of the last write alone. */
function brokenOff(deleted: number, { reason, code }: StorageError): StorageError {
  const stays = `${deleted} were deleted and stay so; undo the import again to go on.`;
  return new StorageError(`${stays} ${reason}`, code === 'STORAGE_FULL');
}

function forgotten(id: string, cid: string): Row {
  return { kind: 'import_source', id, digest: '', cid };
}

function changedView({ id, type, label, ver, updated_at }: MadeEntity): ChangedSinceView {
  return { id, type, label, ver, updated_at };
}
