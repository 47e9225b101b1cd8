import { type KnownNeighbours, knownOf, nextNeighbours, type Place } from './graph-heads.ts';
import { asParameters, touching, type Way } from './graph-statements.ts';
import { ascending, inBoth, keysAfter } from './sorted-keys.ts';

/** Pages grow from so many keys to so many: what is sought may be among the first. */
const [firstPage, lastPage] = [16, 1024];
/** So few neighbours are looked up on the other side at once. */
const shortList = 64;
/** Of the node with more neighbours one reads only so small a part of a page, to see whether it still has more. */
const glance = 4;

/** A part of what two nodes have in common. */
export interface CommonPage {
  keys: readonly number[];
  /** Whether there is no other after it. */
  isLast: boolean;
}

/** What two nodes have in common, in pages, as far as it was looked for. */
export interface Common {
  pages: CommonPage[];
  /** Where to go on; null where that was all. */
  rest: Rest | null;
}

interface Rest {
  /** Up to this key all is known. */
  after: number;
  size: number;
  /** Whether the second one of the two had fewer neighbours where they were last read. */
  isSwapped: boolean;
}

/**
 * The keys of those one step from both of two nodes, in pages: each has looked through one stretch of keys, and holds what
 * is in it, often nothing. Together they are in ascending order, each once. The pages depend on what is stored alone.
 */
export function commonPages(looking: KnownNeighbours, one: Place, other: Place): Iterable<CommonPage> {
  if (one.list && other.list) return [{ keys: [...inBoth(one.list, other.list)], isLast: true }];
  // The one with many first, whichever was asked about first: so what is remembered serves both ways alike.
  const [busy, beside] = one.list ? [other, one] : [one, other];
  const known = looking.memory.common(busy.name, beside.node);
  // Of thousands of pairs nearly all are known to have nothing in common.
  if (known?.rest === null) return known.pages;
  return lookedOn(
    looking,
    busy,
    beside,
    known ?? { pages: [], rest: { after: -1, size: firstPage, isSwapped: false } },
  );
}

function* lookedOn(looking: KnownNeighbours, busy: Place, beside: Place, common: Common): Generator<CommonPage> {
  for (let n = 0; n < common.pages.length || common.rest; n++) {
    if (n === common.pages.length && common.rest) {
      const { keys, rest } = lookOn(looking, busy, beside, common.rest);
      common.pages.push({ keys, isLast: rest === null });
      common.rest = rest;
      looking.memory.keepCommon(busy.name, beside.node, common, keys.length);
    }
    yield common.pages[n] as CommonPage;
  }
}

/** The next page, and where to go on from there. */
function lookOn(
  looking: KnownNeighbours,
  busy: Place,
  beside: Place,
  { after, size, isSwapped }: Rest,
): { keys: readonly number[]; rest: Rest | null } {
  if (beside.list && beside.list.length <= shortList) return { keys: touched(looking, beside.list, busy), rest: null };
  const [few, many] = isSwapped ? [beside, busy] : [busy, beside];
  const [read, glanced] = [
    nextNeighbours(looking, few, after, size),
    nextNeighbours(looking, many, after, size / glance),
  ];
  // The one with fewer neighbours hereabouts is read, and looked for on the other side.
  const swaps = glanced.until > read.until;
  const [far, near, end] = swaps ? [glanced, read, few] : [read, glanced, many];
  const [first] = far.keys;
  if (first === undefined || near.keys.length === 0) return { keys: [], rest: null };
  const next = { size: Math.min(2 * size, lastPage), isSwapped: isSwapped !== swaps };
  if (first > near.until) return { keys: [], rest: { ...next, after: first - 1 } };
  const rest = keysAfter(far.keys, near.until, far.keys.length);
  const keys = [...inBoth(far.keys, near.keys), ...touched(looking, rest, end)];
  return { keys, rest: far.until === Number.POSITIVE_INFINITY ? null : { ...next, after: far.until } };
}

/** Those of some nodes, in ascending order, that are one step from a place. */
function touched(looking: KnownNeighbours, nodes: readonly number[], place: Place): readonly number[] {
  if (nodes.length === 0) return [];
  const head = knownOf(looking, place);
  const rest = keysAfter(nodes, head.until, nodes.length);
  const within = [...inBoth(rest.length > 0 ? nodes.slice(0, nodes.length - rest.length) : nodes, head.keys)];
  if (rest.length === 0) return within;
  const found = place.ways.flatMap(
    (way) => looking.owned.touching(rest, place.node, way) ?? lookedUp(looking, rest, place.node, way),
  );
  return [...within, ...ascending(found)];
}

function lookedUp(
  { db, spend, predicates }: KnownNeighbours,
  nodes: readonly number[],
  node: number,
  way: Way,
): readonly number[] {
  const among = predicates(node, way);
  if (among.length === 0) return [];
  spend(nodes.length);
  const row = db.get<{ nodes: string }>(touching[way](among), JSON.stringify(nodes), node, ...asParameters(among));
  return JSON.parse(row?.nodes ?? '[]') as number[];
}
