import type { Reader } from './connection.ts';
import { entityKey } from './entity-keys.ts';

/** The updates of one actor for one entity that wait. */
export interface AdditiveGroup {
  /** The entity's id. */
  id: string;
  /** JSON of the actor. */
  actor: string;
  /** Oldest first; `body` is JSON. */
  rows: { key: number; body: string }[];
}

export interface AdditiveItem {
  key: number;
  actor: string;
  summary: string;
  /** Epoch milliseconds. */
  queued: number;
  attempts: number;
  error: string | null;
  ended: boolean;
}

/** How many of the oldest rows are looked at for groups. */
const lookedAt = 256;

/**
 * The oldest groups, one an entity at most, since the next one of an entity builds on what the first makes of it.
 * `rows` and `characters` bound one group (which has one row at least), `groups` their number.
 */
export function waitingGroups(db: Reader, most: { groups: number; rows: number; characters: number }): AdditiveGroup[] {
  const heads = db.all<{ entity: number; id: string; actor: string }>(
    `SELECT a.entity, e.id, a.actor FROM additive a INDEXED BY additive_next JOIN entity e ON e.key = a.entity
      WHERE a.expires IS NULL ORDER BY a.key LIMIT ?`,
    lookedAt,
  );
  const first = new Map(heads.toReversed().map((head) => [head.entity, head]));
  const oldest = [...first.values()].toReversed().slice(0, most.groups);
  return oldest.map(({ entity, id, actor }) => ({ id, actor, rows: waitingRows(db, entity, actor, most) }));
}

function waitingRows(
  db: Reader,
  entity: number,
  actor: string,
  most: { rows: number; characters: number },
): AdditiveGroup['rows'] {
  const rows: AdditiveGroup['rows'] = [];
  let characters = 0;
  const all = db.each<{ key: number; body: string }>(
    `SELECT key, body FROM additive INDEXED BY additive_waiting
      WHERE entity = ? AND actor = ? AND expires IS NULL ORDER BY key LIMIT ?`,
    entity,
    actor,
    most.rows,
  );
  for (const row of all) {
    characters += row.body.length;
    if (rows.length > 0 && characters > most.characters) break;
    rows.push(row);
  }
  return rows;
}

/** What waits in the whole network. */
export function waitingTotal(db: Reader): { rows: number; characters: number } {
  const sql = `SELECT count(*) AS rows, coalesce(sum(length(body)), 0) AS characters
    FROM additive INDEXED BY additive_next WHERE expires IS NULL`;
  return db.get<{ rows: number; characters: number }>(sql) ?? { rows: 0, characters: 0 };
}

/** An entity's updates, newest first, and how many of all wait and have failed. */
export function additiveItems(
  db: Reader,
  id: string,
  limit: number,
): { waiting: number; failed: number; items: AdditiveItem[] } {
  const entity = entityKey(db, id) ?? 0;
  const count = (condition: string) =>
    db.get<{ n: number }>(`SELECT count(*) AS n FROM additive WHERE entity = ? AND ${condition}`, entity)?.n ?? 0;
  const items = db.all<Omit<AdditiveItem, 'ended'> & { expires: number | null }>(
    `SELECT key, actor, summary, queued, attempts, error, expires FROM additive
      WHERE entity = ? ORDER BY key DESC LIMIT ?`,
    entity,
    limit,
  );
  return {
    waiting: count('expires IS NULL'),
    failed: count('error IS NOT NULL'),
    items: items.map(({ expires, ...item }) => ({ ...item, ended: expires !== null })),
  };
}

/** Whether any may go by now (epoch milliseconds). */
export function hasExpired(db: Reader, now: number): boolean {
  return db.get('SELECT 1 FROM additive WHERE expires <= ? LIMIT 1', now) !== undefined;
}
