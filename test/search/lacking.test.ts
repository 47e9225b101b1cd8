import { expect, test } from 'vitest';
import { openLog } from '../../src/server/log.ts';
import { answerWith } from '../../src/server/resources/search/body.ts';
import { SearchEngine } from '../../src/server/search/engine.ts';
import { change, commit, first, idOf, openStore } from '../helpers/store.ts';

const empty = { results: Buffer.from('[]'), count: 0, late: false, withoutVectors: null };
const metadata = (lacking: number | null): unknown =>
  JSON.parse(Buffer.from(answerWith({ ...empty, lacking }, {})).toString()).metadata;

test('an answer says how much the index lacks, while that is much', async () => {
  await using opened = await openStore('here');
  await using engine = new SearchEngine();
  const write = async (from: number, to: number) => {
    const versions = Array.from({ length: to - from }, (_, n) => first(idOf(from + n)));
    await opened.store.submit([commit(versions.map((version) => change(null, version)))]);
  };
  // Nothing follows the moves here, so none of them is in the index.
  await write(1, 101);
  expect(metadata(engine.lacking(opened.store))).toEqual({ result_count: 0 });
  await write(101, 251);
  expect(metadata(engine.lacking(opened.store))).toEqual({
    result_count: 0,
    index: { complete: false, changes_missing: 250 },
  });
  // Another one writes the index; what it has come to stands there.
  await using writing = new SearchEngine();
  writing.follow(opened.store, openLog('silent'));
  await writing.passed(opened.store);
  expect(engine.lacking(opened.store)).toBe(null);
});

test('an answer lacks nothing because one entity is found by its label alone', async () => {
  await using opened = await openStore('here');
  await opened.store.submit([commit([change(null, first(idOf(1)))])]);
  opened.meddle(`UPDATE entity SET json = replace(json, '"properties":{', '"properties":null,"lost":{')`);
  await using engine = new SearchEngine();
  expect(await engine.follow(opened.store, openLog('silent')).idle(30_000)).toBe(true);
  expect(engine.stand(opened.store).problem).toContain(idOf(1));
  await opened.store.submit([commit([change(null, first(idOf(2)))])]);
  // It takes up the new one in a moment, and is neither incomplete nor stopped until then.
  expect(engine.lacking(opened.store)).toBe(null);
  const { behind, problem } = engine.stand(opened.store);
  expect(behind ? problem : null).toBe(null);
});
