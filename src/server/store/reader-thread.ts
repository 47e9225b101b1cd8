import { type Connection, openReader } from './connection.ts';
import { type LongRead, longReads } from './long-reads.ts';

const connections = new Map<string, Connection>();

/** Runs one long read on this thread's own connection; text goes back as UTF-8. */
export function runLongRead<N extends keyof typeof longReads>({ file, name, args }: LongRead<N>): Uint8Array {
  let connection = connections.get(file);
  if (!connection) {
    connection = openReader(file);
    connections.set(file, connection);
  }
  const read = longReads[name] as (db: Connection, args: LongRead<N>['args']) => string | Uint8Array;
  const result = connection.snapshot(() => read(connection, args));
  return typeof result === 'string' ? new TextEncoder().encode(result) : result;
}
