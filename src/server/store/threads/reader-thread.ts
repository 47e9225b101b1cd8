import './sqlite-thread.ts';
import { type Connection, openReader } from '../connection.ts';
import { type FailedWork, isFailed, workOrFailure } from './failed-work.ts';
import { type LongRead, longReads } from './long-reads.ts';
import { moved } from './moved.ts';
import { readWhileWaitedFor } from './read-time.ts';

/** By their files, the longest unused first, each with the place that it was opened at. */
const connections = new Map<string, { connection: Connection; fileId: string | null }>();
/** Each holds up to 4 MB of pages. */
const maxConnections = 8;

/** Runs one long read for another thread. */
export async function runLongRead(long: LongRead): Promise<Uint8Array | FailedWork> {
  const result = longRead(long);
  return isFailed(result) ? result : moved(result, result);
}

/** Runs one long read on this thread's own connection; text becomes UTF-8. */
export function longRead<N extends keyof typeof longReads>(long: LongRead<N>): Uint8Array | FailedWork {
  return workOrFailure(
    () => readWhileWaitedFor(long.left ?? null, () => readOn(long)),
    () => forget(long.file),
  );
}

function readOn<N extends keyof typeof longReads>({ file, fileId, name, args }: LongRead<N>): Uint8Array {
  const connection = connectionTo(file, fileId);
  const read = longReads[name] as (db: Connection, args: LongRead<N>['args']) => string | Uint8Array;
  const result = connection.snapshot(() => read(connection, args));
  return typeof result === 'string' ? new TextEncoder().encode(result) : result;
}

/** A thread outlives the node that it first read for, where several share it. */
function connectionTo(file: string, fileId: string | null): Connection {
  const known = connections.get(file);
  if (known && known.fileId === fileId) {
    connections.delete(file);
    connections.set(file, known);
    return known.connection;
  }
  forget(file);
  const [oldest] = connections.size < maxConnections ? [] : connections.keys();
  if (oldest !== undefined) forget(oldest);
  const connection = openReader(file, fileId);
  connections.set(file, { connection, fileId });
  return connection;
}

function forget(file: string): void {
  connections.get(file)?.connection.close();
  connections.delete(file);
}
