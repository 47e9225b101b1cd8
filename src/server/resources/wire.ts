/**
 * An entity id: a ULID, or on the test network `II` and 24 characters (interface.md, Entity ID format).
 * @pattern ^(?:II[0-9A-HJKMNP-TV-Z]{24}|[FC][0-9A-HJKMNP-TV-Z]{25}|[0-9A-HJKMNP-TV-Z]{26})$ must be an id: 26 digits and capital letters, as 01ARZ3NDEKTSV4RRFFQ69G5FAV
 * @example "01ARZ3NDEKTSV4RRFFQ69G5FAV"
 */
export type EntityId = string;

/**
 * The CID of a version.
 * @minLength 1
 * @example "bafyreidkb4zim3dtzqg6m6dh32jvotcmuf3whdn7vbvvi4qa5oxmv5nifq"
 */
export type VersionCid = string;

/** A free JSON object. */
export type JsonMap = { [key: string]: unknown };

/** A named link to another entity; `peer_type` and `peer_label` are copies that may be stale. */
export interface RelationshipBody {
  /**
   * Lower-case letters, digits and `_`; `collection` places the entity in a collection.
   * @minLength 1
   * @maxLength 50
   * @example "created_by"
   */
  predicate: string;
  /**
   * The id of the other entity.
   * @minLength 1
   * @example "01ARZ3NDEKTSV4RRFFQ69G5FAV"
   */
  peer: string;
  peer_type?: string;
  peer_label?: string;
  properties?: JsonMap;
}

export interface RelationshipAddBody extends RelationshipBody {
  /** Names of properties to drop, or nested objects that lead to such lists. */
  properties_remove?: string[] | JsonMap;
}

export interface RelationshipRemoveBody {
  /** @minLength 1 */
  predicate: string;
  /**
   * Without it every relationship of that predicate goes.
   * @minLength 1
   */
  peer?: string;
}

/** What every compare-and-swap write carries. */
export interface CasBody {
  /** The CID of the version that the change was made from. */
  expect_tip: VersionCid;
  /** Why; kept with the version. */
  note?: string;
}

/** An update: removals first, then deep merges and additions. */
export interface CasUpdateBody extends CasBody {
  properties?: JsonMap;
  /** Names of top-level properties to drop, or nested objects that lead to such lists; no dot notation. */
  properties_remove?: string[] | JsonMap;
  relationships_add?: RelationshipAddBody[];
  relationships_remove?: RelationshipRemoveBody[];
}

export interface EditedByView {
  /** Empty where a version of another program does not say who made it. */
  user_id: string;
  user_label?: string;
  method: 'manual' | 'ai_generated' | 'system' | 'import';
  on_behalf_of?: string;
  on_behalf_of_label?: string;
}

/** An entity's current version. */
export interface ManifestView {
  id: EntityId;
  cid: VersionCid;
  type: string;
  properties: JsonMap;
  relationships: RelationshipBody[];
  /** @isInt */
  ver: number;
  created_at: string;
  /**
   * Epoch milliseconds.
   * @isLong
   */
  ts: number;
  edited_by: EditedByView;
  /** Absent on version 1. */
  prev_cid?: VersionCid;
}

/** The new version that a write made. */
export interface UpdatedView extends ManifestView {
  prev_cid: VersionCid;
}

/** The short form of an entity in lists, previews and expansions. */
export interface PreviewView {
  id: string;
  type: string;
  label: string;
  collection_id?: string;
  /** As `collection_id`. */
  collection_pi?: string;
  description_preview?: string;
  text_preview?: string;
  created_at: string;
  updated_at: string;
}

export interface PageView {
  /** @isLong */
  offset: number;
  /** @isInt */
  limit: number;
  /** @isInt */
  count: number;
  has_more: boolean;
}

export interface CountedPageView extends PageView {
  /** @isInt */
  total: number;
}

export interface ErrorView {
  error: string;
  details?: JsonMap;
}

export interface ValidationErrorView {
  error: string;
  details?: { issues: { path: (string | number)[]; message: string }[] };
}

export interface ConflictView {
  error: string;
  details: { expected: string; actual: string };
  /** @isInt */
  status?: number;
}
