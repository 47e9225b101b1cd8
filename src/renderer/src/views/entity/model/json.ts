export type Json = null | boolean | number | string | Json[] | JsonMap;
export interface JsonMap {
  [key: string]: Json;
}

export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of its own; what every object inherits is none. */
export function member(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Whether two values say the same, whatever the order of their members. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((one, i) => same(one, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && same(a[key], b[key]));
}

/**
 * What a query has, where what came says the same, so that nothing is drawn anew; else what came. Parts that stayed are not
 * put together with what came, as queries do by themselves: a member called `__proto__` would be lost.
 */
export function keptOrNew(kept: unknown, now: unknown): unknown {
  return same(kept as Json | undefined, now as Json) ? kept : now;
}

/** A value as people read it. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}

/** Whether two values look the same, as the text "1850" and the number do, and are not. */
export function looksLike(a: Json, b: Json): boolean {
  return !same(a, b) && textOf(a) === textOf(b);
}

/** Whether two texts look the same and are not: by blanks, ends of lines, signs that are not seen, or how letters are composed. */
export function differsUnseen(a: Json, b: Json): boolean {
  return typeof a === 'string' && typeof b === 'string' && a !== b && seenOf(a) === seenOf(b);
}

function seenOf(text: string): string {
  const letters = text.normalize('NFC').replaceAll(/(?!\s)[\p{Cc}\p{Cf}]/gu, '');
  return letters.replaceAll(/[\s\p{Z}]+/gu, ' ').trim();
}

/** A copy with another value at a path; `undefined` takes the member or item away. */
export function withValue(value: Json, path: readonly (string | number)[], next: Json | undefined): Json {
  const [first, ...rest] = path;
  if (first === undefined) return next as Json;
  if (Array.isArray(value)) {
    const at = Number(first);
    if (rest.length === 0 && next === undefined) return value.filter((_, i) => i !== at);
    const copy = [...value];
    copy[at] = withValue(copy[at] ?? null, rest, next);
    return copy;
  }
  const map = isMap(value) ? value : {};
  // Member by member, so that a name such as `__proto__` is a name.
  const entries = new Map(Object.entries(map));
  if (rest.length === 0 && next === undefined) entries.delete(String(first));
  else entries.set(String(first), withValue(member(map, String(first)) ?? {}, rest, next));
  return Object.fromEntries(entries);
}

/** The same value under another name, in its place. */
export function renamed(map: JsonMap, from: string, to: string): JsonMap {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key === from ? to : key, value]));
}
