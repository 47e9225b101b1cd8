import { shortened } from '../../model/cut-text.ts';
import { fromJson } from '../../model/from-json.ts';
import { lenientRelationship } from '../../model/lenient.ts';
import { type Column, columnName } from '../../model/table.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../connection.ts';
import { lastMoveOf } from '../events.ts';
import { labelOfId } from '../search/search-source.ts';

export interface TableRowsQuery {
  /** Integer keys, as tableOrder gives them. */
  keys: number[];
  columns: Column[];
  /** The last move before the order was made. */
  since: number;
}

/** One row as it is now: `changed` where the entity has moved since the order was made, and where it was deleted, its facts and `gone`. */
export interface TableRow {
  id: string;
  type: string;
  label: string | null;
  ver: number;
  cid: string;
  created_at: string;
  updated_at: string;
  gone?: true;
  changed?: true;
  /** By the column's name; peers by what they are called now; what is long is cut and ends in an ellipsis; lists of plain values stand between commas, else it is JSON. */
  cells: Record<string, string | number | boolean>;
}

type Row = Omit<TableRow, 'cells' | 'gone' | 'changed'> & { deleted: number; json: string | null };

/** A table has many cells and each little room. */
const room = 241;
/** Of larger entities the cells stay empty: a page of them would be too much at once. */
const largest = 1_000_000;

export function tableRows(db: Reader, { keys, columns, since }: TableRowsQuery): TableRow[] {
  const json = columns.length > 0 ? `CASE WHEN octet_length(e.json) <= ${largest} THEN e.json END` : 'NULL';
  return keys.flatMap((key) => {
    const row = db.get<Row>(
      `SELECT e.id, e.type, e.label, e.ver, e.cid, e.created_at, e.updated_at, e.deleted, ${json} AS json
         FROM entity e WHERE e.key = ? AND e.tip IS NOT NULL`,
      key,
    );
    return row ? [toTableRow(db, row, columns, lastMoveOf(db, key) > since)] : [];
  });
}

function toTableRow(db: Reader, { deleted, json, label, ...row }: Row, columns: Column[], changed: boolean): TableRow {
  const manifest = json === null ? null : (fromJson(json) as WireManifest);
  const cells = columns.flatMap((column): [string, string | number | boolean][] => {
    const value = manifest === null ? undefined : cellOf(db, manifest, column);
    return value === undefined ? [] : [[columnName(column), value]];
  });
  return {
    ...row,
    label: label === '' ? null : shortened(label ?? '', room),
    ...(deleted === 1 ? { gone: true as const } : {}),
    ...(changed ? { changed } : {}),
    cells: Object.fromEntries(cells),
  };
}

function cellOf(
  db: Reader,
  { properties, relationships }: WireManifest,
  { of, name }: Column,
): string | number | boolean | undefined {
  if (of === 'relationship') {
    const peers = relationships.filter(({ predicate }) => predicate === name);
    return peers.length === 0 ? undefined : shortened(namesOf(db, peers), room);
  }
  const value = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return shortened(value, room);
  const plain = Array.isArray(value) && value.every((one) => typeof one !== 'object');
  return shortened(plain ? value.join(', ') : JSON.stringify(value), room);
}

/** As many as there is room for. */
function namesOf(db: Reader, peers: WireManifest['relationships']): string {
  let names = '';
  for (const { peer, peer_label } of peers.map(lenientRelationship)) {
    names += `${names === '' ? '' : ', '}${labelOfId(db, peer) ?? peer_label ?? peer}`;
    if (names.length > room) break;
  }
  return names;
}
