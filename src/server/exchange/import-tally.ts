import type { Issue } from '../errors.ts';
import type { Differing, IntakeCounts } from './intake.ts';

/** What became of a source so far. */
export interface ImportCounts extends IntakeCounts {
  created: number;
  updated: number;
  unchanged: number;
  /** Changed sources whose entity was edited or deleted here, or made by something else: it stays as it is. */
  left_alone: number;
  /** Records that no entity can be made of, and entities that may not be written. */
  refused: number;
  /** Places at which a source says of an entity what is not kept, since something else of it stands. */
  differing: number;
}

/** One changed source whose entity is left alone; `place` is file and line in words. */
export interface LeftAlone {
  id: string;
  place: string;
  reason: 'edited' | 'deleted' | 'not_imported';
}

/** One record or entity that is not written; without `id` where the record could not be mapped. */
export interface Refused {
  place: string;
  id?: string;
  issues: Issue[];
}

/** One of those places. */
export interface DifferingAt extends Differing {
  place: string;
}

/** The counts, with the first hundred of what a person should look at. */
export interface ImportReport extends ImportCounts {
  left_alone_examples: LeftAlone[];
  refused_examples: Refused[];
  differing_examples: DifferingAt[];
}

const maxExamples = 100;
const maxIssues = 5;

/** Counts what an import does. */
export class ImportTally {
  readonly #counts = { created: 0, updated: 0, unchanged: 0, left_alone: 0, refused: 0, differing: 0 };
  readonly #leftAlone: LeftAlone[] = [];
  readonly #refused: Refused[] = [];
  readonly #differing: DifferingAt[] = [];

  count(what: 'created' | 'updated' | 'unchanged'): void {
    this.#counts[what]++;
  }

  leftAlone(one: LeftAlone): void {
    this.#counts.left_alone++;
    if (this.#leftAlone.length < maxExamples) this.#leftAlone.push(one);
  }

  refused({ issues, ...one }: Refused): void {
    this.#counts.refused++;
    if (this.#refused.length < maxExamples) this.#refused.push({ ...one, issues: issues.slice(0, maxIssues) });
  }

  differing(one: DifferingAt): void {
    this.#counts.differing++;
    if (this.#differing.length < maxExamples) this.#differing.push(one);
  }

  counts(intake: IntakeCounts): ImportCounts {
    return { ...intake, ...this.#counts };
  }

  report(intake: IntakeCounts): ImportReport {
    return {
      ...this.counts(intake),
      left_alone_examples: [...this.#leftAlone],
      refused_examples: [...this.#refused],
      differing_examples: [...this.#differing],
    };
  }
}
