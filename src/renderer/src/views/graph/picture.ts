import type { Expansion, Path } from './graph-queries.ts';

export interface GraphNode {
  id: string;
  label: string;
  type: string;
  /** Whether its relationships were asked for. */
  open: boolean;
  onPath: boolean;
}

/** A relationship: it stands in `from`. */
export interface GraphEdge {
  from: string;
  to: string;
  predicate: string;
  onPath: boolean;
}

/** All that is known of the graph around some entities. */
export interface Gathered {
  nodes: Map<string, GraphNode>;
  edges: GraphEdge[];
  /** How many relationships the open entities have, shown or not. */
  total: number;
  /** Whether there are more entities than are ever drawn. */
  full: boolean;
}

/** What is drawn. */
export interface Picture {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** What can be chosen from, with how often it is there. */
export interface Counts {
  types: { name: string; count: number }[];
  predicates: { name: string; count: number }[];
}

/** So many entities are drawn at most. */
export const mostNodes = 5000;

/**
 * Puts together what was asked for: what is on paths, then each open entity and its peers, in the order in which they were
 * opened. Open ones are always there, however many peers there are.
 */
export function gather(expansions: readonly Expansion[], paths: readonly Path[], limit = mostNodes): Gathered {
  const nodes = new Map<string, GraphNode>();
  const edges = new Map<string, GraphEdge>();
  const waiting = new Set(expansions.map(({ id }) => id));
  let full = false;
  const node = (id: string, label: string, type: string): GraphNode | undefined => {
    const known = nodes.get(id);
    if (known) return known;
    if (!waiting.delete(id) && nodes.size + waiting.size >= limit) {
      full = true;
      return undefined;
    }
    const made = { id, label, type, open: false, onPath: false };
    nodes.set(id, made);
    return made;
  };
  const edge = (from: string, predicate: string, to: string): GraphEdge => {
    const key = `${from} ${predicate} ${to}`;
    const made = edges.get(key) ?? { from, to, predicate, onPath: false };
    edges.set(key, made);
    return made;
  };
  for (const { source_id, edges: way } of paths) {
    let at = source_id;
    for (const one of way) {
      const subject = { id: one.subject_id, label: one.subject_label, type: one.subject_type };
      const object = { id: one.object_id, label: one.object_label, type: one.object_type };
      // As one comes by them.
      const ends = subject.id === at ? [subject, object] : [object, subject];
      at = ends[1]!.id;
      const made = ends.flatMap(({ id, label, type }) => node(id, label, type) ?? []);
      if (made.length < 2) continue;
      for (const end of made) end.onPath = true;
      edge(subject.id, one.predicate, object.id).onPath = true;
    }
  }
  let left = 0;
  for (const { id, label, type, relationships, totals } of expansions) {
    const made = node(id, label, type);
    if (made) made.open = true;
    left += totals.outgoing + totals.incoming - relationships.length;
    for (const { direction, predicate, peer_id, peer_label, peer_type } of relationships) {
      if (!node(peer_id, peer_label, peer_type)) left++;
      else if (direction === 'outgoing') edge(id, predicate, peer_id);
      else edge(peer_id, predicate, id);
    }
  }
  return { nodes, edges: [...edges.values()], total: edges.size + left, full };
}

/** How many entities of each type and relationships of each predicate there are, the most first. */
export function countsOf({ nodes, edges }: Gathered): Counts {
  return {
    types: counted([...nodes.values()].map(({ type }) => type)),
    predicates: counted(edges.map((one) => one.predicate)),
  };
}

function counted(names: string[]): { name: string; count: number }[] {
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, all]) => ({ name, count: all.length }))
    .toSorted((a, b) => b.count - a.count);
}

/**
 * The predicates that are hidden before anything was chosen: that everything lies in its collection says little, unless
 * one looks at a collection.
 */
export function hiddenAtFirst(expansions: readonly Expansion[]): string[] {
  return expansions.some(({ type }) => type === 'collection') ? [] : ['collection'];
}

/** What is left without some predicates and types. What is open or on a path is always there. */
export function pictureOf(
  { nodes, edges }: Gathered,
  { predicates, types }: { predicates: readonly string[]; types: readonly string[] },
): Picture {
  const without = { predicates: new Set(predicates), types: new Set(types) };
  const kept = (id: string) => {
    const node = nodes.get(id);
    return node !== undefined && (node.open || node.onPath || !without.types.has(node.type));
  };
  const left = edges.filter(
    ({ from, to, predicate, onPath }) => onPath || (!without.predicates.has(predicate) && kept(from) && kept(to)),
  );
  const tied = new Set(left.flatMap(({ from, to }) => [from, to]));
  return { nodes: [...nodes.values()].filter(({ id, open, onPath }) => open || onPath || tied.has(id)), edges: left };
}

/** The relationships of each entity in a picture. */
export function edgesByNode({ edges }: Picture): Map<string, GraphEdge[]> {
  const all = new Map<string, GraphEdge[]>();
  for (const edge of edges)
    for (const id of edge.from === edge.to ? [edge.from] : [edge.from, edge.to]) {
      const list = all.get(id);
      if (list) list.push(edge);
      else all.set(id, [edge]);
    }
  return all;
}

/** A label in one line, without the signs that would turn or break what stands beside it. */
export function lineOf(label: string, most = 60): string {
  const line = [
    ...label
      .slice(0, most * 4)
      .replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ')
      .trim(),
  ];
  return line.length > most ? `${line.slice(0, most - 1).join('')}…` : line.join('');
}
