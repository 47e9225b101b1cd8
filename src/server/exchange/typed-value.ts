import { ValidationError } from '../errors.ts';
import { shortened } from '../model/cut-text.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonLoss } from '../model/json-loss.ts';
import { jsonIssues } from '../model/json-value.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import { isKeptAsNumber } from '../model/numerals.ts';
import type { PropertyKind } from './mapping-file.ts';
import { type Path, valueAt, withoutPaths, withValueAt } from './paths.ts';

const numeral = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,4})?$/i;
/** A postcode or an inventory number, of which a number would not keep them. */
const leadingZeros = /^[-+]?0\d/;
// The last second of a day may be a 61st.
const date =
  /^(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d+)?)?(?:Z|[-+](?:[01]\d|2[0-3]):?[0-5]\d)?)?)?)?$/;
const truths: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', '1'].map((text) => [text, true] as const),
  ...['false', 'no', '0'].map((text) => [text, false] as const),
]);

/** The item with its values as the kinds that a mapping gives them. @throws ValidationError for one that is none */
export function typedItem(typed: readonly { path: Path; kind: PropertyKind }[], item: JsonObject): JsonObject {
  let next = item;
  for (const { path, kind } of typed) {
    const value = valueAt(next, path);
    if (value === undefined || value === null) continue;
    const made = typedValue(value, kind, path);
    next = made === undefined ? withoutPaths(next, [path]) : withValueAt(next, path, made);
  }
  return next;
}

/** A value as a kind; undefined where it is empty. */
function typedValue(value: Json, kind: PropertyKind, path: Path): Json | undefined {
  if (typeof kind === 'object') return listed(value, kind.list);
  const text = typeof value === 'string' ? value.trim() : null;
  switch (kind) {
    case 'text':
      return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    case 'list':
      return listed(value, ';');
    case 'number':
      if (typeof value === 'number') return value;
      return text === '' ? undefined : numberOf(text, path, value);
    case 'boolean':
      if (typeof value === 'boolean') return value;
      if (text === '') return undefined;
      return truths.get((text ?? String(value)).toLowerCase()) ?? refuse(path, value, 'yes, no, true, false, 1 or 0');
    case 'date': {
      if (text === '') return undefined;
      const written = text ?? (typeof value === 'number' ? String(value) : '');
      return isDate(written) ? written : refuse(path, value, 'a date as 1901, 1901-03 or 1901-03-04');
    }
    case 'json':
      return text === null ? value : text === '' ? undefined : jsonOf(text, path, value);
  }
}

function numberOf(text: string | null, path: Path, value: Json): number {
  const number = Number(text);
  const fits = text !== null && numeral.test(text) && Number.isFinite(number);
  if (!fits) return refuse(path, value, 'a number');
  if (leadingZeros.test(text) || (Number.isInteger(number) && !Number.isSafeInteger(number)) || !isKeptAsNumber(text))
    return refuse(path, value, 'a number that can be kept exactly: take it as a text');
  // There is no negative zero on the wire.
  return number === 0 ? 0 : number;
}

/** Whether a text is a year, a month or a day that there is, or a time of a day (1901-03-04T10:00:00Z). */
export function isDate(text: string): boolean {
  const [, year, month, day] = date.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return year !== undefined;
  // Of the proleptic Gregorian calendar, as ISO 8601 has it: day 0 of the next month is the last of this one.
  const last = new Date(0);
  last.setUTCFullYear(Number(year), Number(month), 0);
  return Number(day) <= last.getUTCDate();
}

function jsonOf(text: string, path: Path, value: Json): Json {
  let parsed: Json;
  try {
    parsed = fromJson(text) as Json;
  } catch {
    return refuse(path, value, 'JSON');
  }
  return jsonIssues(parsed, [])[0] || jsonLoss(text) ? refuse(path, value, 'JSON that can be kept exactly') : parsed;
}

function listed(value: Json, separator: string): Json | undefined {
  if (typeof value !== 'string') return Array.isArray(value) ? value : [value];
  const items = splitText(value, separator);
  return items.length === 0 ? undefined : items;
}

/**
 * Whether a text of up to 15 digits before the point is a number that is written in the same way again: one without zeros
 * before or after it, say. Longer ones may be names of which further ones are no number.
 */
export function isWrittenAsNumber(text: string): boolean {
  return /^-?\d{1,15}(?:\.\d+)?$/.test(text) && String(Number(text)) === text;
}

/** The parts of a text that are not empty, without the white space around them. */
export function splitText(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function refuse(path: Path, value: Json, what: string): never {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  throw ValidationError.at([...path.steps], `"${path.text}" is "${shortened(text, 60)}", which is not ${what}`);
}
