import { cidText } from '../blocks/cid.ts';
import type { Reader } from './connection.ts';

/** One move of a tip as the attestation log takes it up. `entity` is the store's key, `seq` the move's number. */
export interface AttestedMove {
  seq: number;
  entity: number;
  /** The entity's id. */
  pi: string;
  /** The version that became the tip. */
  ver: number;
  cid: string;
  /** The tip before. */
  prev_cid: string | null;
  /** Epoch milliseconds of recording. */
  ts: number;
}

interface MoveRow extends Omit<AttestedMove, 'prev_cid'> {
  before: Uint8Array | null;
}

const columns = `SELECT m.id AS seq, m.entity, m.pi, m.ver, m.cid, m.time AS ts,
    CASE WHEN m.old_tip IS NULL THEN NULL ELSE (SELECT o.cid FROM block o WHERE o.key = m.old_tip) END AS before
  FROM moves m`;

function toMove({ before, ...row }: MoveRow): AttestedMove {
  return { ...row, prev_cid: before && cidText(before) };
}

/** Moves from the one after `after` on, in order, without a gap: it ends before one that is missing. */
export function movesToAttest(db: Reader, after: number, limit: number): AttestedMove[] {
  const rows = db.all<MoveRow>(`${columns} WHERE m.id > ? AND m.id <= ? ORDER BY m.id`, after, after + limit);
  const gap = rows.findIndex(({ seq }, i) => seq !== after + 1 + i);
  return (gap === -1 ? rows : rows.slice(0, gap)).map(toMove);
}

export function attestedMove(db: Reader, seq: number): AttestedMove | undefined {
  const row = db.get<MoveRow>(`${columns} WHERE m.id = ?`, seq);
  return row && toMove(row);
}

/** The key of the version that a move led to. */
export function movedTo(db: Reader, seq: number): number | undefined {
  return db.get<{ tip: number }>('SELECT new_tip AS tip FROM moves WHERE id = ?', seq)?.tip;
}
