import { folded, labelKey } from '../../model/label-fold.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';

/** A live entity that was found by its label or type. */
export interface FoundEntity {
  id: string;
  type: string;
  /** null where it has none. */
  label: string | null;
  created_at: string;
  updated_at: string;
}

export interface LookupQuery {
  /** The id of a collection; with a label or a type or both, whatever their case. */
  collection: string;
  label?: string | undefined;
  type?: string | undefined;
  limit: number;
}

export interface LabelSearchQuery {
  /** The id of a collection. */
  collection: string;
  /** Part of the label, whatever its case. */
  part: string;
  type?: string | undefined;
  limit: number;
}

type Row = Omit<FoundEntity, 'label'> & { label: string };

const columns = 'e.id, e.type, e.label, e.created_at, e.updated_at';

/** Entities with that label, or of that type, newest created first, then by id. */
export function lookUp(db: Reader, { collection, label, type, limit }: LookupQuery): FoundEntity[] {
  const key = entityKey(db, collection);
  if (key === undefined) return [];
  const wanted = label === undefined ? undefined : folded(label);
  const fits = fitting(type);
  const rows = oneByOne(db, label === undefined ? ofType(db, key, type ?? '') : labelled(db, key, label));
  return take(rows, limit, (row) => fits(row.type) && (wanted === undefined || folded(row.label) === wanted));
}

/**
 * Entities whose label has that part, those first that this node has known for the shortest time: very many may have it, and are
 * not all looked at. The first 500 characters of a label count.
 */
export function searchLabels(db: Reader, { collection, part, type, limit }: LabelSearchQuery): FoundEntity[] {
  const fits = fitting(type);
  const rows = db.each<Row>(
    `SELECT ${columns} FROM label l JOIN entity e ON e.key = l.entity
      WHERE l.collection = ? AND instr(l.folded, ?) > 0 ORDER BY l.entity DESC`,
    entityKey(db, collection) ?? -1,
    folded(part),
  );
  return take(rows, limit, (row) => fits(row.type));
}

/** The types in a collection that are one, whatever its case. */
export function typesNamed(db: Reader, { collection, type }: { collection: string; type: string }): string[] {
  const key = entityKey(db, collection) ?? -1;
  const types = db.all<{ type: string }>('SELECT DISTINCT type FROM listing WHERE collection = ?', key);
  return types.map((row) => row.type).filter(fitting(type));
}

function fitting(type: string | undefined): (type: string) => boolean {
  if (type === undefined) return () => true;
  const wanted = folded(type);
  return (other) => folded(other) === wanted;
}

/** Sorted by SQLite, which keeps no more of each than its place: very many may have one label. */
function labelled(db: Reader, collection: number, label: string): Iterable<{ entity: number }> {
  return db.each(
    `SELECT l.entity FROM label l JOIN entity e ON e.key = l.entity WHERE l.collection = ? AND l.folded = ?
      ORDER BY e.created_at DESC, e.id`,
    collection,
    labelKey(label),
  );
}

/**
 * Types are in the narrow rows of the listing, so that what is of another one is not looked up. SQLite folds ASCII alone;
 * of the others it lets pass all.
 */
function ofType(db: Reader, collection: number, type: string): Iterable<{ entity: number }> {
  return db.each(
    `SELECT entity FROM listing WHERE collection = ? AND (type = ? COLLATE NOCASE OR type GLOB '*[^ -~]*')
      ORDER BY created_at DESC, id`,
    collection,
    folded(type),
  );
}

/** Each is read when its turn comes. */
function* oneByOne(db: Reader, listed: Iterable<{ entity: number }>): Generator<Row> {
  for (const { entity } of listed) {
    const row = db.get<Row>(`SELECT ${columns} FROM entity e WHERE e.key = ?`, entity);
    if (row) yield row;
  }
}

function take(rows: Iterable<Row>, limit: number, fits: (row: Row) => boolean): FoundEntity[] {
  const found: FoundEntity[] = [];
  for (const row of rows) {
    if (!fits(row)) continue;
    found.push({ ...row, label: row.label === '' ? null : row.label });
    if (found.length === limit) break;
  }
  return found;
}
