import { folded } from '../../model/label-fold.ts';
import type { Column, Condition, TableOrder } from '../../model/table.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';
import { isTimeUp } from '../threads/read-time.ts';
import { type Cell, compareMeasured, type Measured, measured } from './cell-order.ts';

/** So much of a text decides where it is sorted. */
const sorted = 300;
/** For so many milliseconds rows are looked at. */
export const longestOrder = 30_000;
/** Alone where keys would be, of which it is none: there was no time to look at all rows. */
export const tooLate = 0;

/**
 * The integer keys of a table's rows in their order, as 32-bit numbers. Everything is looked at in one go, so it is a long
 * read; pages are cut from what it gives (table-views.ts). `tooLate` alone where it takes longer than `longestOrder`.
 */
export function tableOrder(db: Reader, { collection, types, conditions, sort }: TableOrder): Uint8Array {
  const until = performance.now() + longestOrder;
  const key = entityKey(db, collection);
  if (key === undefined) return new Uint8Array();
  const tested = conditions.map(({ column }) => ({ sql: cellSql(column), params: cellParams(column) }));
  const by = sort ? [{ sql: beginningSql(cellSql(sort.column)), params: cellParams(sort.column) }] : [];
  const cells = [...tested, ...by];
  const rows = db.each<Record<string, Cell>>(
    `SELECT l.entity AS key${cells.map(({ sql }, i) => `, ${sql} AS c${i}`).join('')}
       FROM listing l${cells.length > 0 ? ' JOIN entity e ON e.key = l.entity' : ''}
      WHERE l.collection = ?${types.length > 0 ? ` AND l.type IN (${types.map(() => '?').join()})` : ''}
      ORDER BY l.created_at DESC, l.id`,
    ...cells.flatMap(({ params }) => params),
    key,
    ...types,
  );
  const tests = conditions.map(test);
  const kept: { key: number; by: Measured | null }[] = [];
  for (const row of rows) {
    if (isTimeUp(until)) return bytesOf([tooLate]);
    if (!tests.every((fits, i) => fits(row[`c${i}`] ?? null))) continue;
    const by = row[`c${conditions.length}`] ?? null;
    kept.push({ key: Number(row.key), by: isMissing(by) ? null : measured(by) });
  }
  if (sort) kept.sort(({ by: a }, { by: b }) => compare(a, b, sort.descending));
  return bytesOf(kept.map((one) => one.key));
}

function bytesOf(keys: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(keys).buffer);
}

function cellSql(column: Column): string {
  if (column.of === 'fact') return `e.${column.name}`;
  if (column.of === 'relationship')
    return `(SELECT group_concat(coalesce(${nameSql}, r.value ->> 'peer_label', r.value ->> 'peer'), ', ')
       FROM json_each(e.json, '$.relationships') r WHERE r.value ->> 'predicate' = ?)`;
  return `(SELECT CASE p.type WHEN 'array' THEN ${listSql} ELSE ${plainSql('p')} END
     FROM json_each(e.json, '$.properties') p WHERE p.key = ?)`;
}

/** What a peer is called now. */
const nameSql = `(SELECT nullif(p.label, '') FROM entity p WHERE p.id = r.value ->> 'peer' AND p.deleted = 0)`;

/** A part that is cut from a text here would keep all of it in memory. */
function beginningSql(cell: string): string {
  return `(SELECT CASE typeof(one.cell) WHEN 'text' THEN substr(one.cell, 1, ${sorted}) ELSE one.cell END
     FROM (SELECT ${cell} AS cell) one)`;
}

function plainSql(value: string): string {
  return `CASE WHEN ${value}.type IN ('true', 'false') THEN ${value}.type ELSE ${value}.value END`;
}

/** As a cell shows it (table-rows.ts): plain values stand between commas, else it is JSON. */
const listSql = `(SELECT CASE WHEN max(v.type IN ('array', 'object', 'null')) THEN p.value
    ELSE coalesce(group_concat(${plainSql('v')}, ', '), '') END FROM json_each(p.value) v)`;

function cellParams(column: Column): string[] {
  return column.of === 'fact' ? [] : [column.name];
}

function test({ op, value }: Condition): (cell: Cell) => boolean {
  const wanted = folded(value);
  const limit = measured(wanted);
  const distance = (cell: string | number): number =>
    compareMeasured(measured(typeof cell === 'string' ? folded(cell) : cell), limit);
  const tests: Record<Condition['op'], (cell: Cell) => boolean> = {
    contains: (cell) => cell !== null && folded(String(cell)).includes(wanted),
    is: (cell) => cell !== null && folded(String(cell)) === wanted,
    not: (cell) => cell === null || folded(String(cell)) !== wanted,
    min: (cell) => !isMissing(cell) && distance(cell) >= 0,
    max: (cell) => !isMissing(cell) && distance(cell) <= 0,
    present: (cell) => !isMissing(cell),
    missing: isMissing,
  };
  return tests[op];
}

function isMissing(cell: Cell): cell is null | '' {
  return cell === null || cell === '';
}

/** What is not there comes last, in both directions. */
function compare(a: Measured | null, b: Measured | null, descending: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return (descending ? -1 : 1) * compareMeasured(a, b);
}
