import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../bench/mirror-kills.ts', import.meta.url));

/** What it says on stderr, and its exit code. */
function run(...args: string[]): Promise<{ code: unknown; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], (error, _out, err) => resolve({ code: error?.code ?? 0, err }));
  });
}

test.each([[['--kills', '50']], [['0']], [['1.5']], [['5', '6']]])(
  'mirror-kills does not run without a number of kills: %j',
  async (args) => {
    expect(await run(...args)).toEqual({ code: 2, err: expect.stringContaining('npm run mirror-kills -- [KILLS]') });
  },
  60_000,
);
