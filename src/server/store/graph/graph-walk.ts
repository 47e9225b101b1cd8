import type { GraphEdge, GraphEdges } from './graph-edges.ts';
import type { Ends } from './graph-ends.ts';
import type { Led } from './graph-hits.ts';
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
  /** Those of them that may be ends as well, where another one leads to them; only where no way is too short. */
  sought?: ReadonlySet<number>;
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
 * The entities that relationships lead to and that are such `ends`, nearest first, each once and by a shortest way that is
 * long enough, which leads through no entity twice; where it began only what is sought there. Of each distance first those that fit are looked
 * for; what else there is, only as far as one goes on.
 */
export function* walk(
  edges: GraphEdges,
  { starts, sought, avoid, depth, least = 1, onward, ends }: WalkOptions,
): Generator<Step> {
  const began = new Set(starts);
  const isOut = (key: number) => began.has(key) || avoid?.has(key) === true;
  const goesOn = (step: Step) => step.from === null || onward(step.key);
  /** No way is too short: the first one to an entity, which is a shortest one, is all that is needed of it. */
  const once = least === 1;
  const passed = new Passed();
  /** What is sought where the walk began is led to from elsewhere only: by one at least of two ways that began apart. */
  const others = sought && sought.size > 0 ? new Origins() : null;
  const found = new Set<number>();
  /** By the key of where a way led: ends that it leads to and has behind it. Another way there may end at them. */
  const missed = new Map<number, Led[]>();

  /** All that is `at` relationships away, one further than the level: of each entity as many ways as may matter. */
  function* next(level: readonly Step[], at: number): Generator<Step> {
    // Below `least` an entity counts as passed on its own level alone.
    if (at <= least) passed.clear();
    for (const froms of once ? alone(level) : Map.groupBy(level, ({ key }) => key).values()) {
      const [first] = froms;
      if (first === undefined || !goesOn(first)) continue;
      for (const { node: key, edge } of edges.steps(first.key, at >= least)) {
        if (isOut(key)) continue;
        for (const from of froms) {
          if (isBehind(from, key)) continue;
          const step = { key, depth: at, from, edge };
          const isNew = passed.take(step, once ? 0 : depth - at);
          if (others?.take(step) || isNew) yield step;
        }
      }
    }
  }

  /** The ends that are one relationship further than some steps. Each entity is asked about once. */
  function* last(steps: readonly Step[]): Generator<Step> {
    const firsts = once ? steps : steps.filter(({ key }) => !missed.has(key) && missed.set(key, []));
    const keys = firsts.map(({ key }) => key);
    for (const { at, node: key, edge } of edges.hits(keys, ends)) {
      const from = firsts[at] as Step;
      if ((isOut(key) && !sought?.has(key)) || found.has(key)) continue;
      if (isBehind(from, key)) missed.get(from.key)?.push({ node: key, edge });
      else yield end(from, { node: key, edge });
    }
    if (once) return;
    for (const from of steps)
      for (const led of missed.get(from.key) ?? [])
        if (!found.has(led.node) && !isBehind(from, led.node)) yield end(from, led);
  }

  function end(from: Step, { node: key, edge }: Led): Step {
    found.add(key);
    return { key, depth: from.depth + 1, from, edge };
  }

  let level: Step[] = [];
  for (let at = 1; at <= depth; at++) {
    const steps = at === 1 ? [...began].map((key) => ({ key, depth: 0, from: null, edge: null })) : next(level, at - 1);
    const all: Step[] = [];
    for (const batch of paged(steps, firstBatch, lastBatch)) {
      for (const step of batch) all.push(step);
      if (at >= least) yield* last(batch.filter(goesOn));
    }
    level = all;
  }
}

function* alone(level: readonly Step[]): Generator<readonly Step[]> {
  for (const step of level) yield [step];
}

const none: number[] = [];

/** The ways by which entities were come to. */
class Passed {
  readonly #ways = new Map<number, number[][]>();

  clear(): void {
    this.#ways.clear();
  }

  /**
   * Whether a step has to be gone on from where at most so many entities are still to come (argo.md 2.9): whether these could
   * stand in every way that is known to its entity, and not in this one. So only few ways are kept of however many: through
   * `n` entities each at most as many as there are choices of `n` among `n + few`.
   */
  take(step: Step, few: number): boolean {
    const ways = this.#ways.get(step.key);
    const way = few === 0 ? none : through(step);
    if (ways === undefined) this.#ways.set(step.key, [way]);
    else if (few > 0 && canBlock(ways, few, way)) ways.push(way);
    else return false;
    return true;
  }
}

/** Where the ways to entities began, of each the first two. */
class Origins {
  readonly #first = new Map<number, { origin: number; apart: boolean }>();

  /** Whether none has led to its entity from there, and at most one from elsewhere. */
  take(step: Step): boolean {
    const origin = originOf(step);
    const first = this.#first.get(step.key);
    if (!first) this.#first.set(step.key, { origin, apart: false });
    else if (first.apart || first.origin === origin) return false;
    else first.apart = true;
    return true;
  }
}

function originOf(step: Step): number {
  let at = step;
  while (at.from) at = at.from;
  return at.key;
}

/** The entities between where a step began and where it leads to. */
function through({ from }: Step): number[] {
  const keys: number[] = [];
  for (let at = from; at?.from; at = at.from) keys.push(at.key);
  return keys;
}

/** Whether some entities, so few at most, stand in each of these ways, and none of them in another. */
function canBlock(ways: readonly number[][], few: number, other: readonly number[]): boolean {
  const [first] = ways;
  if (first === undefined) return true;
  if (few === 0) return false;
  return first.some(
    (key) =>
      !other.includes(key) &&
      canBlock(
        ways.filter((way) => !way.includes(key)),
        few - 1,
        other,
      ),
  );
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
