import type { Json, JsonObject } from '../model/manifest.ts';
import { isObject } from '../model/objects.ts';

/**
 * Where a value stands in a record. A member named like the whole text (`a.b`) goes before the steps `a`, then `b`. A text that
 * has no name before, between or after its dots (`Inv.-Nr.`) is such a member's name alone.
 */
export interface Path {
  text: string;
  steps: readonly string[];
}

export function pathOf(text: string): Path {
  const steps = text.split('.');
  return { text, steps: steps.includes('') ? [text] : steps };
}

/** The value at a path through objects, undefined where there is none. */
export function valueAt(record: JsonObject, path: Path): Json | undefined {
  if (Object.hasOwn(record, path.text)) return record[path.text];
  let value: Json | undefined = record;
  for (const step of path.steps) {
    if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** Every value at a path: arrays on the way and at its end count as their elements; null counts as nothing. */
export function valuesAt(record: JsonObject, path: Path): Json[] {
  if (Object.hasOwn(record, path.text)) return flat([record[path.text] ?? null]);
  let values: Json[] = [record];
  for (const step of path.steps)
    values = flat(values.flatMap((v) => (isObject(v) && Object.hasOwn(v, step) ? [v[step] ?? null] : [])));
  return values;
}

function flat(values: Json[]): Json[] {
  return values.flatMap((v) => (Array.isArray(v) ? flat(v) : v === null ? [] : [v]));
}

/** The record without what stands at the paths. A path that leads through an array removes nothing. */
export function withoutPaths(record: JsonObject, paths: readonly Path[]): JsonObject {
  let kept = record;
  for (const path of paths) kept = without(kept, Object.hasOwn(kept, path.text) ? [path.text] : path.steps);
  return kept;
}

function without(object: JsonObject, [step, ...rest]: readonly string[]): JsonObject {
  if (step === undefined || !Object.hasOwn(object, step)) return object;
  const inner = object[step];
  if (rest.length > 0 && !isObject(inner)) return object;
  const entries = Object.entries(object);
  if (!isObject(inner) || rest.length === 0) return Object.fromEntries(entries.filter(([key]) => key !== step));
  return Object.fromEntries(entries.map(([key, value]) => [key, key === step ? without(inner, rest) : value]));
}

/** The record with another value at a path at which it has one. */
export function withValueAt(record: JsonObject, path: Path, value: Json): JsonObject {
  return replacedAt(record, Object.hasOwn(record, path.text) ? [path.text] : path.steps, value);
}

function replacedAt(object: JsonObject, [step = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = object[step];
  const next = rest.length > 0 && isObject(inner) ? replacedAt(inner, rest, value) : value;
  return Object.fromEntries(Object.entries(object).map(([key, old]) => [key, key === step ? next : old]));
}
