import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { settled } from '../helpers/attestations.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { create, done, lastLine, operate, verified } from '../helpers/node-archives.ts';
import { indexIdle } from '../helpers/searches.ts';

// SQLite takes no lock against its own process: a thread that opens another file at the database's path empties the memory that all
// share of which log is written, and what was answered for since the last checkpoint is read no more, and then written over.

const replaced = 'The database archeion.db was moved away or replaced while the node runs';

/** While another file lies at the database's path, its log moved along with it. */
async function whileReplaced(file: string, work: () => Promise<void>): Promise<void> {
  for (const path of [file, `${file}-wal`]) await rename(path, `${path}.away`);
  await cp(`${file}.away`, file);
  try {
    await work();
  } finally {
    for (const path of [file, `${file}-wal`]) {
      await rm(path, { force: true });
      await rename(`${path}.away`, path);
    }
  }
}

/** Each opens the database in another thread, or would. */
const ways: [string, (node: TestNode) => Promise<string>][] = [
  ['a long read', async (node) => (await operate(node, 'GET /node/names')).text()],
  ['a search', async (node) => (await operate(node, 'POST /search/entities', { query: 'Ada' })).text()],
  ['a large request', async (node) => (await operate(node, 'POST /entities', large)).text()],
  ['verifying', async (node) => JSON.stringify(await verified(node))],
];

const large = { type: 'document', properties: { label: 'Large', text: 'word '.repeat(100_000) } };

test.each(ways)(
  '%s takes no other file for the database, and what was written is there when it is back',
  async (_, way) => {
    await using folder = await temporaryFolder();
    await using node = await startNode({ writer: 'thread' });
    const ada = await create(node, 'Ada');
    await settled(node);
    await whileReplaced(databaseFile(node.data, 'main'), async () => {
      const said = await way(node);
      expect(said).toContain(replaced);
    });
    expect(await done(node, `GET /entities/${ada.id}`)).toMatchObject({ id: ada.id });
    const grace = await create(node, 'Grace');
    const dir = join(folder.path, 'backup');
    expect(await lastLine(await operate(node, 'POST /node/backup', { dir }))).toMatchObject({ done: { dir } });
    await indexIdle(node);
    await settled(node);
    expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
    for (const { id } of [ada, grace]) expect(await done(node, `GET /entities/${id}`)).toMatchObject({ id });
  },
);
