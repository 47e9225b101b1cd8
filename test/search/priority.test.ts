import { readdirSync, readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { startNode } from '../helpers/node.ts';
import { indexed } from '../helpers/searches.ts';

/** How nice each thread of this process is (proc(5), the 19th field). */
function niceness(): number[] {
  return readdirSync('/proc/self/task').map((thread) => {
    const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return Number(fields[16]);
  });
}

test.runIf(platform() === 'linux')('the thread that indexes gives way to the others', async () => {
  await using node = await startNode();
  await indexed(node, operator(node), 'Heron');
  const nice = niceness();
  expect(nice.filter((value) => value === 10)).toHaveLength(1);
  expect(nice.filter((value) => value === 0).length).toBeGreaterThan(3);
});
