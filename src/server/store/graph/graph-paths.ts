import type { Reader } from '../connection.ts';
import type { CommonPage } from './graph-common.ts';
import { type GraphBudget, GraphBudgetSpent, type GraphDirection, type GraphEdge, GraphEdges } from './graph-edges.ts';
import { inTurn, type SearchPage } from './in-turn.ts';
import { paged } from './sorted-keys.ts';

export interface PathsQuery {
  /** Keys. */
  sources: number[];
  targets: number[];
  /** Relationships in a path at most. */
  depth: number;
  direction: GraphDirection;
  /** Paths at most. */
  limit: number;
  budget?: GraphBudget | undefined;
}

export interface FoundPath {
  source: number;
  target: number;
  /** In the order of the path, each as it is stored. */
  edges: GraphEdge[];
}

/**
 * Simple paths from any of the sources to any of the targets: no entity twice, no deleted entity and no collection
 * within. Shortest first; which of one length come first depends on what is stored alone, and on which sources and targets
 * are asked about, in which order. Where several relationships link two entities, each makes a path of its own.
 * `truncated` where the limit or the budget left something out.
 *
 * Both ends are followed towards each other, always the one with fewer relationships, down to pairs of entities that may
 * have a neighbour in common. All pairs of one length are looked through in turn, a page of each, so that one with much
 * in common answers before those where very much is to be looked at in vain.
 */
export function pathsBetween(db: Reader, query: PathsQuery): { paths: FoundPath[]; truncated: boolean } {
  const edges = new GraphEdges(db, query);
  const paths: FoundPath[] = [];
  try {
    for (const path of allPaths(edges, query)) {
      if (paths.length === query.limit) return { paths, truncated: true };
      paths.push(path);
    }
  } catch (error) {
    if (!(error instanceof GraphBudgetSpent)) throw error;
    return { paths, truncated: true };
  }
  return { paths, truncated: false };
}

function* allPaths(edges: GraphEdges, { sources, targets, depth }: PathsQuery): Generator<FoundPath> {
  const isInner = (node: number) => edges.isInner(node);
  for (let length = 1; length <= depth; length++)
    for (const nodes of between(edges, pairsOf(sources, targets), length, isInner))
      for (const chain of chains(edges, nodes))
        yield { source: nodes[0] as number, target: nodes.at(-1) as number, edges: chain };
}

function* pairsOf(sources: number[], targets: number[]): Generator<Pair> {
  for (const source of new Set(sources))
    for (const target of new Set(targets)) if (source !== target) yield [source, target];
}

/** A source and a target. */
export type Pair = readonly [number, number];

/** The entities of each path of exactly `length` steps from the source to the target of a pair: not one pair after the other. */
export function* between(
  edges: GraphEdges,
  pairs: Iterable<Pair>,
  length: number,
  isInner: (node: number) => boolean,
): Generator<number[]> {
  if (length > 1) return yield* inTurn(searches(edges, pairs, length, isInner));
  for (const [source, target] of pairs) if (edges.between(source, target).length > 0) yield [source, target];
}

/** A path whose entity in the middle is sought: what comes before it, and what comes after it. */
interface Gap {
  left: readonly number[];
  right: readonly number[];
}

/** What is found where two entities have nothing in common. */
const nothing: readonly SearchPage<number[]>[] = [{ found: [], isLast: true }];

function* searches(
  edges: GraphEdges,
  pairs: Iterable<Pair>,
  length: number,
  isInner: (node: number) => boolean,
): Generator<Iterable<SearchPage<number[]>>> {
  for (const [source, target] of pairs)
    for (const gap of gaps(edges, { left: [source], right: [target] }, length, isInner))
      yield closed(edges, gap, isInner);
}

/** Those of the paths of `length` more steps. */
function* gaps(edges: GraphEdges, gap: Gap, length: number, isInner: (node: number) => boolean): Generator<Gap> {
  if (length === 2) return yield gap;
  const { left, right } = gap;
  const { source, target } = endsOf(gap);
  const isLeft = edges.sourceIsSmaller(source, target);
  for (const node of isLeft ? edges.neighbours(source, 'source') : edges.neighbours(target, 'target')) {
    if (!fits(gap, node) || !isInner(node)) continue;
    const next = isLeft ? { left: [...left, node], right } : { left, right: [node, ...right] };
    if (length === 3) yield next;
    else yield* gaps(edges, next, length - 1, isInner);
  }
}

/** The paths that close a gap, in pages. */
function closed(edges: GraphEdges, gap: Gap, isInner: (node: number) => boolean): Iterable<SearchPage<number[]>> {
  const { source, target } = endsOf(gap);
  const pages = edges.common(source, target);
  return Array.isArray(pages) && pages.every(({ keys }) => keys.length === 0)
    ? nothing
    : closedIn(edges, gap, pages, isInner);
}

function* closedIn(
  edges: GraphEdges,
  gap: Gap,
  pages: Iterable<CommonPage>,
  isInner: (node: number) => boolean,
): Generator<SearchPage<number[]>> {
  for (const { keys, isLast } of pages)
    yield { found: keys.length === 0 ? [] : closedBy(edges, gap, keys, isInner), isLast };
}

function* closedBy(
  edges: GraphEdges,
  gap: Gap,
  nodes: readonly number[],
  isInner: (node: number) => boolean,
): Generator<number[]> {
  const { source, target } = endsOf(gap);
  for (const page of paged(nodes, 8, 64)) {
    edges.expect(page, source, target);
    for (const node of page) if (fits(gap, node) && isInner(node)) yield [...gap.left, node, ...gap.right];
  }
}

function endsOf({ left, right }: Gap): { source: number; target: number } {
  return { source: left.at(-1) as number, target: right[0] as number };
}

function fits({ left, right }: Gap, node: number): boolean {
  return !left.includes(node) && !right.includes(node);
}

/** Every choice of a relationship for each step. */
function* chains(edges: GraphEdges, [node, ...rest]: number[]): Generator<GraphEdge[]> {
  const [next] = rest;
  if (node === undefined || next === undefined) return yield [];
  for (const tail of chains(edges, rest)) for (const edge of edges.between(node, next)) yield [edge, ...tail];
}
