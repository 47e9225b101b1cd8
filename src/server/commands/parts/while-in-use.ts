import { setTimeout } from 'node:timers/promises';
import { FolderInUseError } from '../../errors.ts';
import { FailureError } from './failure.ts';
import type { Shell } from './shell.ts';

const betweenMs = 200;

/**
 * What `attempt` gives, which is made again while it finds that another process has the data folder, for `atMostMs`; `waits` is
 * told after each for how many milliseconds that has been so. @throws FailureError where it is stopped, what `attempt` throws
 */
export async function whileInUse<T>(
  { stopped }: Pick<Shell, 'stopped'>,
  atMostMs: number,
  attempt: () => Promise<T>,
  waits?: (ms: number) => void,
): Promise<T> {
  const begun = performance.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waited = performance.now() - begun;
      if (!(error instanceof FolderInUseError) || waited > atMostMs) throw error;
      waits?.(waited);
    }
    await setTimeout(betweenMs, undefined, { signal: stopped }).catch(() => {
      throw new FailureError('Stopped.');
    });
  }
}
