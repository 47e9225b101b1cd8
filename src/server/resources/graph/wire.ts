import type { EntityView } from '../entities/wire.ts';
import type { EntityId, JsonMap, PreviewView } from '../wire.ts';

/** Which way relationships are followed from the sources: to their peers, from them, or either way at each step. */
export type GraphDirection = 'outgoing' | 'incoming' | 'both';
/** What is said of the entities on the way: a preview, the whole entity, or no more than id, label and type. */
export type GraphExpansion = 'preview' | 'full' | 'none';

interface GraphBody {
  /**
   * Relationships in a path at most.
   * @isInt
   * @minimum 1
   * @maximum 4
   * @default 4
   */
  max_depth?: number;
  /** @default "both" */
  direction?: GraphDirection;
  /**
   * @isInt
   * @minimum 1
   * @maximum 1000
   * @default 100
   */
  limit?: number;
}

export interface PathsBody extends GraphBody {
  /**
   * Where paths begin; required, unless `source_pis` is given.
   * @minItems 1
   * @maxItems 100
   */
  source_ids?: EntityId[];
  /**
   * The older name of `source_ids`.
   * @minItems 1
   * @maxItems 100
   */
  source_pis?: EntityId[];
  /**
   * Where paths end; required, unless `target_pis` is given.
   * @minItems 1
   * @maxItems 100
   */
  target_ids?: EntityId[];
  /**
   * The older name of `target_ids`.
   * @minItems 1
   * @maxItems 100
   */
  target_pis?: EntityId[];
}

export interface ReachableBody extends GraphBody {
  /**
   * Where paths begin; required, unless `source_pis` is given.
   * @minItems 1
   * @maxItems 100
   */
  source_ids?: EntityId[];
  /**
   * The older name of `source_ids`.
   * @minItems 1
   * @maxItems 100
   */
  source_pis?: EntityId[];
  /**
   * The type of what is sought.
   * @minLength 1
   */
  target_type: string;
}

/** A relationship as it is stored. What is deleted or not on this node has an empty label and no expansion. */
export interface PathEdgeView {
  subject_id: string;
  subject_pi: string;
  subject_label: string;
  subject_type: string;
  subject_preview?: PreviewView;
  subject_entity?: EntityView;
  predicate: string;
  object_id: string;
  object_pi: string;
  object_label: string;
  object_type: string;
  object_preview?: PreviewView;
  object_entity?: EntityView;
}

interface PathEnds {
  source_id: string;
  source_pi: string;
  target_id: string;
  target_pi: string;
  /**
   * How many relationships.
   * @isInt
   */
  length: number;
  /** In the order of the path, each in its own direction. */
  edges: PathEdgeView[];
}

export interface PathView extends PathEnds {}

export interface ReachableEntityView extends PathEnds {
  target_label: string;
  target_type: string;
  target_preview?: PreviewView;
  target_entity?: EntityView;
}

/** There when an answer would be too large with all that `expand` asks for. */
interface Expandable {
  _expansion_metadata?: {
    /** @isInt */
    total: number;
    /** @isInt */
    expanded: number;
    truncated: boolean;
  };
}

export interface PathsView extends Expandable {
  /** Shortest first. */
  paths: PathView[];
  /** Whether there may be more: the limit was reached, or as much of the graph was looked at as one question may. */
  truncated: boolean;
}

export interface ReachableView extends Expandable {
  /** Nearest first, each entity once. */
  results: ReachableEntityView[];
  /** Whether there may be more: the limit was reached, or as much of the graph was looked at as one question may. */
  truncated: boolean;
}

/** A relationship with the entity at its other end. */
export interface GraphRelationshipView {
  /** `outgoing` stands in the entity, `incoming` in the peer. */
  direction: 'outgoing' | 'incoming';
  predicate: string;
  peer_id: string;
  peer_pi: string;
  peer_label: string;
  peer_type: string;
  /** Of the relationship. */
  properties: JsonMap;
  peer_preview?: PreviewView;
  peer_entity?: EntityView;
}

export interface GraphEntityView extends Expandable {
  id: EntityId;
  pi: EntityId;
  type: string;
  label: string;
  collection_id: EntityId | null;
  collection_pi: EntityId | null;
  created_at: string;
  updated_at: string;
  /** Outgoing ones as they stand in the entity, then incoming ones by predicate. */
  relationships: GraphRelationshipView[];
  totals: {
    /** @isInt */
    outgoing: number;
    /** @isInt */
    incoming: number;
  };
  /** Whether something was left out: by `limit`, or because an answer holds no more. */
  truncated: boolean;
}
