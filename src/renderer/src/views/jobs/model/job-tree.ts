import type { RunJob } from '../job-queries.ts';

/** A job in the order in which a run is read: after the one that handed on to it, one deeper. */
export interface TreeLine {
  job: RunJob;
  depth: number;
  /** The job that repeats it, where it failed and was repeated. */
  repeatedBy: string | null;
}

/** The jobs of a run as the lines of a tree. A repetition stands beside what it repeats. */
export function treeOf(jobs: readonly RunJob[]): TreeLine[] {
  const known = new Map(jobs.map((job) => [job.job_id, job]));
  const repetitions = new Map(jobs.flatMap((job) => (job.retries === null ? [] : [[job.retries, job.job_id]])));
  const below = Map.groupBy(jobs, (job) => parentOf(job, known));
  const lines: TreeLine[] = [];
  const seen = new Set<string>();
  const waiting = (below.get(null) ?? []).toReversed().map((job) => ({ job, depth: 0 }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { job, depth } = next;
    if (seen.has(job.job_id)) continue;
    seen.add(job.job_id);
    lines.push({ job, depth, repeatedBy: repetitions.get(job.job_id) ?? null });
    for (const child of (below.get(job.job_id) ?? []).toReversed()) waiting.push({ job: child, depth: depth + 1 });
  }
  // What stands in no tree, as in a circle that nobody should have written, is shown all the same.
  for (const job of jobs)
    if (!seen.has(job.job_id)) lines.push({ job, depth: 0, repeatedBy: repetitions.get(job.job_id) ?? null });
  return lines;
}

/** The job under which one stands, among those that are known; null at the top. */
function parentOf(job: RunJob, known: ReadonlyMap<string, RunJob>): string | null {
  const seen = new Set<string>();
  for (let at: RunJob | undefined = job; at && !seen.has(at.job_id); at = known.get(at.retries ?? '')) {
    seen.add(at.job_id);
    if (at.retries === null || !known.has(at.retries))
      return at.parent !== null && known.has(at.parent) ? at.parent : null;
  }
  return null;
}
