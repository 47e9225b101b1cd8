import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../helpers/seeded.ts';
import { Disk } from './disk.ts';
import type { Step } from './recording.ts';

/** A power cut: when it came, and what had been said until then. */
export interface Cut {
  seed: number;
  /** How many steps had been done. */
  at: number;
  /** What the disk holds, under the path of `to`. */
  folder: string;
  marks: string[];
}

/**
 * Makes up a power cut for each seed and lets `look` look at what it left. The cut and all that it leaves depend on the
 * recording and the seed alone. `folder` is what was recorded; with `at`, all cuts come after so many steps.
 */
export async function cutOff(
  { steps, folder, at: always }: { steps: readonly Step[]; folder: string; at?: number },
  seeds: readonly number[],
  look: (cut: Cut) => Promise<void>,
): Promise<void> {
  const planned = seeds.map((seed) => {
    const random = seeded(seed);
    const at = Math.floor(random() * (steps.length + 1));
    return { seed, random, at: always ?? at };
  });
  planned.sort((a, b) => a.at - b.at);
  const disk = new Disk(folder);
  const marks: string[] = [];
  let done = 0;
  for (const { seed, random, at } of planned) {
    for (; done < at; done++) {
      const step = steps[done] as Step;
      disk.apply(step);
      if (step.kind === 'mark') marks.push(step.text);
    }
    const to = mkdtempSync(join(fastFolder(), 'archeion-cut-'));
    try {
      disk.cut(to, random);
      await look({ seed, at, folder: to, marks: marks.slice() });
    } finally {
      rmSync(to, { recursive: true, force: true });
    }
  }
}

/** Syncs cost nothing in memory, and what a cut leaves is there for a moment only. */
function fastFolder(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}
