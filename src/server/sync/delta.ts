import { lenientRelationship } from '../model/lenient.ts';
import type { Json, JsonObject, Manifest, Relationship } from '../model/manifest.ts';
import { collectionsOf, relationshipKey } from '../model/manifest.ts';
import type { Update } from '../model/next-version.ts';
import { isObject } from '../model/objects.ts';
import { equalJson, type Removal } from '../model/properties.ts';
import type { RelationshipAdd, RelationshipRemove } from '../model/relationships.ts';

type Path = string[];

/**
 * The update bodies that turn what `base` says into what `next` says, in this order; usually one, none where nothing
 * differs. No body removes and sets the same place, so that none depends on which comes first (decisions.md, Sync). Relationships come
 * last: where the entity goes nothing else of it may be changed, perhaps.
 */
export function deltasBetween(base: Manifest, next: Manifest): Update[] {
  const { patch, removed } = propertyDelta(base.properties, next.properties);
  const removals = byDepth(removed);
  const steps = relationshipSteps(base.relationships, next.relationships).filter(
    ({ add, remove }) => add.length + remove.length > 0,
  );
  const length = Math.max(1, removals.length, steps.length);
  const bodies = Array.from({ length }, (_, at): Update => {
    const { add = [], remove = [] } = steps[at - length + steps.length] ?? {};
    return {
      ...(at === 0 && Object.keys(patch).length > 0 && { properties: patch }),
      ...(removals[at] && { properties_remove: removals[at] }),
      ...(add.length > 0 && { relationships_add: add }),
      ...(remove.length > 0 && { relationships_remove: remove }),
    };
  });
  return bodies.filter((body) => Object.keys(body).length > 0);
}

/** What to merge in, and the paths of what to drop. */
function propertyDelta(base: JsonObject, next: JsonObject): { patch: JsonObject; removed: Path[] } {
  const patch: [string, Json][] = [];
  const removed: Path[] = Object.keys(base)
    .filter((key) => !Object.hasOwn(next, key))
    .map((key) => [key]);
  for (const [key, value] of Object.entries(next)) {
    const old = Object.hasOwn(base, key) ? base[key] : undefined;
    if (old !== undefined && equalJson(old, value)) continue;
    if (isObject(old) && isObject(value)) {
      const inner = propertyDelta(old, value);
      removed.push(...inner.removed.map((path) => [key, ...path]));
      if (Object.keys(inner.patch).length > 0) patch.push([key, inner.patch]);
    } else patch.push([key, value]);
  }
  return { patch: Object.fromEntries(patch), removed };
}

/** A removal's object leads to lists, and a list ends there: paths of one length always fit into one. */
function byDepth(paths: Path[]): Removal[] {
  const groups = [...Map.groupBy(paths, (path) => path.length)].toSorted(([a], [b]) => a - b);
  return groups.map(([, group]) => removalOf(group));
}

function removalOf(paths: Path[]): Removal {
  if (paths[0]?.length === 1) return paths.map((path) => path[0] as string);
  const groups = Map.groupBy(paths, (path) => path[0] as string);
  return Object.fromEntries([...groups].map(([key, group]) => [key, removalOf(group.map((path) => path.slice(1)))]));
}

/** What one body says of relationships. */
interface RelationshipStep {
  add: RelationshipAdd[];
  remove: RelationshipRemove[];
}

interface RelationshipDelta extends RelationshipStep {
  /** What can only be said anew, after it was removed, or behind what it stood before. */
  addLater: Relationship[];
}

function relationshipSteps(base: Relationship[], next: Relationship[]): RelationshipStep[] {
  const old = new Map(base.map((r) => [relationshipKey(r), r]));
  const now = new Map(next.map((r) => [relationshipKey(r), r]));
  const delta: RelationshipDelta = { add: [], remove: [], addLater: [] };
  for (const [key, r] of old) if (!now.has(key)) delta.remove.push(removeOf(r));
  for (const [key, r] of now) {
    const before = old.get(key);
    if (before === undefined) delta.add.push(r);
    else if (!sameAs(before, r)) {
      const upsert = upsertOf(before, r);
      if (upsert) delta.add.push(upsert);
      else {
        delta.remove.push(removeOf(r));
        delta.addLater.push(r);
      }
    }
  }
  return withFirstPlace(delta, base, next);
}

/** The first collection decides permissions: those that would come to stand before it are said anew, after it. */
function withFirstPlace(delta: RelationshipDelta, base: Relationship[], next: Relationship[]): RelationshipStep[] {
  const { add, remove, addLater } = delta;
  const [first] = collectionsOf({ relationships: next });
  if (addLater.some((r) => isPlace(r) && r.peer === first)) return withFirstAnew(delta, base, next);
  const gone = new Set(remove.filter(isPlace).map(({ peer }) => peer));
  const kept = base.filter((r) => isPlace(r) && !gone.has(r.peer));
  const order = collectionsOf({ relationships: [...kept, ...add] });
  const ahead = new Set(first === undefined ? [] : order.slice(0, order.indexOf(first)));
  const isAhead = (r: Relationship) => isPlace(r) && ahead.has(r.peer);
  return [
    { add: add.filter((r) => !isAhead(r)), remove: [...remove, ...kept.filter(isAhead).map(removeOf)] },
    { add: [...addLater, ...next.filter(isAhead)], remove: [] },
  ];
}

/**
 * Where the first one can only be said anew, the others go once it is back, and are said again after it: what lies in no
 * collection may be edited by anybody. Where there is only that one, it has to go for a moment.
 */
function withFirstAnew(delta: RelationshipDelta, base: Relationship[], next: Relationship[]): RelationshipStep[] {
  const { add, remove, addLater } = delta;
  const [first] = collectionsOf({ relationships: next });
  const isOther = (r: RelationshipRemove) => isPlace(r) && r.peer !== first;
  const rest = <T extends RelationshipRemove>(list: T[]) => list.filter((r) => !isOther(r));
  const [before, after] = [base.filter(isOther), next.filter(isOther)];
  const coming = before.length > 0 ? [] : after;
  return [
    { add: [...rest(add), ...coming], remove: rest(remove) },
    { add: rest(addLater), remove: [...before, ...coming].map(removeOf) },
    { add: after, remove: [] },
  ];
}

function removeOf({ predicate, peer }: Relationship): RelationshipRemove {
  return { predicate, peer };
}

function isPlace({ predicate }: { predicate: string }): boolean {
  return predicate === 'collection';
}

function sameAs(a: Relationship, b: Relationship): boolean {
  return (
    equalJson(a.peer_type, b.peer_type) &&
    equalJson(a.peer_label, b.peer_label) &&
    (a.properties === undefined) === (b.properties === undefined) &&
    equalJson(a.properties ?? null, b.properties ?? null)
  );
}

/** The upsert that makes `next` of `base`; null where an upsert cannot say it. */
function upsertOf(base: Relationship, next: Relationship): RelationshipAdd | null {
  const unsets = (['peer_type', 'peer_label', 'properties'] as const).some(
    (name) => base[name] !== undefined && next[name] === undefined,
  );
  if (unsets) return null;
  // What another program wrote in other shapes is refused, and stays there as it is.
  const { properties, ...head } = lenientRelationship(next);
  const { patch, removed } = propertyDelta(lenientRelationship(base).properties ?? {}, properties ?? {});
  const removals = byDepth(removed);
  if (removals.length > 1) return null;
  const empty = Object.keys(patch).length === 0 && !(properties && base.properties === undefined);
  return { ...head, ...(!empty && { properties: patch }), ...(removals[0] && { properties_remove: removals[0] }) };
}
