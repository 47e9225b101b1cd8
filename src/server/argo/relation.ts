import type { Budget } from './budget.ts';
import type { Sources } from './ports.ts';

/** Which relationships a hop follows, and how well each fits. */
export interface Relation {
  /**
   * Names of predicates, null: any. Several sets where names are only alike: each set is followed by itself, those that
   * fit best first, so that a good name is not lost among many.
   */
  sets: (string[] | null)[];
  /** 0..1; null where all fit alike. */
  fit: ((predicate: string) => number) | null;
  /** Whether there was no time to tell by all that was asked how alike names are. */
  truncated: boolean;
}

/** So many predicates are looked at for those that are alike; an instance has hundreds at most. */
const maxPredicates = 2000;
/** Sizes of the sets that are followed where names are alike, before all. */
const setSizes = [1, 2, 4, 16];

/** The relationships that a hop names (argo.md A9): predicates of those names, whatever their case; null where there are none. */
export async function namedRelation({ graph }: Sources, terms: string[] | null): Promise<Relation | null> {
  if (terms === null) return { sets: [null], fit: null, truncated: false };
  const known = await graph.named(terms);
  return known.length > 0 ? { sets: [known], fit: null, truncated: false } : null;
}

/** In their place all predicates, and how alike the names are makes part of the score. */
export async function alikeRelation({ graph, texts }: Sources, terms: string[], budget: Budget): Promise<Relation> {
  const all = (await graph.predicates()).slice(0, maxPredicates);
  const named = [...new Set(terms.map((term) => term.toLowerCase()))];
  const { likeness, truncated } = budget.spent
    ? { likeness: [], truncated: true }
    : await texts.similarities(named, all);
  const alike = new Map(all.map((name, i) => [name, likeness[i] ?? 0]));
  const fits = (name: string) => alike.get(name) ?? 0;
  const ranked = all.toSorted((a, b) => fits(b) - fits(a) || (a < b ? -1 : 1));
  const sizes = setSizes.filter((size) => size < ranked.length);
  const sets = [...sizes.map((size) => ranked.slice(0, size)), ranked];
  return { sets, fit: fits, truncated };
}

/** Predicates of a relation's names; undefined where it follows any. */
export async function predicatesOf({ graph }: Sources, terms: string[] | null): Promise<string[] | undefined> {
  const known = terms === null ? [] : await graph.named(terms);
  return known.length > 0 ? known : undefined;
}
