import type Database from 'better-sqlite3';
import { cidText } from '../../blocks/cid.ts';

/** Moves say again what `entity` and `new_tip` stand for, so that the feed and the log are read from this table alone. */
export function nameMoves(db: Database.Database): void {
  db.function('cid_text', { deterministic: true }, (cid: unknown) => (cid instanceof Uint8Array ? cidText(cid) : ''));
  db.exec(`
    ALTER TABLE moves ADD COLUMN pi TEXT NOT NULL DEFAULT '';
    ALTER TABLE moves ADD COLUMN cid TEXT NOT NULL DEFAULT '';
    ALTER TABLE moves ADD COLUMN ver INTEGER NOT NULL DEFAULT 0;
    UPDATE moves SET pi = e.id, cid = cid_text(b.cid), ver = b.ver FROM entity e, block b
      WHERE e.key = moves.entity AND b.key = moves.new_tip;
  `);
}
