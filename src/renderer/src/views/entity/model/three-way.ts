import { differingMember, isOtherBytes, splitFile } from './bytes-places.ts';
import { byKey, type Content, isPlace, type Relationship, sameRelationship } from './content.ts';
import { isMap, type Json, type JsonMap, member, same } from './json.ts';

/** A place that differs between the version that editing began with, the text on the page, and the version there is now. */
export interface Difference {
  /** `properties` and names, or `relationships`, predicate and peer. */
  path: string[];
  base: Json | undefined;
  mine: Json | undefined;
  theirs: Json | undefined;
  /** Both changed it, and not to the same. */
  clash: boolean;
}

export type Side = 'mine' | 'theirs';

/**
 * What both say together, and where they differ. `choose` says who wins where both changed the same place.
 * @param base null where none is known: each difference is a clash then, as for the node
 * @param type of the entity: what a file says of its own bytes is one place
 */
export function mergeThreeWay(
  base: Content | null,
  mine: Content,
  theirs: Content,
  choose: (path: string[]) => Side,
  type: string | null,
): { merged: Content; differences: Difference[] } {
  const differences: Difference[] = [];
  const isBefore = (side: Json | undefined, b: Json | undefined) => base !== null && same(side, b);
  const settle = (path: string[], b: Json | undefined, m: Json | undefined, t: Json | undefined): Json | undefined => {
    if (same(m, t)) return m;
    const isOne = isOtherBytes(path, { base: b, mine: m, theirs: t }, base !== null);
    if (isMap(m) && isMap(t) && !isOne && !isBefore(m, b) && !isBefore(t, b))
      return maps(path, isMap(b) ? b : {}, m, t);
    const clash = !isBefore(m, b) && !isBefore(t, b);
    differences.push({ path, base: b, mine: m, theirs: t, clash });
    if (clash) return choose(path) === 'mine' ? m : t;
    return isBefore(m, b) ? t : m;
  };
  const maps = (path: string[], b: JsonMap, m: JsonMap, t: JsonMap): JsonMap => {
    const keys = new Set([b, t, m].flatMap(Object.keys));
    const entries = [...keys].map((key): [string, Json | undefined] => [
      key,
      settle([...path, key], member(b, key), member(m, key), member(t, key)),
    ]);
    return Object.fromEntries(entries.filter((one): one is [string, Json] => one[1] !== undefined));
  };
  const file = (b: JsonMap, m: JsonMap, t: JsonMap): JsonMap => {
    const [old, my, their] = [splitFile(b), splitFile(m), splitFile(t)];
    if (same(my.bytes, their.bytes) || isBefore(my.bytes, old.bytes) || isBefore(their.bytes, old.bytes))
      return maps(['properties'], b, m, t);
    const name = differingMember(my.bytes, their.bytes);
    const path = ['properties', name];
    const [before, ours, other] = [old, my, their].map(({ bytes }) => member(bytes, name));
    differences.push({ path, base: before, mine: ours, theirs: other, clash: true });
    const chosen = choose(path) === 'mine' ? my : their;
    return { ...maps(['properties'], old.rest, my.rest, their.rest), ...chosen.bytes };
  };
  const said = [base?.properties ?? {}, mine.properties, theirs.properties] as const;
  const properties = type === 'file' ? file(...said) : maps(['properties'], ...said);
  const [b, m, t] = [byKey(base?.relationships ?? []), byKey(mine.relationships), byKey(theirs.relationships)];
  const relationships: Relationship[] = [];
  const roots = rootsOf(base, mine, theirs);
  if (roots) {
    const [old, my, their] = roots;
    const kept = settle(['relationships', 'root', my?.peer ?? their?.peer ?? ''], old?.peer, my?.peer, their?.peer);
    if (kept !== undefined) relationships.push((kept === my?.peer ? my : their) as Relationship);
  }
  const places = [base, mine, theirs].map((one) => one?.relationships.filter(isPlace) ?? []);
  const [firstOld, firstMine, firstTheirs] = places.map(([first]) => first?.peer);
  // That one decides permissions, so that all of each side's are one choice where both put another one first.
  const isMoved = firstMine !== firstTheirs && !isBefore(firstMine, firstOld) && !isBefore(firstTheirs, firstOld);
  if (isMoved) {
    const path = ['relationships', 'collection', firstMine ?? firstTheirs ?? ''];
    const kept = settle(path, firstOld, firstMine, firstTheirs);
    relationships.push(...((kept === firstMine ? places[1] : places[2]) ?? []));
  }
  for (const key of new Set([...b.keys(), ...t.keys(), ...m.keys()])) {
    const [old, my, their] = [b.get(key), m.get(key), t.get(key)];
    const { predicate: which } = (my ?? their ?? old) as Relationship;
    if ((roots && which === 'root') || (isMoved && which === 'collection')) continue;
    if (sameRelationship(my, their)) {
      if (my) relationships.push(my);
      continue;
    }
    const { predicate, peer } = (my ?? their ?? old) as Relationship;
    const kept = settle(['relationships', predicate, peer], statement(old), statement(my), statement(their));
    const { properties: _, ...named } = (my ?? their ?? old) as Relationship;
    if (isMap(kept)) relationships.push(Object.keys(kept).length > 0 ? { ...named, properties: kept } : named);
  }
  const first = isMoved ? undefined : isBefore(firstMine, firstOld) ? firstTheirs : firstMine;
  return { merged: { properties, relationships: withFirstPlace(relationships, first) }, differences };
}

function withFirstPlace(relationships: Relationship[], first: string | undefined): Relationship[] {
  const place = relationships.find((one) => isPlace(one) && one.peer === first);
  const at = relationships.findIndex(isPlace);
  if (!place || relationships[at] === place) return relationships;
  return relationships.filter((one) => one !== place).toSpliced(at, 0, place);
}

/** The root of each version where the two do not name the same: a collection has one, so that each side's is one choice. */
function rootsOf(base: Content | null, mine: Content, theirs: Content): (Relationship | undefined)[] | null {
  const all = [base, mine, theirs].map((one) => (one?.relationships ?? []).filter((r) => r.predicate === 'root'));
  const [old, my, their] = all.map(([first]) => first);
  return all.some((some) => some.length > 1) || my?.peer === their?.peer ? null : [old, my, their];
}

/** What a relationship says, without the copies of its peer. */
function statement(one: Relationship | undefined): Json | undefined {
  return one && ((one.properties ?? {}) as Json);
}
