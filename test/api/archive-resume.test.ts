import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { spooledPath } from '../../src/server/store/spool.ts';
import { archiveTask } from '../../src/server/store/tasks.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { exported } from '../helpers/node-archives.ts';

interface Imports {
  imports: { id: string; files: string[]; counts: { created: number; unchanged: number } }[];
}

const imports = async (node: TestNode) => ok<Imports>(await ask(node, operator(node), 'GET /node/imports')).imports;

test('an import that a kill ended is completed at the next start, and counts what had come before', async () => {
  await using from = await startNode();
  const { id } = await collection(from, operator(from));
  for (let i = 0; i < 20; i++) await create(from, operator(from), { collection: id });
  const { car } = await exported(from, `?collection=${id}`);
  await using folder = await temporaryFolder();
  const file = '00000000-0000-4000-8000-000000000000.car';
  {
    await using first = await startNode({ data: folder.path });
    const headers = { ...operator(first).headers, 'Content-Type': 'application/octet-stream' };
    const sent = await first.fetch('/node/import-car?name=sent.car', { method: 'POST', headers, body: car });
    expect(sent.status).toBe(200);
    // As a kill right before the end leaves it.
    const [{ id: run } = { id: '' }] = await imports(first);
    const store = await first.ctx.networks.get('main');
    await writeFile(spooledPath(store.folder, file) ?? '', car);
    const task = { kind: archiveTask, state: { file, run: { id: run, started: 0, name: 'sent.car' } } };
    await store.submit([
      { changes: [], guards: [], rows: [{ kind: 'task', id: `${archiveTask} ${file}`, task }], origin: 'car', time: 0 },
    ]);
  }
  await using second = await startNode({ data: folder.path });
  expect(await imports(second)).toMatchObject([{ files: ['sent.car'], counts: { created: 21, unchanged: 0 } }]);
});
