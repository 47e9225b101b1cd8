// How a feed is walked, newest first, as functions from a state and a page to the next state (SPEC.md, Feed).

export interface FeedEvent {
  id: number;
  entity: string;
  cid: string;
}

/**
 * One page of a feed: newest first; `more` tells that older events remain. A page that was cut before it was filtered by network
 * may be blank, empty with more to come: then `next`, below where it was asked from, is where to go on.
 */
export interface FeedPage {
  events: FeedEvent[];
  more: boolean;
  next: number | null;
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
  /** No event has been met on the way from the head: what comes next is the newest. */
  atHead: boolean;
  /** The page before was blank, and it goes on below that. */
  blank: boolean;
}

export function startFeed(seen: Interval[]): FeedState {
  const checked = namedMark(seen) === undefined;
  return { seen, cursor: null, phase: 'walking', reason: null, checked, atHead: true, blank: false };
}

/** The newest event that was seen and is known by its version. */
function namedMark(seen: Interval[]): Interval | undefined {
  return seen.findLast((it) => !it.lost && it.cid !== null);
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

/** Whether the feed has come to its end without any event. */
export function isEmpty({ phase, atHead }: FeedState): boolean {
  return phase === 'complete' && atHead;
}

/** How many events to ask for: one tells what is to be checked, but where pages are blank it would be many questions. */
export function limitOf({ phase, blank }: FeedState, pageSize: number): number {
  return phase === 'checking' && !blank ? 1 : pageSize;
}

/** A page that is empty, and not the last one. */
export function isBlank({ events, more }: FeedPage): boolean {
  return events.length === 0 && more;
}

export interface FeedStep {
  state: FeedState;
  /** What the page tells that has not been dealt with. */
  events: FeedEvent[];
  /** All that the page tells, dealt with or not, where it is the newest one; else null. */
  newest: FeedEvent[] | null;
  /** Recorded once those events are dealt with, and not before. */
  covered: Interval | null;
  /** Ids that the feed no longer has and that were never seen, ascending. */
  lost: Interval[];
}

/** Takes the page that was asked for with `state.cursor`. */
export function feedStep(state: FeedState, page: FeedPage): FeedStep {
  const reason = resetReason(state, page);
  const none = { events: [], newest: null, covered: null, lost: [] };
  if (reason !== null) return { state: { ...state, phase: 'reset', reason }, ...none };
  const blank = isBlank(page);
  if (state.phase === 'checking')
    return { state: { ...state, ...(blank ? { cursor: page.next } : fromHead), blank }, ...none };
  const mark = namedMark(state.seen)?.last ?? 0;
  if (!state.checked && page.more && !blank && page.events.every(({ id }) => id > mark))
    return { state: { ...state, cursor: mark + 1, phase: 'checking', atHead: false, blank }, ...none };
  const events = page.events.filter(({ id }) => !state.seen.some((it) => holds(it, id)));
  const next = cursorAfter(state, page);
  const atHead = state.atHead && page.events.length === 0;
  const phase = next === null ? 'complete' : 'walking';
  return {
    state: { ...state, cursor: next ?? state.cursor, phase, atHead, blank: blank && next !== null },
    events,
    newest: state.atHead && !atHead ? page.events : null,
    covered: coveredBy(state, page),
    lost: page.more ? [] : lostBelow(state, page),
  };
}

/** How the walk begins once what was seen last has been found to be there. */
const fromHead = { cursor: null, phase: 'walking', checked: true, atHead: true } as const;

function holds({ first, last }: Interval, id: number): boolean {
  return first <= id && id <= last;
}

/** A head below the mark, a mark that is gone, or a known id that names another version: the feed was reset (decisions.md, Sync). */
function resetReason({ seen, cursor, atHead }: FeedState, { events }: FeedPage): string | null {
  const [mark, named] = [markOf(seen), namedMark(seen)];
  const [head, oldest] = [events[0], events.at(-1)];
  if (mark === undefined || head === undefined || oldest === undefined) return null;
  if (atHead && head.id < mark.last) return `its newest event is ${head.id}, and ${mark.last} has been seen`;
  // Events leave the feed from its old end: where there are older ones, the mark is there too.
  if (named && (cursor === null || cursor > named.last) && oldest.id < named.last)
    if (!events.some(({ id }) => id === named.last)) return `event ${named.last} has been seen, and is gone`;
  const changed = seen.find(({ last, cid }) => cid !== null && events.some((e) => e.id === last && e.cid !== cid));
  return changed ? `event ${changed.last} names another version than before` : null;
}

/** A page holds everything between its oldest event and where it was asked from; a blank one says that nothing is there. */
function coveredBy({ seen, cursor, atHead }: FeedState, { events, more, next }: FeedPage): Interval | null {
  const newest = events[0];
  const first = events.at(-1)?.id ?? (more ? next : null);
  // Above the newest event there may be some by the next run.
  const last = atHead ? newest?.id : (cursor ?? 0) - 1;
  if (first === null || last === undefined) return null;
  if (seen.some((it) => !it.lost && it.first <= first && last <= it.last)) return null;
  return { first, last, cid: newest?.id === last ? newest.cid : null, lost: false };
}

/** Where to go on: below what is known already where the page reaches it, else below the page; null: nowhere. */
function cursorAfter({ seen, atHead }: FeedState, page: FeedPage): number | null {
  const oldest = page.events.at(-1)?.id ?? page.next;
  if (!page.more || oldest === null || oldest <= 1) return null;
  // Nothing is passed over before the newest event has shown that the feed is the one that was seen.
  if (atHead && isBlank(page)) return oldest;
  let first = oldest;
  for (const it of seen.toReversed())
    if (it.first < first && first <= it.last + (first === oldest ? 0 : 1)) first = it.first;
  return first <= 1 ? null : first;
}

/**
 * What lies below the feed's end has left it: all of it that was not seen is lost, above what was seen, below it and between.
 * An empty feed has ended above all that was seen.
 */
function lostBelow({ seen, cursor, atHead }: FeedState, { events }: FeedPage): Interval[] {
  const end = events.at(-1)?.id ?? (atHead ? null : cursor) ?? (markOf(seen)?.last ?? 0) + 1;
  const holes: Interval[] = [];
  let first = 1;
  for (const it of [...seen.filter((one) => one.first < end), { first: end, last: end }]) {
    if (first < it.first) holes.push({ first, last: it.first - 1, cid: null, lost: true });
    first = Math.max(first, it.last + 1);
  }
  return holes;
}
