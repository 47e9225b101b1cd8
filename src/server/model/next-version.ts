import type { EditedBy, JsonObject, Manifest, Relationship } from './manifest.ts';
import { mergeAll, mergeObject, type Removal, removeMembers } from './properties.ts';
import {
  applyRelationships,
  type RelationshipAdd,
  type RelationshipRemove,
  storedRelationship,
} from './relationships.ts';

/** Who writes, when, and under which schema: what the version model takes from outside. */
export interface Stamp {
  schema: string;
  /** ISO 8601 with milliseconds. */
  ts: string;
  edited_by: EditedBy;
  note?: string | undefined;
}

/** The changes of an update body (interface.md, Conventions). */
export interface Update {
  properties?: JsonObject | undefined;
  properties_remove?: Removal | undefined;
  relationships_add?: RelationshipAdd[] | undefined;
  relationships_remove?: RelationshipRemove[] | undefined;
}

/** Version 1 of an entity. Several relationships with one key are merged, in the first one's place: what a later one says stands. */
export function firstVersion(
  entity: { id: string; type: string; properties: JsonObject; relationships: Relationship[] },
  stamp: Stamp,
): Manifest {
  return {
    ...stamped(stamp),
    id: entity.id,
    type: entity.type,
    created_at: stamp.ts,
    ver: 1,
    prev: null,
    properties: entity.properties,
    relationships: applyRelationships([], [], entity.relationships.map(storedRelationship)),
  };
}

/** The version after `current` (whose CID is `tip`): removals first, then merges and additions. */
export function applyUpdate(current: Manifest, tip: string, update: Update, stamp: Stamp): Manifest {
  const kept = update.properties_remove
    ? removeMembers(current.properties, update.properties_remove)
    : current.properties;
  return {
    ...successor(current, tip, stamp),
    properties: update.properties ? mergeObject(kept, update.properties) : kept,
    relationships: applyRelationships(
      current.relationships,
      update.relationships_remove ?? [],
      update.relationships_add ?? [],
    ),
  };
}

/** An update that takes nothing away. */
export type Addition = Pick<Update, 'properties' | 'relationships_add'>;

/** The version after `current` (whose CID is `tip`) with several additions, one after the other. */
export function applyAdditions(current: Manifest, tip: string, additions: readonly Addition[], stamp: Stamp): Manifest {
  return {
    ...successor(current, tip, stamp),
    properties: mergeAll(
      current.properties,
      additions.flatMap(({ properties }) => (properties ? [properties] : [])),
    ),
    relationships: applyRelationships(
      current.relationships,
      [],
      additions.flatMap(({ relationships_add }) => relationships_add ?? []),
    ),
  };
}

/** The version that says `content` in place of everything that `current` (whose CID is `tip`) says. */
export function replaced(
  current: Manifest,
  tip: string,
  content: Pick<Manifest, 'properties' | 'relationships'>,
  stamp: Stamp,
): Manifest {
  return {
    ...successor(current, tip, stamp),
    properties: content.properties,
    relationships: applyRelationships([], [], content.relationships.map(storedRelationship)),
  };
}

/** The version that marks an entity as deleted (decisions.md, G3); history stays. */
export function tombstone(current: Manifest, tip: string, reason: string | undefined, stamp: Stamp): Manifest {
  return {
    ...successor(current, tip, stamp),
    deleted: true,
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The version that brings back `last`, the last version that was not deleted; its prev is the tombstone. */
export function restored(last: Manifest, grave: Manifest, tip: string, stamp: Stamp): Manifest {
  return {
    ...successor(grave, tip, stamp),
    properties: last.properties,
    relationships: last.relationships,
  };
}

function successor(current: Manifest, tip: string, stamp: Stamp): Manifest {
  return {
    ...stamped(stamp),
    id: current.id,
    type: current.type,
    created_at: current.created_at,
    ver: current.ver + 1,
    prev: tip,
    properties: {},
    relationships: [],
  };
}

function stamped({ schema, ts, edited_by, note }: Stamp): Pick<Manifest, 'schema' | 'ts' | 'edited_by' | 'note'> {
  return { schema, ts, edited_by, ...(note === undefined ? {} : { note }) };
}
