import type { EntityId, JsonMap, RelationshipBody } from '../wire.ts';

/** What is added to one entity. */
export interface AdditionBody {
  entity_id: EntityId;
  /** Merged deep into the entity's properties. */
  properties?: JsonMap;
  /** Added, or merged into the relationship of that predicate and peer. Nothing is removed. */
  relationships_add?: RelationshipBody[];
  /**
   * Why; kept with the version.
   * @maxLength 500
   */
  note?: string;
}

export interface AdditiveBody {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  updates: AdditionBody[];
}

export interface QueuedUpdateView {
  entity_id: EntityId;
  /** @isInt */
  queue_id: number;
}

export interface UnqueuedUpdateView {
  entity_id: EntityId;
  error: string;
}

export interface AdditiveView {
  queued: QueuedUpdateView[];
  /** What cannot be applied as it is; nothing of it was queued. */
  failed: UnqueuedUpdateView[];
  summary: {
    /** @isInt */
    total: number;
    /** @isInt */
    queued: number;
    /** @isInt */
    failed: number;
  };
}

export type UpdateStatus = 'pending' | 'processing' | 'failed' | 'completed';

export interface UpdateItemView {
  /**
   * The `queue_id`.
   * @isInt
   */
  id: number;
  actor_id: string;
  status: UpdateStatus;
  /** @isInt */
  relationships_count: number;
  /** The first 100. */
  relationships_summary: { predicate: string; peer: string }[];
  /** The first 100. */
  properties_keys: string[];
  note: string | null;
  error: string | null;
  /** @isInt */
  attempts: number;
  queued_at: string;
}

export interface UpdateQueueView {
  entity_id: EntityId;
  counts: {
    /** @isInt */
    pending: number;
    /** @isInt */
    processing: number;
    /** @isInt */
    failed: number;
  };
  /** At most 100, newest first. Those that were applied are told of for ten minutes, those that failed for a week. */
  items: UpdateItemView[];
}
