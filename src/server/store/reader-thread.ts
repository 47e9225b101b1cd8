import { StorageError } from '../errors.ts';
import { type Connection, openReader } from './connection.ts';
import { type LongRead, longReads } from './long-reads.ts';
import { storageError, storing } from './storage-error.ts';

const connections = new Map<string, Connection>();

/** What the database said; an error's class does not survive the way to another thread. */
export interface FailedRead {
  failed: { reason: string; full: boolean };
}

/** Runs one long read on this thread's own connection; text goes back as UTF-8. */
export function runLongRead<N extends keyof typeof longReads>(long: LongRead<N>): Uint8Array | FailedRead {
  try {
    return storing(() => readOn(long));
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    // A connection remembers pages, also bad ones.
    connections.get(long.file)?.close();
    connections.delete(long.file);
    return { failed: storageError(error) };
  }
}

function readOn<N extends keyof typeof longReads>({ file, name, args }: LongRead<N>): Uint8Array {
  let connection = connections.get(file);
  if (!connection) {
    connection = openReader(file);
    connections.set(file, connection);
  }
  const read = longReads[name] as (db: Connection, args: LongRead<N>['args']) => string | Uint8Array;
  const result = connection.snapshot(() => read(connection, args));
  return typeof result === 'string' ? new TextEncoder().encode(result) : result;
}
