import type { components } from '../../../api/schema.d.ts';
import { isMap, type Json, type JsonMap, member, same } from './json.ts';

export type Relationship = components['schemas']['RelationshipBody'];

/** What an entity says: what is edited, compared and merged. */
export interface Content {
  properties: JsonMap;
  relationships: Relationship[];
}

/** What is shown of an entity, or a version; other programs may have given a relationship's members any shape. */
export function contentOf(entity: { properties?: object; relationships?: Relationship[] }): Content {
  const relationships = entity.relationships ?? [];
  return {
    properties: (entity.properties ?? {}) as JsonMap,
    relationships: relationships.every(isUsual) ? relationships : relationships.map(asUsual),
  };
}

function isUsual({ peer_type = '', peer_label = '', properties = {} }: Relationship): boolean {
  return typeof peer_type === 'string' && typeof peer_label === 'string' && isMap(properties as Json);
}

/** Without the members that are of no known shape. */
function asUsual({ predicate, peer, peer_type, peer_label, properties }: Relationship): Relationship {
  return {
    predicate,
    peer,
    ...(typeof peer_type === 'string' && { peer_type }),
    ...(typeof peer_label === 'string' && { peer_label }),
    ...(isMap(properties as Json) && { properties }),
  };
}

/** A relationship's name within its entity: there is one of each predicate and peer. */
export function keyOf({ predicate, peer }: Pick<Relationship, 'predicate' | 'peer'>): string {
  return `${predicate} ${peer}`;
}

/** Type and label of a peer are copies, no statement of the entity's own. */
export function sameRelationship(a: Relationship | undefined, b: Relationship | undefined): boolean {
  if (!a || !b) return a === b;
  return keyOf(a) === keyOf(b) && same((a.properties ?? {}) as Json, (b.properties ?? {}) as Json);
}

/** Whether two versions say the same, in whatever order, but for the collection that stands first: that one decides permissions. */
export function sameContent(a: Content, b: Content): boolean {
  if (!same(a.properties, b.properties)) return false;
  // Asked at every key: of tens of thousands that are the very same ones no list is made.
  if (a.relationships === b.relationships) return true;
  const [x, y] = [byKey(a.relationships), byKey(b.relationships)];
  return (
    firstPlace(a.relationships) === firstPlace(b.relationships) &&
    x.size === y.size &&
    [...x].every(([key, one]) => sameRelationship(one, y.get(key)))
  );
}

export function byKey(relationships: readonly Relationship[]): Map<string, Relationship> {
  return new Map(relationships.map((one) => [keyOf(one), one]));
}

/** A relationship that places its entity in a collection. */
export function isPlace({ predicate }: Relationship): boolean {
  return predicate === 'collection';
}

/** The collection that stands first; undefined where there is none. */
function firstPlace(relationships: readonly Relationship[]): string | undefined {
  return relationships.find(isPlace)?.peer;
}

/** Relationships with another one, or one that says something else: in its place, where it was `before`, or last. */
export function withRelationship(
  relationships: readonly Relationship[],
  one: Relationship,
  before: readonly Relationship[],
): Relationship[] {
  const isIt = (other: Relationship) => keyOf(other) === keyOf(one);
  const at = relationships.findIndex(isIt);
  if (at !== -1) return relationships.with(at, one);
  const was = before.findIndex(isIt);
  if (was === -1) return [...relationships, one];
  const earlier = byKey(before.slice(0, was));
  return relationships.toSpliced(relationships.findLastIndex((other) => earlier.has(keyOf(other))) + 1, 0, one);
}

/** The body of PUT /entities/{id}, without the tip and the note. */
export interface Update {
  properties?: JsonMap;
  properties_remove?: string[];
  relationships_add?: components['schemas']['RelationshipAddBody'][];
  relationships_remove?: { predicate: string; peer: string }[];
}

/**
 * The update that makes `next` of `base`. Objects would be merged, so what changed within one is taken away and given
 * whole: removals come first.
 */
export function updateBetween(base: Content, next: Content): Update {
  const [old, now] = [base.properties, next.properties];
  const gone = Object.keys(old).filter((key) => !Object.hasOwn(now, key));
  const changed = Object.keys(now).filter((key) => !same(member(old, key), now[key]));
  const replaced = changed.filter((key) => isMap(member(old, key)) && isMap(now[key]));
  const [before, after] = [byKey(base.relationships), byKey(next.relationships)];
  const parted = [...before].filter(([key, one]) => !sameRelationship(one, after.get(key)));
  const added = [...after].filter(([key, one]) => !sameRelationship(one, before.get(key)));
  return {
    ...(changed.length > 0 ? { properties: Object.fromEntries(changed.map((key) => [key, now[key]!])) } : {}),
    ...(gone.length + replaced.length > 0 ? { properties_remove: [...gone, ...replaced] } : {}),
    ...(added.length > 0 ? { relationships_add: added.map(([, one]) => one) } : {}),
    ...(parted.length > 0
      ? { relationships_remove: parted.map(([, { predicate, peer }]) => ({ predicate, peer })) }
      : {}),
  };
}

/**
 * What is said one after the other to make `next` of `base`, `next` last: that alone, unless collections would come to stand before
 * the one that is to be the first (src/server/sync/delta.ts). Those are left out first, and said anew behind it then.
 */
export function stepsBetween(base: Content, next: Content): Content[] {
  const ahead = aheadOfFirst(base, next);
  if (ahead.size === 0) return [next];
  return [{ ...next, relationships: next.relationships.filter((one) => !ahead.has(keyOf(one))) }, next];
}

/** The collections of `next` that stood before its first one if it were made in one update: what was there keeps its place. */
function aheadOfFirst(base: Content, next: Content): Set<string> {
  const after = byKey(next.relationships.filter(isPlace));
  const order = [...new Set([...byKey(base.relationships).keys(), ...after.keys()])].filter((key) => after.has(key));
  const [first] = after.keys();
  return new Set(first === undefined ? [] : order.slice(0, order.indexOf(first)));
}

/** Whether an update leads to nothing new: to what there was before, which may be deleted by now, or was never here. */
export function leadsToNothingNew(base: Content, { relationships_add = [] }: Update): boolean {
  const peers = new Set(base.relationships.map(({ peer }) => peer));
  return relationships_add.every(({ peer }) => peers.has(peer));
}
