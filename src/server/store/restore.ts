import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { copyDurably } from '../blocks/durable-file.ts';
import { makeFolder } from '../blocks/durable-folder.ts';
import { ValidationError } from '../errors.ts';
import { checkFile, soundPlace } from './backup-files.ts';
import { type FoundBackup, readManifest } from './backup-manifest.ts';
import { holdJobs } from './held-jobs.ts';
import { identityFile } from './identity-schema.ts';
import { databaseFile } from './network-store.ts';
import type { Progress } from './progress.ts';
import { storingLater } from './storage-error.ts';
import { fillWhole, realPlace, whyNotFillable } from './whole-folder.ts';

/** The backup, and how many of its jobs had not ended. */
export interface Restored extends FoundBackup {
  heldJobs: number;
}

/**
 * Makes a data folder of a backup: every file is checked against the backup's manifest first, and the folder is none that
 * a node starts in before it is whole; what no node has put into the backup is left out. It gets no instance.json: the next
 * start makes a new instance id, since what happened after the backup is not in it (decisions.md, Events). For the same reason
 * jobs that had not ended are not sent again (held-jobs.ts).
 * @throws ValidationError for a backup that is none or a folder that is not empty, StorageError for a damaged backup
 */
export function restoreBackup(from: string, data: string, report: (progress: Progress) => void): Promise<Restored> {
  return storingLater(() => restore(resolve(from), resolve(data), report));
}

async function restore(source: string, data: string, report: (progress: Progress) => void): Promise<Restored> {
  const found = await readManifest(source);
  const { files } = found.manifest;
  const target = await realPlace(data);
  const why = await whyNotFillable(target);
  if (why !== null) throw ValidationError.at(['data'], `the data folder ${target} ${why} with --data`);
  const total = files.length;
  const places: string[] = [];
  for (const [i, file] of files.entries()) {
    places.push(await soundPlace(source, file));
    report({ step: 'checked', done: i + 1, total });
  }
  await makeFolder(dirname(target), dirname(target));
  return fillWhole(target, identityFile, async (folder) => {
    for (const [i, file] of files.entries()) {
      await mkdir(dirname(join(folder, file.path)), { recursive: true, mode: 0o700 });
      await copyDurably(join(source, places[i] ?? file.path), join(folder, file.path));
      await checkFile(folder, file);
      report({ step: 'copied', done: i + 1, total });
    }
    renewInstance(join(folder, identityFile));
    const { networks, time } = found.manifest;
    let heldJobs = 0;
    for (const { network } of networks) heldJobs += holdJobs(databaseFile(folder, network), Date.parse(time));
    return { ...found, heldJobs };
  });
}

function renewInstance(identity: string): void {
  const db = new Database(identity);
  try {
    db.prepare("DELETE FROM setting WHERE name = 'instance_id'").run();
  } finally {
    db.close();
  }
}
