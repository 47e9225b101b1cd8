import type { Reader } from '../connection.ts';
import { entityKey, predicateKey } from '../entity-keys.ts';
import { GraphBudgetSpent, type GraphEdge, GraphEdges } from './graph-edges.ts';
import { between } from './graph-paths.ts';
import { Names, type Neighbour, type NeighboursQuery } from './graph-reads.ts';

export interface LinksQuery extends Omit<NeighboursQuery, 'types' | 'limit' | 'perSource'> {
  /** Ids; there are no ways to unknown or deleted ones. */
  targets: string[];
}

export type LinkedPair = Pick<Neighbour, 'id' | 'source' | 'way'>;

/**
 * For each of the sources and each of the targets one shortest way from the one to the other that is not shorter than
 * `least`, found from both ends. No way leads through an entity twice. `truncated` where the budget left something out, of which
 * each source may use an equal share of what the earlier ones have left; `rows`: how many were looked at.
 */
export function linksTo(db: Reader, query: LinksQuery): { links: LinkedPair[]; truncated: boolean; rows: number } {
  const { sources, predicates } = query;
  const only = predicates && { only: predicates.flatMap((name) => predicateKey(db, name) ?? []) };
  const edges = new GraphEdges(db, { ...query, ...only });
  const links: LinkedPair[] = [];
  let truncated = false;
  const within = (look: () => void): void => {
    try {
      look();
    } catch (error) {
      if (!(error instanceof GraphBudgetSpent)) throw error;
      truncated = true;
    }
  };
  const targets: Target[] = [];
  within(() => {
    for (const id of new Set(query.targets)) targets.push(...liveKey(db, edges, id));
  });
  const names = new Names(db);
  for (const [source, id] of sources.entries()) {
    edges.share(sources.length - source);
    within(() => {
      for (const { target, way } of waysFrom(db, edges, id, { ...query, targets, avoid: query.avoid?.[source] ?? [] }))
        links.push({ id: target.id, source, way: names.chain(way.start, way.edges) });
    });
  }
  return { links, truncated, rows: edges.looked };
}

interface Target {
  id: string;
  key: number;
}

/** The shortest ways from one source, the shorter ones first. */
function* waysFrom(
  db: Reader,
  edges: GraphEdges,
  id: string,
  {
    targets,
    avoid,
    throughCollections = false,
    least = 1,
    depth,
  }: Pick<LinksQuery, 'throughCollections' | 'least' | 'depth'> & { targets: Target[]; avoid: string[] },
): Generator<{ target: Target; way: { start: number; edges: GraphEdge[] } }> {
  const start = entityKey(db, id);
  if (start === undefined) return;
  const avoided = new Set(avoid.flatMap((one) => entityKey(db, one) ?? []));
  const isInner = (node: number) =>
    !avoided.has(node) && (throughCollections ? edges.facts(node).live : edges.isInner(node));
  const left = new Set(targets.filter(({ key }) => key !== start && !avoided.has(key)));
  for (let length = least; length <= depth; length++)
    for (const target of left) {
      const nodes = between(edges, [[start, target.key]], length, isInner).next().value as number[] | undefined;
      if (nodes === undefined) continue;
      left.delete(target);
      yield { target, way: { start, edges: chainOf(edges, nodes) } };
    }
}

function liveKey(db: Reader, edges: GraphEdges, id: string): Target[] {
  const key = entityKey(db, id);
  return key !== undefined && edges.facts(key).live ? [{ id, key }] : [];
}

/** A relationship for each step. */
function chainOf(edges: GraphEdges, nodes: number[]): GraphEdge[] {
  return nodes.slice(1).flatMap((node, i) => edges.between(nodes[i] as number, node)[0] ?? []);
}
