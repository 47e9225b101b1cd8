import type { IncompleteIndexView } from '../search/wire.ts';
import type {
  CasUpdateBody,
  EntityId,
  JsonMap,
  ManifestView,
  PageView,
  PreviewView,
  RelationshipBody,
  UpdatedView,
  VersionCid,
} from '../wire.ts';

/** Names of roles with the actions that they give. */
export interface RolesView {
  [role: string]: string[];
}

/** A collection's current version. */
export interface CollectionView extends ManifestView {
  roles?: RolesView;
  root_entity_id?: string;
}

export interface CollectionUpdatedView extends UpdatedView {
  roles?: RolesView;
  root_entity_id?: string;
}

export interface CollectionRootView extends UpdatedView {
  roles?: RolesView;
  root_entity_id: EntityId;
}

export interface CreateCollectionBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label: string;
  note?: string;
  /** Generated if omitted. */
  id?: EntityId;
  /** @maxLength 2000 */
  description?: string;
  /**
   * A URI.
   * @format uri
   */
  display_image_url?: string;
  /**
   * Whether `roles` are merged with the default roles; otherwise they replace them. `public` with `*:view` is there
   * in any case, and so is `owner`, which the creator becomes: the default one where `roles` has none.
   * @default true
   */
  use_roles_default?: boolean | null;
  /** Without it the `roles` among the properties, if any. */
  roles?: RolesView;
  properties?: JsonMap;
  relationships?: RelationshipBody[];
}

export interface UpdateCollectionBody extends CasUpdateBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label?: string;
  /** @maxLength 2000 */
  description?: string;
  /**
   * A URI.
   * @format uri
   */
  display_image_url?: string;
}

export interface CreateRoleBody {
  /**
   * @minLength 1
   * @maxLength 50
   */
  role: string;
  /**
   * Actions, `*:<verb>` or `<type>:*`.
   * @minItems 1
   */
  actions: string[];
}

export interface UpdateRoleBody {
  /**
   * Actions, `*:<verb>` or `<type>:*`.
   * @minItems 1
   */
  actions: string[];
}

/** The version that a change of roles or members made. */
export interface AccessVersion {
  id: EntityId;
  cid: VersionCid;
  prev_cid: VersionCid;
  /** @isInt */
  ver: number;
}

export interface RolesChangedView extends AccessVersion {
  roles: RolesView;
}

export interface AddMemberBody {
  /** A user, an agent or klados, or a group: an entity of type `group` that lies in a collection. */
  user_id: EntityId;
  /**
   * @minLength 1
   * @maxLength 50
   */
  role: string;
  /**
   * Seconds; 0 expires at once, omitted means permanent.
   * @isLong
   * @minimum 0
   * @maximum 31536000000
   */
  expires_in?: number;
}

export interface MemberAddedView extends AccessVersion {
  member_added: {
    user_id: EntityId;
    role: string;
    /** Absent where permanent. */
    expires_at?: string;
    granted_at: string;
    granted_by: EntityId;
  };
}

export interface MemberRemovedView extends AccessVersion {
  member_removed: { user_id: EntityId; role: string };
}

export interface MemberView {
  userId: string;
  role: string;
  userLabel?: string;
  /** Absent where permanent. */
  expires_at?: string;
  granted_at?: string;
  granted_by?: string;
  is_expired: boolean;
}

export interface MembersView {
  collection_id: EntityId;
  members: MemberView[];
  groups: { groupId: string; role: string; groupLabel?: string }[];
  /** Roles that every registered actor holds. */
  wildcards: { role: string }[];
}

export interface SetRootBody {
  expect_tip: VersionCid;
  /** It must lie in the collection already. */
  entity_id: EntityId;
}

export interface CollectionEntryView {
  pi: EntityId;
  id: EntityId;
  type: string;
  label: string;
  created_at: string;
  updated_at: string;
  /** With `expand=preview`. */
  preview?: PreviewView;
  /** With `expand=full`. */
  entity?: ManifestView;
}

export interface CollectionEntitiesView {
  collection_id: EntityId;
  /** Newest created first, then by id. */
  entities: CollectionEntryView[];
  pagination: PageView;
}

export interface CatalogView {
  /** Newest created first. */
  data: { id: EntityId; updated_at: string }[];
  pagination: {
    /** @isInt */
    total: number;
    /** @isInt */
    limit: number;
    /** @isInt */
    offset: number;
    has_more: boolean;
  };
}

export interface FoundEntityView {
  id: EntityId;
  type: string;
  /** null where it has none. */
  label: string | null;
  created_at: string;
  updated_at: string;
}

export interface LookupView {
  collection_id: EntityId;
  /** Newest created first, then by id. */
  entities: FoundEntityView[];
  /**
   * How many are in this answer.
   * @isInt
   */
  count: number;
}

export interface SimilarEntityView extends FoundEntityView {
  /** With `similar_to`: 0..1. */
  score?: number;
}

export interface CollectionSearchView {
  collection_id: EntityId;
  query?: string;
  similar_to?: EntityId;
  /** With `q` those first that the node has known for the shortest time, with `similar_to` the most similar. */
  entities: SimilarEntityView[];
  /**
   * How many are in this answer.
   * @isInt
   */
  count: number;
  /** With `similar_to`: not all that matches was looked at. */
  truncated?: boolean;
  /** With `similar_to`, while the index is made or follows many writes: not everything is found yet. */
  index?: IncompleteIndexView;
}
