import { join } from 'node:path';
import { type Server, startScript } from '../processes.ts';

/** Starts one of servers/ in a process of its own, with its arguments. */
export function startPeer(name: string, ...args: string[]): Promise<Server> {
  return startScript(join(import.meta.dirname, 'servers', `${name}.ts`), ...args);
}
