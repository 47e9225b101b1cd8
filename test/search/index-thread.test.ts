import { expect, onTestFinished, test } from 'vitest';
import type { IndexStand } from '../../src/server/search/index-slice.ts';
import { closeIndexes, type Lacking, lacking, slice, supply } from '../../src/server/search/index-thread.ts';
import { searchFile } from '../../src/server/store/search/search-index.ts';
import { change, commit, first, idOf, openStore } from '../helpers/store.ts';

test('what is remembered beside the index goes with whatever an error rolled back', async () => {
  await using opened = await openStore('here');
  onTestFinished(closeIndexes);
  await opened.store.submit([commit([1, 2, 3].map((n) => change(null, first(idOf(n)))))]);
  const of = { files: { database: opened.file, index: searchFile(opened.store.folder) }, embedder: 'elsewhere' };
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
