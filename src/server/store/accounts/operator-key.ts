import { chmodSync, closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../../blocks/durable-folder.ts';
import { StorageError } from '../../errors.ts';

/** In a data folder. */
export const operatorKeyName = 'operator.key';

const mode = 0o600;
const maxBytes = 256;

/** Where the operator's key of a data folder is. */
export function operatorKeyFile(folder: string): string {
  return join(folder, operatorKeyName);
}

/**
 * The text in the operator's key file, or null where there is none; closes it to other users on the way. @throws StorageError where
 * it is there and cannot be read: whoever took that for lost would make another key, and refuse this one to all who have it
 */
export function readOperatorKey(file: string): string | null {
  let handle: number | undefined;
  try {
    handle = openSync(file, 'r');
    const bytes = Buffer.alloc(maxBytes);
    const length = readSync(handle, bytes, 0, maxBytes, 0);
    closeToOthers(file);
    return bytes.toString('utf8', 0, length).trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new StorageError(
      `The operator's key in ${file} cannot be read (${message}): make it readable. Where it is lost, delete the file; the next start makes another key and refuses this one.`,
    );
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function closeToOthers(file: string): void {
  try {
    chmodSync(file, mode);
  } catch {
    // Only its owner may.
  }
}

/** Replaces the operator's key file as a whole, durable when it returns. `unique` names the temporary file. Throws StorageError. */
export function writeOperatorKey(file: string, key: string, unique: string): void {
  const temporary = `${file}.${unique}.tmp`;
  try {
    const handle = openSync(temporary, 'wx', mode);
    try {
      writeSync(handle, `${key}\n`);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
    syncFolderNow(dirname(file));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new StorageError(
      `The operator's key could not be written: ${error instanceof Error ? error.message : error}`,
    );
  }
}
