import { cidText } from '../blocks/cid.ts';
import type { Reader } from './connection.ts';
import { entityKey } from './entity-keys.ts';

/** A move of one entity's tip. */
export interface EntityMove {
  id: number;
  from: string | null;
  to: string;
  origin: string;
  /** Epoch milliseconds. */
  time: number;
}

/** The moves of an entity with an id below `before`, newest first. */
export function entityMoves(
  db: Reader,
  { id, before, limit }: { id: string; before: number; limit: number },
): EntityMove[] {
  const rows = db.all<Omit<EntityMove, 'from'> & { old: Uint8Array | null }>(
    `SELECT m.id, m.origin, m.time, m.cid AS "to", o.cid AS old FROM moves m LEFT JOIN block o ON o.key = m.old_tip
      WHERE m.entity = ? AND m.id < ? ORDER BY m.id DESC LIMIT ?`,
    entityKey(db, id) ?? -1,
    before,
    limit,
  );
  return rows.map(({ old, ...row }) => ({ ...row, from: old && cidText(old) }));
}
