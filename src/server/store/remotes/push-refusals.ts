import { blockBytes, storedManifest } from '../blocks.ts';
import type { Writer } from '../connection.ts';

/** Over a row `r` of push_refusal: what was refused of bytes alone waits for nothing. */
const waits = `EXISTS (SELECT 1 FROM push_pending w WHERE w.remote = r.remote AND w.entity = r.entity)`;

/** So many entities that point at one are more than what was refused, as a rule. */
const manySources = 500;

/**
 * An entity that was not there before its tip there came, or may have been deleted, is there now: what was refused for want of
 * it may be taken. So may what points at one that is known to be deleted there now, which goes without the check that refused it.
 * One more version of what is live there brings nothing back.
 */
export function freeRefused(db: Writer, remote: number, entity: number, tip: number | null): void {
  if (db.get('SELECT 1 FROM push_refusal WHERE remote = ? LIMIT 1', remote) === undefined) return;
  const before = db.get<{ key: number; later: number }>(
    `SELECT b.key, (SELECT ver FROM block WHERE key = ?) - b.ver AS later
       FROM remote_entity k JOIN block b ON b.key = k.theirs WHERE k.entity = ? AND k.remote = ?`,
    tip,
    entity,
    remote,
  );
  const isDeleted = (key: number) => storedManifest(blockBytes(db, key)).deleted === true;
  if (before && before.later <= 1 && ![before.key, tip].some((key) => key !== null && isDeleted(key))) return;
  const sources = 'SELECT source FROM edge WHERE peer = ?';
  const isHub = db.get(`${sources} LIMIT 1 OFFSET ${manySources}`, entity) !== undefined;
  // By what points at the entity; where that is very much, by each refusal's own few edges.
  const waiting = isHub
    ? 'EXISTS (SELECT 1 FROM edge d WHERE d.source = r.entity AND +d.peer = ?)'
    : `entity IN (${sources})`;
  db.run(
    `DELETE FROM push_refusal AS r WHERE remote = ? AND status IN (400, 422) AND ${waiting} AND ${waits}`,
    remote,
    entity,
  );
}

/** A collection has changed, and may let the key's user do by now what it did not: what lies in it is sent again. */
export function freeForbidden(db: Writer, remote: number, collection: number): void {
  db.run(
    `DELETE FROM push_refusal AS r WHERE remote = ? AND status = 403 AND ${waits} AND EXISTS (
       SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate
        WHERE d.source = r.entity AND +d.peer = ? AND p.name = 'collection')`,
    remote,
    collection,
  );
}
