import type { GraphEdge, GraphEdges } from './graph-edges.ts';
import type { Ends } from './graph-ends.ts';

/** An entity that a walk has come to. */
export interface Step {
  key: number;
  /** Relationships from where the walk began. */
  depth: number;
  /** Null where the walk began. */
  from: Step | null;
  /** By which it was come to; null where the walk began. */
  edge: GraphEdge | null;
}

export interface WalkOptions {
  /** Keys of where it begins. */
  starts: number[];
  /** Keys of what it must not come to. */
  avoid?: ReadonlySet<number>;
  /** Relationships from there at most. */
  depth: number;
  /** Entities nearer than this are passed by, and may be come to again by a longer way; 1 if omitted. */
  least?: number;
  /** Whether the walk goes on from an entity; of where it begins it always does. */
  onward: (key: number) => boolean;
  /** What the last step must lead to; nearer ones may be anything. */
  ends: Ends;
}

/** The entities that relationships lead to, nearest first, each once and by a shortest way; never where it began. */
export function* walk(
  edges: GraphEdges,
  { starts, avoid, depth, least = 1, onward, ends }: WalkOptions,
): Generator<Step> {
  const began = new Set(starts);
  const seen = new Set<number>();
  let level: Step[] = [...began].map((key) => ({ key, depth: 0, from: null, edge: null }));
  for (let at = 1; at <= depth; at++) {
    // Below `least` an entity counts as seen on its own level alone.
    if (at <= least) seen.clear();
    const next: Step[] = [];
    for (const from of level) {
      if (from.from !== null && !onward(from.key)) continue;
      for (const { node, edge } of edges.steps(from.key, at === depth ? ends : undefined)) {
        if (began.has(node) || avoid?.has(node) || seen.has(node) || isBehind(from, node)) continue;
        seen.add(node);
        const step = { key: node, depth: at, from, edge };
        next.push(step);
        if (at >= least) yield step;
      }
    }
    level = next;
  }
}

function isBehind(step: Step, key: number): boolean {
  for (let at: Step | null = step; at; at = at.from) if (at.key === key) return true;
  return false;
}

/** The way to a step, from where it began. */
export function wayTo(step: Step): { start: number; edges: GraphEdge[] } {
  const edges: GraphEdge[] = [];
  let at = step;
  for (; at.from && at.edge; at = at.from) edges.unshift(at.edge);
  return { start: at.key, edges };
}
