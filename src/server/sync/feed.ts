// How a feed is walked, newest first, as functions from a state and a page to the next state (SPEC.md, Feed).

export interface FeedEvent {
  id: number;
  entity: string;
  cid: string;
}

/** One page of a feed: newest first; `more` tells that older events remain. */
export interface FeedPage {
  events: FeedEvent[];
  more: boolean;
}

/** Feed ids that need no look any more: dealt with, or `lost` to the feed's end. `cid` is what `last` names. */
export interface Interval {
  first: number;
  last: number;
  cid: string | null;
  lost: boolean;
}

export interface FeedState {
  /** As it was when the walk began; ascending, apart from each other or of different kinds. */
  seen: Interval[];
  /** Events with an id below it come next; null: the newest. */
  cursor: number | null;
  /** `checking`: before anything of a long gap is taken over, the last event that was seen is read again. */
  phase: 'checking' | 'walking' | 'complete' | 'reset';
  /** In phase `reset`: what gives it away. */
  reason: string | null;
  /** That the feed is the one that was seen before. */
  checked: boolean;
}

export function startFeed(seen: Interval[]): FeedState {
  return { seen, cursor: null, phase: 'walking', reason: null, checked: markOf(seen) === undefined };
}

function markOf(seen: Interval[]): Interval | undefined {
  return seen.findLast((it) => !it.lost);
}

/** The newest version that the feed named when it was read last; null where that is not known. */
export function newestSeen({ seen }: Pick<FeedState, 'seen'>): string | null {
  return markOf(seen)?.cid ?? null;
}

/** Whether there is a page to ask for, with `state.cursor`. */
export function isOpen({ phase }: FeedState): boolean {
  return phase === 'checking' || phase === 'walking';
}

export interface FeedStep {
  state: FeedState;
  /** What the page tells that has not been dealt with. */
  events: FeedEvent[];
  /** Recorded once those events are dealt with, and not before. */
  covered: Interval | null;
  /** Ids that the feed no longer has and that were never seen, ascending. */
  lost: Interval[];
}

/** Takes the page that was asked for with `state.cursor`. */
export function feedStep(state: FeedState, page: FeedPage): FeedStep {
  const reason = resetReason(state, page);
  const none = { events: [], covered: null, lost: [] };
  if (reason !== null) return { state: { ...state, phase: 'reset', reason }, ...none };
  if (state.phase === 'checking')
    return { state: { ...state, cursor: null, phase: 'walking', checked: true }, ...none };
  const mark = markOf(state.seen)?.last ?? 0;
  if (!state.checked && page.more && page.events.every(({ id }) => id > mark))
    return { state: { ...state, cursor: mark + 1, phase: 'checking' }, ...none };
  const events = page.events.filter(({ id }) => !state.seen.some((it) => holds(it, id)));
  const next = cursorAfter(state, page);
  return {
    state: { ...state, cursor: next ?? state.cursor, phase: next === null ? 'complete' : 'walking' },
    events,
    covered: coveredBy(state, page),
    lost: page.more ? [] : lostBelow(state, page),
  };
}

function holds({ first, last }: Interval, id: number): boolean {
  return first <= id && id <= last;
}

/** A head below the mark, or a known id that names another version: the feed was reset (decisions.md, Sync). */
function resetReason({ seen, cursor, phase }: FeedState, { events }: FeedPage): string | null {
  const mark = markOf(seen);
  const head = events[0];
  if (mark === undefined || head === undefined) return null;
  if (cursor === null && head.id < mark.last) return `its newest event is ${head.id}, and ${mark.last} has been seen`;
  // Events leave the feed from its old end: where there are older ones, the mark is there too.
  if (phase === 'checking' && head.id < mark.last) return `event ${mark.last} has been seen, and is gone`;
  const changed = seen.find(({ last, cid }) => cid !== null && events.some((e) => e.id === last && e.cid !== cid));
  return changed ? `event ${changed.last} names another version than before` : null;
}

/** A page holds everything between its oldest event and where it was asked from. */
function coveredBy({ seen, cursor }: FeedState, { events }: FeedPage): Interval | null {
  const [newest, oldest] = [events[0], events.at(-1)];
  if (newest === undefined || oldest === undefined) return null;
  const first = oldest.id;
  const last = cursor === null ? newest.id : cursor - 1;
  if (seen.some((it) => !it.lost && it.first <= first && last <= it.last)) return null;
  return { first, last, cid: newest.id === last ? newest.cid : null, lost: false };
}

/** Where to go on: below what is known already where the page reaches it, else below the page; null: nowhere. */
function cursorAfter({ seen }: FeedState, { events, more }: FeedPage): number | null {
  const oldest = events.at(-1)?.id;
  if (!more || oldest === undefined) return null;
  let first = oldest;
  for (const it of seen.toReversed())
    if (it.first < first && first <= it.last + (first === oldest ? 0 : 1)) first = it.first;
  return first <= 1 ? null : first;
}

/**
 * What lies below the feed's end has left it: all of it that was not seen is lost, above what was seen, below it and between.
 * An empty feed has ended above all that was seen.
 */
function lostBelow({ seen, cursor }: FeedState, { events }: FeedPage): Interval[] {
  const end = events.at(-1)?.id ?? cursor ?? (markOf(seen)?.last ?? 0) + 1;
  const holes: Interval[] = [];
  let first = 1;
  for (const it of [...seen.filter((one) => one.first < end), { first: end, last: end }]) {
    if (first < it.first) holes.push({ first, last: it.first - 1, cid: null, lost: true });
    first = Math.max(first, it.last + 1);
  }
  return holes;
}
