import {
  chownSync,
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { syncFolderNow } from '../../blocks/durable-folder.ts';

/**
 * Copies a database as it is before a migration to `<file>.before-<version>`; whole and on disk when this returns. The copy that an
 * earlier attempt has made of the same stays: it says when the database was changed last, as its own time.
 */
export function keepCopy(db: Database.Database, file: string, version: number): void {
  const kept = `${file}.before-${version}`;
  const partial = `${kept}.partial`;
  removePartial(partial);
  renewCopies(file);
  const changed = lastChange(db, file);
  if (changed !== null && isCopy(kept, version, changed)) return;
  try {
    db.prepare('VACUUM INTO ?').run(partial);
    if (changed !== null) utimesSync(partial, changed, changed);
    giveToOwnerOf(file, partial);
    sync(partial);
    renameSync(partial, kept);
  } catch (error) {
    // Where the disk is full, it would stay so.
    removePartial(partial);
    throw error;
  }
  syncFolderNow(dirname(file));
}

/**
 * Makes every copy as good as new to dropCopies: one of an earlier version is of before an upgrade that a start did not get to
 * the end of, and this one goes on with. But for those of another owner, which only that one can renew.
 */
function renewCopies(file: string): void {
  for (const path of copiesOf(file)) {
    const { atime, mtime } = statSync(path);
    try {
      utimesSync(path, atime, mtime);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error;
    }
  }
}

function copiesOf(file: string): string[] {
  const folder = dirname(file);
  const names = readdirSync(folder).filter((name) => name.startsWith(`${basename(file)}.before-`));
  return names.map((name) => join(folder, name));
}

/** When a database was changed last, once all of it is in its file; null where something stays in its log. */
function lastChange(db: Database.Database, file: string): Date | null {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    return null;
  }
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  return log && log.size > 0 ? null : new Date(Math.trunc(statSync(file).mtimeMs));
}

/** Whether a file is a whole copy of a database of that version that was changed last at that time. */
function isCopy(kept: string, version: number, changed: Date): boolean {
  const found = statSync(kept, { throwIfNoEntry: false });
  if (!found || Math.round(found.mtimeMs) !== changed.getTime()) return false;
  let copy: Database.Database | null = null;
  try {
    copy = new Database(kept, { readonly: true, fileMustExist: true });
    const [has, pages, size] = ['user_version', 'page_count', 'page_size'].map((it) =>
      copy?.pragma(it, { simple: true }),
    );
    return has === version && Number(pages) * Number(size) === found.size;
  } catch {
    return false;
  } finally {
    copy?.close();
  }
}

function removePartial(partial: string): void {
  for (const path of [partial, `${partial}-journal`]) rmSync(path, { force: true });
}

/**
 * Removes the copies made before `started` (epoch ms, the process's start): the migrated database has started well once more. To be
 * called once a node is ready. Throws the system's error where one cannot be removed.
 */
export function dropCopies(file: string, started = performance.timeOrigin): void {
  // Not when it was written: a copy has the time of what it is a copy of.
  for (const path of copiesOf(file)) if (statSync(path).ctimeMs < started) rmSync(path, { force: true });
}

/** Root may come first; whose database it is has to renew its copies, and to remove them. */
function giveToOwnerOf(file: string, copy: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(file);
  chownSync(copy, uid, gid);
}

function sync(path: string): void {
  const file = openSync(path, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
