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
  /** Newest first; with `since` oldest first. */
  events: EventView[];
  /** Whether older events remain, with `since` newer ones. */
  has_more: boolean;
  /**
   * To be passed back as `until` for older events, with `since` as `since` for newer ones. On an empty page 0, with
   * `since` its value, or the last id that has left the feed where that is higher.
   * @isLong
   */
  cursor: number;
}
