import { setTimeout } from 'node:timers/promises';
import { FolderInUseError } from '../../errors.ts';
import { isAlive, type NodeFile, readNodeFile } from '../../node-file.ts';
import { FailureError } from './failure.ts';
import type { Shell } from './shell.ts';

/** How often it is looked again, when it is said that this waits, and when it gives up, in milliseconds. */
const [betweenMs, saidAfterMs, atMostMs] = [200, 2000, 60_000];

/**
 * The node that answers for a data folder as another process, else null: then `start` has begun one. While a process has the
 * folder that does not answer, as one that starts or ends, this waits for either. @throws FailureError, what `start` throws
 */
export async function nodeOnFolder(
  data: string,
  { stopped, err }: Shell,
  start: () => Promise<void>,
): Promise<NodeFile | null> {
  const begun = performance.now();
  let isSaid = false;
  for (;;) {
    const known = await readNodeFile(data);
    const isAnswering = known !== null && (await isAlive(known));
    if (known && isAnswering) return known;
    try {
      await start();
      return null;
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      // It has begun to answer before, and does not go on.
      if (known && isAnswering === null)
        throw new FailureError(`The node of ${data} does not answer at ${known.url}. ${error.message}`);
      const waited = performance.now() - begun;
      if (waited > atMostMs) throw error;
      if (waited > saidAfterMs && !isSaid) {
        err(`Another process has the data folder ${data}, as a node that starts: waiting until it answers or ends.`);
        isSaid = true;
      }
    }
    await setTimeout(betweenMs, undefined, { signal: stopped }).catch(() => {
      throw new FailureError('Stopped.');
    });
  }
}
