import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { copyDurably } from '../../blocks/durable-file.ts';
import { makeFolder } from '../../blocks/durable-folder.ts';
import { ValidationError } from '../../errors.ts';
import type { Network } from '../../model/ids.ts';
import { identityFile } from '../accounts/identity-schema.ts';
import { sortedImports } from '../archive/spool.ts';
import { attestFile, attestMigrations } from '../attest-log.ts';
import { openReader } from '../connection.ts';
import { holdJobs } from '../jobs/held-jobs.ts';
import { databaseFile } from '../network-store.ts';
import { nodeDatabases } from '../node-databases.ts';
import { refuseNewer } from '../outdated.ts';
import type { Progress } from '../progress.ts';
import { storingLater } from '../storage-error.ts';
import type { ArchiveTask } from '../tasks.ts';
import { fillWhole, realPlace, whyNotFillable } from '../whole-folder.ts';
import { checkFile, soundPlace, UnsoundFileError } from './backup-files.ts';
import { type BackedUpFile, type FoundBackup, isDispensable, readManifest } from './backup-manifest.ts';
import { makeIndexesAnew } from './new-indexes.ts';

/** What was restored. */
export interface Restored extends FoundBackup {
  /** Which content of the backup, and which archives, are damaged or gone, and so not in the folder, by their paths. */
  leftOut: string[];
  /** How many jobs of the backup had not ended. */
  heldJobs: number;
  /** Imports of archives that had not ended: those that the node completes at its start, and those whose archive is not here. */
  imports: { goOn: ArchiveTask[]; lost: ArchiveTask[] };
}

/**
 * Makes a data folder of a backup: every file is checked against the backup's manifest first, and the folder is none that
 * a node starts in before it is whole; what no node has put into the backup is left out. Content that is not what it was is left
 * out, too: it counts as missing then, and one file must not be the end of all others. It gets no instance.json: the next
 * start makes a new instance id, since what happened after the backup is not in it (decisions.md, Events). For the same reason
 * jobs that had not ended are not sent again (held-jobs.ts). The indexes of its databases are made anew (new-indexes.ts).
 * Aborting `stopped` ends it after the file in hand, and leaves nothing.
 * @throws ValidationError for a backup that is none or a folder that is not empty, StorageError where anything else is damaged;
 * the reason of `stopped`
 */
export function restoreBackup(
  from: string,
  data: string,
  report: (progress: Progress) => void,
  stopped?: AbortSignal,
): Promise<Restored> {
  const told = (progress: Progress) => {
    report(progress);
    stopped?.throwIfAborted();
  };
  return storingLater(() => restore(resolve(from), resolve(data), told));
}

/** What `report` throws ends it. */
async function restore(source: string, data: string, report: (progress: Progress) => void): Promise<Restored> {
  const found = await readManifest(source);
  const { files } = found.manifest;
  const target = await realPlace(data);
  const isWithin = target.startsWith(join(await realPlace(source), '/'));
  const why = isWithin ? 'lies in the backup: name one outside' : await whyNotFillable(target);
  if (why !== null) throw ValidationError.at(['data'], `the data folder ${target} ${why} with --data`);
  const total = files.length;
  const places = new Map<string, string>();
  for (const [i, file] of files.entries()) {
    const place = await placeOf(source, file);
    if (place !== null) places.set(file.path, place);
    report({ step: 'checked', done: i + 1, total });
  }
  refuseNewerDatabases(source, found.manifest.networks);
  await makeFolder(dirname(target), dirname(target));
  return fillWhole(target, identityFile, async (folder) => {
    const leftOut: string[] = [];
    for (const [i, file] of files.entries()) {
      const place = places.get(file.path);
      if (place === undefined || !(await take({ source, folder }, file, place))) leftOut.push(file.path);
      report({ step: 'copied', done: i + 1, total });
    }
    for (const { path } of files.filter(({ path }) => path.endsWith('.db'))) makeIndexesAnew(join(folder, path));
    const { networks, time } = found.manifest;
    let heldJobs = 0;
    const imports: Restored['imports'] = { goOn: [], lost: [] };
    for (const { network } of networks) {
      heldJobs += holdJobs(databaseFile(folder, network), timeOf(time));
      const { goOn, lost } = importsIn(folder, network);
      imports.goOn.push(...goOn);
      imports.lost.push(...lost);
    }
    return { ...found, leftOut, heldJobs, imports };
  });
}

/** Epoch milliseconds; the earliest where the list is damaged and says no time that can have been: then each job is held. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  return time <= Date.now() ? time : 0;
}

/** @throws StorageError where a newer program has written a database of a backup */
function refuseNewerDatabases(backup: string, ofNetworks: readonly { network: Network }[]): void {
  for (const [name, steps] of nodeDatabases) refuseNewer(join(backup, name), { steps, name });
  for (const { network } of ofNetworks) {
    refuseNewer(databaseFile(backup, network));
    const name = attestFile(network);
    refuseNewer(join(backup, name), { steps: attestMigrations, name });
  }
}

/** Where a file of the backup lies; null for content or an archive that is not what it was. @throws StorageError */
async function placeOf(source: string, file: BackedUpFile): Promise<string | null> {
  try {
    return await soundPlace(source, file);
  } catch (error) {
    if (error instanceof UnsoundFileError && isDispensable(file.path)) return null;
    throw error;
  }
}

/** Whether a file has been taken over: the disk of the backup may lose one at any moment. */
async function take(
  { source, folder }: { source: string; folder: string },
  file: BackedUpFile,
  place: string,
): Promise<boolean> {
  const to = join(folder, file.path);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await copyDurably(join(source, place), to);
    await checkFile(folder, file);
    return true;
  } catch (error) {
    if ((await placeOf(source, file)) !== null) throw error;
    await rm(to, { force: true });
    return false;
  }
}

function importsIn(data: string, network: Network): Restored['imports'] {
  const db = openReader(databaseFile(data, network));
  try {
    return sortedImports(db, join(data, network));
  } finally {
    db.close();
  }
}
