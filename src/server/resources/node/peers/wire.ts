import type { EntityId, JsonMap, VersionCid } from '../../wire.ts';

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

export interface TipsBody {
  /**
   * @minItems 1
   * @maxItems 1000
   */
  ids: EntityId[];
}

export interface TipsView {
  /** Of those that are here, deleted ones too. */
  tips: { id: EntityId; cid: VersionCid }[];
}

export interface LiveIdsView {
  ids: EntityId[];
  /** What the next page is asked for after; null on the last one. A page may have fewer ids than it looked at. */
  next: EntityId | null;
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

/** What became of one item of a push. */
export interface PushedItemView {
  success: boolean;
  id: EntityId;
  /** The version that is the tip now. */
  tip?: VersionCid;
  /**
   * How many versions were taken in; 0 where all were here.
   * @isInt
   */
  versions?: number;
  error?: string;
  /** `CONFLICT` names the tip here in `details.actual`; further `VALIDATION_ERROR`, `FORBIDDEN`, `NOT_FOUND`. */
  code?: string;
  details?: JsonMap;
}

export interface PushedView {
  /** In the order of the items. */
  results: PushedItemView[];
}

/** A move of an entity's tip. */
export interface HistoryMoveView {
  /**
   * Its number, also of the event.
   * @isLong
   */
  id: number;
  /** The tip before. */
  from: VersionCid | null;
  to: VersionCid;
  /** `local`, `import`, `car`, `remote:<name>` for what was pulled, `from:<account>/<node>` for what was pushed to here. */
  origin: string;
  /** Where the versions came from, if not from this node; null else. */
  received_from: ReceivedFromView | null;
  ts: string;
}

export interface ReceivedFromView {
  /** The remote that they were pulled from. */
  remote?: string;
  /** The account whose key they were pushed with. */
  account?: string;
  /** The node that says it pushed them. */
  instance?: string;
}

export interface HistoryView {
  entity_id: EntityId;
  /** Newest first. */
  moves: HistoryMoveView[];
  has_more: boolean;
  /**
   * For `before` of the next page.
   * @isLong
   */
  next_cursor: number | null;
}
