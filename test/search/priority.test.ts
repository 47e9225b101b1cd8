import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, platform } from 'node:os';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { startNode } from '../helpers/node.ts';
import { indexed } from '../helpers/searches.ts';

/** How nice each thread of this process is, by its number (proc(5), the 19th field). */
function niceness(): Map<string, number> {
  return new Map(
    readdirSync('/proc/self/task').map((thread) => {
      const fields = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return [thread, Number(fields[16])];
    }),
  );
}

const mayGiveWay = platform() === 'linux' && getPriority() < 19;

test.runIf(mayGiveWay)('the thread that indexes gives way to the others', async () => {
  const own = getPriority();
  const before = niceness();
  // With such a thread of its own: the one that tests share runs already.
  await using node = await startNode({ follower: undefined, writer: 'thread' });
  await indexed(node, operator(node), 'Heron');
  const started = [...niceness()].filter(([thread]) => !before.has(thread));
  expect(started.filter(([, nice]) => nice === Math.min(own + 10, 19))).toHaveLength(1);
  expect(started.filter(([, nice]) => nice === own).length).toBeGreaterThan(0);
});
