import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { builtin } from '../../src/server/search/embedder.ts';
import { Finder } from '../../src/server/search/finder.ts';
import type { IndexStand } from '../../src/server/search/index-slice.ts';
import { closeIndexes, slice } from '../../src/server/search/index-thread.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { change, commit, first, idOf, next, openStore, step } from '../helpers/store.ts';
import { topicTitles } from '../helpers/topics.ts';

/** An index of works that grows by records of few words, of which nothing can be learned. */
test('an index of which nothing more can be learned keeps what was learned, and makes all vectors by it', async () => {
  await using opened = await openStore('here');
  onTestFinished(closeIndexes);
  const index = searchFile(opened.store.folder);
  const files = { database: opened.file, fileId: null, index };
  const sliced = () => slice({ files, embedder: builtin, ms: 1000 }) as IndexStand;
  const settle = () => {
    for (let stand = sliced(); stand.behind || stand.learning; ) stand = sliced();
  };
  const count = (text: string) => {
    const db = openSearchReader(opened.file, index);
    try {
      return db && new Finder(db).find({ text, k: 100, within: {} }).length;
    } finally {
      db?.close();
    }
  };
  const modelOf = () => {
    const db = new Database(index, { readonly: true });
    try {
      return db.prepare('SELECT number, size, reached FROM model').get();
    } finally {
      db.close();
    }
  };
  const works = topicTitles(560).map(({ title }, n) =>
    first(idOf(n), { type: 'artwork', properties: { label: title } }),
  );
  await opened.store.submit([commit(works.map((work) => change(null, work)))]);
  settle();
  expect(modelOf()).toEqual({ number: 1, size: 560, reached: null });

  const records = Array.from({ length: 1800 }, (_, n) =>
    first(idOf(1000 + n), { type: 'reading', properties: { label: `Reading ${n}` } }),
  );
  const named = first(idOf(5000), { properties: { label: 'anchor regatta mariner' } });
  await opened.store.submit([
    commit(records.slice(0, 900).map((record) => change(null, record))),
    commit(records.slice(900).map((record) => change(null, record))),
    commit(works.map((work) => change(work, next(work, { deleted: true })))),
    step(null, named),
  ]);
  settle();
  expect(count('schooner')).toBe(1);
  // So it is not tried again before it has grown once more.
  expect(modelOf()).toEqual({ number: 1, size: 1801, reached: null });

  await opened.store.submit([step(named, next(named, { properties: { label: 'barley meadow orchard' } }))]);
  settle();
  expect(count('schooner')).toBe(0);
  expect(count('plough')).toBe(1);
});
