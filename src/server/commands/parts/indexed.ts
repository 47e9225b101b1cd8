import { setTimeout as delay } from 'node:timers/promises';
import type { NodeClient } from './client.ts';
import { FailureError } from './failure.ts';
import { progressDisplay } from './progress.ts';
import type { Shell } from './shell.ts';

/** How far the index of a network has come (resources/node/status/wire.ts). */
interface Standing {
  networks: { network: string; moves: number; index: { moves: number; behind: boolean; problem: string | null } }[];
}

const lookMs = 100;

/**
 * Waits for the index of a node that ends with this command, since nobody would make it up later. Says in words what the
 * index still lacks; undefined where that is nothing.
 */
export async function indexed(shell: Shell, client: NodeClient): Promise<string | undefined> {
  const look = async () => {
    const { networks } = await client.ask<Standing>('GET', '/node/status');
    return networks.find(({ network }) => network === client.config.network);
  };
  let standing = await look();
  if (client.running) return standing && lacking(standing);
  const display = progressDisplay(shell, 'index');
  try {
    while (standing?.index.behind && standing.index.problem === null) {
      if (shell.stopped.aborted) throw new FailureError('Stopped.');
      display.show(standing.index.moves, standing.moves, `${part(standing)} changes`);
      await delay(lookMs);
      standing = await look();
    }
  } finally {
    display.end();
  }
  return standing && lacking(standing);
}

function lacking(standing: Standing['networks'][number]): string | undefined {
  const { index, moves } = standing;
  if (!index.behind) return undefined;
  if (index.problem !== null) return `The index has ${part(standing)} changes and cannot go on: ${index.problem}`;
  const what = index.moves < moves ? `has ${part(standing)} changes so far` : 'takes up labels that have changed';
  return `The index ${what}: there may be more to find in a moment.`;
}

function part({ index, moves }: Standing['networks'][number]): string {
  return `${index.moves.toLocaleString('en')} of ${moves.toLocaleString('en')}`;
}
