import type { Candidate } from './outcome.ts';
import type { Node, Plan, Scope } from './plan.ts';
import type { Leading, Sources, Within } from './ports.ts';

export interface EntrySet {
  candidates: Candidate[];
  /** Sizes of the set and of what its filter leaves, if there is one (argo.md 2.8). */
  explored: number;
  truncated: boolean;
  /** A text found as many as there is room for. */
  crowded: boolean;
}

export interface EntryLimits {
  /** Candidates at most. */
  kExplore: number;
  milliseconds: number;
  /** What is to lead on from those that a text finds. */
  leading?: Leading | undefined;
}

/** For the last changed of everything: any will do, and the hops need what is left. */
const anywhereMs = 200;

/** What a second text counts against the first (argo.md 2.3). */
const [oldShare, newShare] = [0.3, 0.7];

/**
 * Where a query begins (argo.md 2.2 and 2.3). A filter by type or id is a condition of the search itself, so that it
 * leaves `kExplore` of them; `filter` does not hold for what is named by its id (A23).
 */
export async function entrySet(
  sources: Sources,
  { scope, entry, filter }: Pick<Plan, 'scope' | 'entry' | 'filter'>,
  filterSql: Within['filter'],
  limits: EntryLimits,
): Promise<EntrySet> {
  const look = async (within: Within | null) =>
    within === null ? none : resolved(sources, entry, within, filterSql, limits);
  const whole = narrowed(scopeOf(scope), entry);
  const found = await look(narrowed(whole, filter));
  if (filter === null) return { ...found, explored: found.candidates.length };
  // What is named is there, whatever the filter leaves of it.
  const before = entry.kind === 'id' ? await look(whole) : found;
  const explored = before.candidates.length + found.candidates.length;
  const text = filter.kind === 'id' ? null : filter.text;
  if (text === null) return { ...found, explored };
  const { candidates, truncated } = await reranked(sources, found.candidates, text);
  return { ...found, candidates, explored, truncated: found.truncated || truncated };
}

const none = { candidates: [], truncated: false, crowded: false };

async function resolved(
  { texts, graph }: Sources,
  entry: Node,
  within: Within,
  filter: Within['filter'],
  { kExplore, milliseconds, leading }: EntryLimits,
): Promise<Omit<EntrySet, 'explored'>> {
  if (entry.kind === 'id') {
    const { ids } = await graph.newest(within, 1, milliseconds);
    return { candidates: ids.map((id) => ({ id, score: 1, path: [], edges: 0 })), truncated: false, crowded: false };
  }
  const filtered = { ...within, ...(filter && { filter }) };
  if (entry.text === null) {
    const { ids, truncated } = await graph.newest(filtered, kExplore, milliseconds);
    return { candidates: ids.map((id) => ({ id, score: 1, path: [], edges: 0 })), truncated, crowded: false };
  }
  const { hits, truncated } = await texts.search(entry.text, { ...filtered, leading }, kExplore);
  if (hits.length > 0 || leading) {
    const candidates = hits.map(({ id, score }) => ({ id, score, near: score, path: [], edges: 0 }));
    return { candidates, truncated, crowded: hits.length === kExplore };
  }
  // Even nonsense has a nearest (argo.md 2.2): where all are as far from it, those that changed last stand for them.
  const isAnywhere = Object.values(filtered).every((condition) => condition === undefined);
  const time = isAnywhere ? Math.min(milliseconds, anywhereMs) : milliseconds;
  const all = await graph.newest(filtered, kExplore, time);
  const candidates = all.ids.map((id) => ({ id, score: 0, near: 0, path: [], edges: 0 }));
  return { candidates, truncated: truncated || all.truncated, crowded: false };
}

async function reranked(
  { texts }: Sources,
  from: Candidate[],
  text: string,
): Promise<Pick<EntrySet, 'candidates' | 'truncated'>> {
  const ids = from.map(({ id }) => id);
  const { scores, truncated } = await texts.scores(text, ids, {});
  const candidates = from.map((candidate) => {
    const score = oldShare * candidate.score + newShare * (scores.get(candidate.id) ?? 0);
    return { ...candidate, score, near: score };
  });
  return { candidates, truncated };
}

function scopeOf(scope: Scope | null): Within {
  switch (scope?.kind) {
    case 'collection':
      return { collection: scope.id };
    case 'collections':
      return { types: ['collection'] };
    case 'public':
      return { loose: true };
    default:
      return {};
  }
}

/** The conditions and what the node asks beside its text; null where nothing can fulfil both. */
function narrowed(within: Within | null, node: Node | null): Within | null {
  if (within === null || node === null || node.kind === 'text') return within;
  if (node.kind === 'id') {
    if (within.ids !== undefined && !within.ids.includes(node.id)) return null;
    return { ...within, ids: [node.id] };
  }
  const types = within.types === undefined ? node.types : node.types.filter((type) => within.types?.includes(type));
  return types.length === 0 ? null : { ...within, types };
}
