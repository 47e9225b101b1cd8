import { Piscina } from 'piscina';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { QueryView } from '../../src/server/resources/query/wire.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { create, type Entity, ok, remove } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
beforeAll(async () => {
  node = await startNode();
  me = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());
afterEach(() => vi.restoreAllMocks());

const made = (label: string, to: Entity[] = []) =>
  create(node, me, {
    type: 'stone',
    properties: { label },
    relationships: to.map(({ id }) => ({ predicate: 'next', peer: id })),
  });

/** The answer of a query, where something is done between its end and the reading of what it shows. */
async function answered(path: string, meanwhile: () => Promise<unknown>): Promise<QueryView> {
  const { run } = Piscina.prototype;
  vi.spyOn(Piscina.prototype, 'run').mockImplementation(async function (this: Piscina, task, options) {
    if (task.name === 'queryAnswer') await meanwhile();
    return run.call(this, task, options);
  });
  return ok<QueryView>(await ask(node, me, 'POST /query', { path }));
}

test('what is deleted while a query runs is neither a result nor counted', async () => {
  const [first, second] = [await made('First'), await made('Second')];
  const start = await made('Start', [first, second]);
  const { results, metadata } = await answered(`@${start.id} -[next]-> type:stone`, () => remove(node, me, first));
  expect(results.map(({ entity }) => entity.id)).toEqual([second.id]);
  expect(metadata.total_candidates_explored).toBe(2);
});

test('no path runs through what is deleted while a query runs', async () => {
  const end = await made('End');
  const middle = await made('Middle', [end]);
  const start = await made('Start', [middle]);
  const { results, metadata } = await answered(`@${start.id} -[next]{2}-> @${end.id}`, () => remove(node, me, middle));
  expect(results).toEqual([]);
  expect(metadata).toMatchObject({ error: 'no_path_found', stopped_at_hop: 1, total_candidates_explored: 1 });
});

test('nor does the path to where a query ended', async () => {
  const end = await made('End');
  const middle = await made('Middle', [end]);
  const start = await made('Start', [middle]);
  const path = `@${start.id} -[next]-> type:stone -[next]-> type:river`;
  const { metadata } = await answered(path, () => remove(node, me, middle));
  expect(metadata).toMatchObject({ error: 'no_path_found', stopped_at_hop: 2 });
  expect(metadata).not.toHaveProperty('partial_path');
});

test('an entry that is deleted while a query runs is none', async () => {
  const start = await made('Start');
  const { results, metadata } = await answered(`@${start.id}`, () => remove(node, me, start));
  expect(results).toEqual([]);
  expect(metadata).toMatchObject({ error: 'no_entry_point', total_candidates_explored: 0 });
});
