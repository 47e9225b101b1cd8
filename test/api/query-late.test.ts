import { Piscina } from 'piscina';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { QueryView } from '../../src/server/resources/query/wire.ts';
import { Finder } from '../../src/server/search/finder.ts';
import { type RankAnswer, rank } from '../../src/server/search/rank-jobs.ts';
import { openSearchReader, searchFile } from '../../src/server/store/search/search-index.ts';
import { ask, operator } from '../helpers/callers.ts';
import { create, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
  const bird = (label: string, color: string) =>
    create(node, operator(node), { type: 'bird', properties: { label, _color: color } });
  for (const label of ['A heron', 'A grey heron']) await bird(label, 'grey');
  await indexIdle(node);
});
afterAll(() => node[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

/** Whether the answer says that it is not all, where the search thread has said this of its search. */
async function truncated(path: string, said: Partial<RankAnswer>, filter?: object): Promise<boolean> {
  const { run } = Piscina.prototype;
  vi.spyOn(Piscina.prototype, 'run').mockImplementation(async function (this: Piscina, task, options) {
    const answer = await run.call(this, task, options);
    return options?.name === 'rankHits' ? { ...answer, ...said } : answer;
  });
  const body = { path, ...(filter && { filter }) };
  const { results, metadata } = ok<QueryView>(await ask(node, operator(node), 'POST /query', body));
  vi.restoreAllMocks();
  expect(results).toHaveLength(2);
  return metadata.truncated === true;
}

test('a query says when the time for one of its texts was too short, also without a filter', async () => {
  const [late, crowded] = [{ late: true }, { late: false, crowded: true }];
  for (const path of ['"heron" type:bird', 'type:bird ~ "heron"']) {
    expect(await truncated(path, {}), path).toBe(false);
    expect(await truncated(path, late), path).toBe(true);
    // More match a word than are ranked: so it is with every common one.
    expect(await truncated(path, crowded), path).toBe(false);
  }
  expect(await truncated('"heron"', crowded, { _color: 'grey' })).toBe(true);
});

test('a search runs out of time without a filter, too, and tells that from having more than it ranks', async () => {
  const store = await node.ctx.networks.get('main');
  const reader = openSearchReader(store.database, searchFile(store.folder));
  if (!reader) throw new Error('there is no index');
  const finder = new Finder(reader);
  const misspelt = () => rank(finder, { kind: 'text', text: 'heorn', k: 10, within: {} });
  const { ranked, ...inTime } = misspelt();
  expect(ranked).toHaveLength(2);
  expect(inTime).toMatchObject({ late: false, crowded: false });
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 3000;
    return now;
  });
  expect(misspelt()).toMatchObject({ late: true, crowded: false });
  reader.close();
});
