import { best, type Candidate, type Step, stepOf } from './outcome.ts';
import type { Reached } from './ports.ts';
import type { Relation } from './relation.ts';

/** What each further relationship of a hop takes off. */
const decay = 0.9;

/** What a hop has found so far: of each entity the best path. */
export class Gathering {
  readonly #from: Candidate[];
  readonly #fit: Relation['fit'];
  readonly #found = new Map<string, Candidate>();

  constructor(from: Candidate[], fit: Relation['fit']) {
    this.#from = from;
    this.#fit = fit;
  }

  /** `score`: of the entity itself; `near`: where a text gave it. */
  add({ id, source, way }: Reached, score: number, near?: number): void {
    const from = this.#from[source];
    if (from === undefined) throw new Error(`there is no source ${source}`);
    const edges = from.edges + way.length;
    const fits = this.#fit === null ? [] : way.map(({ predicate }) => this.#fit?.(predicate) ?? 0);
    const related = fits.reduce((product, fit) => product * fit, 1);
    const total = bound(from.score, score, way.length) * related;
    const known = this.#found.get(id);
    if (known && (known.score > total || (known.score === total && known.edges <= edges))) return;
    const path: Step[] = [...from.path, stepOf(from)];
    for (const [i, { predicate, direction, id: to }] of way.entries()) {
      const fit = fits[i];
      path.push({ edge: predicate, direction, ...(fit !== undefined && { score: fit }) });
      if (i < way.length - 1) path.push({ entity: to });
    }
    this.#found.set(id, { id, score: total, path, edges, ...(near !== undefined && { near }) });
  }

  get size(): number {
    return this.#found.size;
  }

  best(limit: number): Candidate[] {
    return best(this.#found.values(), limit);
  }

  /** Whether no path from a candidate of that score, or of a lower one, could be among the best. */
  isSettled(limit: number, score: number, least: number): boolean {
    if (this.#found.size < limit) return false;
    const last = this.best(limit)[limit - 1];
    return last !== undefined && last.score > bound(score, 1, least);
  }
}

/** The best of those that lead on, before the best of the others, as many as there is room for; in the order of all. */
export function leadingFirst(leading: Gathering, others: Gathering, limit: number): Candidate[] {
  const first = leading.best(limit);
  const taken = new Set(first.map(({ id }) => id));
  const rest = others.best(2 * limit).filter(({ id }) => !taken.has(id));
  return best([...first, ...rest.slice(0, limit - first.length)], limit);
}

/** argo.md 2.5, without the relations' names. */
function bound(source: number, target: number, edges: number): number {
  return ((source + target) / 2) * decay ** (edges - 1);
}
