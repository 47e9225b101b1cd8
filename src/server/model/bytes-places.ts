import type { Json, JsonObject } from './manifest.ts';
import { isObject } from './objects.ts';
import { equalJson } from './properties.ts';

// What is said of bytes holds for those alone: a merge that takes the CID of one side and the size of the other is true of nothing.

/** What a file says of its own bytes (wire-contract.md, 2.1), in the order in which a difference is named. */
const ofOwnBytes = ['cid', 'key', 'size', 'content_type', 'uploaded'] as const;

/** The three versions of one value, undefined where one has none. */
export interface Versions<T> {
  base: T | undefined;
  ours: T | undefined;
  theirs: T | undefined;
}

/** Whether both sides brought other bytes under a key of `properties.content`: then the whole entry is one side's. */
export function isOtherBytes(path: string[], { base, ours, theirs }: Versions<Json>, based: boolean): boolean {
  if (path.length !== 3 || path[0] !== 'properties' || path[1] !== 'content') return false;
  const [before, mine, other] = [base, ours, theirs].map((entry) => (isObject(entry) ? entry.cid : undefined));
  return !equalJson(mine, other) && !(based && (equalJson(mine, before) || equalJson(other, before)));
}

/** What a file's properties say of its own bytes, and what else they say. */
export function splitFile(properties: JsonObject): { bytes: JsonObject; rest: JsonObject } {
  const isOwn = ([name]: [string, Json]) => ofOwnBytes.some((one) => one === name);
  const all = Object.entries(properties);
  return {
    bytes: Object.fromEntries(all.filter(isOwn)),
    rest: Object.fromEntries(all.filter((one) => !isOwn(one))),
  };
}

/** The first member in which two sides say something else of a file's own bytes. */
export function differingMember(ours: JsonObject, theirs: JsonObject): string {
  return ofOwnBytes.find((name) => !equalJson(ours[name], theirs[name])) ?? 'cid';
}
