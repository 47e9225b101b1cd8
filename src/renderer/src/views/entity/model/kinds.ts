import { entityIdForm } from '../../../api/entity-id.ts';
import { isMap, type Json, same } from './json.ts';

/** What a value is. */
export type Kind = 'text' | 'long' | 'number' | 'boolean' | 'date' | 'list' | 'object' | 'empty';

export const kinds: Kind[] = ['text', 'long', 'number', 'boolean', 'date', 'list', 'object', 'empty'];

/** As what a value is edited: `json` where no field of its kind shows all of it, or none that could be read. */
export type Shown = Kind | 'json';

/** Texts of more signs have a field of several lines. */
const longText = 90;

/** Deeper, and in longer lists, a form would be harder to read than the text. */
const deepest = 5;
const longest = 200;

export function kindOf(value: Json): Kind {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'list';
  if (isMap(value)) return 'object';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (isDay(value)) return 'date';
  return value.length > longText || /[\r\n]/.test(value) ? 'long' : 'text';
}

/** As what a value is edited that stands so many places deep. */
export function shownAs(value: Json, depth: number): Shown {
  const kind = kindOf(value);
  if (kind !== 'object' && kind !== 'list') return kind;
  return depth > deepest || Object.keys(value as object).length > longest ? 'json' : kind;
}

/**
 * Whether a value stays in the field in which it is, whatever it has become: another field in its place would take the
 * focus, and the next letters would be shortcuts. A text does where the field shows all of it, for what it does not
 * show would be lost with the next sign.
 */
export function stays(shown: Shown, value: Json): boolean {
  if (shown === 'json') return true;
  if (typeof value !== 'string') return false;
  if (shown === 'date') return value === '' || isDay(value);
  return shown === 'long' || (shown === 'text' && !/[\r\n]/.test(value));
}

/** Whether a text is a day that the calendar has; a field for dates shows no other. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false;
  const day = new Date(text);
  // A day too many becomes one of the next month.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** A value as another kind, with as much of it as that kind can say. */
export function converted(value: Json, kind: Kind): Json {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (kind) {
    case 'text':
      return text.replaceAll(/\r\n|\r|\n/g, ' ');
    case 'long':
      return text;
    case 'number':
      return numberOf(text) ?? 0;
    case 'boolean':
      return text === 'true' || text === '1';
    case 'date':
      return isDay(text.slice(0, 10)) ? text.slice(0, 10) : '';
    case 'list':
      return value === null || text === '' ? [] : [value];
    case 'object':
      return isMap(value) ? value : {};
    case 'empty':
      return null;
  }
}

/** A value that was made another kind, and what it was before: no kind says all that another one says. */
export interface Turned {
  from: Json;
  now: Json;
}

/**
 * A value as another kind. As long as it is as the last kind made it, it is made of what there was before all of them, so that
 * the way back gives back what was there.
 */
export function turned(value: Json, kind: Kind, last: Turned | null): Turned {
  const from = last !== null && same(last.now, value) ? last.from : value;
  return { from, now: kindOf(from) === kind ? from : converted(from, kind) };
}

/** The number that a text is; null where it is none, or none that can be kept exactly. */
export function numberOf(text: string): number | null {
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text.trim())) return null;
  if (!isKept(text.trim())) return null;
  const number = Number(text);
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? null : number;
}

/** Whether a decimal number is kept as the number that it is, and not as one beside it. */
export function isKept(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  const written = decimal(text);
  if (written === decimal(String(number))) return true;
  // Other programs write a number with up to 17 digits, also where fewer say the same.
  const digits = written.replace('-', '').split('e')[0] ?? '';
  return number !== 0 && !Number.isInteger(number) && digits.length <= 17;
}

/** A decimal number in the one form that all ways to write it share. */
function decimal(text: string): string {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.replace(/^[-+]/, '').split('.');
  const digits = `${whole}${part}`.replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  if (end === 0) return '0';
  const sign = mantissa.startsWith('-') ? '-' : '';
  return `${sign}${digits.slice(0, end)}e${Number(power) - part.length + digits.length - end}`;
}

/** The entities that a text refers to inline, each once: `arke:ID`, where `arke` is the service's name. */
export function referencesIn(text: string, service: string): string[] {
  const name = service.replaceAll(/[^\w]/g, '\\$&');
  const reference = new RegExp(`\\b${name}:(${entityIdForm})\\b`, 'g');
  return [...new Set([...text.matchAll(reference)].map(([, id]) => id ?? ''))].slice(0, 50);
}
