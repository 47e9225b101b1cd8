import type { Budget } from './budget.ts';
import { Gathering, leadingFirst } from './gathering.ts';
import { type Candidate, idsOf } from './outcome.ts';
import type { Hop, Node } from './plan.ts';
import type { Leading, Linked, Reached, Sources, Walked, Within } from './ports.ts';
import { alikeRelation, namedRelation, predicatesOf, type Relation } from './relation.ts';

export interface HopLimits {
  /** Candidates that go on. */
  limit: number;
  /** The hop for which those that lead on come first; null for none. */
  next: Hop | null;
  budget: Budget;
}

export interface HopEnd {
  /** Best first. */
  candidates: Candidate[];
  truncated: boolean;
  /** There was no room for more that might have led on. */
  crowded: boolean;
}

interface Started {
  sources: Sources;
  from: Candidate[];
  relation: Relation;
  shape: { direction: 'outgoing' | 'incoming' | 'both'; least: number; most: number; throughCollections: boolean };
  limits: HopLimits;
}

/** Sources that are walked from at once, entities that these walks give at most, and one of them at least. */
const [chunkSize, maxReached, minReached] = [16, 1600, 100];
/** Entities that are reached for a text at most, and how many of its nearest are sought where more were reached. */
const [maxForText, maxNearest] = [4000, 300];
/** Pairs of a source and a target between which a way is sought, and relationships that are left to be looked at for it. */
const [maxPairs, rowsForLinks] = [10_000, 100_000];

const directions = { out: 'outgoing', in: 'incoming', both: 'both' } as const;

/**
 * One hop from the candidates, which come best first (argo.md 2.4, 2.5 and 2.9). An entity is at most once in a path.
 * `filter` holds for what a text finds.
 */
export async function runHop(
  sources: Sources,
  from: Candidate[],
  hop: Hop & { target: Node },
  filter: Within['filter'],
  limits: HopLimits,
): Promise<HopEnd> {
  const { terms } = hop;
  const named = await namedRelation(sources, terms);
  const end = named && (await followed({ sources, from, hop, filter, limits }, named));
  // A name that no relationship has any more is as good as none.
  if (end && (end.candidates.length > 0 || terms === null || (await sources.graph.used(terms)))) return end;
  return followed({ sources, from, hop, filter, limits }, await alikeRelation(sources, terms ?? [], limits.budget));
}

interface Following extends Pick<Started, 'sources' | 'from' | 'limits'> {
  hop: Hop & { target: Node };
  filter: Within['filter'];
}

async function followed(following: Following, relation: Relation): Promise<HopEnd> {
  const end = await ended(following, relation);
  return { ...end, truncated: end.truncated || relation.truncated };
}

function ended({ sources, from, hop, filter, limits }: Following, relation: Relation): Promise<HopEnd> {
  const shape = {
    direction: directions[hop.direction],
    least: hop.depth?.least ?? 1,
    most: hop.depth?.most ?? 1,
    // Paths lead to collections, and on from them only where a relationship is named (decisions.md, Search and graph).
    throughCollections: hop.terms !== null && relation.fit === null,
  };
  const hopped = { sources, from, relation, shape, limits };
  const { target } = hop;
  if (target.kind === 'id') return toEntity(hopped, target.id);
  if (target.kind === 'types' && target.text === null) return toTypes(hopped, target.types);
  const types = target.kind === 'types' ? target.types : null;
  return toText(hopped, target.text ?? '', types, filter);
}

async function toEntity(hop: Started, id: string): Promise<HopEnd> {
  const found = new Gathering(hop.from, hop.relation.fit);
  const { reached, truncated } = await linked(hop, hop.from, [id]);
  for (const one of reached) found.add(one, 1);
  const { limit } = hop.limits;
  return { candidates: found.best(limit), truncated, crowded: found.size > limit };
}

async function toTypes(hop: Started, types: string[]): Promise<HopEnd> {
  const { limit, next } = hop.limits;
  const all = await nearest(hop, types);
  const candidates = all.found.best(limit);
  const { truncated } = all;
  if (next === null || !all.crowded) return { candidates, truncated, crowded: all.crowded };
  // Of very many those are needed from which the next hop leads on.
  const leading = await nearest(hop, types, await leadingOf(hop.sources, next));
  return {
    candidates: leadingFirst(leading.found, all.found, limit),
    truncated: truncated || leading.truncated,
    // Others may lead on by more than one relationship.
    crowded: leading.crowded || (isNear(next) && (next.depth?.most ?? 1) > 1),
  };
}

/** Whether one relationship may be enough. */
function isNear({ depth }: Hop): boolean {
  return (depth?.least ?? 1) === 1;
}

async function nearest(
  hop: Started,
  types: string[],
  leading?: Leading,
): Promise<{ found: Gathering; truncated: boolean; crowded: boolean }> {
  const { limit } = hop.limits;
  const found = new Gathering(hop.from, hop.relation.fit);
  // Where all relationships fit alike, none is better than the nearest of each. Those that are as near as the last of these may
  // have lower ids, by which equal ones are ordered: of very many some are as good as others.
  const enough = hop.relation.fit === null ? Math.max(limit, minReached) : undefined;
  let [cut, crowded] = [false, false];
  for await (const { reached, truncated, spent, next } of walks(hop, types, enough, leading)) {
    for (const one of reached) found.add(one, 1);
    cut ||= enough === undefined ? truncated : spent;
    crowded ||= truncated;
    // What is still to come cannot be among the best.
    if (next !== null && found.isSettled(limit, next, hop.shape.least)) {
      crowded = true;
      break;
    }
  }
  return { found, truncated: cut, crowded: crowded || found.size > limit };
}

/** By what a candidate leads on, as far as one relationship shows: to the hop's target, or where that is further, to anything. */
export async function leadingOf(sources: Sources, hop: Hop): Promise<Leading> {
  const { direction, terms, target } = hop;
  const leading = { direction: directions[direction], predicates: await predicatesOf(sources, terms) };
  if (!isNear(hop) || target === null || target.kind === 'text') return leading;
  return { ...leading, ...(target.kind === 'id' ? { ids: [target.id] } : { types: target.types }) };
}

/**
 * What was reached is ranked itself, so that it is found also where it is not among the nearest of all. Where more was
 * reached than can be looked at, ways to the nearest of all are sought as well. What is not like the text at all comes last and
 * is not left out (argo.md 2.2: there is no threshold).
 */
async function toText(hop: Started, text: string, types: string[] | null, filter: Within['filter']): Promise<HopEnd> {
  const { sources, from, limits } = hop;
  const all: Reached[] = [];
  let cut = false;
  for await (const { reached, truncated } of walks(hop, types)) {
    all.push(...reached);
    cut ||= truncated;
    if (all.length >= maxForText || limits.budget.rows < rowsForLinks) {
      cut = true;
      break;
    }
  }
  if (cut) {
    const within = { ...(types && { types }), ...(filter && { filter }) };
    const { hits } = await sources.texts.search(text, within, maxNearest);
    const nearest = from.slice(0, Math.max(1, Math.floor(maxPairs / Math.max(1, hits.length))));
    const targets = hits.map(({ id }) => id);
    all.push(...(await linked(hop, nearest, targets)).reached);
  }
  const ids = [...new Set(all.map(({ id }) => id))];
  const { scores, truncated } = await sources.texts.scores(text, ids, { ...(filter && { filter }) });
  // What a filter leaves out has no score, and neither has what fits it and is not like the text.
  const unlike = ids.filter((id) => !scores.has(id));
  const last =
    filter && unlike.length > 0
      ? await sources.graph.newest({ ids: unlike, filter }, unlike.length, limits.budget.milliseconds)
      : { ids: unlike, truncated: false };
  const far = new Set(last.ids);
  const found = new Gathering(from, hop.relation.fit);
  for (const one of all) {
    const score = far.has(one.id) ? 0 : scores.get(one.id);
    if (score !== undefined) found.add(one, score, score);
  }
  return {
    candidates: found.best(limits.limit),
    truncated: cut || truncated || last.truncated,
    crowded: found.size > limits.limit,
  };
}

/**
 * What the candidates lead to, some candidates after the others. `next`: the score of the best one that is not walked from
 * yet, null while there is more to come of those that are. `enough`: entities of each at most.
 */
async function* walks(
  hop: Started,
  types: string[] | null,
  enough?: number,
  leading?: Leading,
): AsyncGenerator<Walked & { next: number | null }> {
  const { sources, from, relation, shape } = hop;
  const { budget } = hop.limits;
  for (let at = 0; at < from.length; at += chunkSize) {
    const chunk = from.slice(at, at + chunkSize);
    for (const [i, predicates] of relation.sets.entries()) {
      if (budget.spent) return yield { reached: [], truncated: true, spent: true, rows: 0, next: null };
      const { rows, milliseconds } = budget;
      const perSource = enough ?? Math.ceil(maxReached / chunk.length);
      const begun = chunk.map(beginning);
      const query = { ...shape, sources: begun, predicates, types, leading, perSource, rows, milliseconds };
      const walked = await sources.graph.walk(query);
      budget.take(walked.rows);
      const next = i === relation.sets.length - 1 ? (from[at + chunkSize]?.score ?? null) : null;
      yield { ...walked, reached: walked.reached.map((one) => ({ ...one, source: at + one.source })), next };
    }
  }
}

async function linked(hop: Started, from: Candidate[], targets: string[]): Promise<Omit<Linked, 'rows'>> {
  const { sources, relation, shape } = hop;
  const { budget } = hop.limits;
  const all: Omit<Linked, 'rows'> = { reached: [], truncated: false };
  for (const [i, predicates] of relation.sets.entries())
    for (let at = 0; at < from.length; at += chunkSize) {
      if (budget.spent) return { ...all, truncated: true };
      const chunk = from.slice(at, at + chunkSize);
      // The sources that follow, by these predicates and others, have their share as well.
      const left = from.length * (relation.sets.length - i) - at;
      const rows = Math.ceil((budget.rows * chunk.length) / left);
      const milliseconds = (budget.milliseconds * chunk.length) / left;
      const ends = { sources: chunk.map(beginning), targets };
      const found = await sources.graph.link({ ...shape, ...ends, predicates, rows, milliseconds });
      budget.take(found.rows);
      for (const one of found.reached) all.reached.push({ ...one, source: at + one.source });
      all.truncated ||= found.truncated;
    }
  return all;
}

function beginning({ id, path }: Candidate): { id: string; avoid: string[] } {
  return { id, avoid: idsOf(path) };
}
