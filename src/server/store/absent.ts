import type { Reader } from './connection.ts';

/** The key of an id that others name and that is not here itself; undefined for any other. */
export function absentKey(db: Reader, id: string): number | undefined {
  return db.get<{ key: number }>('SELECT key FROM entity WHERE id = ? AND tip IS NULL', id)?.key;
}

/** Whether it is a collection: what is here lies in it, or did when it was deleted, or a remote's is to be mirrored. */
export function isAbsentCollection(db: Reader, key: number): boolean {
  const sql = `SELECT 1 FROM entity a WHERE a.key = ? AND (
       EXISTS (SELECT 1 FROM edge d JOIN predicate p ON p.key = d.predicate WHERE d.peer = a.key AND p.name = 'collection')
       OR EXISTS (SELECT 1 FROM entity e WHERE e.collection = a.key AND e.deleted = 1)
       OR EXISTS (SELECT 1 FROM remote_collection c WHERE c.collection = a.key))`;
  return db.get(sql, key) !== undefined;
}

/** The collections and groups that a relationship leads to it from: those of which it may be a member. */
export function membershipsOf(db: Reader, key: number): string[] {
  const sql = `SELECT DISTINCT e.id FROM edge d JOIN entity e ON e.key = d.source
     WHERE d.peer = ? AND e.type IN ('collection', 'group')`;
  return db.all<{ id: string }>(sql, key).map(({ id }) => id);
}
