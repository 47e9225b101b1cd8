import type { Reader } from '../connection.ts';
import { indexedTypes, inTypeIndex } from '../indexed-types.ts';
import type { Within } from './search-hits.ts';

/**
 * The keys of all that can be within, where they are quickly told and at most so many; null where they are not. Some of them
 * may not fit: what else is to hold is asked of each.
 */
export function keysAmong(
  db: Reader,
  { keys, ids, types, collections, orLoose }: Within,
  most: number,
): readonly number[] | null {
  if (keys) return keys;
  if (ids) return ids.length > most ? null : keysOf(db, withIds, ids, most);
  if (types?.every((type) => indexedTypes.includes(type))) return keysOf(db, ofTypes, types, most);
  return collections && !orLoose ? keysOf(db, inCollections, collections, most) : null;
}

const given = '(SELECT value FROM json_each(?))';

const withIds = `SELECT key FROM entity WHERE id IN ${given}`;

const ofTypes = `SELECT key FROM entity WHERE type IN ${given} AND ${inTypeIndex}`;

const inCollections = `SELECT d.source AS key FROM edge d WHERE d.peer IN (SELECT key FROM entity WHERE id IN ${given})
  AND d.predicate = (SELECT key FROM predicate WHERE name = 'collection')`;

/** As one text: row by row would take many times as long. */
function keysOf(db: Reader, sql: string, values: readonly string[], most: number): readonly number[] | null {
  const found = db.get<{ keys: string }>(
    `SELECT json_group_array(key) AS keys FROM (${sql} LIMIT ?)`,
    JSON.stringify(values),
    most + 1,
  );
  const keys = JSON.parse(found?.keys ?? '[]') as number[];
  return keys.length > most ? null : keys;
}
