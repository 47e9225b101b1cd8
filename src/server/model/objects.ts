import type { JsonObject } from './manifest.ts';

/** Whether a JSON value is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same of a value that was read from a block, where bytes may stand as well. */
export function isMap(value: unknown): value is object {
  return isObject(value) && !ArrayBuffer.isView(value);
}

/** Without the members that are undefined. */
export function present<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}
