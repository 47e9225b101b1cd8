import type { Measured } from './growth.ts';
import { measureSize } from './measure.ts';

/** What measuring one size takes; `queries` are what is searched for. */
export interface Asked {
  size: number;
  data: string;
  corpus: string;
  queries: string[];
}

// In a process of its own (apart.ts). What has been measured is sent also where something fails.
process.once('message', async ({ size, ...asked }: Asked) => {
  const measured: Measured = { size, values: new Map() };
  try {
    await measureSize(measured, asked);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
  }
  process.send?.(measured, () => process.disconnect());
});
