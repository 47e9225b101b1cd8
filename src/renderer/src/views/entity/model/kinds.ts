import { isMap, type Json } from './json.ts';

/** As what a value is edited. */
export type Kind = 'text' | 'long' | 'number' | 'boolean' | 'date' | 'list' | 'object' | 'empty';

export const kinds: Kind[] = ['text', 'long', 'number', 'boolean', 'date', 'list', 'object', 'empty'];

const day = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Texts of more signs have a field of several lines. */
const longText = 90;

export function kindOf(value: Json): Kind {
  if (value === null) return 'empty';
  if (Array.isArray(value)) return 'list';
  if (isMap(value)) return 'object';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'boolean';
  if (day.test(value)) return 'date';
  return value.length > longText || value.includes('\n') ? 'long' : 'text';
}

/** Whether a field of a kind shows a text whole: what it does not show would be lost with the next sign that is typed. */
export function showsWhole(kind: Kind, text: string): boolean {
  if (kind === 'date') return text === '' || day.test(text);
  return kind === 'long' || !text.includes('\n');
}

/** A value as another kind, with as much of it as that kind can say. */
export function converted(value: Json, kind: Kind): Json {
  const text = value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  switch (kind) {
    case 'text':
      return text.replaceAll('\n', ' ');
    case 'long':
      return text;
    case 'number':
      return numberOf(text) ?? 0;
    case 'boolean':
      return text === 'true' || text === '1';
    case 'date':
      return day.test(text.slice(0, 10)) ? text.slice(0, 10) : '';
    case 'list':
      return value === null || text === '' ? [] : [value];
    case 'object':
      return isMap(value) ? value : {};
    case 'empty':
      return null;
  }
}

/** The number that a text is; null where it is none, or none that can be kept exactly. */
export function numberOf(text: string): number | null {
  if (!/^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text.trim())) return null;
  const number = Number(text);
  if (!Number.isFinite(number)) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? null : number;
}

/** The entities that a text refers to inline, each once: `arke:ID`, where `arke` is the service's name. */
export function referencesIn(text: string, service: string): string[] {
  const name = service.replaceAll(/[^\w]/g, '\\$&');
  const reference = new RegExp(
    `\\b${name}:([0-9A-HJKMNP-TV-Z]{26}|II[0-9A-HJKMNP-TV-Z]{24}|[FC][0-9A-HJKMNP-TV-Z]{25})\\b`,
    'g',
  );
  return [...new Set([...text.matchAll(reference)].map(([, id]) => id ?? ''))].slice(0, 50);
}
