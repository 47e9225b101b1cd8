import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { page } from './pages.ts';
import { Reader, steps } from './walk.ts';

/** Runs every `sh` block of a page from top to bottom, and compares the answers with those that are shown. */
export function walkThrough(path: string): void {
  describe(path, () => {
    let reader: Reader;
    beforeAll(() => {
      reader = new Reader();
    });
    afterAll(() => reader[Symbol.asyncDispose]());

    for (const step of steps(page(path)))
      it(`line ${step.line}: ${step.script.split('\n')[0]}`, async () => {
        const found = await reader.run(step);
        if (found.length > 0) expect.fail(found.join('\n'));
      }, 60_000);
  });
}
