import { type Node, startNode } from '../processes.ts';
import { type Held, type Measure, requestsOf } from './requests.ts';

/** Which node is to be asked. */
export interface Start extends Held {
  data: string;
}

/** What this process is told, one after the other; each is answered by one message. */
export type Order = { start: Start } | { ask: Measure } | { memory: true };

// Asks one node (asker.ts) until nobody tells it anything any more.
let node: Node | null = null;
let requests: Awaited<ReturnType<typeof requestsOf>> | null = null;

async function answer(order: Order): Promise<unknown> {
  if ('start' in order) {
    const { data, ...held } = order.start;
    node = await startNode(data, {}, { quiet: true });
    node.rest();
    requests = await requestsOf(node, held);
    return null;
  }
  if (!node || !requests) throw new Error('there is no node yet');
  return 'ask' in order ? await requests[order.ask]() : node.memory();
}

process.on('message', async (order: Order) => {
  try {
    process.send?.(await answer(order));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exitCode = 1;
    process.disconnect();
  }
});
process.on('disconnect', () => void node?.[Symbol.asyncDispose]());
