import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openIndexWriter } from '../../src/server/store/search/search-index.ts';
import { addModel, dropSome, modelRows, putVector } from '../../src/server/store/search/search-vectors.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { explaining } from '../helpers/plans.ts';

test('vectors that are no longer wanted go some at a time, each time from where the last ones were', async () => {
  await using folder = await temporaryFolder();
  const index = openIndexWriter(join(folder.path, 'search.db'));
  try {
    for (const name of ['kept', 'outdated']) addModel(index, { name, size: 3, dimensions: 1 }, null);
    const put = (model: number, key: number) =>
      putVector(index, { key, model, type: 'work', vector: Float32Array.of(1), code: Uint32Array.of(1) });
    for (const model of [1, 2]) for (const key of [1, 2, 3]) put(model, key);
    const plans: string[] = [];
    const explained = {
      ...explaining(index, plans),
      insert: index.insert.bind(index),
      run: index.run.bind(index),
    };
    const drop = (after: number) => dropSome(explained, 2, { after, limit: 2 });
    const left = () => index.all<{ seq: number }>('SELECT seq FROM code ORDER BY seq').map(({ seq }) => seq);
    expect([drop(0), left()]).toEqual([5, [1, 2, 3, 6]]);
    expect([drop(5), left()]).toEqual([0, [1, 2, 3]]);
    expect(modelRows(index).map(({ name }) => name)).toEqual(['kept', 'outdated']);
    expect([drop(0), left()]).toEqual([null, [1, 2, 3]]);
    expect(modelRows(index).map(({ name }) => name)).toEqual(['kept']);
    expect(new Set(plans)).toEqual(new Set(['SEARCH code USING INTEGER PRIMARY KEY (rowid>?)']));
  } finally {
    index.close();
  }
});
