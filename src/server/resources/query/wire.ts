import type { EntityView } from '../entities/wire.ts';
import type { IncompleteIndexView } from '../search/wire.ts';
import type { EntityId, JsonMap, PreviewView } from '../wire.ts';

export interface QueryBody {
  /**
   * The query, in the Argo language: an entry point and hops, as
   * `"alice austen" type:person -[*]{,2}-> type:place ~ "harbour"`.
   * @minLength 1
   * @maxLength 10000
   */
  path: string;
  /**
   * Results at most.
   * @isInt
   * @minimum 1
   * @maximum 100
   * @default 25
   */
  k?: number;
  /**
   * Candidates that go on from the entry and from each hop but the last, those first from which the next hop leads on;
   * three times `k` if omitted.
   * @isInt
   * @minimum 1
   * @maximum 300
   */
  k_explore?: number;
  /**
   * The id of a collection in which the entry is sought. A scope in the query itself stands above it; hops lead anywhere.
   * @minLength 1
   * @maxLength 100
   */
  collection?: string;
  /**
   * What is said of the entities: a preview, the whole entity, or no more than what they are called.
   * @default "preview"
   */
  expand?: 'none' | 'preview' | 'full';
  /** A metadata filter: holds for what is found by a text, and for an entry by type alone. */
  filter?: JsonMap;
  /** Whether `metadata.plan` says how the query was understood. */
  explain?: boolean;
}

/** A step of a path: an entity, or a relationship and the way in which it was followed. */
export interface PathStepView {
  entity?: EntityId;
  label?: string;
  type?: string;
  edge?: string;
  direction?: 'outgoing' | 'incoming';
  /**
   * Of an entity that was found by a text, how near it is, by its place among all that were found, or among those to which the
   * hop leads; of a relationship that was found by likeness, how alike.
   */
  score?: number;
  preview_data?: PreviewView;
  full_entity?: EntityView;
}

export interface QueriedEntityView {
  id: EntityId;
  /** As `id`. */
  pi: EntityId;
  type: string;
  label: string;
  collection_id: string | null;
  /** As `collection_id`. */
  collection_pi: string | null;
  preview_data?: PreviewView;
  full_entity?: EntityView;
}

export interface QueryResultView {
  entity: QueriedEntityView;
  /** From the entry to just before the entity: for each relationship an entity and the relationship; empty without hops. */
  path: PathStepView[];
  /** 0..1: how near the texts are (as `score` of the steps), less for longer ways. */
  score: number;
}

export interface QueryMetadataView {
  query: string;
  /**
   * Hops in the query.
   * @isInt
   */
  hops: number;
  /** @isInt */
  k: number;
  /** @isInt */
  k_explore: number;
  /**
   * Entities of the entry, and those that were left after its filter and after each hop.
   * @isInt
   */
  total_candidates_explored: number;
  execution_time_ms: number;
  /** The collection in which the entry was sought. */
  collection?: string;
  /** For a query with a text, while the index is made or follows many writes: not everything is found yet. */
  index?: IncompleteIndexView;
  /** Why there are no results: `no_entry_point`, `invalid_entry_point`, `unsupported_query` or `no_path_found`. */
  error?: string;
  /** The same in words. */
  reason?: string;
  /** The best path to where the query stopped, with the entity that it came to. */
  partial_path?: PathStepView[];
  /**
   * The hop at which the query stopped; 1 for the first.
   * @isInt
   */
  stopped_at_hop?: number;
  /** true where the limits of time and size, or `k_explore` on the way, left out what might have led to more. */
  truncated?: boolean;
  /** How the query was understood, where `explain` asked for it. */
  plan?: string;
}

export interface QueryView {
  results: QueryResultView[];
  metadata: QueryMetadataView;
  _expansion_metadata?: { total: number; expanded: number; truncated: boolean };
}

export interface QueryErrorView {
  error: string;
  details?: {
    issues: { path: (string | number)[]; message: string }[];
    /**
     * Where the query cannot be read: 0-based, in UTF-16 code units.
     * @isInt
     */
    position?: number;
  };
}
