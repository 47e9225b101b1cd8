import { type KnownNeighbours, knownOf, nextNeighbours, type Place } from './graph-heads.ts';
import { asParameters, touching, type Way } from './graph-statements.ts';
import { ascending, inBoth, keysAfter } from './sorted-keys.ts';

/** Pages grow from so many keys to so many: what is sought may be among the first. */
const [firstPage, lastPage] = [16, 1024];
/** So few neighbours are looked up on the other side at once. */
const shortList = 64;
/** Of the node with more neighbours one reads only so small a part of a page, to see whether it still has more. */
const glance = 4;

/** What two nodes have in common, in pages, as far as it was looked for. */
export interface Common {
  pages: (readonly number[])[];
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
export function* commonPages(looking: KnownNeighbours, one: Place, other: Place): Generator<readonly number[]> {
  if (one.list && other.list) return yield [...inBoth(one.list, other.list)];
  const { memory } = looking;
  const name = `${one.name} ${other.name}`;
  const common = memory.commons.get(name) ?? { pages: [], rest: { after: -1, size: firstPage, isSwapped: false } };
  for (let n = 0; n < common.pages.length || common.rest; n++) {
    if (n === common.pages.length && common.rest) {
      const { page, rest } = lookOn(looking, one, other, common.rest);
      common.pages.push(page);
      common.rest = rest;
      memory.keepCommon(name, common, page.length);
    }
    yield common.pages[n] as readonly number[];
  }
}

/** The next page, and where to go on from there. */
function lookOn(
  looking: KnownNeighbours,
  one: Place,
  other: Place,
  { after, size, isSwapped }: Rest,
): { page: readonly number[]; rest: Rest | null } {
  const [short, long] = one.list ? [one.list, other] : [other.list, one];
  if (short && short.length <= shortList) return { page: touched(looking, short, long), rest: null };
  const [few, many] = isSwapped ? [other, one] : [one, other];
  const [read, glanced] = [
    nextNeighbours(looking, few, after, size),
    nextNeighbours(looking, many, after, size / glance),
  ];
  // The one with fewer neighbours hereabouts is read, and looked for on the other side.
  const swaps = glanced.until > read.until;
  const [far, near, end] = swaps ? [glanced, read, few] : [read, glanced, many];
  const [first] = far.keys;
  if (first === undefined || near.keys.length === 0) return { page: [], rest: null };
  const next = { size: Math.min(2 * size, lastPage), isSwapped: isSwapped !== swaps };
  if (first > near.until) return { page: [], rest: { ...next, after: first - 1 } };
  const rest = keysAfter(far.keys, near.until, far.keys.length);
  const page = [...inBoth(far.keys, near.keys), ...touched(looking, rest, end)];
  return { page, rest: far.until === Number.POSITIVE_INFINITY ? null : { ...next, after: far.until } };
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
