import type { Reader, Writer } from '../connection.ts';
import { dropVoidRefusals } from './push-refusals.ts';

/** Whether a remote other than `r` has the tip of `e`, and `which` holds of that remote `p`. */
const isAtAnother = (which: string) => `EXISTS (SELECT 1 FROM remote_entity o JOIN remote p ON p.key = o.remote
  WHERE o.entity = e.key AND o.remote <> r.key AND o.theirs = e.tip AND (${which}))`;

/**
 * Whether another remote has the tip of `e`, and that one keeps to its own versions, or `r` is a node that has not taken it: then
 * a remote `r` that says the same by another one is left at that.
 */
const isElsewhere = isAtAnother(`p.instance IS NULL OR (r.instance IS NOT NULL AND EXISTS (
  SELECT 1 FROM remote_entity a WHERE a.entity = e.key AND a.remote = r.key AND a.apart = 1 AND a.twin = e.tip))`);

/** Whether a remote's entity `k` says the same as the tip `e` by a version that nodes hand round, and it is left at that. */
const isReturned = 'k.apart = 2 AND k.twin = e.tip';

/**
 * What is to be pushed, as SQL over an entity `e` and a remote `r`: its tip is not the version that the remote has (it may
 * say the same), or the remote has none and it is meant to. What is known there and cannot be read is not. Where a request may
 * have arrived nobody knows what the remote has, so it is asked, whatever is here by now. Users come only from registration.
 * What a remote has forgotten goes there again. Without a choice of collections only what belongs to no other remote is meant for
 * one, or lies in a collection that came from it: what another one has else, had and forgot, or had when it was removed, goes there
 * only when it is edited or asked for.
 */
const differs = `e.tip IS NOT NULL AND e.type <> 'user' AND CASE
  WHEN EXISTS (SELECT 1 FROM push_intent i WHERE i.remote = r.key AND i.entity = e.key) THEN 1
  WHEN EXISTS (SELECT 1 FROM remote_entity k WHERE k.remote = r.key AND k.entity = e.key)
    THEN (SELECT k.theirs IS NOT NULL
                 AND (k.twin IS NOT e.tip OR (k.theirs IS NOT e.tip AND NOT (${isReturned}) AND NOT ${isElsewhere}))
            FROM remote_entity k WHERE k.remote = r.key AND k.entity = e.key)
  WHEN e.deleted = 1 THEN 0
  WHEN EXISTS (SELECT 1 FROM remote_mark m WHERE m.remote = r.key AND m.entity = e.key AND m.mark = 'forgotten') THEN 1
  WHEN r.types IS NOT NULL AND e.type <> 'collection'
    AND NOT EXISTS (SELECT 1 FROM json_each(r.types) t WHERE t.value = e.type) THEN 0
  WHEN EXISTS (SELECT 1 FROM remote_collection c WHERE c.remote = r.key)
    THEN EXISTS (SELECT 1 FROM remote_collection c WHERE c.remote = r.key AND (c.collection = e.key OR EXISTS (
      SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate
       WHERE d.source = e.key AND d.peer = c.collection AND p.name = 'collection')))
  ELSE (NOT EXISTS (SELECT 1 FROM remote_entity k WHERE k.entity = e.key AND k.theirs IS NOT NULL)
      OR EXISTS (SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate JOIN entity c ON c.key = d.peer
        WHERE d.source = e.key AND p.name = 'collection' AND c.mirror = r.key))
    AND NOT EXISTS (SELECT 1 FROM remote_mark m WHERE m.entity = e.key AND (m.remote = r.key OR m.mark = 'forgotten'))
END`;

/** The remotes that edits are pushed to: with a key, and not only pulled from. */
const pushed = "r.direction <> 'pull' AND r.secret IS NOT NULL";
const pushedRemotes = `SELECT r.key FROM remote r WHERE ${pushed}`;

/**
 * Makes the cached comparison of one entity anew, in the commit that moved its tip or learnt of theirs.
 * @param edited somebody here has edited it: it belongs to no remote that was removed any more
 */
export function notePending(db: Writer, entity: number, edited = false): void {
  if (edited) db.run("DELETE FROM remote_mark WHERE entity = ? AND mark = 'elsewhere'", entity);
  for (const { key: remote } of db.all<{ key: number }>(pushedRemotes)) {
    if (isPending(db, remote, entity)) {
      db.run('INSERT OR IGNORE INTO push_pending (remote, entity) VALUES (?, ?)', remote, entity);
      continue;
    }
    db.run('DELETE FROM push_pending WHERE remote = ? AND entity = ?', remote, entity);
    dropVoidRefusals(db, remote, entity);
  }
}

/** As `differs`, which takes several times as long to say nothing of what has just been mirrored. */
function isPending(db: Reader, remote: number, entity: number): boolean {
  const known = db.get<{ theirs: number | null; twin: number | null; apart: number }>(
    'SELECT theirs, twin, apart FROM remote_entity WHERE entity = ? AND remote = ?',
    entity,
    remote,
  );
  if (known === undefined) {
    const sql = `SELECT 1 FROM remote r, entity e WHERE r.key = ? AND e.key = ? AND ${differs}`;
    return db.get(sql, remote, entity) !== undefined;
  }
  const e = db.get<{ id: string; tip: number | null; type: string }>(
    'SELECT id, tip, type FROM entity WHERE key = ?',
    entity,
  );
  if (e === undefined || e.tip === null || e.type === 'user') return false;
  if (db.get('SELECT 1 FROM push_intent WHERE entity = ? AND remote = ?', entity, remote) !== undefined) return true;
  if (known.theirs === null) return false;
  if (known.twin !== e.tip) return true;
  return known.theirs !== e.tip && known.apart !== 2 && !isTipElsewhere(db, remote, e.id);
}

const ofEntity = 'SELECT 1 FROM remote r, entity e WHERE r.key = ? AND e.id = ? AND';
const tipElsewhere = `${ofEntity} ${isElsewhere}`;
const tipAtAnother = `${ofEntity} ${isAtAnother('1')}`;

/**
 * Whether the tip of an entity is what a remote other than this one has, and that one keeps to its own versions, or this one is a
 * node that has not taken it.
 */
export function isTipElsewhere(db: Reader, remote: number, id: string): boolean {
  return db.get(tipElsewhere, remote, id) !== undefined;
}

/** Whether the tip of an entity is what a remote other than this one has. */
export function isTipAtAnother(db: Reader, remote: number, id: string): boolean {
  return db.get(tipAtAnother, remote, id) !== undefined;
}

const placesAt = (which: string) => `EXISTS (SELECT 1 FROM edge d JOIN predicate s ON s.key = d.predicate
  WHERE d.source = p.entity AND s.name = 'collection' AND EXISTS (${which}))`;

/** A remote other than that of `p` that has the collection, and to which what waits goes, unless it has refused it. */
const another = `SELECT 1 FROM remote_entity k JOIN push_pending w ON w.remote = k.remote AND w.entity = p.entity
  WHERE k.entity = d.peer AND k.remote <> p.remote AND k.theirs IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM push_refusal f WHERE f.remote = k.remote AND f.entity = p.entity)`;

/** The remote of `p` has the collection, or is to get it. */
const thisOne = `SELECT 1 FROM remote_entity k WHERE k.entity = d.peer AND k.remote = p.remote AND k.theirs IS NOT NULL
  UNION ALL SELECT 1 FROM push_pending w WHERE w.remote = p.remote AND w.entity = d.peer`;

/**
 * Whether what waits, `p`, is new and goes to a remote other than this one that has a collection in which it lies, and that this one
 * neither has nor gets, as SQL: without a choice of collections it is not meant for this one, and would not go there once that one
 * has it.
 */
export const isForAnother = `(NOT EXISTS (
    SELECT 1 FROM remote_entity k WHERE k.entity = p.entity AND k.remote = p.remote AND k.theirs IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM push_intent i WHERE i.entity = p.entity AND i.remote = p.remote)
  AND NOT EXISTS (SELECT 1 FROM remote_collection c WHERE c.remote = p.remote)
  AND ${placesAt(another)} AND NOT ${placesAt(thisOne)})`;

/** Makes the comparison of all entities with one remote anew. */
export function rebuildPending(db: Writer, remote: number): void {
  db.run('DELETE FROM push_pending WHERE remote = ?', remote);
  db.run(
    `INSERT INTO push_pending (remote, entity) SELECT r.key, e.key FROM remote r, entity e
      WHERE r.key = ? AND ${pushed} AND ${differs}`,
    remote,
  );
  dropVoidRefusals(db, remote);
}

/**
 * Makes the comparison with all other remotes anew for what each of them has, where another one has gone or keeps to its own
 * versions from now on, or no longer. What only that one had does not begin to wait for the others.
 */
export function rebuildBeside(db: Writer, remote: number): void {
  const has = 'SELECT k.entity FROM remote_entity k WHERE k.remote = ? AND k.theirs IS NOT NULL';
  for (const { key } of db.all<{ key: number }>('SELECT key FROM remote WHERE key <> ?', remote)) {
    db.run(`DELETE FROM push_pending WHERE remote = ? AND entity IN (${has})`, key, key);
    db.run(
      `INSERT INTO push_pending (remote, entity) SELECT r.key, e.key FROM remote r, entity e
        WHERE r.key = ? AND ${pushed} AND e.key IN (${has}) AND ${differs}`,
      key,
      key,
    );
  }
}

/** Notes of what a remote has or had, which is about to be removed, that it does not go to the others unasked. */
export function markElsewhere(db: Writer, remote: number): void {
  db.run(
    `INSERT OR IGNORE INTO remote_mark (entity, remote, mark)
      SELECT k.entity, r.key, 'elsewhere' FROM remote r, (
        SELECT entity FROM remote_entity WHERE remote = ? AND theirs IS NOT NULL
         UNION SELECT entity FROM remote_mark WHERE remote = ? AND mark = 'forgotten') k
       WHERE r.key <> ? AND NOT EXISTS (
        SELECT 1 FROM remote_entity o WHERE o.entity = k.entity AND o.remote = r.key AND o.theirs IS NOT NULL)`,
    remote,
    remote,
    remote,
  );
  db.run('DELETE FROM remote_mark WHERE remote = ?', remote);
}
