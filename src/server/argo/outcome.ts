/** A step of a path. `score`: of a text that the entity was found by, or of how alike a relation's name is. */
export type Step =
  | { entity: string; score?: number }
  | { edge: string; direction: 'outgoing' | 'incoming'; score?: number };

/** An entity that a query has come to. */
export interface Candidate {
  id: string;
  score: number;
  /** All before it. */
  path: Step[];
  /** How near it is to a text that it was found by. */
  near?: number;
  /** Relationships in the path. */
  edges: number;
}

/** Why a query ended before its end (argo.md 2.8). */
export interface Stop {
  error: 'invalid_entry_point' | 'no_entry_point' | 'unsupported_query' | 'no_path_found';
  reason: string;
  /** The best path so far, with the entity that it came to. */
  partial_path?: Step[];
  /** 1 for the first. */
  stopped_at_hop?: number;
}

/** What a query found. */
export interface Outcome {
  results: Candidate[];
  /** Sizes of the entry set and of what was left after the entry filter and after each hop. */
  explored: number;
  stop: Stop | null;
  /** A limit of time or size left something out. */
  truncated: boolean;
}

/** The step of the entity that a candidate stands for. */
export function stepOf({ id, near }: Candidate): Step {
  return { entity: id, ...(near !== undefined && { score: near }) };
}

/** Best first; equal ones by fewer relationships, then by id (argo.md 2.9). */
export function best(candidates: Iterable<Candidate>, limit: number): Candidate[] {
  return [...candidates].sort(byRank).slice(0, limit);
}

export function byRank(a: Candidate, b: Candidate): number {
  return b.score - a.score || a.edges - b.edges || (a.id < b.id ? -1 : Number(a.id > b.id));
}

/** The entities of a path. */
export function idsOf(path: Step[]): string[] {
  return path.flatMap((step) => ('entity' in step ? [step.entity] : []));
}
