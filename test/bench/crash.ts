import { setTimeout as delay } from 'node:timers/promises';
import { problemsAfterCrash } from '../helpers/crash-check.ts';
import { seeded } from '../helpers/seeded.ts';
import { type Node, startNode, temporaryFolder } from './processes.ts';
import { sampleBody } from './samples.ts';

// Kills the built node under a load of REST writes and looks what is left: `node test/bench/crash.ts [KILLS] [SEED]`.

const [kills = 50, seed = 1] = process.argv.slice(2).map(Number);
const random = seeded(seed);
using folder = temporaryFolder();
const all: [string, string][] = [];
const problems: string[] = [];

for (let kill = 1; kill <= kills; kill++) {
  const node = await startNode(folder.path);
  const answered: [string, string][] = [];
  const load = Array.from({ length: 32 }, () => write(node, answered));
  while (answered.length === 0 && problems.length === 0) await delay(5);
  await delay(random() * 400);
  process.kill(node.pid, 'SIGKILL');
  await Promise.all(load);
  all.push(...answered);
  const found = await problemsAfterCrash(folder.path, answered);
  problems.push(...found.map((problem) => `kill ${kill}: ${problem}`));
}
problems.push(...(await problemsAfterCrash(folder.path, all)).map((problem) => `at the end: ${problem}`));
process.stdout.write(
  `${kills} kills under load, seed ${seed}: ${all.length} answered writes, ${problems.length} problems\n`,
);
for (const problem of problems.slice(0, 20)) process.stdout.write(`  ${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

interface View {
  id: string;
  cid: string;
}

/** Creates an entity and edits it twice, over and over, until the node does not answer any more. */
async function write(node: Node, answered: [string, string][]): Promise<void> {
  const send = async (method: string, path: string, body: unknown): Promise<View> => {
    const response = await fetch(`${node.url}${path}`, { method, headers: node.headers, body: JSON.stringify(body) });
    const view = (await response.json()) as View;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`, { cause: view });
    answered.push([view.id, view.cid]);
    return view;
  };
  try {
    for (let n = 0; ; n++) {
      const { id, cid } = await send('POST', '/entities', sampleBody(n));
      const second = await send('PUT', `/entities/${id}`, { expect_tip: cid, properties: { edit: 1 } });
      await send('PUT', `/entities/${id}`, { expect_tip: second.cid, properties: { edit: 2 } });
    }
  } catch (error) {
    // A node that was killed hangs up; whatever it answered instead is a problem.
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) problems.push(String(error));
  }
}
