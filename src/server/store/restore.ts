import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { copyDurably } from '../blocks/durable-file.ts';
import { syncFolder } from '../blocks/durable-folder.ts';
import { StorageError, ValidationError } from '../errors.ts';
import { syncFolders } from './backup.ts';
import { type BackedUpFile, type FoundBackup, readManifest } from './backup-manifest.ts';
import { digestOf } from './file-digest.ts';
import { identityFile } from './identity-schema.ts';
import type { Progress } from './progress.ts';

/**
 * Makes a data folder of a backup: every file is checked against the backup's manifest first, and the folder appears
 * under its name when it is whole; what no node has put into the backup is left out. It gets no instance.json: the next
 * start makes a new instance id, since what happened after the backup is not in it (decisions.md, Events).
 * @throws ValidationError for a backup that is none or a folder that is not empty, StorageError for a damaged backup
 */
export async function restoreBackup(
  from: string,
  data: string,
  report: (progress: Progress) => void,
): Promise<FoundBackup> {
  const source = resolve(from);
  const target = resolve(data);
  const found = await readManifest(source);
  const { manifest } = found;
  await checkTarget(target);
  const total = manifest.files.length;
  for (const [i, file] of manifest.files.entries()) {
    await checkFile(source, file);
    report({ step: 'checked', done: i + 1, total });
  }
  const partial = `${target}.${randomUUID()}.partial`;
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    for (const [i, file] of manifest.files.entries()) {
      await mkdir(dirname(join(partial, file.path)), { recursive: true, mode: 0o700 });
      await copyDurably(join(source, file.path), join(partial, file.path));
      await checkFile(partial, file);
      report({ step: 'copied', done: i + 1, total });
    }
    renewInstance(join(partial, identityFile));
    await syncFolders(partial);
    if (existsSync(target)) await rmdir(target);
    await rename(partial, target);
    await syncFolder(dirname(target));
    return found;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function checkTarget(target: string): Promise<void> {
  if (!existsSync(target)) return;
  const found = await readdir(target);
  if (found.length > 0)
    throw ValidationError.at(
      ['data'],
      `the data folder ${target} is not empty, and nothing is ever overwritten: name a new one with --data`,
    );
}

async function checkFile(folder: string, { path, size, sha256 }: BackedUpFile): Promise<void> {
  const found = await digestOf(join(folder, path)).catch((error: Error) => {
    throw new StorageError(`${path} of the backup cannot be read (${error.message}).`);
  });
  if (found.size !== size || found.sha256.toString('hex') !== sha256)
    throw new StorageError(`The backup is damaged: ${path} is not what it was when the backup was made.`);
}

function renewInstance(identity: string): void {
  const db = new Database(identity);
  try {
    db.prepare("DELETE FROM setting WHERE name = 'instance_id'").run();
  } finally {
    db.close();
  }
}
