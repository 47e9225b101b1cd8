import type { EntityView } from '../entities/wire.ts';
import type { EntityId, JsonMap, PreviewView } from '../wire.ts';

/**
 * What is looked for; words as they stand, also misspelled ones (those without digits).
 * @minLength 1
 * @maxLength 500
 * @example "horses in watercolour by Turner"
 */
export type SearchText = string;

/** What is shown of each hit: a preview, the whole entity beside it, or neither. */
export type Expand = 'preview' | 'full' | 'none';

/**
 * Conditions on `type`, `created_at`, `updated_at` and properties that begin with `_`: a value, or `$eq`, `$ne`, `$gt`,
 * `$gte`, `$lt`, `$lte`, `$in`, `$nin`, `$exists`; joined with `$and` and `$or`.
 * @example {"type": "letter"}
 */
export type MetadataFilter = JsonMap;

export interface SearchEntitiesBody {
  query: SearchText;
  collection_id?: EntityId;
  /** As `collection_id`. */
  collection_pi?: EntityId;
  /** @maxItems 20 */
  collection_ids?: EntityId[];
  /**
   * As `collection_ids`.
   * @maxItems 20
   */
  collection_pis?: EntityId[];
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number;
  /** @maxItems 100 */
  types?: string[];
  filter?: MetadataFilter;
  /**
   * How many of each collection that is searched at most; what lies in several of them counts in all.
   * @isInt
   * @minimum 1
   * @maximum 50
   */
  per_collection_limit?: number;
  /** @default "preview" */
  expand?: Expand;
}

export interface SearchCollectionsBody {
  query: SearchText;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 10
   */
  limit?: number;
  /**
   * Only collections that hold entities of one of these types; `collection` stands for all of them.
   * @maxItems 100
   */
  types?: string[];
  filter?: MetadataFilter;
  /** @default "preview" */
  expand?: Expand;
}

export interface SearchAgentsBody {
  query: SearchText;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 10
   */
  limit?: number;
  filter?: MetadataFilter;
  /** @default "preview" */
  expand?: Expand;
  /**
   * `official`: those in the node's official collection alone, or where none is set in those that its operator owns.
   * @default "official"
   */
  scope?: 'official' | 'all';
}

export interface DiscoverBody {
  query: SearchText;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number;
  /** @maxItems 100 */
  types?: string[];
  filter?: MetadataFilter;
  /**
   * In how many collections.
   * @isInt
   * @minimum 1
   * @maximum 50
   * @default 10
   */
  collection_limit?: number;
  /**
   * How many of each of these collections at most; what lies in several of them counts in all.
   * @isInt
   * @minimum 1
   * @maximum 20
   * @default 5
   */
  per_collection_limit?: number;
  /** @default "preview" */
  expand?: Expand;
}

export interface SimilarCollectionsBody {
  /** The id of a collection. */
  id?: EntityId;
  /** As `id`. */
  pi?: EntityId;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 10
   */
  limit?: number;
  /** Whether to look anew, and not answer with what was found lately. */
  refresh?: boolean;
  /** @default "preview" */
  expand?: Expand;
}

export interface SimilarItemsBody {
  /** The id of an entity. */
  id?: EntityId;
  /** As `id`. */
  pi?: EntityId;
  /** The collection from which others like it are sought. */
  collection_id?: EntityId;
  /** As `collection_id`. */
  collection_pi?: EntityId;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number;
  /**
   * In how many similar collections.
   * @isInt
   * @minimum 1
   * @maximum 50
   * @default 10
   */
  tier1_limit?: number;
  /**
   * How many of one collection.
   * @isInt
   * @minimum 1
   * @maximum 20
   * @default 5
   */
  tier2_limit?: number;
  /** @default true */
  include_same_collection?: boolean;
  /** Whether to look anew, and not answer with what was found lately. */
  refresh?: boolean;
  /** @default "preview" */
  expand?: Expand;
}

export interface MySearchBody {
  query: SearchText;
  /** Only entities of this type. */
  type?: string;
  /** Only collections in which the caller has this role. */
  role?: 'owner' | 'editor' | 'viewer';
  /** Whether entities in no collection are searched too. */
  include_public?: boolean;
  /**
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 20
   */
  limit?: number;
  /** @default "preview" */
  expand?: Expand;
}

/** What every hit has. */
export interface HitView {
  id: EntityId;
  /** As `id`. */
  pi: EntityId;
  label: string;
  /** 0..1 */
  score: number;
  created_at?: string;
  updated_at?: string;
  /** With `expand` preview and full. */
  entity_preview?: PreviewView;
  /** With `expand` full. */
  entity?: EntityView;
}

export interface TypedHitView extends HitView {
  type: string;
}

export interface PlacedHitView extends TypedHitView {
  /** The first collection; null for none. */
  collection_id: EntityId | null;
  /** As `collection_id`. */
  collection_pi: EntityId | null;
}

export interface AgentHitView extends HitView {
  collection_id: EntityId | null;
  /** As `collection_id`. */
  collection_pi: EntityId | null;
  status?: string;
}

export interface TextMetadata {
  query: string;
  /** @isInt */
  result_count: number;
  /** Where not all that matches was looked at: a filter that fits little among very many, or words that are in very many texts. */
  truncated?: boolean;
  /** Where the embedder could not be asked: what was found was found by words alone. */
  embedder?: EmbedderView;
  /** While the index is made, or follows many writes: not everything is found yet. */
  index?: IncompleteIndexView;
}

/** What is written later is found later; ask again. */
export interface IncompleteIndexView {
  complete: boolean;
  /**
   * Committed changes that are not in the index.
   * @isInt
   */
  changes_missing: number;
}

export interface EmbedderView {
  available: boolean;
  reason: string;
}

export interface SearchedMetadata extends TextMetadata {
  /** @isInt */
  collections_searched: number;
}

export interface EntitiesMetadata extends SearchedMetadata {
  collection_ids: EntityId[];
  /** As `collection_ids`. */
  collection_pis: EntityId[];
}

export interface SearchEntitiesView {
  results: PlacedHitView[];
  metadata: EntitiesMetadata;
}

export interface DiscoverView {
  results: PlacedHitView[];
  metadata: SearchedMetadata;
}

export interface SearchCollectionsView {
  results: TypedHitView[];
  metadata: TextMetadata;
}

export interface SearchAgentsView {
  results: AgentHitView[];
  metadata: TextMetadata;
}

export interface MySearchMetadata extends TextMetadata {
  /** @isInt */
  collections_queried: number;
  /**
   * In how many collections the caller has a role.
   * @isInt
   */
  collections_total: number;
  include_public: boolean;
  execution_time_ms: number;
}

export interface MySearchView {
  results: PlacedHitView[];
  metadata: MySearchMetadata;
}

export interface SimilarMetadata {
  source_id: EntityId;
  /** As `source_id`. */
  source_pi: EntityId;
  /** @isInt */
  result_count: number;
  /** Whether this was found before. */
  cached?: boolean;
  /** When it was found. */
  cached_at?: string;
  /** Not all that is like it was looked at. */
  truncated?: boolean;
  /** While the index is made, or follows many writes: not everything is found yet. */
  index?: IncompleteIndexView;
}

export interface SimilarCollectionsView {
  results: HitView[];
  metadata: SimilarMetadata;
}

export interface SimilarItemsMetadata extends SimilarMetadata {
  /** @isInt */
  collections_searched: number;
}

export interface SimilarItemsView {
  results: PlacedHitView[];
  metadata: SimilarItemsMetadata;
}
