import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { IndexStand } from '../../src/server/search/index-slice.ts';
import { closeIndexes, type Lacking, lacking, slice, supply } from '../../src/server/search/index-thread.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { change, commit, first, idOf, next, openStore, step } from '../helpers/store.ts';

test('what is remembered beside the index goes with whatever an error rolled back', async () => {
  await using opened = await openStore('here');
  onTestFinished(closeIndexes);
  await opened.store.submit([commit([1, 2, 3].map((n) => change(null, first(idOf(n)))))]);
  const of = {
    files: { database: opened.file, fileId: null, index: searchFile(opened.store.folder) },
    embedder: 'elsewhere',
  };
  const sliced = () => slice({ ...of, ms: 1000 }) as IndexStand;
  while (sliced().behind);
  const { entities, pass, last } = lacking({ ...of, limit: 10 }) as Lacking;
  const supplied = (vector: Float32Array) => entities.map((one) => ({ ...one, vector }));
  const made = { ...of, dimensions: 2, pass, last };
  const none = { length: -64 } as Float32Array;
  expect(() => supply({ ...made, supplied: supplied(none) })).toThrow(RangeError);
  expect(supply({ ...made, supplied: supplied(new Float32Array([1, 0])) })).toBe(null);
  closeIndexes();
  expect(sliced().serving).toBe('elsewhere');
});

test('a vector that comes from elsewhere stands under the type that its entity has by then', async () => {
  await using opened = await openStore('here');
  onTestFinished(closeIndexes);
  const letter = first(idOf(1), { type: 'Letter' });
  await opened.store.submit([step(null, letter)]);
  const index = searchFile(opened.store.folder);
  const of = { files: { database: opened.file, fileId: null, index }, embedder: 'elsewhere' };
  const takeUp = () => {
    while ((slice({ ...of, ms: 1000 }) as IndexStand).behind);
  };
  takeUp();
  const { entities, pass, last } = lacking({ ...of, limit: 10 }) as Lacking;
  await opened.store.submit([step(letter, next(letter, { type: 'letter' }))]);
  takeUp();
  const supplied = entities.map((one) => ({ ...one, vector: new Float32Array([1, 0]) }));
  expect(supply({ ...of, dimensions: 2, pass, last, supplied })).toBe(null);
  closeIndexes();
  const db = new Database(index, { readonly: true });
  expect(db.prepare('SELECT type FROM code').pluck().all()).toEqual(['letter']);
  db.close();
});
