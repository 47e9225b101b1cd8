import { differingMember, isOtherBytes, splitFile } from './bytes-places.ts';
import { lenientRelationship } from './lenient.ts';
import {
  collectionsOf,
  type Json,
  type JsonObject,
  type Manifest,
  type Relationship,
  relationshipKey,
} from './manifest.ts';
import { isObject, present } from './objects.ts';
import { equalJson } from './properties.ts';

/** What a merge compares: what a version says, whoever made it. A deleted one says nothing else. */
export type Content = Pick<Manifest, 'properties' | 'relationships' | 'deleted'> & Partial<Pick<Manifest, 'type'>>;

/**
 * A place that both sides changed, and not to the same. A path is that of an issue: `["properties", "date", "from"]`,
 * `["relationships", predicate, peer, "properties", ...]`, `["relationships", "root"]` of a collection,
 * `["relationships", "collection"]` of what each side put first into another one, `["type"]` where it was made as something else on
 * each side, or `[]` where one side deleted what the other changed. A side without the member has nothing there.
 */
export interface Clash {
  path: string[];
  base?: Json;
  ours?: Json;
  theirs?: Json;
}

export interface Merged {
  /** What both changed to the same thing or in different places, and at each clash what `choose` said. */
  content: Content;
  clashes: Clash[];
}

export type Side = 'ours' | 'theirs';

/** The place of a clash about what an entity is. */
export const typePath = ['type'];

/**
 * Three-way merge over the last common version, by property path and by relationship (predicate, peer). Lists are
 * values, and so are the root of a collection, the collection that stands first, and what is said of bytes. `choose` settles a
 * clash, ours where it is not given. Order: base's, then theirs, then ours (decisions.md).
 * @param base null where none is known: then nobody can say whether what one side alone has was added there or removed by
 *   the other, and each difference is a clash
 */
export function mergeThreeWay(
  base: Content | null,
  ours: Content,
  theirs: Content,
  choose: (clash: Clash) => Side = () => 'ours',
): Merged {
  if (ours.deleted || theirs.deleted || base?.deleted) return mergeLives(base, ours, theirs, choose);
  const clashes: Clash[] = [];
  const settle = (clash: Clash) => {
    clashes.push(clash);
    return clash[choose(clash)];
  };
  const rule: Rule = { settle, based: base !== null };
  // A version has the type of the one that it follows, so that nothing of the content comes of it; but somebody has to know.
  mergeValues(base?.type, ours.type, theirs.type, typePath, rule);
  const before = base ?? { properties: {}, relationships: [] };
  const merge = ours.type === 'file' ? mergeFile : mergeProperties;
  const properties = merge(before.properties, ours.properties, theirs.properties, rule);
  const relationships = mergeRelationships(before, ours, theirs, rule);
  return { content: { properties, relationships }, clashes };
}

/** Where somebody deleted, a version counts as a whole. */
function mergeLives(base: Content | null, ours: Content, theirs: Content, choose: (clash: Clash) => Side): Merged {
  if (sameContent(ours, theirs) || (base && sameContent(base, theirs))) return { content: ours, clashes: [] };
  if (base && sameContent(base, ours)) return { content: theirs, clashes: [] };
  const clash: Clash = { path: [], ours: lifeOf(ours), theirs: lifeOf(theirs) };
  return { content: choose(clash) === 'ours' ? ours : theirs, clashes: [clash] };
}

function lifeOf({ deleted }: Content): Json {
  return deleted ? 'deleted' : 'live';
}

/** Whether two versions say the same, in whatever order, but for the collection that stands first. */
export function sameContent(a: Content, b: Content): boolean {
  if (a.deleted || b.deleted) return a.deleted === b.deleted;
  if (collectionsOf(a)[0] !== collectionsOf(b)[0]) return false;
  const [x, y] = [byKey(a), byKey(b)];
  return (
    equalJson(a.properties, b.properties) && x.size === y.size && [...x].every(([key, r]) => sameOrNone(r, y.get(key)))
  );
}

interface Rule {
  settle: (clash: Clash) => Json | undefined;
  /** What was there before is known, so that a side which says the same has changed nothing. */
  based: boolean;
}

/** One value, `undefined` where a side has none. */
function mergeValues(
  base: Json | undefined,
  ours: Json | undefined,
  theirs: Json | undefined,
  path: string[],
  rule: Rule,
): Json | undefined {
  if (equalJson(ours, theirs) || (rule.based && equalJson(theirs, base))) return ours;
  if (rule.based && equalJson(ours, base)) return theirs;
  if (isObject(ours) && isObject(theirs) && !isOtherBytes(path, { base, ours, theirs }, rule.based))
    return mergeMaps(isObject(base) ? base : {}, ours, theirs, path, rule);
  return rule.settle({ path, ...present({ base, ours, theirs }) });
}

function mergeProperties(base: JsonObject, ours: JsonObject, theirs: JsonObject, rule: Rule): JsonObject {
  return mergeMaps(base, ours, theirs, ['properties'], rule);
}

/** What a file says of its own bytes is one side's where both changed it; a clash is named by the first member that differs. */
function mergeFile(base: JsonObject, ours: JsonObject, theirs: JsonObject, rule: Rule): JsonObject {
  const [b, o, t] = [splitFile(base), splitFile(ours), splitFile(theirs)];
  const isOneSided = rule.based && (equalJson(o.bytes, b.bytes) || equalJson(t.bytes, b.bytes));
  if (isOneSided || equalJson(o.bytes, t.bytes)) return mergeProperties(base, ours, theirs, rule);
  const name = differingMember(o.bytes, t.bytes);
  const path = ['properties', name];
  const sides = present({ base: own(b.bytes, name), ours: own(o.bytes, name), theirs: own(t.bytes, name) });
  const chosen = equalJson(rule.settle({ path, ...sides }), sides.ours) ? o : t;
  return { ...mergeProperties(b.rest, o.rest, t.rest, rule), ...chosen.bytes };
}

function mergeMaps(base: JsonObject, ours: JsonObject, theirs: JsonObject, path: string[], rule: Rule): JsonObject {
  const keys = new Set([base, theirs, ours].flatMap(Object.keys));
  const members: [string, Json][] = [];
  for (const key of keys) {
    const value = mergeValues(own(base, key), own(ours, key), own(theirs, key), [...path, key], rule);
    if (value !== undefined) members.push([key, value]);
  }
  return Object.fromEntries(members);
}

function mergeRelationships(base: Content, ours: Content, theirs: Content, rule: Rule): Relationship[] {
  const [b, o, t] = [byKey(base), byKey(ours), byKey(theirs)];
  const roots = ours.type === 'collection' ? mergeRoots(base, ours, theirs, rule) : null;
  const places = mergePlaces(base, ours, theirs, rule);
  const merged: Relationship[] = [];
  for (const key of new Set([...b.keys(), ...t.keys(), ...o.keys()])) {
    const any = b.get(key) ?? t.get(key) ?? o.get(key);
    const settled = isRoot(any) ? roots : isPlace(any) ? places.side : null;
    const relationship = settled ? settled.get(key) : mergeRelationship(b.get(key), o.get(key), t.get(key), rule);
    if (relationship) merged.push(relationship);
  }
  return withFirstPlace(merged, places.first);
}

/** The root of the side that changed it, since a collection has one; null where both name the same. */
function mergeRoots(base: Content, ours: Content, theirs: Content, rule: Rule): Map<string, Relationship> | null {
  const [b, o, t] = [base, ours, theirs].map((side) => only(side, isRoot)) as Sides;
  if (o.size === t.size && [...o.keys()].every((key) => t.has(key))) return null;
  if (rule.based && equalJson(statements(t), statements(b))) return o;
  if (rule.based && equalJson(statements(o), statements(b))) return t;
  return oneSide(['relationships', 'root'], [b, o, t], rule);
}

/**
 * Which collection stands first, since that one decides permissions: as the side that changed it says. `side`: all collections
 * of one side, where both changed it, or the other side took away what would stand first; else they merge one by one.
 */
function mergePlaces(base: Content, ours: Content, theirs: Content, rule: Rule) {
  const [b, o, t] = [base, ours, theirs].map((side) => only(side, isPlace)) as Sides;
  const [was, here, there] = [b, o, t].map(firstOf);
  const [isOurs, isTheirs] = [rule.based && there === was, rule.based && here === was];
  const first = isOurs ? here : there;
  const isKept = (key: string) => (o.has(key) || t.has(key)) && [o, t].every((side) => side.has(key) || !b.has(key));
  const stands = first === undefined ? ![...o.keys(), ...t.keys()].some(isKept) : isKept(first);
  if ((here === there || isOurs || isTheirs) && stands) return { side: null, first };
  const side = oneSide(['relationships', 'collection'], [b, o, t], rule);
  return { side, first: firstOf(side) };
}

function firstOf(relationships: Map<string, Relationship>): string | undefined {
  return [...relationships.keys()][0];
}

function withFirstPlace(relationships: Relationship[], first: string | undefined): Relationship[] {
  const from = relationships.findIndex((r) => relationshipKey(r) === first);
  const to = relationships.findIndex(isPlace);
  if (from === -1 || from === to) return relationships;
  return relationships.toSpliced(from, 1).toSpliced(to, 0, relationships[from] as Relationship);
}

type Sides = [base: Map<string, Relationship>, ours: Map<string, Relationship>, theirs: Map<string, Relationship>];

/** All of the side that is chosen. */
function oneSide(path: string[], [b, o, t]: Sides, { settle }: Rule): Map<string, Relationship> {
  const sides = present({ base: asOne(b), ours: asOne(o), theirs: asOne(t) });
  return settle({ path, ...sides }) === sides.ours ? o : t;
}

function only({ relationships }: Content, which: (r: Relationship) => boolean): Map<string, Relationship> {
  return byKey({ relationships: relationships.filter(which) });
}

function isPlace(relationship: Relationship | undefined): boolean {
  return relationship?.predicate === 'collection';
}

function isRoot(relationship: Relationship | undefined): boolean {
  return relationship?.predicate === 'root';
}

function statements(relationships: Map<string, Relationship>): Json[] {
  return [...relationships.values()].map(({ peer, properties = {} }) => ({ peer, properties }));
}

/** A list only where there are several, as when somebody wrote them so. */
function asOne(relationships: Map<string, Relationship>): Json | undefined {
  const all = [...relationships.values()].flatMap((r) => asJson(r) ?? []);
  return all.length > 1 ? all : all[0];
}

function mergeRelationship(
  base: Relationship | undefined,
  ours: Relationship | undefined,
  theirs: Relationship | undefined,
  rule: Rule,
): Relationship | undefined {
  if (sameOrNone(ours, theirs) || (rule.based && sameOrNone(theirs, base))) return ours;
  if (rule.based && sameOrNone(ours, base)) return theirs;
  const { predicate, peer } = (ours ?? theirs) as Relationship;
  const path = ['relationships', predicate, peer];
  if (!ours || !theirs) {
    const clash = present({ base: asJson(base), ours: asJson(ours), theirs: asJson(theirs) });
    return rule.settle({ path, ...clash }) === undefined ? undefined : (ours ?? theirs);
  }
  const properties = mergeValues(base?.properties, ours.properties, theirs.properties, [...path, 'properties'], rule);
  const [b, o, t] = [base && lenientRelationship(base), lenientRelationship(ours), lenientRelationship(theirs)];
  return {
    predicate,
    peer,
    ...present({
      peer_type: newer(b?.peer_type, o.peer_type, t.peer_type),
      peer_label: newer(b?.peer_label, o.peer_label, t.peer_label),
    }),
    ...(isObject(properties) && { properties }),
  };
}

/** Stored copies of what the peer says are no statement of the entity's own: one that changed, whoever merges the same. */
function newer(base: string | undefined, ours: string | undefined, theirs: string | undefined): string | undefined {
  if (ours === base || theirs === undefined) return theirs === base ? ours : theirs;
  return theirs === base || (ours !== undefined && ours < theirs) ? ours : theirs;
}

/** Of the tens of thousands that an entity may have hardly any differ, so nothing is copied to compare them. */
function sameOrNone(a: Relationship | undefined, b: Relationship | undefined): boolean {
  if (!a || !b) return a === b;
  return hasAll(a, b) && hasAll(b, a);
}

/** Whether `b` has what `a` has; a member that is undefined is none. */
function hasAll(a: Relationship, b: Relationship): boolean {
  for (const name of Object.keys(a)) {
    const key = name as keyof Relationship;
    if (a[key] !== undefined && !(Object.hasOwn(b, key) && equalJson(a[key], b[key]))) return false;
  }
  return true;
}

function asJson(relationship: Relationship | undefined): Json | undefined {
  return relationship && present({ ...relationship });
}

function byKey({ relationships }: Pick<Content, 'relationships'>): Map<string, Relationship> {
  return new Map(relationships.map((r) => [relationshipKey(r), r]));
}

function own(map: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}
