import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { env } from 'node:process';
import { defineConfig } from 'vitest/config';

// Several processes run the tests, and many tests start a node: none need compile what another one has compiled.
env.NODE_COMPILE_CACHE ??= resolve(import.meta.dirname, 'node_modules/.cache/compiled');

export default defineConfig({
  test: {
    globals: false,
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/fixtures/**'],
    globalSetup: ['test/helpers/threads.ts', 'test/helpers/memory-folder.ts'],
    setupFiles: ['test/helpers/leak-watch.ts'],
    // Processes, not threads: the store starts workers of its own and loads native code.
    pool: 'forks',
    // One process runs many files, so that it reads what they share once: what a file changes in a module or in `env` it puts back.
    isolate: false,
    // Two more than there are cores, because tests wait for a disk, a clock or a browser now and then.
    maxWorkers: availableParallelism() + 2,
    execArgv: ['--import', new URL('test/helpers/typescript.mjs', import.meta.url).href],
    // What hangs fails; how fast the rest is says the bench, on a machine that does nothing else.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A busy machine upsets one of thousands now and then: .ci/run tells which tests needed the second try.
    retry: env.CI ? 1 : 0,
    expect: { poll: { timeout: 60_000 } },
  },
});
