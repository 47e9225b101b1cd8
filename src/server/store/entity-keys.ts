import type { Reader, Writer } from './connection.ts';

/** The key of an entity or stub, or undefined where the id is unknown here. */
export function entityKey(db: Reader, id: string): number | undefined {
  return db.get<{ key: number }>('SELECT key FROM entity WHERE id = ?', id)?.key;
}

/** The key of an id; one that is unknown becomes a stub. */
export function ensureEntityKey(db: Writer, id: string): number {
  return remembered(entities, db, id, () => entityKey(db, id) ?? addStub(db, id));
}

function addStub(db: Writer, id: string): number {
  return db.insert('INSERT INTO entity (key, id) VALUES (?, ?)', nextEntityKey(db), id);
}

/** A key for a new entity, which nobody else gets. */
export function nextEntityKey(db: Writer): number {
  const last = lastKeys.get(db) ?? db.get<{ key: number | null }>('SELECT max(key) AS key FROM entity')?.key ?? 0;
  lastKeys.set(db, last + 1);
  return last + 1;
}

/** The key of a predicate's name. */
export function predicateKey(db: Reader, name: string): number | undefined {
  return db.get<{ key: number }>('SELECT key FROM predicate WHERE name = ?', name)?.key;
}

/** Names of predicates that relationships of current versions have or once had, the first to come 2,000 of them. */
export function predicateNames(db: Reader): string[] {
  return db.all<{ name: string }>('SELECT name FROM predicate ORDER BY key LIMIT 2000').map(({ name }) => name);
}

/** Those of some names, whatever their case. */
export function predicatesNamed(db: Reader, names: readonly string[]): string[] {
  const rows = db.all<{ name: string }>(
    'SELECT DISTINCT p.name FROM json_each(?) n JOIN predicate p ON p.name = n.value COLLATE NOCASE ORDER BY p.key',
    JSON.stringify(names),
  );
  return rows.map(({ name }) => name);
}

/** Whether a relationship has one of these names now, whatever its case; where none does, it looks through all relationships. */
export function isPredicateUsed(db: Reader, names: readonly string[]): boolean {
  const row = db.get<{ used: number }>(
    `SELECT EXISTS (SELECT 1 FROM edge WHERE predicate IN (
       SELECT p.key FROM json_each(?) n JOIN predicate p ON p.name = n.value COLLATE NOCASE)) AS used`,
    JSON.stringify(names),
  );
  return row?.used === 1;
}

export function ensurePredicateKey(db: Writer, name: string): number {
  return remembered(
    predicates,
    db,
    name,
    () => predicateKey(db, name) ?? db.insert('INSERT INTO predicate (name) VALUES (?)', name),
  );
}

/**
 * Keys never change, and the same few peers and predicates are asked for with every relationship that is written. A
 * connection whose transaction was rolled back is given up, and what was remembered for it with it (group.ts).
 */
type Keys = WeakMap<Writer, Map<string, number>>;
const entities: Keys = new WeakMap();
const predicates: Keys = new WeakMap();
const lastKeys = new WeakMap<Writer, number>();
const maxRemembered = 8192;

function remembered(keys: Keys, db: Writer, name: string, find: () => number): number {
  let known = keys.get(db);
  if (!known || known.size >= maxRemembered) {
    known = new Map();
    keys.set(db, known);
  }
  const key = known.get(name) ?? find();
  known.set(name, key);
  return key;
}
