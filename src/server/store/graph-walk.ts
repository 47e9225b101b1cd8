import type { GraphEdge, GraphEdges } from './graph-edges.ts';
import type { Ends } from './graph-ends.ts';
import { paged } from './sorted-keys.ts';

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
  /** What the walk is for. */
  ends: Ends;
}

/** From so many entities one goes on at a time, more and more: what is sought may be near the first ones. */
const [firstBatch, lastBatch] = [1, 256];

/**
 * The entities that relationships lead to and that are such `ends`, nearest first, each once and by a shortest way; never
 * where it began. Of each distance first those that fit are looked for; what else there is, only as far as one goes on.
 */
export function* walk(
  edges: GraphEdges,
  { starts, avoid, depth, least = 1, onward, ends }: WalkOptions,
): Generator<Step> {
  const began = new Set(starts);
  const isOut = (from: Step, key: number) => began.has(key) || avoid?.has(key) === true || isBehind(from, key);
  const goesOn = (step: Step) => step.from === null || onward(step.key);
  const seen = new Set<number>();
  const found = new Set<number>();

  /** All that is `at` relationships away, one further than the level. */
  function* next(level: readonly Step[], at: number): Generator<Step> {
    // Below `least` an entity counts as seen on its own level alone.
    if (at <= least) seen.clear();
    for (const from of level) {
      if (!goesOn(from)) continue;
      for (const { node: key, edge } of edges.steps(from.key, at >= least)) {
        if (isOut(from, key) || seen.has(key)) continue;
        seen.add(key);
        yield { key, depth: at, from, edge };
      }
    }
  }

  let level: Step[] = [];
  for (let at = 1; at <= depth; at++) {
    const steps = at === 1 ? [...began].map((key) => ({ key, depth: 0, from: null, edge: null })) : next(level, at - 1);
    const passed: Step[] = [];
    for (const batch of paged(steps, firstBatch, lastBatch)) {
      for (const step of batch) passed.push(step);
      if (at < least) continue;
      const froms = batch.filter(goesOn);
      const keys = froms.map(({ key }) => key);
      for (const { at: place, node: key, edge } of edges.hits(keys, ends)) {
        const from = froms[place] as Step;
        if (isOut(from, key) || found.has(key)) continue;
        found.add(key);
        yield { key, depth: at, from, edge };
      }
    }
    level = passed;
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
