import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openLog } from '../../src/server/log.ts';
import { SearchEngine } from '../../src/server/search/engine.ts';
import { Finder } from '../../src/server/search/finder.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';
import { first, idOf, next, openStore, step } from '../helpers/store.ts';
import { topicTitles, topicWords } from '../helpers/topics.ts';

// The index is behind the entities: of most of what it finds these say something else.

test('what the index does not know yet is not shown, and what is left is found', async () => {
  await using folder = await temporaryFolder();
  {
    await using node = await startNode({ data: folder.path });
    const me = operator(node);
    const home = await collection(node, me, { label: 'Ships' });
    const ships = Array.from({ length: 600 }, (_, i) => ({ title: `Schooner ${'of the line '.repeat(i % 7)}${i}` }));
    const titles = [...topicTitles(800), ...ships];
    for (let at = 0; at < titles.length; at += 100) {
      const entities = titles
        .slice(at, at + 100)
        .map(({ title }) => ({ type: 'artwork', properties: { label: title }, collection: home.id }));
      ok(await ask(node, me, 'POST /entities/batch', { entities }));
    }
    await indexIdle(node);
  }
  const main = join(folder.path, 'main');
  const database = join(main, 'archeion.db');
  const found = (k: number) => {
    const reader = openSearchReader(database, searchFile(main));
    if (!reader) throw new Error('there is no index');
    try {
      const finder = new Finder(reader);
      finder.begin();
      return finder.find({ text: 'schooner', k, within: { types: ['artwork'] } }).map(({ key }) => key);
    } finally {
      reader.close();
    }
  };
  const all = found(1000);
  expect(all.length).toBeGreaterThan(600);
  expect(found(20)).toEqual(all.slice(0, 20));

  const left = all.slice(-5);
  const db = new Database(database);
  const keys = JSON.stringify(all.filter((key) => !left.includes(key)));
  db.prepare("UPDATE entity SET type = 'book' WHERE key IN (SELECT value FROM json_each(?))").run(keys);
  db.close();
  expect(found(20).toSorted((a, b) => a - b)).toEqual(left.toSorted((a, b) => a - b));
});

test('what is of another type now is found as of that, though its words are the same', async () => {
  await using opened = await openStore('here');
  await using engine = new SearchEngine();
  const { store } = opened;
  const letters = topicTitles(600).map(({ title }, n) =>
    first(idOf(1 + n), { type: 'Letter', properties: { label: `${title} ${n}` } }),
  );
  await store.submit(letters.map((letter) => step(null, letter)));
  expect(await engine.follow(store, openLog('silent')).idle(60_000)).toBe(true);
  expect(engine.stand(store).serving).toBe('builtin');
  const found = async (type: string) => {
    const { hits } = await engine.find(store, { text: topicWords('sea').join(' '), k: 300, within: { types: [type] } });
    return hits.map(({ id }) => id).toSorted();
  };
  const all = await found('Letter');
  const changed = all.slice(0, 5);
  expect(changed).toHaveLength(5);
  const asLetter = letters.filter(({ id }) => changed.includes(id));
  await store.submit(asLetter.map((letter) => step(letter, next(letter, { type: 'letter' }))));
  expect(await engine.follow(store, openLog('silent')).idle(60_000)).toBe(true);
  expect(await found('letter')).toEqual(changed);
  expect(await found('Letter')).toEqual(all.slice(5));
});
