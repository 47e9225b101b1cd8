import type { TestNode } from './node.ts';

/** Waits until a signed head covers everything that has been committed. */
export async function settled(node: TestNode, network: 'main' | 'test' = 'main'): Promise<void> {
  await node.ctx.logs.of(await node.ctx.networks.get(network)).settle();
}
