import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countDocs, dropDoc, openIndexWriter, putDoc } from '../../src/server/store/search/search-index.ts';
import { temporaryFolder } from '../helpers/node.ts';

test('as many entities are counted as there are in the index, also when some have changed and some have gone', async () => {
  await using folder = await temporaryFolder();
  const index = openIndexWriter(join(folder.path, 'search.db'));
  const put = (key: number, text: string) =>
    putDoc(
      index,
      { key, digest: text, label: text, collections: '', seen: 1 },
      { label: text, body: text, numbers: '', links: '', whole: '' },
    );
  for (let key = 1; key <= 40; key++) put(key, 'harbour');
  for (let key = 1; key <= 10; key++) put(key, 'harbour at dusk');
  for (let key = 6; key <= 12; key++) dropDoc(index, key);
  dropDoc(index, 12);
  dropDoc(index, 500);
  expect(countDocs(index)).toBe(33);
  expect(index.get<{ n: number }>('SELECT count(*) AS n FROM doc')?.n).toBe(33);
  index.close();
});
