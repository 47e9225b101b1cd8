import { glob, rm } from 'node:fs/promises';
import { basename, isAbsolute, resolve } from 'node:path';
import { env, pid } from 'node:process';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');
const folder = resolve(root, `node_modules/.cache/threads-${pid}`);
/** Packages of many small files that become part of a thread's one; none that loads files of its own. */
const inlined = /^(multiformats|@ipld|cborg|zod|ulid)(\/|$)/;

/**
 * Makes one file of each thread's sources, once for all tests: every node starts some, and most of the time of most tests went
 * into the reading of their modules. `typescript.mjs` sends threads there. Vitest calls `setup` before all tests, and `teardown`
 * after them.
 */
export async function setup(project: TestProject): Promise<void> {
  env.TEST_THREADS = folder;
  await bundle();
  project.onTestsRerun(bundle);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  // A build for each: what several share would be files of its own, each of which takes every thread a while.
  for await (const file of glob('src/server/**/*-thread.ts', { cwd: root })) {
    const build = await rolldown({
      cwd: root,
      input: { [basename(file, '.ts')]: file },
      platform: 'node',
      tsconfig: false,
      external: (id) => !isAbsolute(id) && !id.startsWith('.') && !inlined.test(id),
      transform: { decorator: { legacy: true } },
    });
    await build.write({ dir: folder, format: 'es', entryFileNames: '[name].js', codeSplitting: false });
    await build.close();
  }
}
