import { setTimeout as delay } from 'node:timers/promises';
import type { Node } from './processes.ts';

/** Resolves when the search index has caught up, so that a measure is of what it names alone. */
export async function indexed(node: Node): Promise<void> {
  for (;;) {
    const answer = await fetch(`${node.url}/node/status`, { headers: node.headers });
    const { networks } = (await answer.json()) as { networks: { index: { behind: boolean } }[] };
    if (networks.every(({ index }) => !index.behind)) return;
    await delay(500);
  }
}
