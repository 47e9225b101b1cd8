import type {
  CasBody,
  CasUpdateBody,
  EntityId,
  JsonMap,
  ManifestView,
  PreviewView,
  RelationshipBody,
  UpdatedView,
  VersionCid,
} from '../wire.ts';

/** An entity's current version; a collection's carries its roles and root too. */
export interface EntityView extends ManifestView {
  roles?: { [role: string]: string[] };
  root_entity_id?: string;
}

/** The new version of an entity that a write made. */
export interface EntityUpdatedView extends UpdatedView {
  roles?: { [role: string]: string[] };
  root_entity_id?: string;
}

/** A relationship with what is at its other end; without it where the peer is deleted, unknown or unreadable. */
export interface ExpandedRelationshipView extends RelationshipBody {
  peer_preview?: PreviewView;
  peer_entity?: EntityView;
}

/** An entity, with its peers where `expand` asks for them. */
export interface ExpandedView extends ManifestView {
  relationships: ExpandedRelationshipView[];
  roles?: { [role: string]: string[] };
  root_entity_id?: string;
  /** There when `expand_limit` left some relationships unexpanded. */
  _expansion_metadata?: {
    /** @isInt */
    total: number;
    /** @isInt */
    expanded: number;
    truncated: boolean;
  };
}

export interface CreateEntityBody {
  /**
   * A free name; `folder`, `file`, `document` and others have a meaning.
   * @minLength 1
   * @maxLength 100
   * @example "document"
   */
  type: string;
  /** Why; kept with the version. */
  note?: string;
  /** Made by the node if omitted. */
  id?: EntityId;
  /**
   * What is stored of the entity. `label` is its name in lists.
   * @example {"label": "Self-Portrait", "year": 1889}
   */
  properties?: JsonMap;
  relationships?: RelationshipBody[];
  /** The collection to lie in; makes the `collection` relationship. */
  collection?: EntityId;
  /** Answer when searches find it, or after ten seconds. */
  sync_index?: boolean | null;
}

export interface BatchCreateBody {
  /**
   * Items as POST /entities takes them; each is checked by itself.
   * @minItems 1
   * @maxItems 100
   */
  entities: unknown[];
  /** For items that name no collection, neither as `collection` nor by a relationship of this predicate. */
  default_collection?: EntityId;
}

export interface BatchCreated {
  success: true;
  /** @isInt */
  index: number;
  id: EntityId;
  cid: VersionCid;
  type: string;
  /** @isInt */
  ver: number;
}

export interface BatchRefused {
  success: false;
  /** @isInt */
  index: number;
  error: string;
  /** The last three say nothing of the item: it may be sent again. */
  code: 'VALIDATION_ERROR' | 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT' | 'BUSY' | 'STORAGE' | 'STORAGE_FULL';
  details?: JsonMap;
}

export interface BatchCreateView {
  results: (BatchCreated | BatchRefused)[];
  summary: {
    /** @isInt */
    total: number;
    /** @isInt */
    succeeded: number;
    /** @isInt */
    failed: number;
  };
}

export interface BatchGetBody {
  /**
   * @minItems 1
   * @maxItems 100
   */
  ids: EntityId[];
}

export interface BatchGetView {
  entities: EntityView[];
  not_found: EntityId[];
}

export interface UpdateEntityBody extends CasUpdateBody {
  /** Answer when searches find it, or after ten seconds. */
  sync_index?: boolean | null;
}

export interface DeleteEntityBody extends CasBody {
  /** @maxLength 500 */
  reason?: string;
  /** Answer when searches do not find it any more, or after ten seconds. */
  sync_index?: boolean | null;
}

export interface DeletedView {
  id: EntityId;
  cid: VersionCid;
  deleted_at: string;
  /** @isInt */
  ver: number;
  prev_cid: VersionCid;
}

/**
 * An exact name, or one in which each `*` stands for anything: `has_*`, `*_of`, `*`.
 * @minLength 1
 */
export type CascadePredicate = string;

export interface CascadeBody extends CasBody {
  /**
   * The scope of the delete and of the permission check. What lies first in a mirrored collection is deleted only by who may
   * delete it there.
   */
  collection_id: EntityId;
  /** @minItems 1 */
  cascade_predicates: CascadePredicate[];
  /** Only entities whose current version this user made. */
  edited_by_filter?: EntityId;
  /**
   * @isInt
   * @minimum 1
   * @maximum 20
   * @default 10
   */
  max_depth?: number;
  /** @maxLength 500 */
  reason?: string;
}

export interface CascadeView {
  root: DeletedView;
  /** Deepest first; without the root. */
  deleted: {
    id: EntityId;
    cid: VersionCid;
    type: string;
    /** @isInt */
    depth: number;
  }[];
  skipped: {
    id: EntityId;
    type: string;
    reason: 'not_in_collection' | 'already_deleted' | 'edited_by_mismatch' | 'cas_conflict';
  }[];
  summary: {
    /** @isInt */
    total_traversed: number;
    /** @isInt */
    total_deleted: number;
    /** @isInt */
    total_skipped: number;
    /** @isInt */
    max_depth_reached: number;
  };
}

export interface RestoredView extends EntityUpdatedView {
  /** @isInt */
  restored_from_ver: number;
}

export interface TipView {
  id: EntityId;
  cid: VersionCid;
}

export interface EntityCollectionView {
  /** The first collection that the entity lies in, which decides permissions; a collection's own id; null for none. */
  collection_id: EntityId | null;
}

/** An entity in a tree. One that is deleted, or not on this node, has an empty label and no children. */
export interface TreeNode {
  id: EntityId;
  /** As `id`. */
  pi: EntityId;
  label: string;
  type: string;
  /**
   * 0 at the root.
   * @isInt
   */
  depth: number;
  children: TreeNode[];
}

export interface TreeView {
  root: TreeNode;
  /**
   * With the root.
   * @isInt
   */
  total_nodes: number;
  /** Whether `limit` left something out. */
  truncated: boolean;
}

/** A version in a comparison. */
export interface DiffSide {
  cid: VersionCid;
  /** @isInt */
  ver: number;
  ts: string;
}

export interface SemanticDiffView {
  entity_id: EntityId;
  from: DiffSide | null;
  to: DiffSide | null;
  format: 'semantic';
  changes: {
    properties: { added: JsonMap; removed: JsonMap; changed: { [key: string]: { from?: unknown; to?: unknown } } };
    relationships: {
      added: RelationshipBody[];
      removed: RelationshipBody[];
      changed: {
        predicate: string;
        peer: string;
        peer_type?: string;
        peer_label?: string;
        properties: { from?: unknown; to?: unknown };
      }[];
    };
  };
}

export interface PatchDiffView {
  entity_id: EntityId;
  from: DiffSide | null;
  to: DiffSide | null;
  format: 'patch';
  patch: { op: 'add' | 'remove' | 'replace'; path: string; value?: unknown }[];
}
