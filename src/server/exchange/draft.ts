import { valueHash } from '../blocks/encode.ts';
import type { JsonObject, Relationship } from '../model/manifest.ts';

/** An entity as a source describes it, before anything is written. */
export interface Draft {
  /** `derivedId(network, collection, kind, sourceId)`. */
  id: string;
  /** The namespace of `sourceId`. */
  kind: string;
  /** The record's stable id in its source, or the hash of its content where it has none. */
  sourceId: string;
  type: string;
  properties: JsonObject;
  /** One for each predicate and peer, with `peer_type` and, where the peer has a label, `peer_label`. */
  relationships: Relationship[];
  /** Only mentioned inside another record: it creates an entity that is not there and never changes one. */
  nested: boolean;
  /** What the same record says of it at other places and is not kept, since the first stands; absent where there is nothing. */
  beyond?: string[];
}

/**
 * A SHA-256 in hex of what a draft says of its entity: type, properties, and relationships in any order. Copies of
 * the peers' types and labels are left out, since they belong to the peers.
 */
export function sourceDigest(draft: Pick<Draft, 'type' | 'properties' | 'relationships'>): string {
  const relationships = draft.relationships
    .map(({ predicate, peer, properties }) => [predicate, peer, properties ?? null] as const)
    .sort((a, b) => compare(a[0], b[0]) || compare(a[1], b[1]));
  return valueHash({ type: draft.type, properties: draft.properties, relationships });
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
