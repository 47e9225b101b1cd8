import { open, rm } from 'node:fs/promises';
import { DamagedArchiveError } from '../../../blocks/damaged-archive-error.ts';
import { FileStore } from '../../../blocks/file-store.ts';
import { isZip, readPackage } from '../../../exchange/packages/package-reader.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import type { Network } from '../../../model/ids.ts';
import type { ArchiveFacts } from '../../../store/archive-check.ts';
import { applyArchive, type ImportTally } from '../../../store/archive-import.ts';
import { filesFolder } from '../../../store/network-folders.ts';
import type { NetworkStore } from '../../../store/network-store.ts';
import type { Networks } from '../../../store/networks.ts';
import { spool, spooledPath, sweepSpool } from '../../../store/spool.ts';
import { runTask } from '../../../store/task-run.ts';
import { unfinished } from '../../../store/tasks.ts';
import type { OneAtATime } from './one-at-a-time.ts';
import type { CarImportLineView, CarImportView } from './wire.ts';

/** The kind of the task that stands in the store while an archive is applied. */
const taskKind = 'car_import';

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

export interface CarImportSurroundings {
  networks: Networks;
  alone: OneAtATime;
  now: () => number;
  log: Log;
}

/**
 * Imports of archives: received into a file, verified whole, recorded, applied in slices. From the record on a restart
 * completes it; before it nothing is kept.
 */
export class CarImportService {
  readonly #env: CarImportSurroundings;

  constructor(env: CarImportSurroundings) {
    this.#env = env;
  }

  /** @throws ForbiddenError, DamagedArchiveError, DamagedPackageError, StorageError; before the first line nothing has been changed */
  async *receive(caller: Caller, body: AsyncIterable<Uint8Array>): AsyncGenerator<CarImportLineView, void, undefined> {
    operator(caller);
    const store = await this.#env.networks.get(caller.network);
    const received = await spool(store.folder, body);
    let { name, path } = received;
    let recorded = false;
    try {
      using _alone = this.#env.alone.begin('An import of an archive');
      if (await isPackage(path)) ({ name, path } = await unpacked(store, path));
      const facts = await this.#check(store, path);
      await this.#record(store, name, true);
      recorded = true;
      for await (const tally of applied(store, path, this.#env.now)) {
        if ('progress' in tally) yield { progress: { entities: tally.progress.entities, total: facts.entities } };
        else yield { done: summary(facts, tally.done) };
      }
      await this.#record(store, name, false);
      recorded = false;
    } finally {
      if (!recorded) await rm(path, { force: true });
      if (path !== received.path) await rm(received.path, { force: true });
    }
  }

  async #check(store: NetworkStore, file: string): Promise<ArchiveFacts> {
    const { network, folder, database } = store;
    const check = runTask({ name: 'checkCar', args: { file, database, network, files: filesFolder(folder) } });
    for (;;) {
      const next = await check.next();
      if (next.done) return next.value;
    }
  }

  async #record(store: NetworkStore, file: string, begins: boolean): Promise<void> {
    const task = begins ? { kind: taskKind, state: { file } } : null;
    const rows = [{ kind: 'task' as const, id: `${taskKind} ${file}`, task }];
    await store.submit([{ changes: [], guards: [], rows, origin: 'car', time: this.#env.now() }]);
  }

  /** Completes what a crash interrupted; for when a network is opened. */
  async resume(network: Network): Promise<void> {
    const { networks, log, now } = this.#env;
    const store = await networks.get(network);
    const kept = new Set<string>();
    for (const { state } of store.read((db) => unfinished(db, taskKind))) {
      const { file } = state as { file: string };
      const path = spooledPath(store.folder, file);
      kept.add(file);
      try {
        log.info({ network, file }, 'completing an import of an archive that was interrupted');
        for await (const tally of applied(store, path ?? '', now))
          if ('done' in tally) log.info({ network, ...tally.done }, 'the import is complete');
        await this.#record(store, file, false);
        kept.delete(file);
      } catch (error) {
        const lost = error instanceof DamagedArchiveError || (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (lost) await this.#record(store, file, false);
        if (lost) kept.delete(file);
        const way = lost ? 'import the archive again' : 'the next start tries again';
        log.error({ err: error, network, file }, `an interrupted import of an archive could not be completed: ${way}`);
      }
    }
    await sweepSpool(store.folder, kept);
  }
}

async function isPackage(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return isZip((await file.read(Buffer.alloc(4), 0, 4, 0)).buffer);
  } finally {
    await file.close();
  }
}

/**
 * The archive of a bag or crate, as a file of its own. The bytes of its files are kept by their CIDs: what no version
 * names is swept away later.
 */
async function unpacked(store: NetworkStore, path: string): Promise<{ name: string; path: string }> {
  const files = new FileStore(filesFolder(store.folder));
  let archive: { name: string; path: string } | undefined;
  try {
    await readPackage(path, {
      async history(chunks) {
        archive = await spool(store.folder, chunks);
      },
      async content(chunks) {
        await files.put(chunks);
      },
    });
  } catch (error) {
    if (archive) await rm(archive.path, { force: true });
    throw error;
  }
  return archive as unknown as { name: string; path: string };
}

/** The tally of applying a file, now and then and at the end. */
async function* applied(
  store: NetworkStore,
  path: string,
  now: () => number,
): AsyncGenerator<{ progress: ImportTally } | { done: ImportTally }, void, undefined> {
  const applying = applyArchive(store, path, now);
  for (;;) {
    const next = await applying.next();
    if (next.done) {
      yield { done: next.value };
      return;
    }
    yield { progress: next.value };
  }
}

function summary(facts: ArchiveFacts, tally: ImportTally): CarImportView {
  const { partial, ...counts } = tally;
  const remarks: string[] = [];
  if (partial > 0)
    remarks.push(
      `The archive does not have the whole history of ${partial} entities; theirs starts here with a later version (the first: ${tally.partial_examples
        .slice(0, 3)
        .map(({ id, ver }) => `${id} with version ${ver}`)
        .join(', ')}).`,
    );
  if (tally.forks > 0)
    remarks.push(`${tally.forks} entities were changed here and in the archive: theirs are listed as conflicts.`);
  return { root: facts.root, ...counts, remarks };
}
