import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, exported, remove, update } from '../helpers/node-archives.ts';

const script = fileURLToPath(new URL('../fixtures/read-archive.mjs', import.meta.url));

test("an export is read by a few lines over @ipld/car: every block is its CID's, every version is reached", async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode();
  const collection = await done(node, 'POST /collections', { label: 'People' });
  const ada = await update(node, await create(node, 'Ada', { collection: collection.id }), { born: 1815 });
  const gone = await create(node, 'Gone');
  await remove(node, gone);
  const file = join(folder.path, 'all.car');
  await writeFile(file, (await exported(node)).car);

  const { stdout } = await promisify(execFile)(process.execPath, [script, file]);
  const reached = stdout.trim().split('\n');
  const store = await node.ctx.networks.get('main');
  const stored = store.read((db) => db.all('SELECT e.id, b.ver FROM block b JOIN entity e ON e.key = b.entity'));
  expect(reached).toHaveLength(stored.length);
  expect(reached).toContain(`${ada.id} 2 ${ada.cid}`);
  expect(reached.filter((line) => line.startsWith(gone.id))).toHaveLength(2);

  const bytes = Buffer.from((await exported(node)).car);
  bytes[bytes.length - 20] = (bytes.at(-20) ?? 0) ^ 1;
  await writeFile(file, bytes);
  await expect(promisify(execFile)(process.execPath, [script, file])).rejects.toThrow(/is damaged/);
});
