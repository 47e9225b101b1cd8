import { setTimeout as pause } from 'node:timers/promises';
import { operate } from './node-archives.ts';

const patience = 30_000;

/** Waits until a node has gone on with all that a stop of it left. Throws where that takes too long. */
export async function untilResumed(node: { url: string; data: string }): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < patience; await pause(50)) {
    const status = (await (await operate(node, 'GET /node/status')).json()) as { networks: { resumed: object[] }[] };
    if (status.networks.every(({ resumed }) => resumed.length === 0)) return;
  }
  throw new Error('What a stop of the node left is still gone on with.');
}
