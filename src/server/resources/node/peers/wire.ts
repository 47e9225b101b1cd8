import type { EntityId, VersionCid } from '../../wire.ts';

/** A stretch of an entity's chain: from a version back to the first one, or to the one after `have`. */
export interface WantedStretch {
  id: EntityId;
  /**
   * The version that it ends with, any of the entity's.
   * @maxLength 200
   */
  cid: VersionCid;
  /**
   * A version that the asker has, with all before it.
   * @maxLength 200
   */
  have?: VersionCid;
}

export interface BlocksBody {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  wants: WantedStretch[];
}

/** A move of a tip, as GET /events has it. */
export interface MoveEventView {
  /** @isLong */
  id: number;
  pi: EntityId;
  /** The same as `pi`. */
  entity_id: EntityId;
  cid: VersionCid;
  ts: string;
}

/** Where a stream begins. */
export interface ReadyEventView {
  /** The node's own id. */
  instance: string;
  /**
   * The last move.
   * @isLong
   */
  head: number;
}

/** What was asked for can no longer be had; the stream goes on from `head`. */
export interface ResetEventView extends ReadyEventView {
  /**
   * Moves up to this one have left the feed.
   * @isLong
   */
  floor: number;
  reason: string;
}
