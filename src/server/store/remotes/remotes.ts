import { cidText } from '../../blocks/cid.ts';
import { fromJson } from '../../model/from-json.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { selectMoved } from '../events.ts';
import { inTypeIndex } from '../indexed-types.ts';
import { versionHead } from '../versions.ts';
import { isForAnother } from './pending.ts';
import type { Direction, RemoteScope, RemoteSettings, RunFault, Trouble } from './sync-rows.ts';

/** A node or service that this one syncs with. `key` is the store's own number for it. */
export interface Remote extends RemoteSettings, RemoteScope {
  key: number;
  name: string;
  url: string;
  /** The API key for it; never shown, never logged. */
  secret: string | null;
  instance: string | null;
  user: string | null;
  direction: Direction;
}

type RemoteRow = Omit<Remote, 'collections' | 'watch' | 'types'> & { watch: number; types: string | null };

const columns = 'key, name, url, secret, instance, user_id AS user, direction, watch, max_kbps, hours, types, content';

export function listRemotes(db: Reader): Remote[] {
  return db.all<RemoteRow>(`SELECT ${columns} FROM remote ORDER BY name`).map((row) => withCollections(db, row));
}

export function findRemote(db: Reader, name: string): Remote | undefined {
  const row = db.get<RemoteRow>(`SELECT ${columns} FROM remote WHERE name = ?`, name);
  return row && withCollections(db, row);
}

/** By whom the remotes other than one know the operator. */
export function otherUsers(db: Reader, remote: number): string[] {
  const sql = 'SELECT DISTINCT user_id AS id FROM remote WHERE key <> ? AND user_id IS NOT NULL';
  return db.all<{ id: string }>(sql, remote).map(({ id }) => id);
}

function withCollections(db: Reader, row: RemoteRow): Remote {
  const collections = db.all<{ id: string }>(
    'SELECT e.id FROM remote_collection c JOIN entity e ON e.key = c.collection WHERE c.remote = ? ORDER BY e.id',
    row.key,
  );
  const types = row.types === null ? [] : (fromJson(row.types) as string[]);
  return { ...row, watch: row.watch === 1, types, collections: collections.map(({ id }) => id) };
}

/** What the last run with a remote came to, and what is known of its feed since. */
export interface RunRow {
  /** Epoch milliseconds. */
  started: number;
  ended: number;
  /** JSON. */
  report: string;
  error: string | null;
  head: number | null;
  level: number | null;
  held: number | null;
  fault: RunFault | null;
}

export function lastRun(db: Reader, remote: number): RunRow | undefined {
  return db.get<RunRow>(
    'SELECT started, ended, report, error, head, level, held, fault FROM remote_run WHERE remote = ?',
    remote,
  );
}

/** The newest event of a remote's feed after the last push to it; undefined where it is not known. */
export function pushMark(db: Reader, remote: number): { id: number; cid: string } | undefined {
  return db.get('SELECT mark AS id, mark_cid AS cid FROM remote WHERE key = ? AND mark IS NOT NULL', remote);
}

/** One of the newest entities that are live here and known at a remote, with the version that it had. */
export interface LastKnown {
  entity: string;
  cid: string;
}

/** Undefined for none. It may walk what is known of all remotes, so it runs on a reader thread. */
export function lastKnown(db: Reader, remote: number): LastKnown | undefined {
  const row = db.get<{ id: string; cid: Uint8Array }>(
    `SELECT e.id, t.cid FROM remote_entity k CROSS JOIN entity e ON e.key = k.entity CROSS JOIN block t ON t.key = k.theirs
      WHERE k.remote = ? AND e.deleted = 0 ORDER BY k.entity DESC LIMIT 1`,
    remote,
  );
  return row && { entity: row.id, cid: cidText(row.cid) };
}

/** What waits to be pushed, `p`, with its entity `e`, and what is open about it: a request `i`, a conflict `c`, a refusal `f`. */
const waiting = `push_pending p JOIN entity e ON e.key = p.entity
  LEFT JOIN push_intent i ON i.remote = p.remote AND i.entity = p.entity
  LEFT JOIN sync_conflict c ON c.remote = p.remote AND c.entity = p.entity
  LEFT JOIN push_refusal f ON f.remote = p.remote AND f.entity = p.entity`;

/** It waits for a decision, or for an edit after the remote refused it. */
const isHeld = '(c.entity IS NOT NULL OR f.tip IS e.cid)';

/** So much is not looked through at each edit. */
const much = 500;

/**
 * Whether anything waits that a push would send or ask for. Where very much waits, all of which may be held, only what has moved
 * after the move `since` counts; and where that is very much, too, it is taken for something.
 */
export function hasPending(db: Reader, remote: number, since: number): boolean {
  const isOpen = `p.remote = ? AND (i.tip IS NOT NULL OR NOT ${isHeld}) AND NOT ${isForAnother}`;
  const muchWaits = 'SELECT 1 FROM push_pending WHERE remote = ? LIMIT 1 OFFSET ?';
  if (db.get(muchWaits, remote, much) === undefined)
    return db.get(`SELECT 1 FROM ${waiting} WHERE ${isOpen} LIMIT 1`, remote) !== undefined;
  if (db.get('SELECT 1 FROM moves WHERE id > ? LIMIT 1 OFFSET ?', since, much) !== undefined) return true;
  const moved = `(${selectMoved}) m CROSS JOIN ${waiting}`;
  return db.get(`SELECT 1 FROM ${moved} WHERE p.entity = m.entity AND ${isOpen} LIMIT 1`, since, remote) !== undefined;
}

/** The remote that a mirrored collection came from, without its secret; undefined for every other id. */
export function mirrorOf(
  db: Reader,
  collection: string,
): { key: number; name: string; url: string; user: string | null; pushes: boolean } | undefined {
  const key = db.get<{ mirror: number | null }>('SELECT mirror FROM entity WHERE id = ?', collection)?.mirror ?? null;
  if (key === null) return undefined;
  const row = db.get<{ name: string; url: string; user: string | null; pushes: number }>(
    "SELECT name, url, user_id AS user, secret IS NOT NULL AND direction <> 'pull' AS pushes FROM remote WHERE key = ?",
    key,
  );
  return row && { ...row, key, pushes: row.pushes === 1 };
}

/** Feed ids that have been dealt with, or were gone before they were seen; ascending. */
export interface SeenRow {
  first: number;
  last: number;
  cid: string | null;
  lost: boolean;
  /** Of what is lost: everything was compared since. */
  swept: boolean;
  /** Of what was compared: but for what lies in collections that the remote does not list. */
  uncatalogued: boolean;
}

export function seenIntervals(db: Reader, remote: number): SeenRow[] {
  return db
    .all<Omit<SeenRow, 'lost' | 'swept' | 'uncatalogued'> & { lost: number; swept: number }>(
      'SELECT first, last, cid, lost, swept FROM remote_seen WHERE remote = ? ORDER BY first',
      remote,
    )
    .map((row) => ({ ...row, lost: row.lost === 1, swept: row.swept > 0, uncatalogued: row.swept === 2 }));
}

/** What is kept of one entity at one remote; versions are CIDs. */
export interface KnownEntity {
  event: number;
  theirs: string | null;
  twin: string | null;
  trouble: Trouble | null;
  /** `answered`: the status of an answer whose version could not be read. */
  intent: { tip: string; expect: string | null; content: string; answered: number | null } | null;
  refusal: { tip: string; status: number; words: string } | null;
  conflict: { base: string | null; ours: string; theirs: string } | null;
}

interface KnownRow {
  event: number;
  /** Keys of blocks. */
  theirs: number | null;
  twin: number | null;
  trouble: Trouble | null;
}

const text = (cid: Uint8Array | null): string | null => cid && cidText(cid);

// What is looked up for every entity of a mirror goes by keys, one table after the other: of most of them nothing is found.

/** The newest feed id that was dealt with for an entity, 0 for none. */
export function knownEvent(db: Reader, remote: number, id: string): number {
  const entity = entityKey(db, id);
  if (entity === undefined) return 0;
  const sql = 'SELECT event FROM remote_entity WHERE entity = ? AND remote = ?';
  return db.get<{ event: number }>(sql, entity, remote)?.event ?? 0;
}

export function findKnown(db: Reader, remote: number, id: string): KnownEntity {
  const entity = entityKey(db, id);
  if (entity === undefined) return unknown;
  const row = db.get<KnownRow>(
    'SELECT event, theirs, twin, trouble FROM remote_entity WHERE entity = ? AND remote = ?',
    entity,
    remote,
  );
  const theirs = keyedCid(db, row?.theirs ?? null);
  const one = <T>(sql: string): T | null => db.get<T>(sql, remote, entity) ?? null;
  return {
    event: row?.event ?? 0,
    trouble: row?.trouble ?? null,
    theirs,
    twin: row?.twin === row?.theirs ? theirs : keyedCid(db, row?.twin ?? null),
    intent: one('SELECT tip, expect, content, answered FROM push_intent WHERE remote = ? AND entity = ?'),
    refusal: one('SELECT tip, status, words FROM push_refusal WHERE remote = ? AND entity = ?'),
    conflict: one('SELECT base, ours, theirs FROM sync_conflict WHERE remote = ? AND entity = ?'),
  };
}

const unknown: KnownEntity = {
  ...{ event: 0, theirs: null, twin: null, trouble: null },
  ...{ intent: null, refusal: null, conflict: null },
};

function keyedCid(db: Reader, key: number | null): string | null {
  const row = key === null ? undefined : db.get<{ cid: Uint8Array }>('SELECT cid FROM block WHERE key = ?', key);
  return text(row?.cid ?? null);
}

/** The live collections that a remote is known to have, whichever one they came from first. */
export function knownCollections(db: Reader, remote: number): string[] {
  const sql = `SELECT e.id FROM entity e CROSS JOIN remote_entity k ON k.entity = e.key AND k.remote = ?
     WHERE e.type = 'collection' AND ${inTypeIndex} AND e.deleted = 0 AND k.theirs IS NOT NULL ORDER BY e.id`;
  return db.all<{ id: string }>(sql, remote).map(({ id }) => id);
}

/** One entity that waits to be pushed. */
export interface PendingRow {
  id: string;
  type: string;
  deleted: boolean;
  /** The remote has it already. */
  known: boolean;
  /** The remote's version says the same. */
  same: boolean;
  /** A request may be under way, or was not answered. */
  open: boolean;
  /** It waits for a decision, or for an edit after the remote refused it. */
  held: boolean;
  /** It waits for nothing but that edit. */
  refused: boolean;
}

type Flag = Exclude<keyof PendingRow, 'id' | 'type'> | 'another';

/**
 * A page of what waits to be pushed, by the store's order from `after` on; `next` is null on the last. What is new and meant for another
 * remote is left out of it: once that has it, it waits no more.
 */
export function pendingPage(
  db: Reader,
  remote: number,
  after: number,
  limit: number,
): { rows: PendingRow[]; next: number | null } {
  const rows = db.all<Record<Flag | 'key', number> & { id: string; type: string }>(
    `SELECT e.key, e.id, e.type, e.deleted, k.theirs IS NOT NULL AS known, k.twin IS e.tip AS same, i.tip IS NOT NULL AS open,
            ${isHeld} AS held, f.tip IS e.cid AND c.entity IS NULL AND i.tip IS NULL AS refused,
            ${isForAnother} AS another
       FROM ${waiting} LEFT JOIN remote_entity k ON k.remote = p.remote AND k.entity = p.entity
      WHERE p.remote = ? AND p.entity > ? ORDER BY p.entity LIMIT ?`,
    remote,
    after,
    limit,
  );
  return {
    rows: rows
      .filter(({ another }) => another === 0)
      .map(({ id, type, deleted, known, same, open, held, refused }) => ({
        ...{ id, type, deleted: deleted === 1, known: known === 1, same: same === 1 },
        ...{ open: open === 1, held: held === 1, refused: refused === 1 },
      })),
    next: rows.length === limit ? (rows.at(-1)?.key ?? null) : null,
  };
}

/** The relationships' peers of an entity that wait to be pushed to a remote that lacks them. */
export function pendingPeers(db: Reader, remote: number, id: string): string[] {
  return db
    .all<{ id: string }>(
      `SELECT DISTINCT p.id FROM entity e JOIN edge d ON d.source = e.key JOIN entity p ON p.key = d.peer
         JOIN push_pending w ON w.remote = ? AND w.entity = p.key
         LEFT JOIN remote_entity k ON k.remote = w.remote AND k.entity = p.key
        WHERE e.id = ? AND p.key <> e.key AND k.theirs IS NULL`,
      remote,
      id,
    )
    .map((row) => row.id);
}

/**
 * The peers of an entity's relationships that are deleted, here or as far as is known there, or wait to be pushed: the remote may
 * have none, or a deleted one, until then.
 */
export function peersInDoubt(db: Reader, remote: number, id: string): string[] {
  const rows = db.all<{ id: string; deleted: number; waits: number; theirs: number | null }>(
    `SELECT DISTINCT p.id, p.deleted, w.entity IS NOT NULL AS waits, nullif(k.theirs, p.tip) AS theirs
       FROM entity e JOIN edge d ON d.source = e.key JOIN entity p ON p.key = d.peer
       LEFT JOIN push_pending w ON w.remote = ? AND w.entity = d.peer
       LEFT JOIN remote_entity k ON k.remote = ? AND k.entity = d.peer
      WHERE e.id = ? AND d.peer <> e.key AND (w.entity IS NOT NULL OR p.deleted = 1 OR k.theirs <> p.tip)`,
    remote,
    remote,
    id,
  );
  const isGoneThere = (cid: string | null) => cid !== null && versionHead(db, cid)?.deleted === true;
  return rows
    .filter(({ deleted, waits, theirs }) => deleted === 1 || waits === 1 || isGoneThere(keyedCid(db, theirs)))
    .map((row) => row.id);
}

/** The peers of an entity's relationships that a remote is not known to have. */
export function lackingPeers(db: Reader, remote: number, id: string): string[] {
  return db
    .all<{ id: string }>(
      `SELECT DISTINCT p.id FROM entity e JOIN edge d ON d.source = e.key JOIN entity p ON p.key = d.peer
         LEFT JOIN remote_entity k ON k.remote = ? AND k.entity = d.peer
        WHERE e.id = ? AND p.key <> e.key AND k.theirs IS NULL`,
      remote,
      id,
    )
    .map((row) => row.id);
}

export interface TroubleRow {
  id: string;
  trouble: string;
  evidence: string | null;
}

/** Entities that the remote's feed names and that could not be taken over, the first of them: by trouble, then as they came to be known. */
export function listTroubles(db: Reader, remote: number, limit: number): TroubleRow[] {
  return db.all<TroubleRow>(
    `SELECT e.id, k.trouble, k.evidence FROM remote_entity k JOIN entity e ON e.key = k.entity
      WHERE k.remote = ? AND k.trouble IS NOT NULL ORDER BY k.trouble, k.entity LIMIT ?`,
    remote,
    limit,
  );
}

export interface RefusalRow {
  id: string;
  status: number;
  words: string;
  /** How many were refused in these words. */
  alike: number;
}

/**
 * What the remote refused: of what was refused in other words each the first, where there are fewest of them before, then the second
 * ones, so that many that are alike hide nothing else. It sorts all of them, so it runs on a reader thread.
 */
export function listRefusals(db: Reader, remote: number, limit: number): RefusalRow[] {
  return db.all<RefusalRow>(
    `SELECT e.id, f.status, f.words, f.alike FROM (
       SELECT entity, status, words, count(*) OVER (PARTITION BY status, words) AS alike,
              row_number() OVER (PARTITION BY status, words ORDER BY entity) AS nth
         FROM push_refusal WHERE remote = ? ORDER BY nth, alike, entity LIMIT ?) f
       JOIN entity e ON e.key = f.entity ORDER BY f.nth, f.alike, f.entity`,
    remote,
    limit,
  );
}

/** Whether a version of the entity is known to be at the remote. */
export function isKnownAt(db: Reader, remote: number, id: string): boolean {
  const entity = entityKey(db, id);
  const sql = 'SELECT 1 FROM remote_entity WHERE entity = ? AND remote = ? AND theirs IS NOT NULL';
  return entity !== undefined && db.get(sql, entity, remote) !== undefined;
}

/** The CID of the version of an entity that a remote is known to have; null where none is known. */
export function tipAt(db: Reader, name: string, id: string): string | null {
  const known = db.get<{ cid: Uint8Array }>(
    `SELECT b.cid FROM remote_entity k JOIN remote r ON r.key = k.remote JOIN block b ON b.key = k.theirs
      WHERE k.entity = (SELECT key FROM entity WHERE id = ?) AND r.name = ?`,
    id,
    name,
  );
  return known ? cidText(known.cid) : null;
}
