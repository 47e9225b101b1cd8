import type { Json, JsonObject } from './manifest.ts';
import { isObject } from './objects.ts';

/** Keys to drop: names at this level, or an object that leads to lists of names further down (wire-contract.md N10). */
export type Removal = string[] | { [key: string]: Removal };

/** Deep merge: objects merge member by member, everything else (arrays, null) replaces (decisions.md, deep merge). */
export function mergeObject(base: JsonObject, patch: JsonObject): JsonObject {
  const members = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(patch)) {
    const old = members.get(key);
    members.set(key, isObject(old) && isObject(value) ? mergeObject(old, value) : value);
  }
  return Object.fromEntries(members);
}

/** The same as merging the patches one after the other, in one go over the base, however many they are. */
export function mergeAll(base: JsonObject, patches: readonly JsonObject[]): JsonObject {
  const members = new Map(Object.entries(base));
  const given = Map.groupBy(
    patches.flatMap((patch) => Object.entries(patch)),
    ([key]) => key,
  );
  for (const [key, entries] of given)
    members.set(
      key,
      mergedValue(
        members.get(key),
        entries.map(([, value]) => value),
      ),
    );
  return Object.fromEntries(members);
}

/** What one member becomes: whatever stood before the last value that is no object is replaced by it. */
function mergedValue(old: Json | undefined, values: Json[]): Json {
  const last = values.findLastIndex((value) => !isObject(value));
  const start = last === -1 ? old : values[last];
  const [first, ...rest] = values.slice(last + 1) as JsonObject[];
  if (first === undefined) return start as Json;
  return isObject(start) ? mergeAll(start, [first, ...rest]) : mergeAll(first, rest);
}

/** The object without what `removal` names; names that are not there are no error. */
export function removeMembers(base: JsonObject, removal: Removal): JsonObject {
  const members = new Map(Object.entries(base));
  if (Array.isArray(removal)) for (const key of removal) members.delete(key);
  else
    for (const [key, inner] of Object.entries(removal)) {
      const old = members.get(key);
      if (isObject(old)) members.set(key, removeMembers(old, inner));
    }
  return Object.fromEntries(members);
}

/** Whether two JSON values are the same, whatever the order of members. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((v, i) => equalJson(v, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && equalJson(a[k], b[k]));
}

/**
 * JSON text that is the same for values that are (see equalJson). Digests of it are on disk, so it stays as it is. Inputs of a
 * megabyte come here at each handoff, so what is in order already is written as it stands.
 */
export function orderedJson(value: Json): string {
  return JSON.stringify(isInOrder(value) ? value : ordered(value));
}

function isInOrder(value: Json): boolean {
  if (Array.isArray(value)) return value.every(isInOrder);
  if (!isObject(value)) return true;
  return Object.keys(value).every(
    (key, i, keys) => (i === 0 || (keys[i - 1] ?? '') < key) && isInOrder(value[key] ?? null),
  );
}

function ordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(ordered);
  if (!isObject(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, ordered(value[key] ?? null)]));
}
