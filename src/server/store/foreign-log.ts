import { closeSync, openSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StorageError } from '../errors.ts';
import { networks } from '../model/ids.ts';
import { identityFile } from './accounts/identity-schema.ts';
import { attestFile } from './attest-log.ts';
import { chatFile } from './chats/chats.ts';
import { logOf, sizeOf } from './connection.ts';
import { databaseFile } from './network-store.ts';
import { storing } from './storage-error.ts';

/**
 * To be called when a data folder has been taken, before any of its databases is opened: SQLite takes a log for that of whatever
 * database it lies beside, also of one that was copied there from a backup. Not later: with any descriptor of a file that a process
 * closes the system takes all its locks of that file away, also SQLite's, and another program would delete the log that is written.
 * @throws StorageError
 */
export function refuseForeignLogs(data: string): void {
  const ofNetworks = networks.flatMap((network) => [databaseFile(data, network), attestFile(join(data, network))]);
  for (const file of [join(data, identityFile), join(data, chatFile), ...ofNetworks])
    storing(() => refuseForeignLog(file));
}

function refuseForeignLog(file: string): void {
  const log = logOf(file);
  if (sizeOf(log) === 0 || sizeOf(file) === 0 || keepsLog(file)) return;
  const [name, logName] = [basename(file), basename(log)];
  throw new StorageError(
    `The database ${name} is a copy as a backup has it, and the log ${logName} beside it is of another one, with which it would be ` +
      `mixed. Move ${logName} away, or put the database back that it is of; to go back to a backup, restore it into an empty folder.`,
  );
}

/** Whether a database keeps a log: the bytes at 18 and 19 of its header say so (the SQLite file format, 1.3.3), and of a copy not. */
function keepsLog(file: string): boolean {
  const versions = Buffer.alloc(2);
  const handle = openSync(file, 'r');
  try {
    return readSync(handle, versions, 0, 2, 18) < 2 || versions.includes(2);
  } finally {
    closeSync(handle);
  }
}
