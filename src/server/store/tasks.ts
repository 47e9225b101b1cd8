import type { Json } from '../model/manifest.ts';
import type { Reader } from './connection.ts';

/** The kind of an archive's import; its state names the file and the run. */
export const archiveTask = 'car_import';

/** Unfinished work of a kind, with what is left to do; the commits that do it keep the record (see Row `task`). */
export function unfinished(db: Reader, kind: string): { id: string; state: Json }[] {
  return db
    .all<{ id: string; state: string }>('SELECT id, state FROM task WHERE kind = ? ORDER BY id', kind)
    .map(({ id, state }) => ({ id, state: JSON.parse(state) as Json }));
}
