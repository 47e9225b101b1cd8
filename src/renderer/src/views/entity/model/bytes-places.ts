import { isMap, type Json, type JsonMap, member, same } from './json.ts';

// As the node's (src/server/model/bytes-places.ts): what is said of bytes holds for those alone, so that it is one side's.

/** What a file says of its own bytes, in the order in which a difference is named. */
const ofOwnBytes = ['cid', 'key', 'size', 'content_type', 'uploaded'];

/** Whether both sides brought other bytes under a key of `properties.content`. `based`: what was there before is known. */
export function isOtherBytes(
  path: string[],
  versions: { base: Json | undefined; mine: Json | undefined; theirs: Json | undefined },
  based: boolean,
): boolean {
  if (path.length !== 3 || path[0] !== 'properties' || path[1] !== 'content') return false;
  const { base, mine, theirs } = versions;
  const [before, ours, other] = [base, mine, theirs].map((entry) => (isMap(entry) ? entry.cid : undefined));
  return !same(ours, other) && !(based && (same(ours, before) || same(other, before)));
}

/** What a file's properties say of its own bytes, and what else they say. */
export function splitFile(properties: JsonMap): { bytes: JsonMap; rest: JsonMap } {
  const all = Object.entries(properties);
  return {
    bytes: Object.fromEntries(all.filter(([name]) => ofOwnBytes.includes(name))),
    rest: Object.fromEntries(all.filter(([name]) => !ofOwnBytes.includes(name))),
  };
}

/** The first member in which two sides say something else of a file's own bytes. */
export function differingMember(mine: JsonMap, theirs: JsonMap): string {
  return ofOwnBytes.find((name) => !same(member(mine, name), member(theirs, name))) ?? 'cid';
}
