import type { JsonObject, Manifest } from './manifest.ts';

/** What every read of an entity answers (interface.md, Entity manifest); collections carry roles and root too. */
export interface WireManifest {
  id: string;
  ts: number;
  cid: string;
  ver: number;
  type: string;
  roles?: JsonObject;
  prev_cid?: string;
  edited_by: Manifest['edited_by'];
  created_at: string;
  properties: JsonObject;
  relationships: Manifest['relationships'];
  root_entity_id?: string;
}

/** The wire form of a version; its members stand in dag-cbor order (architecture.md: the same bytes on every node). */
export function wireManifest(cid: string, manifest: Manifest): WireManifest {
  const isCollection = manifest.type === 'collection';
  const root = isCollection ? manifest.relationships.find((r) => r.predicate === 'root') : undefined;
  const roles = manifest.properties.roles;
  return {
    id: manifest.id,
    ts: Date.parse(manifest.ts),
    cid,
    ver: manifest.ver,
    type: manifest.type,
    ...(isCollection && typeof roles === 'object' && roles !== null && !Array.isArray(roles) ? { roles } : {}),
    ...(manifest.prev === null ? {} : { prev_cid: manifest.prev }),
    edited_by: manifest.edited_by,
    created_at: manifest.created_at,
    properties: manifest.properties,
    relationships: manifest.relationships,
    ...(root ? { root_entity_id: root.peer } : {}),
  };
}
