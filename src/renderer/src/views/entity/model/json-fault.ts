import { isKept } from './kinds.ts';

/**
 * What is wrong with a JSON text, and where, for people: lines and columns from 1. `syntax`: it is no JSON from there on;
 * `object`: it is JSON, and no object; `twice`: its object has that name already, of which one value would be lost;
 * `number`: it would be kept as another one.
 */
export interface JsonFault {
  reason: 'syntax' | 'object' | 'twice' | 'number';
  line: number;
  column: number;
  /** The name or the number that stands there; nothing otherwise. */
  what: string;
}

/** What is wrong with a text that is to be a JSON object; null if nothing is. */
export function jsonFault(text: string): JsonFault | null {
  const fault = valueFault(text);
  if (fault) return fault;
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return null;
  return { reason: 'object', line: 1, column: 1, what: '' };
}

/** What is wrong with a text that is to be JSON, whatever it says; null if nothing is. */
export function valueFault(text: string): JsonFault | null {
  const found = firstFault(text);
  if (!found) return null;
  const { reason, offset, what } = found;
  const before = text.slice(0, offset).split('\n');
  return { reason, line: before.length, column: (before.at(-1)?.length ?? 0) + 1, what };
}

const blanks = /[ \t\n\r]*/y;
const signs = /[{}[\],:]/y;
const strings = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[ !#-[\]-\u{10ffff}]*)*"/uy;
const words = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][-+]?\d+)?|true|false|null/y;

/** What of a kind stands at an offset. */
function read(kind: RegExp, text: string, at: number): string | undefined {
  kind.lastIndex = at;
  return kind.exec(text)?.[0];
}

/** What may come next: a value, the same or the end of a list, a name, the same or the end of an object, and so on. */
type Expected = 'value' | 'value]' | 'name' | 'name}' | ':' | ',' | 'end';

interface Found {
  reason: 'syntax' | 'twice' | 'number';
  offset: number;
  what: string;
}

/** Browsers tell a fault of JSON each in its way, or not at all. Where it is no JSON, nothing else is told. */
function firstFault(text: string): Found | null {
  const open: { sign: '{' | '['; names: Set<string> }[] = [];
  let expected: Expected = 'value';
  let odd: Found | null = null;
  for (let at = 0; ; ) {
    const offset = at + (read(blanks, text, at)?.length ?? 0);
    const noJson: Found = { reason: 'syntax', offset, what: '' };
    const sign = read(signs, text, offset);
    const string = sign === undefined ? read(strings, text, offset) : undefined;
    const what = sign ?? string ?? read(words, text, offset);
    if (what === undefined) return expected === 'end' && offset === text.length ? odd : noJson;
    at = offset + what.length;
    const inside = open.at(-1);
    const after = (): Expected => (open.length > 0 ? ',' : 'end');
    if (sign === '{' || sign === '[') {
      if (expected !== 'value' && expected !== 'value]') return noJson;
      open.push({ sign, names: new Set() });
      expected = sign === '{' ? 'name}' : 'value]';
    } else if (sign === '}' || sign === ']') {
      const [opens, empty] = sign === '}' ? ['{', 'name}'] : ['[', 'value]'];
      if (inside?.sign !== opens || (expected !== ',' && expected !== empty)) return noJson;
      open.pop();
      expected = after();
    } else if (sign === ',') {
      if (expected !== ',') return noJson;
      expected = inside?.sign === '{' ? 'name' : 'value';
    } else if (sign === ':') {
      if (expected !== ':') return noJson;
      expected = 'value';
    } else if (expected === 'name' || expected === 'name}') {
      if (string === undefined) return noJson;
      const name = JSON.parse(string) as string;
      if (inside?.names.has(name)) odd ??= { reason: 'twice', offset, what: name };
      inside?.names.add(name);
      expected = ':';
    } else {
      if (expected !== 'value' && expected !== 'value]') return noJson;
      if (/^[-\d]/.test(what) && !isKept(what)) odd ??= { reason: 'number', offset, what };
      expected = after();
    }
  }
}
