import type { EntityId } from '../wire.ts';

/** What the caller may do with one entity. */
export interface EntityPermissionsView {
  entity_id: EntityId;
  entity_type: string;
  /** `entity:*` and the type's own actions, without wildcards, sorted. */
  allowed_actions: string[];
  resolution: {
    /** By its first collection; one's own user entity; an entity in no collection. */
    method: 'collection' | 'self' | 'open_season';
    collection_id?: EntityId;
    /** Of the roles that are held, the one that allows the most. */
    role?: string;
  };
}

export interface PermissionMetadataView {
  actions: string[];
  verbs: string[];
  types: string[];
  /** A verb with those that it implies. */
  implications: { [verb: string]: string[] };
  type_hierarchy: {
    base_type: string;
    description: string;
    restrictions: { type: string; allowed_verbs: string[]; description: string }[];
  };
  wildcards: {
    verb: { pattern: string; example: string; description: string };
    type: { pattern: string; example: string; description: string };
  };
  restrictions: string[];
  default_roles: { [role: string]: string[] };
}
