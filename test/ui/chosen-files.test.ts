import { expect, test } from 'vitest';
import { kindOfFile } from '../../src/renderer/src/views/import/chosen-files.ts';

test.each([
  ['works.csv', 'records'],
  ['works.TSV', 'records'],
  ['works.tsv.gz', 'records'],
  ['works.ndjson', 'records'],
  ['all.car', 'archive'],
  ['letter.txt', 'other'],
  ['letter.txt.gz', 'other'],
])('%s is imported as %s', (name, kind) => {
  expect(kindOfFile(name)).toBe(kind);
});
