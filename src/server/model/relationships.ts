import { lenientRelationship } from './lenient.ts';
import { type Json, type JsonObject, type Relationship, relationshipKey } from './manifest.ts';
import { mergeObject, type Removal, removeMembers } from './properties.ts';

/** A relationship to add or change (wire-contract.md N8): `properties` merge deep, after `properties_remove`. */
export interface RelationshipAdd extends Relationship {
  properties_remove?: Removal;
}

/** What to remove (wire-contract.md N9): without `peer`, every relationship of that predicate. */
export interface RelationshipRemove {
  predicate: string;
  peer?: string;
}

/**
 * Removals first, then upserts. Relationships keep their place: an upsert, or the removal and addition of one key in
 * one body, stays where it was; new ones go to the end (decisions.md, Permissions and writes).
 */
export function applyRelationships(
  current: Relationship[],
  remove: RelationshipRemove[],
  add: RelationshipAdd[],
): Relationship[] {
  if (remove.length === 0 && add.length === 0) return current;
  const places = new Map<string, Relationship | null>();
  for (const r of current) places.set(relationshipKey(r), r);
  removeFrom(places, remove);
  for (const item of add) {
    const key = relationshipKey(item);
    places.set(key, upsert(places.get(key) ?? null, item));
  }
  return [...places.values()].filter((r) => r !== null);
}

function removeFrom(places: Map<string, Relationship | null>, remove: RelationshipRemove[]): void {
  const whole = new Set(remove.filter((r) => r.peer === undefined).map((r) => r.predicate));
  for (const [key, r] of places) if (r && whole.has(r.predicate)) places.set(key, null);
  for (const { predicate, peer } of remove) {
    if (peer === undefined) continue;
    const key = relationshipKey({ predicate, peer });
    if (places.has(key)) places.set(key, null);
  }
}

function upsert(old: Relationship | null, add: RelationshipAdd): Relationship {
  const { predicate, peer } = add;
  const next: Relationship = { predicate, peer };
  const type = add.peer_type ?? old?.peer_type;
  if (type !== undefined) next.peer_type = type;
  const label = add.peer_label ?? old?.peer_label;
  if (label !== undefined) next.peer_label = label;
  const said = old ? lenientRelationship(old).properties : undefined;
  const left = said && add.properties_remove ? removeMembers(said, add.properties_remove) : said;
  // What another program wrote in place of an object stays until it is written over.
  const kept: JsonObject | undefined = left ?? old?.properties;
  const properties = add.properties ? (left ? mergeObject(left, add.properties) : add.properties) : kept;
  if (properties !== undefined) next.properties = properties;
  return next;
}

/** A relationship as it is stored: its known members only, in a fixed set (decisions.md: unknown members are dropped). */
export function storedRelationship(r: Relationship): Relationship {
  return upsert(null, r);
}

/** Whether two relationships of one key say the same. */
export function sameRelationship(a: Relationship, b: Relationship, equal: (a: Json, b: Json) => boolean): boolean {
  return (
    a.peer_type === b.peer_type && a.peer_label === b.peer_label && equal(a.properties ?? null, b.properties ?? null)
  );
}
