import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromJson } from '../../src/server/model/from-json.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { misread, name, value } from '../helpers/odd-values.ts';

let node: TestNode;
let who: Person;
beforeAll(async () => {
  node = await startNode();
  who = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());

test('what is said of an entity is read again, and stands in what is written upon it', async () => {
  const { id: peer } = await collection(node, who);
  const drawn = fc.sample(fc.record({ it: value, relation: fc.dictionary(name, value, { maxKeys: 5 }) }), 200);
  // The second of each pair has been read as the first one.
  const alike = [{ h: [], '\\': 0 }, { h: 1, '"': 2 }, misread('helloWaäö'), 'helloWaäö'];
  const sent = [...alike.map((it) => ({ it, relation: {} })), ...drawn];
  const bodies = sent.map(({ it, relation }) => ({
    type: 'document',
    properties: { it },
    relationships: [{ predicate: 'says', peer, properties: relation }],
  }));
  const batch = ok<{ results: { id: string }[] }>(
    await ask(node, who, 'POST /entities/batch', { entities: bodies.slice(0, 100) }),
  );
  const ids = batch.results.map(({ id }) => id);
  for (const body of bodies.slice(100)) ids.push((await create(node, who, body)).id);
  const said: unknown[] = [];
  const saidWithMore: unknown[] = [];
  for (const id of ids) {
    const first = await read(node, who, id);
    said.push(sayings(first));
    await update(node, who, first, { properties: { more: 1 } });
    saidWithMore.push(sayings(await read(node, who, id)));
  }
  const expected = fromJson(JSON.stringify(sent)) as typeof sent;
  for (const [i, { it, relation }] of expected.entries()) {
    expectSame(said[i], { properties: { it }, relation });
    expectSame(saidWithMore[i], { properties: { it, more: 1 }, relation });
  }
});

function sayings({ properties, relationships }: Entity) {
  return { properties, relation: relationships.find(({ predicate }) => predicate === 'says')?.properties };
}

const shown = (value: unknown) =>
  inspect(value, { depth: 20, sorted: true, maxStringLength: null, maxArrayLength: null });

function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(shown(actual)).toBe(shown(expected));
}
