/** A JSON value as bodies carry it and blocks store it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export type EditMethod = 'manual' | 'ai_generated' | 'system' | 'import';

/** Who made a version; it is hashed into the block, so labels are never stored in it (decisions.md, Identity). */
export interface EditedBy {
  user_id: string;
  method: EditMethod;
  on_behalf_of?: string;
}

/** One relationship of a manifest. `predicate` and `peer` are its key; `peer_type` and `peer_label` are copies that may be stale. */
export interface Relationship {
  predicate: string;
  peer: string;
  peer_type?: string;
  peer_label?: string;
  properties?: JsonObject;
}

/**
 * One version of an entity as it is stored and hashed (wire-contract.md 1.5, historic manifest).
 * `prev` is the CID text of the version before, null on version 1; a block holds it as a CID link.
 * A tombstone has `deleted: true` and neither properties nor relationships (decisions.md, G3).
 */
export interface Manifest {
  schema: string;
  id: string;
  type: string;
  /** ISO 8601 with milliseconds. */
  created_at: string;
  ver: number;
  /** ISO 8601 with milliseconds. */
  ts: string;
  prev: string | null;
  properties: JsonObject;
  relationships: Relationship[];
  edited_by: EditedBy;
  note?: string;
  deleted?: true;
  reason?: string;
}

/** A version as lists and indexes have it: nothing of a deletion, though another program may have left in it what the entity said. */
export function indexed(manifest: Manifest): Manifest {
  return manifest.deleted === true ? { ...manifest, properties: {}, relationships: [] } : manifest;
}

/** The label that lists, previews and peers show: label, then filename, then name (wire-contract.md 1.5), else "". */
export function labelOf(manifest: Pick<Manifest, 'properties'>): string {
  for (const key of ['label', 'filename', 'name']) {
    const value = manifest.properties[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** The collections an entity lies in, in the order of its relationships; the first decides permissions. */
export function collectionsOf(manifest: Pick<Manifest, 'relationships'>): string[] {
  return manifest.relationships.filter((r) => r.predicate === 'collection').map((r) => r.peer);
}

/** What identifies a relationship within its entity: predicate and peer. */
export function relationshipKey(r: Pick<Relationship, 'predicate' | 'peer'>): string {
  return `${r.predicate}\n${r.peer}`;
}
