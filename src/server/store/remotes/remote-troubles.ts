import type { Reader, Writer } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { dueArguments, isDueIn, nextAsk } from './next-ask.ts';
import type { SyncRow, Trouble } from './sync-rows.ts';

/** Notes why an entity of a remote could not be taken over; what is not shown is not asked for again, unless the remote was reset. */
export function putTrouble(
  db: Writer,
  { remote, entity, time }: { remote: number; entity: number; time: number },
  row: Extract<SyncRow, { kind: 'remote_trouble' }>,
): void {
  const known = db.get<{ event: number; tries: number }>(
    'SELECT event, tries FROM remote_entity WHERE remote = ? AND entity = ?',
    remote,
    entity,
  );
  // Another version than the one that was asked for before.
  const tries = known === undefined || row.event > known.event ? 0 : known.tries;
  // No event may tell that it is shown, nor that it has to go there again.
  const isLost = db.get(
    "SELECT 1 FROM remote_mark WHERE remote = ? AND entity = ? AND mark = 'forgotten'",
    remote,
    entity,
  );
  db.run(
    `INSERT INTO remote_entity (remote, entity, event, trouble, evidence, again, tries, named) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (remote, entity) DO UPDATE SET event = max(event, excluded.event), trouble = excluded.trouble,
         evidence = excluded.evidence, again = excluded.again, tries = excluded.tries, named = max(named, excluded.named)`,
    remote,
    entity,
    row.event,
    row.trouble,
    row.evidence,
    row.trouble === 'forbidden' && !isLost ? null : nextAsk(time, tries),
    tries + 1,
    row.event > 0 ? 1 : 0,
  );
}

/** So much of what is not shown is asked for again at once: each collection may let somebody in. */
const mostForbidden = 1000;

/**
 * What a remote did not show, entities and bytes, is asked for again, since a collection that was met there before, or a group, has
 * changed, and may show it now: of what lies in it no event tells that. The newest met first.
 */
export function askForbiddenAgain(db: Writer, remote: number, time: number): void {
  db.run(
    `UPDATE remote_entity SET again = ? WHERE remote = ? AND again IS NULL AND entity IN (
       SELECT entity FROM remote_entity INDEXED BY remote_entity_trouble
        WHERE remote = ? AND trouble = 'forbidden' ORDER BY entity DESC LIMIT ?)`,
    ...[time, remote, remote, mostForbidden],
  );
  db.run(
    `UPDATE remote_content SET again = ? WHERE remote = ? AND (entity, cid) IN (
       SELECT entity, cid FROM remote_content
        WHERE remote = ? AND state = 'forbidden' AND state NOT IN ('there', 'sending') ORDER BY entity DESC LIMIT ?)`,
    ...[time, remote, remote, mostForbidden],
  );
}

/** An entity that could not be taken over, and is to be asked for again. */
export interface DueTrouble {
  id: string;
  trouble: Trouble;
  evidence: string | null;
  /** A version of it has been read before. */
  known: boolean;
  /** It could not be read when a remote that was reset was compared: what it had before counts no more. */
  forgotten: boolean;
  /** How often it has been asked for. */
  tries: number;
  /** An event has named the version that could not be read. */
  named: boolean;
}

type Flags = 'known' | 'forgotten' | 'named';

/** Over a row `k` of remote_entity: the remote was reset, and what it has of the entity has not been read since. */
export const isForgotten = `EXISTS (SELECT 1 FROM remote_mark m
  WHERE m.remote = k.remote AND m.entity = k.entity AND m.mark = 'forgotten')`;

/**
 * The entities that are to be asked for again by now (epoch milliseconds), those first that were tried the fewest times: what
 * never comes keeps nothing waiting.
 * @param knownOnly none of which no version has ever been read, or sent there
 */
export function dueTroubles(
  db: Reader,
  remote: number,
  { now, limit, knownOnly }: { now: number; limit: number; knownOnly: boolean },
): DueTrouble[] {
  const rows = db.all<Omit<DueTrouble, Flags> & Record<Flags, number>>(
    `SELECT e.id, k.trouble, k.evidence, k.theirs IS NOT NULL AS known, ${isForgotten} AS forgotten, k.tries, k.named
       FROM remote_entity k JOIN entity e ON e.key = k.entity
      WHERE k.remote = ? AND ${isDueIn('k.again')} AND (? = 0 OR k.theirs IS NOT NULL OR ${isForgotten})
      ORDER BY k.tries, k.again LIMIT ?`,
    remote,
    ...dueArguments(now),
    knownOnly ? 1 : 0,
    limit,
  );
  return rows.map(({ known, forgotten, named, ...row }) => ({
    ...row,
    ...{ known: known === 1, forgotten: forgotten === 1, named: named === 1 },
  }));
}

/** Whether an entity could not be read, and is asked for again by itself. */
export function isAskedAgain(db: Reader, remote: number, id: string): boolean {
  const entity = entityKey(db, id);
  const sql = 'SELECT 1 FROM remote_entity WHERE remote = ? AND entity = ? AND again IS NOT NULL';
  return entity !== undefined && db.get(sql, remote, entity) !== undefined;
}

/** Whether an entity is to be asked for again by now. */
export function isDue(db: Reader, remote: number, id: string, now: number): boolean {
  const entity = entityKey(db, id);
  const sql = `SELECT 1 FROM remote_entity WHERE remote = ? AND entity = ? AND ${isDueIn('again')}`;
  return entity !== undefined && db.get(sql, remote, entity, ...dueArguments(now)) !== undefined;
}
