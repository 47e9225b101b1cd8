import { StorageError } from '../errors.ts';
import { attestFile } from '../store/attest-log.ts';
import type { Progress } from '../store/progress.ts';
import { runTask } from '../store/threads/task-run.ts';
import type { VerifyOrder } from '../store/verify/verify.ts';
import { maxProblems, type VerifyReport } from '../store/verify/verify-findings.ts';
import type { CheckState } from './check-log.ts';
import type { LogThread } from './log-thread.ts';

/**
 * Checks a network's storage (store/verify/verify.ts) and then its attestation log against the moves, page by page.
 * @throws the reason of `signal`, which ends it; StorageError where the disk is full
 */
export async function* verification(
  order: VerifyOrder,
  thread: LogThread,
  signal?: AbortSignal,
): AsyncGenerator<Progress, VerifyReport, undefined> {
  const report = yield* runTask({ name: 'verify', args: order }, signal);
  const { database, folder, openFiles = {} } = order;
  const log = attestFile(folder);
  const files = { database, log, fileIds: { database: openFiles[database] ?? null, log: openFiles[log] ?? null } };
  const problem = (message: string) => {
    report.ok = false;
    if (++report.problem_count <= maxProblems) report.problems.push({ kind: 'log', message });
  };
  try {
    for (let state: CheckState | null = null, first = true; first || state; first = false) {
      signal?.throwIfAborted();
      const page = await thread.check(files, state);
      state = page.state;
      for (const message of page.problems) problem(message);
      report.counts.heads += page.heads;
      report.counts.leaves = page.state?.at ?? page.size;
      yield { step: 'leaves', done: report.counts.leaves, total: page.size };
      if (!state && page.moves > page.size)
        report.remarks.push(
          `${page.moves - page.size} moves are not in the attestation log yet; the node takes them up while it runs.`,
        );
    }
  } catch (error) {
    if (!(error instanceof StorageError) || error.code === 'STORAGE_FULL') throw error;
    problem(`The attestation log could not be checked: ${error.reason}`);
  }
  return report;
}
