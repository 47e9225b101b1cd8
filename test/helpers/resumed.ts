import { setTimeout as pause } from 'node:timers/promises';
import { operate } from './node-archives.ts';

interface Status {
  networks: { resumed: { done: number | null }[] }[];
}

const patience = 30_000;

/** Waits until a node has gone on with all that a stop of it left, as far as it can before its next start. Throws where that takes too long. */
export async function untilResumed(node: { url: string; data: string }): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < patience; await pause(50)) {
    const status = (await (await operate(node, 'GET /node/status')).json()) as Status;
    if (status.networks.every(({ resumed }) => resumed.every(({ done }) => done === null))) return;
  }
  throw new Error('What a stop of the node left is still gone on with.');
}
