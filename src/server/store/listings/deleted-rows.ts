import { shortened } from '../../model/cut-text.ts';
import { labelOf } from '../../model/manifest.ts';
import { blockBytes, storedManifest } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { inTypeIndex } from '../indexed-types.ts';
import { lastHere } from '../last-here.ts';
import { isDamagedVersion, storing } from '../storage-error.ts';

export interface DeletedQuery {
  /** A collection's id; null for the collections themselves. */
  collection: string | null;
  offset: number;
  limit: number;
}

/** A deleted entity: its facts are those of the tombstone, but for the label, which is the last that it had (null: none that can be read). */
export interface DeletedRow {
  id: string;
  type: string;
  label: string | null;
  ver: number;
  cid: string;
  created_at: string;
  deleted_at: string;
  /** Who deleted it; empty where the version does not say, or is damaged. */
  deleted_by: string;
  note: string | null;
}

type Row = Pick<DeletedRow, 'id' | 'type' | 'ver' | 'cid' | 'created_at'> & {
  key: number;
  tip: number;
  updated_at: string;
};

const longest = 301;
const deletedCollections = `type = 'collection' AND deleted = 1 AND ${inTypeIndex}`;

/** What was deleted in a collection, or which collections were, the last first. It decodes versions: a long read. */
export function deletedRows(
  db: Reader,
  { collection, offset, limit }: DeletedQuery,
): { total: number; rows: DeletedRow[] } {
  const from = `FROM entity WHERE ${collection === null ? deletedCollections : 'collection = ? AND deleted = 1'}`;
  const of = collection === null ? [] : [entityKey(db, collection) ?? -1];
  const rows = db.all<Row>(
    `SELECT key, id, type, ver, cid, created_at, updated_at, tip ${from} ORDER BY updated_at DESC, key DESC LIMIT ? OFFSET ?`,
    ...of,
    limit,
    offset,
  );
  return {
    total: db.get<{ n: number }>(`SELECT count(*) AS n ${from}`, ...of)?.n ?? 0,
    rows: rows.map((row) => told(db, row)),
  };
}

/** How many of some tips, by their blocks' keys, are deletions. */
export function deletedAmong(db: Reader, tips: readonly number[]): number {
  const sql = `SELECT count(*) AS n FROM json_each(?) wanted CROSS JOIN entity e ON e.tip = wanted.value AND e.deleted = 1`;
  return db.get<{ n: number }>(sql, JSON.stringify(tips))?.n ?? 0;
}

function told(db: Reader, { key, tip, updated_at, ...facts }: Row): DeletedRow {
  const grave = unlessDamaged(() => storedManifest(blockBytes(db, tip)));
  const last = grave && unlessDamaged(() => lastHere(db, { key }, grave));
  const label = last ? labelOf(last.manifest) : '';
  const said = grave?.note ?? grave?.reason;
  return {
    ...facts,
    label: label === '' ? null : shortened(label, longest),
    deleted_at: updated_at,
    deleted_by: grave?.edited_by.user_id ?? '',
    note: said === undefined ? null : shortened(said, longest),
  };
}

/** null where the version is damaged: the other rows of the page are restored from there all the same. */
function unlessDamaged<T>(read: () => T): T | null {
  try {
    return storing(read);
  } catch (error) {
    if (isDamagedVersion(error)) return null;
    throw error;
  }
}
