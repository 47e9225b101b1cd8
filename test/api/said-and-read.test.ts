import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fromJson } from '../../src/server/model/from-json.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let who: Person;
beforeAll(async () => {
  node = await startNode();
  who = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());

const misread = (text: string) => Buffer.from(text).toString('latin1');
const letters = fc.string({
  unit: fc.constantFrom(...'aWäöüéß \u0000\u0007"\\/\u00a0\u2028\ufeff\ufffd😀'),
  maxLength: 24,
});
const text = fc.oneof(
  letters,
  letters.map(misread),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ minLength: 1000, maxLength: 1200 }),
);
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter((value) => !Object.is(value, -0) && (!Number.isInteger(value) || Number.isSafeInteger(value))),
  fc.constantFrom(
    0,
    23,
    24,
    255,
    256,
    65535,
    65536,
    2 ** 32 - 1,
    2 ** 32,
    -24,
    -25,
    -(2 ** 32),
    -(2 ** 32) - 1,
    0.1,
    5e-324,
  ),
);
const name = fc.oneof(
  letters,
  letters.map(misread),
  fc.constantFrom('/', 'bytes', '__proto__', 'constructor', '0', '10', '2', 'prev', 'id'),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 40 }),
  ),
}));

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
