import { Budget } from './budget.ts';
import { type EntrySet, entrySet } from './entry.ts';
import { leadingOf, runHop } from './hop.ts';
import { best, type Candidate, type Outcome, type Stop, stepOf } from './outcome.ts';
import type { Hop, Node, Plan } from './plan.ts';
import type { Leading, Sources, Within } from './ports.ts';

export interface Beam {
  /** Results at most. */
  k: number;
  /** Candidates that go on from the entry and from every hop but the last. */
  kExplore: number;
  filter?: Within['filter'];
}

type Targeted = Hop & { target: Node };

/** Runs a query (argo.md 2.9). What ends it before its end is part of the outcome. */
export async function execute(sources: Sources, plan: Plan, { k, kExplore, filter }: Beam): Promise<Outcome> {
  const hops = plan.hops.filter((hop): hop is Targeted => hop.target !== null);
  const refused = refusal(plan);
  if (refused !== null) return { results: [], explored: 0, stop: refused, truncated: false };
  const budget = new Budget();

  const enter = (leading?: Leading) =>
    entrySet(sources, plan, filter, { kExplore, milliseconds: budget.milliseconds, leading });
  const run = ({ candidates, ...entry }: EntrySet, lookingAhead: boolean): Promise<Run> => {
    // Entities of a type alone come in the order of their last change (argo.md A5), as do those that no text tells apart.
    const isTold = isRanked(plan) && candidates.some(({ score }) => score > 0);
    const from = { ...entry, candidates: isTold ? best(candidates, kExplore) : candidates };
    return follow(sources, hops, from, { k, kExplore, filter, lookingAhead, budget });
  };
  let entry = await enter();
  const { explored, truncated } = entry;
  if (entry.candidates.length === 0) return { results: [], explored, stop: noEntry, truncated };
  let first = await run(entry, false);
  // Of very many that a text finds those are meant from which the first hop leads on (an artist, not what has the name in its title).
  const [hop] = hops;
  // Unless what is nearest does: then that was meant, and not what shares a name with it.
  const nearest = best(entry.candidates, 1)[0]?.id;
  const isMeant = first.results.some(({ path: [from] }) => from && 'entity' in from && from.entity === nearest);
  const most = hops.at(-1)?.target.kind === 'id' ? 1 : k;
  if (hop && entry.crowded && first.results.length < most && !isMeant && !budget.spent) {
    const near = await enter(await leadingOf(sources, hop));
    const other = await run(near, false);
    if (other.results.length > first.results.length) [entry, first] = [near, other];
  }
  // Candidates that there was no room for might have led to more: once more, with those first that lead on.
  if (!first.crowded || first.results.length === k || budget.spent) return first;
  const second = await run(entry, true);
  return second.results.length < first.results.length ? first : second;
}

/** `crowded`: there was no room for candidates that might have led on. */
type Run = Outcome & { crowded: boolean };

interface RunOptions extends Beam {
  lookingAhead: boolean;
  budget: Budget;
}

async function follow(
  sources: Sources,
  hops: Targeted[],
  entry: EntrySet,
  { k, kExplore, filter, lookingAhead, budget }: RunOptions,
): Promise<Run> {
  let { candidates, explored, truncated } = entry;
  let crowded = false;
  for (const [i, hop] of hops.entries()) {
    const next = hops[i + 1] ?? null;
    const limit = next === null ? k : kExplore;
    const end = await runHop(sources, candidates, hop, filter, { limit, next: lookingAhead ? next : null, budget });
    truncated ||= end.truncated;
    if (end.candidates.length === 0) {
      const stop = noPath(i + 1, candidates[0]);
      return { results: [], explored, stop, truncated: truncated || crowded, crowded };
    }
    candidates = end.candidates;
    explored += candidates.length;
    crowded ||= next !== null && end.crowded;
  }
  const results = candidates.slice(0, k);
  return { results, explored, stop: null, truncated: truncated || (crowded && results.length < k), crowded };
}

/** What is refused before anything is looked up, in this order (argo.md 2.9, step 1). */
function refusal({ entry, hops }: Plan): Stop | null {
  if (entry.kind === 'types' && entry.text === null && hops.length > 0)
    return {
      error: 'invalid_entry_point',
      reason:
        'Queries with hops require a semantic search or exact ID entry point. Type-only entry points (type:X) are only valid for zero-hop queries.',
    };
  const open = hops.find(({ target }) => target === null);
  if (open === undefined) return null;
  const which = open.depth === null ? 'Single' : 'Variable-depth';
  return { error: 'unsupported_query', reason: `${which} hop requires a target filter (type, semantic, or exact_id)` };
}

/** Why a query has no results that has come to none. */
export function withoutResults({ hops }: Plan): Stop {
  return hops.length === 0 ? noEntry : noPath(hops.length, undefined);
}

const noEntry: Stop = { error: 'no_entry_point', reason: 'No matching entities found for entry point' };

function noPath(hop: number, from: Candidate | undefined): Stop {
  return {
    error: 'no_path_found',
    reason: `Traversal stopped at hop ${hop} - no matching relations or entities`,
    stopped_at_hop: hop,
    ...(from && { partial_path: [...from.path, stepOf(from)] }),
  };
}

function isRanked({ entry, filter, hops }: Plan): boolean {
  const byText = (node: Node | null) => node !== null && node.kind !== 'id' && node.text !== null;
  return hops.length > 0 || byText(entry) || byText(filter);
}
