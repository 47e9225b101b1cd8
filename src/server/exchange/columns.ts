import { shortened } from '../model/cut-text.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import { pathOf } from './paths.ts';
import { isDate, isWrittenAsNumber } from './typed-value.ts';

/** What one field of a source holds, as far as a sample shows. */
export interface ColumnFacts {
  /** The member's name; the steps of a path where it is a member of an object. */
  name: string;
  /** In how many records there is something. */
  filled: number;
  /** In how many different ways; none where there were too many to count. */
  distinct: number | null;
  /** The first different values, shortened. */
  examples: string[];
  /** What all of them are. A numeral that a number would not be written as again (`007`, `1987.10`, `+5`) is a text: it is a name. */
  looks: 'text' | 'number' | 'boolean' | 'date' | 'list' | 'object' | 'empty';
}

const maxColumns = 500;
const maxDistinct = 1000;
const maxExamples = 5;
const maxExample = 80;

interface Gathered {
  filled: number;
  values: Set<string>;
  looks: Set<ColumnFacts['looks']>;
}

/**
 * The fields of records in the order in which they are first met, members of objects as paths of their own. `whole`: there are no
 * others; behind `1987.9` may come `1987.10`.
 */
export function columnsOf(records: readonly JsonObject[], whole: boolean): ColumnFacts[] {
  const columns = new Map<string, Gathered>();
  for (const record of records) gather(record, '', columns, whole);
  return [...columns].map(([name, { filled, values, looks }]) => ({
    name,
    filled,
    distinct: values.size > maxDistinct ? null : values.size,
    examples: [...values].slice(0, maxExamples),
    looks: looks.size === 0 ? 'empty' : looks.size === 1 ? ([...looks][0] as ColumnFacts['looks']) : 'text',
  }));
}

function gather(object: JsonObject, prefix: string, columns: Map<string, Gathered>, whole: boolean): void {
  for (const [member, value] of Object.entries(object)) {
    const path = pathOf(prefix === '' ? member : `${prefix}.${member}`);
    const name = path.text;
    // Within an object no path leads to a name as `Nr.`.
    const isNamed = member !== '' && (prefix === '' || path.steps.length > 1);
    if (!isNamed || name.length > 200) continue;
    let column = columns.get(name);
    if (!column) {
      if (columns.size >= maxColumns) continue;
      column = { filled: 0, values: new Set(), looks: new Set() };
      columns.set(name, column);
    }
    if (value === null || value === '') continue;
    column.filled++;
    column.looks.add(looksOf(value, whole));
    if (column.values.size <= maxDistinct) column.values.add(exampleOf(value));
    if (typeof value === 'object' && !Array.isArray(value) && prefix.split('.').length < 3)
      gather(value, name, columns, whole);
  }
}

function looksOf(value: Json, whole: boolean): ColumnFacts['looks'] {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value !== 'string') return 'object';
  const text = value.trim();
  if (isWrittenAsNumber(text) && (whole || !text.includes('.'))) return 'number';
  if (/^(?:true|false|yes|no)$/i.test(text)) return 'boolean';
  // A year and a month may be a number of something else.
  return /^\d{4}-\d\d-\d\d/.test(text) && isDate(text) ? 'date' : 'text';
}

function exampleOf(value: Json): string {
  return shortened(typeof value === 'string' ? value : JSON.stringify(value), maxExample);
}
