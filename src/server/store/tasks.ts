import { fromJson } from '../model/from-json.ts';
import type { EditedBy, Json } from '../model/manifest.ts';
import type { Reader } from './connection.ts';

/** The kind of an archive's import; its state is an ArchiveTask. */
export const archiveTask = 'car_import';

/** What stands in the store while an archive is applied. */
export interface ArchiveTask {
  /** Its name in the spool folder. */
  file: string;
  run: BegunImport;
  /** How many starts in a row were ended while they completed it and brought nothing; `newest` is the last version by then. */
  ended?: { starts: number; newest: number };
  /** Nothing more comes of it: what keeps the file is all that is left. */
  left?: boolean;
}

/**
 * An import in the list of all. `name`: of the file, as its sender has it. `by`: who asked for it, and `newest`: the key of the
 * version that was stored last when it began; earlier programs did not keep them.
 */
export interface BegunImport {
  id: string;
  started: number;
  name: string | null;
  by?: EditedBy;
  newest?: number;
}

/** Unfinished work of a kind, with what is left to do; the commits that do it keep the record (see Row `task`). */
export function unfinished(db: Reader, kind: string): { id: string; state: Json }[] {
  return db
    .all<{ id: string; state: string }>('SELECT id, state FROM task WHERE kind = ? ORDER BY id', kind)
    .map(({ id, state }) => ({ id, state: fromJson(state) as Json }));
}

/**
 * Imports of archives that have not ended, and that the node's next start completes: at work or broken off, which the service
 * that takes them in knows; and those that starts leave alone.
 */
export function archiveTasks(db: Reader): { unfinished: ArchiveTask[]; left: ArchiveTask[] } {
  const tasks = unfinished(db, archiveTask).map(({ state }) => state as unknown as ArchiveTask);
  return { unfinished: tasks.filter(({ left }) => left !== true), left: tasks.filter(({ left }) => left === true) };
}
