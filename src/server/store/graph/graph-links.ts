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
 * `least`, found from both ends. No way leads through an entity twice. `truncated` where the budget left something out;
 * `rows`: how many were looked at.
 */
export function linksTo(db: Reader, query: LinksQuery): { links: LinkedPair[]; truncated: boolean; rows: number } {
  const { sources, predicates, throughCollections = false, least = 1, depth } = query;
  const only = predicates && { only: predicates.flatMap((name) => predicateKey(db, name) ?? []) };
  const edges = new GraphEdges(db, { ...query, ...only });
  const names = new Names(db);
  const links: LinkedPair[] = [];
  const linked = new Set<string>();
  const starts = sources.map((id, source) => ({
    source,
    key: entityKey(db, id),
    avoid: new Set((query.avoid?.[source] ?? []).flatMap((one) => entityKey(db, one) ?? [])),
  }));
  try {
    const targets = query.targets.flatMap((id) => liveKey(db, edges, id) ?? []);
    for (let length = least; length <= depth; length++)
      for (const { source, key, avoid } of starts) {
        const isInner = (node: number) =>
          !avoid.has(node) && (throughCollections ? edges.facts(node).live : edges.isInner(node));
        for (const target of targets) {
          const pair = `${source} ${target.key}`;
          if (key === undefined || key === target.key || avoid.has(target.key) || linked.has(pair)) continue;
          const nodes = between(edges, [[key, target.key]], length, isInner).next().value as number[] | undefined;
          if (nodes === undefined) continue;
          linked.add(pair);
          links.push({ id: target.id, source, way: names.chain(key, chainOf(edges, nodes)) });
        }
      }
  } catch (error) {
    if (!(error instanceof GraphBudgetSpent)) throw error;
    return { links, truncated: true, rows: edges.looked };
  }
  return { links, truncated: false, rows: edges.looked };
}

function liveKey(db: Reader, edges: GraphEdges, id: string): { id: string; key: number } | undefined {
  const key = entityKey(db, id);
  return key !== undefined && edges.facts(key).live ? { id, key } : undefined;
}

/** A relationship for each step. */
function chainOf(edges: GraphEdges, nodes: number[]): GraphEdge[] {
  return nodes.slice(1).flatMap((node, i) => edges.between(nodes[i] as number, node)[0] ?? []);
}
