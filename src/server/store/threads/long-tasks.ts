import { checkCar } from '../archive/archive-check.ts';
import { makeBackup } from '../backup/backup.ts';
import { verifyStore } from '../verify/verify.ts';
import { verifyBackup } from '../verify/verify-backup.ts';

/** Work that takes long and must not hold the event loop: each run has a thread of its own. */
export const tasks = { verify: verifyStore, verifyBackup, checkCar, backup: makeBackup };

export type TaskName = keyof typeof tasks;

/** A task by name; `args` is plain data. */
export interface TaskOrder<N extends TaskName = TaskName> {
  name: N;
  args: Parameters<(typeof tasks)[N]>[0];
}

export type TaskResult<N extends TaskName> = Awaited<ReturnType<(typeof tasks)[N]>>;
