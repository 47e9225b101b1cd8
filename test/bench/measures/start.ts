import { setTimeout as sleep } from 'node:timers/promises';
import { startNode } from '../processes.ts';
import { atMostRow } from '../report.ts';

/** Start with a full database until the ready line, and what an idle node holds in memory. */
export async function measureStart(data: string): Promise<void> {
  const times: number[] = [];
  let idle = 0;
  for (let i = 0; i < 5; i++) {
    await using node = await startNode(data);
    times.push(node.readyAfter);
    if (i === 4) {
      await sleep(2000);
      idle = node.memory().now;
    }
  }
  atMostRow('start until ready, median of 5', (times.toSorted((a, b) => a - b)[2] ?? 0) / 1000, 's', 0.7);
  atMostRow('idle memory', idle, 'MB', 150);
}
