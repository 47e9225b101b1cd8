import { type Json, type JsonObject, type Manifest, type Relationship, relationshipKey } from '../../model/manifest.ts';
import { equalJson } from '../../model/properties.ts';
import type { RelationshipBody } from '../wire.ts';
import { jsonPatch } from './json-patch.ts';
import type { PatchDiffView, SemanticDiffView } from './wire.ts';

type Content = Pick<Manifest, 'properties' | 'relationships'>;
const nothing: Content = { properties: {}, relationships: [] };

/** What changed by property and by relationship key (interface.md, Versioning); from null, everything is added. */
export function semanticDiff(from: Content | null, to: Content): SemanticDiffView['changes'] {
  const base = from ?? nothing;
  return {
    properties: propertiesDiff(base.properties, to.properties),
    relationships: relationshipsDiff(base.relationships, to.relationships),
  };
}

function propertiesDiff(from: JsonObject, to: JsonObject): SemanticDiffView['changes']['properties'] {
  const pick = (object: JsonObject, keys: string[]) => Object.fromEntries(keys.map((key) => [key, object[key]]));
  const added = Object.keys(to).filter((key) => !Object.hasOwn(from, key));
  const removed = Object.keys(from).filter((key) => !Object.hasOwn(to, key));
  const changed = Object.keys(from).filter((key) => Object.hasOwn(to, key) && !equalJson(from[key], to[key]));
  return {
    added: pick(to, added),
    removed: pick(from, removed),
    changed: Object.fromEntries(changed.map((key) => [key, { from: from[key], to: to[key] }])),
  };
}

function relationshipsDiff(from: Relationship[], to: Relationship[]): SemanticDiffView['changes']['relationships'] {
  const before = new Map(from.map((r) => [relationshipKey(r), r]));
  const after = new Map(to.map((r) => [relationshipKey(r), r]));
  const pairs = to.flatMap((r) => {
    const old = before.get(relationshipKey(r));
    return old && !equalJson(asJson(old), asJson(r)) ? [{ old, now: r }] : [];
  });
  return {
    added: to.filter((r) => !before.has(relationshipKey(r))) as RelationshipBody[],
    removed: from.filter((r) => !after.has(relationshipKey(r))) as RelationshipBody[],
    changed: pairs.map(({ old, now }) => ({
      predicate: now.predicate,
      peer: now.peer,
      ...(now.peer_type === undefined ? {} : { peer_type: now.peer_type }),
      ...(now.peer_label === undefined ? {} : { peer_label: now.peer_label }),
      properties: {
        ...(old.properties === undefined ? {} : { from: old.properties }),
        ...(now.properties === undefined ? {} : { to: now.properties }),
      },
    })),
  };
}

function asJson(r: Relationship): Json {
  return r as unknown as JsonObject;
}

/** The change as RFC 6902; pointers start at `/properties` and `/relationships` (decisions.md, G11). */
export function patchDiff(from: Content | null, to: Content): PatchDiffView['patch'] {
  const content = ({ properties, relationships }: Content): Json => ({
    properties,
    relationships: relationships.map(asJson),
  });
  return jsonPatch(content(from ?? nothing), content(to), '');
}
