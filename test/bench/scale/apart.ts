import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Measured } from './growth.ts';
import type { Asked } from './size.ts';

/**
 * Measures one size in a process of its own: a heap in which the records of earlier sizes were made takes longer to look
 * through, and the answers of this one would seem slow. `failed` where not everything could be measured.
 */
export async function measureApart(asked: Asked): Promise<{ measured: Measured; failed: boolean }> {
  const child = fork(join(import.meta.dirname, 'size.ts'), { serialization: 'advanced' });
  let measured: Measured = { size: asked.size, values: new Map() };
  child.once('message', (message) => {
    measured = message as Measured;
  });
  child.send(asked);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { measured, failed: code !== 0 };
}
