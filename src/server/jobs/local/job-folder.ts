import { lstat, mkdir, realpath, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { JobError } from '../../kit/job-error.ts';
import { maxContentBytes } from '../../model/content.ts';

/** A folder that a job has for itself: what it is given lies in `in`, what it makes beside it. Disposing removes it. */
export interface JobFolder extends AsyncDisposable {
  path: string;
  /** Where file number n of what it is given goes. */
  input(n: number): string;
  /** A plain file that the command has made and that can be kept, by its path in the folder. @throws JobError for any other */
  made(path: string): Promise<{ path: string; size: number }>;
}

/** Makes the folder of a job; whatever an earlier run of it has left there goes. `job` is an id that this node made. */
export async function openJobFolder(work: string, job: string): Promise<JobFolder> {
  if (!/^job_[A-Za-z0-9]+$/.test(job)) throw new JobError('INTERNAL_ERROR', `${job} is no id of a job of this node.`);
  const folder = join(work, job);
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'in'), { recursive: true, mode: 0o700 });
  const path = await realpath(folder);
  return {
    path,
    input: (n) => join(path, 'in', String(n)),
    made: (name) => plainFile(path, name),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Links could lead to files that the command may read and whoever reads its outputs may not. */
async function plainFile(folder: string, name: string): Promise<{ path: string; size: number }> {
  const refuse = (why: string) => new JobError('INVALID_OUTPUT', `The content ${JSON.stringify(name)} ${why}.`);
  const path = join(folder, name);
  if (!path.startsWith(folder + sep)) throw refuse("is not in the job's folder");
  const found = await lstat(path).catch(() => null);
  if (!found) throw refuse("is not in the job's folder");
  if (!found.isFile() || found.nlink > 1) throw refuse('is no plain file');
  if (found.size > maxContentBytes) throw refuse(`has more than ${maxContentBytes} bytes`);
  if ((await realpath(path)) !== path) throw refuse("is reached by a link in the job's folder");
  return { path, size: found.size };
}
