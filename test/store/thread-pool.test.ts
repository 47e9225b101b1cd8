import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type ThreadPool, threadPool } from '../../src/server/store/threads/thread-pool.ts';
import { temporaryFolder } from '../helpers/node.ts';

function poolOf(path: string, maxThreads = 1): ThreadPool {
  const limits = { maxYoungGenerationSizeMb: 6 };
  const pool = threadPool({ module: pathToFileURL(path), maxThreads, idleTimeout: 5000, resourceLimits: limits });
  onTestFinished(() => pool.destroy());
  return pool;
}

const works = 'export const work = async ({ ms, dies }) => { if (dies) process.exit(3); return ms; };';

test.each([
  ['fails', "throw new Error('too many open files');", /could not be started \(too many open files\)/],
  ['ends', 'process.exit(3);', /could not be started\. Try again/],
])(
  'what waits for a thread that %s before it is ready is refused, and the next one is tried anew',
  async (_, code, why) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'module.mjs');
    await writeFile(path, code);
    const pool = poolOf(path);
    const refused = { code: 'UNAVAILABLE', details: { service: 'threads', reason: expect.stringMatching(why) } };
    for (let round = 0; round < 2; round++) {
      const waiting = [1, 2].map((ms) => pool.run({ ms }, { name: 'work' }));
      for (const one of waiting) await expect(one).rejects.toMatchObject(refused);
    }
    await writeFile(path, works);
    expect(await pool.run({ ms: 7 }, { name: 'work' })).toBe(7);
  },
);

test('what waits behind a task that its thread dies of is not left waiting', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'module.mjs');
  await writeFile(path, works);
  const pool = poolOf(path);
  const dying = pool.run({ dies: true }, { name: 'work' });
  const behind = pool.run({ ms: 7 }, { name: 'work' });
  await expect(dying).rejects.toThrow('worker exited with code: 3');
  await expect(behind).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(await pool.run({ ms: 8 }, { name: 'work' })).toBe(8);
});

test('a thread is not ended before it has begun, since it may end the process with it', async () => {
  await using folder = await temporaryFolder();
  const [path, begun] = [join(folder.path, 'module.mjs'), join(folder.path, 'begun')];
  await writeFile(
    path,
    `import { writeFileSync } from 'node:fs'; for (const from = Date.now(); Date.now() < from + 300; ); writeFileSync(${JSON.stringify(begun)}, ''); ${works}`,
  );
  const pool = poolOf(path);
  const waiting = pool.run({ ms: 7 }, { name: 'work' });
  waiting.catch(() => undefined);
  await pool.destroy();
  expect(await readFile(begun, 'utf8')).toBe('');
});

test.each(['close', 'destroy'] as const)(
  'what is still at work when the pool is ended by %s is no fault',
  async (end) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'module.mjs');
    await writeFile(
      path,
      'export const work = ({ ms }) => new Promise((resolve) => ms < Infinity && setTimeout(resolve, ms));',
    );
    const pool = poolOf(path, 2);
    await Promise.all([1, 1].map((ms) => pool.run({ ms }, { name: 'work' })));
    const [endless, brief] = [Number.POSITIVE_INFINITY, 100].map((ms) => pool.run({ ms }, { name: 'work' }));
    const refused = expect(endless).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'The node is closing.' });
    await Promise.all([pool[end](), brief?.catch(() => undefined), refused]);
  },
);
