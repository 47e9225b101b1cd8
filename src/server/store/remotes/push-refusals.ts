import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes, storedManifest } from '../blocks.ts';
import type { Reader, Writer } from '../connection.ts';

/** Over a row `r` of push_refusal: what was refused of bytes alone waits for nothing. */
const waits = `EXISTS (SELECT 1 FROM push_pending w WHERE w.remote = r.remote AND w.entity = r.entity)`;

/** So many entities that point at one are more than what was refused, as a rule. */
const manySources = 500;

/**
 * An entity that was not there before its tip there came, or may have been deleted, is there now: what was refused for want of
 * it may be taken, and where it is a collection what was forbidden in it. So may what points at one that is known to be deleted
 * there now, which goes without the check that refused it. One more version of what is live there brings nothing back.
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
  freeForbidden(db, remote, db.all<Opened>("SELECT key, id FROM entity WHERE key = ? AND type = 'collection'", entity));
}

/**
 * Nothing is refused any more of what is not there and does not go there now, be it deleted or not meant for that remote; of what
 * is there, bytes may be. Without an entity: of all.
 */
export function dropVoidRefusals(db: Writer, remote: number, entity?: number): void {
  db.run(
    `DELETE FROM push_refusal AS r WHERE remote = ? AND ${entity === undefined ? 'true' : 'entity = ?'} AND NOT ${waits}
       AND NOT EXISTS (
         SELECT 1 FROM remote_entity k WHERE k.entity = r.entity AND k.remote = r.remote AND k.theirs IS NOT NULL)`,
    ...(entity === undefined ? [remote] : [remote, entity]),
  );
}

/** A collection of a remote, by its key and its id. */
interface Opened {
  key: number;
  id: string;
}

/**
 * What may let the key's user in by now, or do what it did not, since an entity has changed: a collection itself, those that give a
 * role to a group.
 */
export function openedBy(db: Reader, changed: number): Opened[] {
  return db.all<Opened>(
    `SELECT key, id FROM entity WHERE key = ? AND type = 'collection'
     UNION SELECT c.key, c.id FROM entity g JOIN edge d ON d.peer = g.key JOIN entity c ON c.key = d.source
       WHERE g.key = ? AND g.type = 'group' AND c.type = 'collection'`,
    ...[changed, changed],
  );
}

/**
 * A collection that may let the key's user do more by now is sent again, and what lies in it, or lay in it when it was deleted or
 * moved.
 */
export function freeForbidden(db: Writer, remote: number, collections: readonly Opened[]): void {
  if (collections.length === 0) return;
  if (db.get('SELECT 1 FROM push_refusal WHERE remote = ? LIMIT 1', remote) === undefined) return;
  const these = '(SELECT value FROM json_each(?))';
  const keys = JSON.stringify(collections.map(({ key }) => key));
  db.run(
    `DELETE FROM push_refusal AS r WHERE remote = ? AND status = 403 AND ${waits} AND EXISTS (
       SELECT 1 FROM entity e WHERE e.key = r.entity AND (e.key IN ${these} OR e.collection IN ${these})
       UNION ALL SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate
        WHERE d.source = r.entity AND +d.peer IN ${these} AND p.name = 'collection')`,
    ...[remote, keys, keys, keys],
  );
  const ids = collections.map(({ id }) => id);
  for (const { entity, theirs } of maybeFrom(db, remote, ids))
    if (collectionsOf(storedManifest(blockBytes(db, theirs))).some((id) => ids.includes(id)))
      db.run('DELETE FROM push_refusal WHERE remote = ? AND entity = ?', remote, entity);
}

/**
 * What is forbidden whose version there may lie in one of the collections, wherever it lies here. Very much may be forbidden, so
 * that versions are read only where they name one, or are not stored as they are.
 */
function maybeFrom(db: Writer, remote: number, collections: string[]): { entity: number; theirs: number }[] {
  return db.all(
    `SELECT r.entity, k.theirs FROM push_refusal r CROSS JOIN remote_entity k ON k.entity = r.entity AND k.remote = r.remote
       CROSS JOIN block b ON b.key = k.theirs
      WHERE r.remote = ? AND r.status = 403 AND ${waits}
        AND (b.enc <> 0 OR EXISTS (SELECT 1 FROM json_each(?) c WHERE instr(b.bytes, CAST(c.value AS BLOB)) > 0))`,
    ...[remote, JSON.stringify(collections)],
  );
}
