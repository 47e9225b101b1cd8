import { setImmediate as turn } from 'node:timers/promises';
import type { NodeOperations } from '../chat/node-tools.ts';
import type { Log } from '../log.ts';
import type { ToolServer } from '../resources/mcp/service.ts';
import type { WritingOperations } from './write-tools.ts';

export interface NodeToolServerSettings {
  version: string;
  /** Whether there are tools that write. */
  writes: boolean;
  log: Log;
}

/** What the tool server would bring with it: each holds the event loop while it is loaded, and all together for far longer. */
const parts: readonly (() => unknown)[] = [
  () => import('ajv'),
  () => import('ajv-formats'),
  // Node's own, which it loads when it is first named.
  () => globalThis.Request,
  () => import('../chat/node-tools.ts'),
  () => import('./write-tools.ts'),
  () => import('./tool-server.ts'),
];

/** Loads the tool server over the node's operations; a node where nobody asks for it is spared the code. */
export function nodeToolServer(
  node: NodeOperations & WritingOperations,
  { version, writes, log }: NodeToolServerSettings,
): () => Promise<ToolServer> {
  return async () => {
    for (const load of parts) {
      await load();
      await turn();
    }
    const [{ createToolServer }, { nodeTools }, { writeTools }] = await Promise.all([
      import('./tool-server.ts'),
      import('../chat/node-tools.ts'),
      import('./write-tools.ts'),
    ]);
    const tools = { reading: nodeTools(node), writing: writes ? writeTools(node) : [] };
    const server = createToolServer({ version, log, tools });
    await turn();
    return server;
  };
}
