import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { FolderInUseError, StorageError } from '../errors.ts';
import { giveToFoldersOwner } from './folders-owner.ts';
import { asStorageError, isFull, noRoomToOpen, opening } from './storage-error.ts';

const lockName = 'lock.db';

class ReadOnlyLockError extends StorageError {}

/**
 * Takes the data folder for this process: an exclusive transaction on `<data>/lock.db`, which the system frees when the
 * process ends, however it ends (decisions.md, address).
 * @throws FolderInUseError, StorageError where the folder cannot be used
 */
export function lockFolder(data: string): Disposable {
  const file = join(data, lockName);
  let db: Database.Database | undefined;
  try {
    db = opening(file, () => new Database(file, { timeout: 0 }));
    giveToFoldersOwner(file);
    // Where the file can only be read the transaction is one that reads, which others may have as well: a write tells.
    db.exec('BEGIN EXCLUSIVE; PRAGMA user_version = 0');
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_READONLY'))
      throw new ReadOnlyLockError(
        isOnReadOnlyDisk(file)
          ? `The disk of the data folder ${data} can only be read. Where nobody has mounted it so, the system has done that after an error of the disk, which its own log names: look after the disk, or copy the folder to another one ("cp -a") and name the copy.`
          : `${file} can only be read, so that nothing would keep two processes from the data folder: give it to the folder's owner, or make it writable. A command that root ran may have made it.`,
      );
    const isTaken = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
    if (isTaken) throw new FolderInUseError(data);
    throw isFull(error) ? new StorageError(noRoomToOpen, true) : asStorageError(error);
  }
  const held = db;
  return {
    [Symbol.dispose]() {
      held.close();
    },
  };
}

/**
 * Makes nothing where nobody has had the folder. Of a lock that can only be read nothing is said: it was looked at, and is free.
 * @throws as lockFolder where a process has it now
 */
export function refuseLocked(data: string): void {
  if (!existsSync(join(data, lockName))) return;
  try {
    lockFolder(data)[Symbol.dispose]();
  } catch (error) {
    if (!(error instanceof ReadOnlyLockError)) throw error;
  }
}

/** Whether a process has the folder now. @throws as lockFolder, but FolderInUseError */
export function isLocked(data: string): boolean {
  try {
    refuseLocked(data);
    return false;
  } catch (error) {
    if (error instanceof FolderInUseError) return true;
    throw error;
  }
}

/** Not every system lets the rights of a folder tell of a disk that it writes to no more. */
function isOnReadOnlyDisk(file: string): boolean {
  try {
    closeSync(openSync(file, 'r+'));
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
