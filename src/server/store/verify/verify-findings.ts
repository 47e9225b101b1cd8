import type { Network } from '../../model/ids.ts';

/** Something that is not as the blocks say. */
export interface Problem {
  /** What kind of thing: backup, database, block, chain, entity, edge, listing, move, job, import, upload, content, file, log. */
  kind: string;
  /** The entity, where it is about one. */
  id?: string;
  message: string;
}

export interface VerifyCounts {
  versions: number;
  /** Of the versions, plain. */
  bytes: number;
  entities: number;
  edges: number;
  listings: number;
  moves: number;
  files: number;
  /** Of the files, those whose bytes are damaged. */
  damaged_files: number;
  /** That versions name and that are not here. */
  missing_files: number;
  /** Of the attestation log. */
  leaves: number;
  /** The signed heads that are kept of it. */
  heads: number;
}

/** What a verification found. `problem_count` counts also those beyond the first hundred, which are not listed. */
export interface VerifyReport {
  ok: boolean;
  counts: VerifyCounts;
  problem_count: number;
  problems: Problem[];
  remarks: string[];
}

export const maxProblems = 100;

/** Gathers what a verification finds, bounded. */
export class Findings {
  readonly counts: VerifyCounts = {
    versions: 0,
    bytes: 0,
    entities: 0,
    edges: 0,
    listings: 0,
    moves: 0,
    files: 0,
    damaged_files: 0,
    missing_files: 0,
    leaves: 0,
    heads: 0,
  };
  /** Of `contains` and `in`, those without the other. */
  oneSided = 0;
  /** Entities by the network that their ids are of. */
  readonly entitiesOf: Record<Network, number> = { main: 0, test: 0 };
  #count = 0;
  readonly #problems: Problem[] = [];
  readonly #remarks: string[] = [];

  problem(kind: string, message: string, id?: string): void {
    this.#count++;
    if (this.#problems.length < maxProblems) this.#problems.push({ kind, ...(id !== undefined && { id }), message });
  }

  remark(text: string): void {
    this.#remarks.push(text);
  }

  report(): VerifyReport {
    return {
      ok: this.#count === 0,
      counts: this.counts,
      problem_count: this.#count,
      problems: this.#problems,
      remarks: this.#remarks,
    };
  }
}

/** Each page of a verification ends after this many milliseconds, so that no read transaction lives long. */
export const pageMs = 30;
