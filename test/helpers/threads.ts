import { glob, rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { env, pid } from 'node:process';
import { rolldown } from 'rolldown';
import type { TestProject } from 'vitest/node';

const root = resolve(import.meta.dirname, '../..');
const folder = resolve(root, `node_modules/.cache/threads-${pid}`);

/**
 * Makes one file of each thread's sources, once for all tests: every node starts some, and most of the time of most tests went
 * into the reading of their modules. `typescript.mjs` sends threads there. Vitest calls `setup` before all tests, and `teardown`
 * after them.
 */
export async function setup(project: TestProject): Promise<void> {
  env.ARCHEION_TEST_THREADS = folder;
  await bundle();
  project.onTestsRerun(bundle);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const files = await Array.fromAsync(glob('src/server/**/*-thread.ts', { cwd: root }));
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(files.map((file) => [basename(file, '.ts'), file])),
    platform: 'node',
    tsconfig: false,
    external: /^[^./]/,
    transform: { decorator: { legacy: true } },
  });
  await build.write({ dir: folder, format: 'es', entryFileNames: '[name].js' });
  await build.close();
}
