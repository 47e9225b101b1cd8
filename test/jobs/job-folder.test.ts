import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  clearJobFolders,
  keepDone,
  keptDone,
  leaveJobFolder,
  openJobFolder,
} from '../../src/server/jobs/local/job-folder.ts';
import { temporaryFolder } from '../helpers/node.ts';

const job = { id: 'job_1', expires: Date.now() + 3_600_000 };

const unexpected = (name: string, error: unknown): void => {
  throw new Error(name, { cause: error });
};

test('a command that outlives the node writes nothing into the folder of the next run of its job', async () => {
  await using folder = await temporaryFolder();
  const before = await openJobFolder(folder.path, job);
  const now = await openJobFolder(folder.path, job);
  await mkdir(before.path, { recursive: true });
  await writeFile(join(before.path, 'text'), 'of the run before');
  await expect(now.made('text')).rejects.toThrow("is not in the job's folder");
});

test('what a run has kept is found by the next one with its files, whatever one before has left', async () => {
  await using folder = await temporaryFolder();
  const before = await openJobFolder(folder.path, job);
  const first = await openJobFolder(folder.path, job);
  await writeFile(join(first.path, 'text'), 'kept');
  await first.keep('{"a":\n1}', ['text']);
  await mkdir(before.path, { recursive: true });
  await writeFile(join(before.path, 'text'), 'of the run before');
  expect(await clearJobFolders(folder.path, Date.now(), unexpected)).toMatchObject([{ id: job.id }]);
  expect(await leaveJobFolder(folder.path, job.id, true)).toBe(false);
  const next = await openJobFolder(folder.path, job);
  expect([next.kept, next.path]).toEqual(['{"a":\n1}', first.path]);
  expect(await readFile((await next.made('text')).path, 'utf8')).toBe('kept');
});

test('so is what the program kept before runs had folders', async () => {
  await using folder = await temporaryFolder();
  await mkdir(join(folder.path, job.id, 'in'), { recursive: true });
  await writeFile(join(folder.path, job.id, 'text'), 'kept');
  await writeFile(join(folder.path, `${job.id}.json`), '{"a":1}');
  const { kept, made } = await openJobFolder(folder.path, job);
  expect(kept).toBe('{"a":1}');
  expect((await made('text')).size).toBe(4);
  // A file of its command.
  await writeFile(join(folder.path, job.id, 'done'), '{}');
  expect(await keptDone(folder.path, job.id)).toBeNull();
});

test('that the work of a job is done is known beside what its command came to, until both go', async () => {
  await using folder = await temporaryFolder();
  const { keep } = await openJobFolder(folder.path, job);
  await keepDone(folder.path, job.id, 'alone');
  expect(await keptDone(folder.path, job.id)).toBeNull();
  await keep('{}', []);
  await keepDone(folder.path, job.id, 'done');
  expect(await clearJobFolders(folder.path, Date.now(), unexpected)).toHaveLength(1);
  expect(await keptDone(folder.path, job.id)).toBe('done');
  expect(await leaveJobFolder(folder.path, job.id, false)).toBe(true);
  expect(await keptDone(folder.path, job.id)).toBeNull();
});

test('a command that outlives the node and still writes keeps no start from going on', async () => {
  await using folder = await temporaryFolder();
  const before = await openJobFolder(folder.path, job);
  await openJobFolder(folder.path, { ...job, id: 'job_2' });
  const writing = `const { mkdirSync, writeFileSync } = require('node:fs');
    for (let n = 0; ; n++) {
      mkdirSync(process.argv[1], { recursive: true });
      try { writeFileSync(process.argv[1] + '/' + n, ''); } catch {}
      if (n === 100) process.stdout.write('writes');
    }`;
  const command = spawn(process.execPath, ['-e', writing, before.path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(command.stdout, 'data');
    const failed: string[] = [];
    const clear = () => clearJobFolders(folder.path, Date.now(), (name) => void failed.push(name));
    // It may be so slow that all of it is gone for a moment.
    while (failed.length === 0) expect(await clear()).toEqual([]);
    expect(failed).toEqual([job.id]);
    expect(await readdir(folder.path)).not.toContain('job_2');
  } finally {
    command.kill('SIGKILL');
    await once(command, 'exit');
  }
  expect(await clearJobFolders(folder.path, Date.now(), unexpected)).toEqual([]);
  expect(await readdir(folder.path)).toEqual([]);
});
