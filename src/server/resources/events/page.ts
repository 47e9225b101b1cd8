import { feedFloor, movesAfter, movesBefore } from '../../store/events.ts';
import type { NetworkStore } from '../../store/network-store.ts';
import type { EventsView } from './wire.ts';

export interface EventsQuery {
  /** Only events with a higher id. */
  since?: number | undefined;
  /** Only events with a lower id. */
  until?: number | undefined;
  limit: number;
}

/** A page of the feed, with its answer. */
export interface EventsPage {
  more: boolean;
  cursor: number;
  /** Of an `EventsView`, in UTF-8. */
  json: Uint8Array;
}

export function eventsPage(
  store: NetworkStore,
  { since, until = Number.MAX_SAFE_INTEGER, limit }: EventsQuery,
): EventsPage {
  const { moves, more, from } = store.read((db) => {
    if (since === undefined) return { ...movesBefore(db, until, limit), from: 0 };
    const from = Math.max(since, feedFloor(db));
    // No cursor goes beyond what was asked for, where that has left the feed.
    return { ...movesAfter(db, from, limit, until), from: Math.max(since, Math.min(from, until - 1)) };
  });
  const ts = timeWriter();
  const cursor = moves.at(-1)?.id ?? from;
  const view: EventsView = {
    events: moves.map(({ id, entity, cid, time }) => ({ id, pi: entity, entity_id: entity, cid, ts: ts(time) })),
    has_more: more,
    cursor,
  };
  return { more, cursor, json: Buffer.from(JSON.stringify(view)) };
}

/** What a reader of the whole feed asks for after a page; null for the last page, and for a first one, where few go on. */
export function followingOf({ since, until, limit }: EventsQuery, { more, cursor }: EventsPage): EventsQuery | null {
  if (!more || (since === undefined && until === undefined)) return null;
  return since === undefined ? { until: cursor, limit } : { since: cursor, until, limit };
}

/** Writes times (epoch ms) as ISO 8601. What was written together has one time, and each takes as long as all else of an event. */
function timeWriter(): (time: number) => string {
  let [last, text] = [Number.NaN, ''];
  return (time) => {
    if (time !== last) [last, text] = [time, new Date(time).toISOString()];
    return text;
  };
}
