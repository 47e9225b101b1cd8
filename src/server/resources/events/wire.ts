import type { EntityId, VersionCid } from '../wire.ts';

/** A move of a tip. */
export interface EventView {
  /** @isLong */
  id: number;
  pi: EntityId;
  /** The same as `pi`. */
  entity_id: EntityId;
  cid: VersionCid;
  ts: string;
}

export interface EventsView {
  /** Newest first. */
  events: EventView[];
  /** Whether older events remain. */
  has_more: boolean;
  /**
   * To be passed back for older events; 0 on an empty page.
   * @isLong
   */
  cursor: number;
}
