import type { Reader } from '../connection.ts';
import type { GraphMemory } from './graph-memory.ts';
import type { OwnedEdges } from './graph-owned.ts';
import { nextOf, type Way } from './graph-statements.ts';
import { ascending, keysAfter } from './sorted-keys.ts';

/** A node, and which of its relationships one follows from it. */
export interface Place {
  node: number;
  ways: readonly Way[];
  /** Under which it is remembered. */
  name: string;
  /** Those one step from it in ascending order; null where they are many. */
  list: readonly number[] | null;
}

/** Neighbours in ascending order, and the key up to which these are all that there are: infinite for all. */
export interface Stretch {
  keys: readonly number[];
  until: number;
}

/** What is looked at, and what is told of how many rows it was. */
export interface KnownNeighbours {
  db: Reader;
  memory: GraphMemory;
  owned: OwnedEdges;
  spend(rows: number): void;
  /** The predicates of a node's relationships that are followed. */
  predicates(node: number, way: Way): number[];
}

/** Of the first neighbours of one node so many are remembered. */
const longestHead = 4096;

/** The next `size` neighbours above a key, all there are for fewer. The first of those with many are remembered. */
export function nextNeighbours(known: KnownNeighbours, place: Place, after: number, size: number): Stretch {
  const keys = keysAfter(place.list ?? manyAfter(known, place, after, size), after, size);
  return { keys, until: keys.length < size ? Number.POSITIVE_INFINITY : (keys.at(-1) as number) };
}

/** The first neighbours of a place, as far as they are known. */
export function knownOf({ memory }: KnownNeighbours, { name, list }: Place): Stretch {
  if (list) return { keys: list, until: Number.POSITIVE_INFINITY };
  return memory.heads.get(name) ?? { keys: [], until: -1 };
}

/** At least the next `size` of them, and maybe others. */
function manyAfter(known: KnownNeighbours, place: Place, after: number, size: number): readonly number[] {
  const { heads } = known.memory;
  let head = heads.get(place.name) ?? { keys: [], until: -1 };
  if (after > head.until) return read(known, place, after, size).keys;
  while (head.until < Number.POSITIVE_INFINITY && keysAfter(head.keys, after, size).length < size) {
    if (head.keys.length > longestHead) return read(known, place, after, size).keys;
    const { keys, until } = read(known, place, head.until, size);
    head = { keys: [...head.keys, ...keys], until };
    known.memory.keepHead(place.name, head, keys.length);
  }
  return head.keys;
}

/** At least the next `size`: so many of each predicate, as far as all of these reach. */
function read(known: KnownNeighbours, { node, ways }: Place, after: number, size: number): Stretch {
  const { db, owned, predicates } = known;
  const all: number[] = [];
  let until = Number.POSITIVE_INFINITY;
  for (const way of ways) {
    const own = way === 'out' ? owned.peers(node) : null;
    if (own) {
      for (const key of own) if (key > after) all.push(key);
      continue;
    }
    const rows = db.all<{ nodes: string }>(nextOf[way], node, after, size, JSON.stringify(predicates(node, way)));
    for (const row of rows) {
      const nodes = JSON.parse(row.nodes) as number[];
      for (const key of nodes) all.push(key);
      if (nodes.length === size) until = Math.min(until, nodes.at(-1) as number);
    }
  }
  known.spend(all.length);
  return { keys: ascending(all.filter((key) => key <= until)), until };
}
