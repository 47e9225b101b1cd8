import type { Reader } from './connection.ts';
import { type GraphBudget, GraphBudgetSpent, type GraphDirection, type GraphEdge, GraphEdges } from './graph-edges.ts';
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
 * within. Shortest first, then in the order of sources, targets and the store. Where several relationships link two
 * entities, each makes a path of its own. `truncated` where the limit or the budget left something out.
 *
 * Both ends are followed towards each other, always the one with fewer relationships, down to the two that have a
 * neighbour in common: of an entity with very many relationships no more are read than the other end has.
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
    for (const source of new Set(sources))
      for (const target of new Set(targets))
        if (source !== target)
          for (const nodes of between(edges, [source], [target], length, isInner))
            for (const chain of chains(edges, nodes)) yield { source, target, edges: chain };
}

/** The entities of each path of exactly `length` steps that begins with `left` and ends with `right`. */
export function* between(
  edges: GraphEdges,
  left: number[],
  right: number[],
  length: number,
  isInner: (node: number) => boolean,
): Generator<number[]> {
  const source = left.at(-1) as number;
  const target = right[0] as number;
  if (length === 1) {
    if (edges.between(source, target).length > 0) yield [...left, ...right];
    return;
  }
  const fits = (node: number) => !left.includes(node) && !right.includes(node) && isInner(node);
  if (length === 2) {
    for (const page of paged(edges.common(source, target), 16, 64)) {
      edges.expect(page, source, target);
      for (const node of page) if (fits(node)) yield [...left, node, ...right];
    }
  } else if (edges.sourceIsSmaller(source, target)) {
    for (const node of edges.neighbours(source, 'source'))
      if (fits(node)) yield* between(edges, [...left, node], right, length - 1, isInner);
  } else {
    for (const node of edges.neighbours(target, 'target'))
      if (fits(node)) yield* between(edges, left, [node, ...right], length - 1, isInner);
  }
}

/** Every choice of a relationship for each step. */
function* chains(edges: GraphEdges, [node, ...rest]: number[]): Generator<GraphEdge[]> {
  const [next] = rest;
  if (node === undefined || next === undefined) return yield [];
  for (const tail of chains(edges, rest)) for (const edge of edges.between(node, next)) yield [edge, ...tail];
}
