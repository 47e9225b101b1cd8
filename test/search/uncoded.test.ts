import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle, labels, search } from '../helpers/searches.ts';
import { topicTitles } from '../helpers/topics.ts';

test('a vector without a code is found as any other is', async () => {
  await using folder = await temporaryFolder();
  const find = async (node: Awaited<ReturnType<typeof startNode>>) =>
    labels(await search(node, operator(node), 'entities', { query: 'schooner', limit: 100 }));
  let before: string[];
  {
    await using node = await startNode({ data: folder.path });
    const titles = topicTitles(560);
    for (let at = 0; at < titles.length; at += 90) {
      const entities = titles
        .slice(at, at + 90)
        .map(({ title }) => ({ type: 'artwork', properties: { label: title } }));
      ok(await ask(node, operator(node), 'POST /entities/batch', { entities }));
    }
    await indexIdle(node);
    before = await find(node);
  }
  const byMeaning = before.filter((label) => !label.includes('schooner'));
  expect(byMeaning.length).toBeGreaterThan(3);
  const db = new Database(searchFile(join(folder.path, 'main')));
  expect(db.prepare('DELETE FROM code WHERE seq % 2 = 0').run().changes).toBeGreaterThan(200);
  db.close();
  {
    await using node = await startNode({ data: folder.path });
    expect(await find(node)).toEqual(before);
  }
  // A damaged code is of no use; the others stay in their places.
  const damaged = new Database(searchFile(join(folder.path, 'main')));
  expect(damaged.prepare("UPDATE code SET code = x'ff' WHERE seq % 3 = 0").run().changes).toBeGreaterThan(50);
  damaged.close();
  await using node = await startNode({ data: folder.path });
  const found = new Set(await find(node));
  expect(before.filter((label) => found.has(label)).length).toBeGreaterThan(before.length / 2);
});
