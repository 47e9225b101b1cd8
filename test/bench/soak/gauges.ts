import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '../processes.ts';

/** What a node takes of the machine at a moment; sizes in MB. */
export interface Gauges {
  resident: number;
  /** In use of the main thread's JavaScript heap. */
  heap: number;
  handles: number;
  threads: number;
  /** Of the main network. */
  wal: number;
  database: number;
  index: number;
}

export async function gaugesOf(node: Node): Promise<Gauges> {
  const status = readFileSync(`/proc/${node.pid}/status`, 'utf8');
  const size = (file: string) => statSync(join(node.data, 'main', file)).size / 2 ** 20;
  return {
    resident: node.memory().now,
    heap: await node.heap(),
    handles: readdirSync(`/proc/${node.pid}/fd`).length,
    threads: Number(/Threads:\s+(\d+)/.exec(status)?.[1] ?? 0),
    wal: size('archeion.db-wal'),
    database: size('archeion.db'),
    index: size('search.db'),
  };
}
