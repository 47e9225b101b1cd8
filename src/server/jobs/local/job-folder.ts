import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { finishFile } from '../../blocks/durable-file.ts';
import { syncFolder } from '../../blocks/durable-folder.ts';
import { JobError } from '../../kit/job-error.ts';
import { maxContentBytes } from '../../model/content.ts';

/** A folder that a job has for itself: what it is given lies in `in`, what it makes beside it. */
export interface JobFolder {
  path: string;
  /** What the command came to in an earlier run of the job, of which not all was written; its files are there. Else null. */
  kept: string | null;
  /** Where file number n of what it is given goes. */
  input(n: number): string;
  /** A plain file that the command has made and that can be kept, by its path in the folder. @throws JobError for any other */
  made(path: string): Promise<{ path: string; size: number }>;
  /**
   * Keeps what the command came to, with the files that it names, for a run of the job after a stop of the node: that may not mix
   * it with what another run of the command would come to. Not where the disk does not take it.
   * @throws JobError where one of the files cannot be kept
   */
  keep(result: string, files: readonly string[]): Promise<void>;
}

/** A job that may be run again. */
export interface KeptJob {
  /** An id that this node made. */
  id: string;
  /** When its permissions end, epoch milliseconds. */
  expires: number;
}

/** What is kept was last changed when the permissions of its job end, as the file says: by then it is of no use. */
const keptEnd = '.json';

/**
 * Makes the folder of a job, or finds what an earlier run of it has kept. Each run has one of its own: after a kill of the node the
 * command of the run before may take a moment to end, and knows only that path.
 */
export async function openJobFolder(work: string, { id, expires }: KeptJob): Promise<JobFolder> {
  const folder = folderOf(work, id);
  const before = keptRun(await readFile(folder + keptEnd, 'utf8').catch(() => null));
  const kept = before?.result ?? null;
  const run = before?.run ?? (await newRun(folder));
  await mkdir(join(folder, run, 'in'), { recursive: true, mode: 0o700 });
  const path = await realpath(join(folder, run));
  const made = (name: string) => plainFile(path, name);
  return {
    path,
    kept,
    input: (n) => join(path, 'in', String(n)),
    made,
    keep: async (result, files) => {
      const found = [];
      for (const name of files) found.push((await made(name)).path);
      const text = `${run}\n${result}`;
      await keepDurably({ path, kept: folder + keptEnd }, text, found, expires).catch(() => undefined);
    },
  };
}

/** Which run has kept what; null where none has. Those of earlier programs had no folders of their own. */
function keptRun(text: string | null): { run: string; result: string } | null {
  if (text === null) return null;
  if (text.startsWith('{')) return { run: '', result: text };
  const end = text.indexOf('\n');
  return { run: text.slice(0, end), result: text.slice(end + 1) };
}

/** A short name: programs put sockets there, whose paths have 100 bytes at most. */
async function newRun(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return basename(await mkdtemp(join(folder, 'r')));
}

/** The files first: what a power cut leaves of them is not to pass for what the command has made. */
async function keepDurably(
  { path, kept }: { path: string; kept: string },
  text: string,
  files: readonly string[],
  expires: number,
): Promise<void> {
  for (const file of files) await finishFile(file);
  for (const one of new Set(files.map(dirname))) await syncFolder(one);
  const partial = join(path, 'in', 'result');
  await writeFile(partial, text, { flag: 'wx' });
  await utimes(partial, expires / 1000, expires / 1000);
  await finishFile(partial);
  await syncFolder(dirname(path));
  await rename(partial, kept);
  await syncFolder(dirname(kept));
}

/** Keeps of a job that its work is done and handed on, until its log says so. Not where the disk does not take it. */
export async function keepDone(work: string, id: string, done: string): Promise<void> {
  const path = doneOf(work, id);
  // A kill leaves it as it is; what a power cut makes of it cannot be read.
  await writeFile(`${path}.new`, done)
    .then(() => rename(`${path}.new`, path))
    .catch(() => undefined);
}

/** What a job has kept of its work that is done; null where it has not. */
export async function keptDone(work: string, id: string): Promise<string | null> {
  const done = await readFile(doneOf(work, id), 'utf8').catch(() => null);
  if (done === null) return null;
  const before = keptRun(await readFile(folderOf(work, id) + keptEnd, 'utf8').catch(() => null));
  // Else it may be a file of its command.
  return before === null || before.run === '' ? null : done;
}

/**
 * Removes the folder of a job with what it has kept; of one that may be run again only where it has kept nothing. Whether it is
 * gone.
 */
export async function leaveJobFolder(work: string, id: string, mayRunAgain: boolean): Promise<boolean> {
  const folder = folderOf(work, id);
  const isKept = await stat(folder + keptEnd).then(
    () => true,
    () => false,
  );
  if (isKept && mayRunAgain) return false;
  // What is kept goes first: without its files it would be of no use.
  await rm(folder + keptEnd, { force: true });
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  return true;
}

/**
 * Removes what a stop of the node has left, but for what jobs have kept that may be run again: these. `now`: epoch milliseconds.
 * `failed` hears of what cannot be removed, as where the command of a job still writes: a later start removes it.
 */
export async function clearJobFolders(
  work: string,
  now: number,
  failed: (name: string, error: unknown) => void,
): Promise<KeptJob[]> {
  const names = await readdir(work).catch(() => []);
  const kept: KeptJob[] = [];
  for (const name of names) {
    if (!name.endsWith(keptEnd)) continue;
    const { mtimeMs } = await stat(join(work, name));
    if (mtimeMs > now) kept.push({ id: name.slice(0, -keptEnd.length), expires: mtimeMs });
  }
  const spared = new Set(kept.flatMap(({ id }) => [id, id + keptEnd]));
  for (const name of names) {
    if (spared.has(name)) continue;
    await rm(join(work, name), { recursive: true, force: true }).catch((error: unknown) => failed(name, error));
  }
  return kept;
}

function doneOf(work: string, job: string): string {
  return join(folderOf(work, job), 'done');
}

function folderOf(work: string, job: string): string {
  if (!/^job_[A-Za-z0-9]+$/.test(job)) throw new JobError('INTERNAL_ERROR', `${job} is no id of a job of this node.`);
  return join(work, job);
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
