import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { StorageError } from '../errors.ts';
import { networks } from '../model/ids.ts';

export const damagedVersion = 'A stored version is damaged. Run `archeion verify`, then restore a backup.';

/** Of one that is open something lies beside it, also where it is only read. */
export const noRoomToOpen =
  "The disk is full, or the disk quota of the node's user is used up: not even what is there can be opened. Free some space; all of it is as it was.";

const sentences: Record<string, string> = {
  SQLITE_IOERR_SHMSIZE: noRoomToOpen,
  SQLITE_FULL:
    'The disk is full. Free some space; nothing of this write was kept, and everything before it can be read.',
  ENOSPC: 'The disk is full. Free some space; nothing of this write was kept, and everything before it can be read.',
  EDQUOT:
    "The disk quota of the node's user is used up. Free some space, or have it raised; nothing of this write was kept, and everything before it can be read.",
  SQLITE_READONLY: 'The data folder is read-only. Make it writable; what is there can be read.',
  SQLITE_CANTOPEN: 'The database cannot be opened. Check that the data folder exists and is writable.',
  SQLITE_CORRUPT: 'The database file is damaged. Run `archeion verify`, then restore a backup.',
  SQLITE_NOTADB: 'The database file is damaged. Run `archeion verify`, then restore a backup.',
  SQLITE_IOERR:
    "The disk could not be read or written. Check it, its free space and, where there is one, the quota of the node's user; nothing of this write was kept.",
  ZSTD_error: damagedVersion,
  SQLITE_BUSY: 'Another program holds the database. Stop it and try again.',
};

/** What helps where the file system has refused something. */
const ways: Record<string, string> = {
  EACCES: ' Give this program the right to do that.',
  EPERM: ' Give this program the right to do that.',
  EROFS: ' That disk can only be read.',
  EBUSY: ' Another program uses it, or a disk is mounted there.',
  EIO: ' Where its disk was taken away, stop the node, bring it back, and start the node again.',
};

/** Errors of the database, of the file system and of damaged bytes become StorageErrors; all others pass. */
export function storing<T>(fn: () => T): T {
  try {
    return fn();
  } catch (error) {
    throw storedOr(error);
  }
}

/** The same for what takes its time. */
export async function storingLater<T>(fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    throw storedOr(error);
  }
}

/** The same for what is given piece by piece. */
export async function* storingEach<T>(pieces: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* pieces;
  } catch (error) {
    throw storedOr(error);
  }
}

/** What opens a database: the error says of which one the system refused that, since a node has several. */
export function opening<T>(file: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_CANTOPEN'))) throw error;
    const folder = basename(dirname(file));
    const name = networks.some((network) => network === folder) ? join(folder, basename(file)) : basename(file);
    throw new StorageError(
      `The database ${name} cannot be opened. Check that its folder is there, and that the node's user may read and write both, and what stands beside it with -wal and -shm.`,
    );
  }
}

function storedOr(error: unknown): unknown {
  return isOfStorage(error) && !(error instanceof StorageError) ? asStorageError(error) : error;
}

/** Node has no name for a disk quota that is used up. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return '';
  return 'errno' in error && error.errno === -constants.errno.EDQUOT ? 'EDQUOT' : String(error.code);
}

/** Whether an error is of the database, of the file system or of damaged bytes, not of what was made of what is there. */
export function isOfStorage(error: unknown): boolean {
  const code = codeOf(error);
  return error instanceof StorageError || /^(SQLITE_|ZSTD_error|E[A-Z]+$)/.test(code);
}

/** Whether an error is of one version whose bytes are damaged or gone, which no second attempt mends. */
export function isDamagedVersion(error: unknown): boolean {
  return error instanceof StorageError && error.reason.endsWith(damagedVersion);
}

/** Whether a file is no sound database. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}

/** Whether there was no room for what was to be written. */
export function isFull(error: unknown): boolean {
  return /^(SQLITE_FULL|ENOSPC$|EDQUOT$)/.test(codeOf(error));
}

export function asStorageError(error: unknown): StorageError {
  const { reason, full } = storageError(error);
  return new StorageError(reason, full);
}

/** Any error of the database as one that a person understands. */
export function storageError(error: unknown): { reason: string; full: boolean } {
  if (error instanceof StorageError) return { reason: error.reason, full: error.code === 'STORAGE_FULL' };
  const code = codeOf(error);
  const known = Object.entries(sentences).find(([name]) => code.startsWith(name));
  const message = error instanceof Error ? error.message : String(error);
  const isOfFiles = error instanceof Error && 'syscall' in error && code !== '';
  const from = isOfFiles ? 'The file system' : 'The database';
  return {
    reason:
      known?.[1] ??
      (code === ''
        ? `This cannot be written: ${message}`
        : `${from} reported an error: ${message}.${ways[code] ?? ''}`),
    full: isFull(error) || known?.[1] === noRoomToOpen,
  };
}
