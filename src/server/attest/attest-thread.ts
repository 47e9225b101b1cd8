import { openLogReader, openLogWriter } from '../store/attest-log.ts';
import { type Connection, openReader } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import { sameFileCheck } from '../store/file-identity.ts';
import { type FailedWork, workOrFailure } from '../store/threads/failed-work.ts';
import { type Advanced, advance, type Slice } from './advance.ts';
import { type CheckedSlice, type CheckState, checkSlice } from './check-log.ts';

/** A network's databases: what moved, and the log. */
export interface LogFiles {
  database: string;
  log: string;
  /** Which files they were before (file-identity.ts), which this thread may be too new to know; null where nobody has one open. */
  fileIds: { database: string | null; log: string | null };
}

/** Of the database: moves are read once, in their order. */
const cacheKb = 2048;

interface Opened {
  main: Connection;
  log: Connection;
  /** Of the database. */
  fileId: string | null;
  checkFile: () => void;
}

const open = new Map<string, Opened>();

/** Both, or neither: this is tried again for as long as one of them cannot be opened. */
function opened({ database, log, fileIds }: LogFiles): Opened {
  const main = openReader(database, fileIds.database, cacheKb);
  try {
    return { main, log: openLogWriter(log, fileIds.log), fileId: fileIds.database, checkFile: sameFileCheck(log) };
  } catch (error) {
    main.close();
    throw error;
  }
}

/** One slice on this thread's own connections. */
export function advanceLog({ files, slice }: { files: LogFiles; slice: Slice }): Advanced | FailedWork {
  return answered(files, () => {
    if (files.fileIds.log !== null) sameFileCheck(files.log, files.fileIds.log)();
    let connections = open.get(files.log);
    if (connections?.fileId !== files.fileIds.database) {
      close(files.log);
      connections = undefined;
    }
    if (!connections) {
      connections = opened(files);
      open.set(files.log, connections);
    }
    connections.checkFile();
    return advance(connections.main, connections.log, slice);
  });
}

/** One page of a check. Connections of its own: verifying may be the last thing that works with a database. */
export function checkLog({ files, state }: { files: LogFiles; state: CheckState | null }): CheckedSlice | FailedWork {
  return answered(files, () => {
    const main = openReader(files.database, files.fileIds.database);
    try {
      const log = openLogReader(files.log, files.fileIds.log);
      if (!log) return { state: null, size: 0, moves: main.snapshot(lastMove), problems: [], heads: 0 };
      try {
        return checkSlice(main, log, state);
      } finally {
        log.close();
      }
    } finally {
      main.close();
    }
  });
}

export function closeLogs(): void {
  for (const file of [...open.keys()]) close(file);
}

function close(file: string): void {
  const connections = open.get(file);
  open.delete(file);
  connections?.main.close();
  connections?.log.close();
}

function answered<T>({ log }: LogFiles, work: () => T): T | FailedWork {
  return workOrFailure(work, () => close(log));
}
