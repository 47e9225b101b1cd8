import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, update } from '../helpers/entities.ts';
import { importer, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { exported, lastLine, operate } from '../helpers/node-archives.ts';

// Names that mean something to JavaScript are data here, and nothing that all objects share is changed by them. Bodies of
// requests are in test/contract/hostile-bodies.test.ts and hostile-everywhere.test.ts; here are the other ways in.

const shared = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Map.prototype,
];
const namesOf = () => shared.map((one) => Reflect.ownKeys(one).map(String).sort());
const before = namesOf();

let node: TestNode;
beforeAll(async () => {
  node = await startNode();
  return () => node[Symbol.asyncDispose]();
});
let canary: object;
beforeEach(() => {
  canary = {};
});
afterEach(() => {
  expect(namesOf()).toEqual(before);
  expect((canary as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Reflect.ownKeys(canary)).toEqual([]);
});

const hostile =
  '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1},"label":"kept"}';
const own = (value: unknown, name: string) => Object.getOwnPropertyDescriptor(value as object, name)?.value as unknown;

describe('imports', () => {
  test('of JSON keep such members', async () => {
    const on = importer(node);
    const report = await on.run(
      { collection: 'of json' },
      { 'a.ndjson': `${hostile}\n`, 'b.json': `[${hostile.replace('kept', 'also')}]` },
    );
    expect(report).toMatchObject({ created: 2, refused: 0 });
    const { properties } = (await on.entities(report.collection.id)).get('kept') ?? {};
    expect(own(properties, '__proto__')).toEqual({ polluted: 1 });
    expect(own(own(properties, 'constructor'), 'prototype')).toEqual({ polluted: 1 });
  });

  test('of tables keep such columns', async () => {
    const on = importer(node);
    const report = await on.run(
      { collection: 'of csv' },
      { 'a.csv': 'label,__proto__,constructor,toString\nrow,1,2,3\n' },
    );
    const { properties } = (await on.entities(report.collection.id)).get('row') ?? {};
    expect(['__proto__', 'constructor', 'toString'].map((name) => String(own(properties, name)))).toEqual([
      '1',
      '2',
      '3',
    ]);
  });

  test('by a mapping that names them change nothing else', async () => {
    const on = importer(node);
    for (const name of [
      '__proto__',
      'constructor',
      'prototype',
      'constructor.prototype.polluted',
      '__proto__.polluted',
    ]) {
      const mapping = JSON.parse(
        `{"type":"t","id":"id","label":"id","properties":{${JSON.stringify(name)}:"value"}}`,
      ) as object;
      const { status, text } = await on.ask('POST', '/node/imports', { collection: 'mapped', mapping });
      expect(status < 500, text).toBe(true);
      if (status === 201)
        await on.put(
          (JSON.parse(text) as { id: string }).id,
          'a.ndjson',
          ndjson([{ id: name, value: { polluted: 1 } }]),
        );
    }
  });
});

test('archives of such entities come back as they were', async () => {
  const { id } = await create(node, operator(node), { properties: JSON.parse(hostile) as object });
  const car = (await exported(node, `?entity=${id}`)).car;
  await using other = await startNode();
  expect(await lastLine(await operate(other, 'POST /node/import-car', car))).toHaveProperty('done');
  const { properties } = ok(await ask(other, operator(other), `GET /entities/${id}`));
  expect(own(properties, '__proto__')).toEqual({ polluted: 1 });
});

test('differences of such versions name them as paths', async () => {
  const first = await create(node, operator(node), { properties: JSON.parse('{"__proto__":{"a":1}}') as object });
  const second = await update(node, operator(node), first, {
    properties: JSON.parse('{"__proto__":{"a":2,"polluted":1}}') as object,
  });
  const answer = await ask(node, operator(node), `GET /entities/${first.id}/diff?from=${first.cid}&to=${second.cid}`);
  expect(answer.status, answer.text).toBe(200);
  expect(answer.text).toContain('__proto__');
});

test('queries, searches and filters for them find what is there and nothing more', async () => {
  const home = await collection(node, operator(node));
  const who = operator(node);
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
    const filter = encodeURIComponent(`{${JSON.stringify(name)}:1}`);
    const lines: [string, unknown?][] = [
      [`GET /collections/${home.id}/entities?filter=${filter}`],
      [`GET /collections/${home.id}/entities?${name}=1&${name}[polluted]=1`],
      ['POST /query', { path: `@${home.id} -[${name}]-> *` }],
      ['POST /graph/reachable', { source_pis: [home.id], target_type: name, max_depth: 1, direction: 'both' }],
      [
        'POST /search/entities',
        { query: name, filter: JSON.parse(`{${JSON.stringify(name)}:{"polluted":1}}`) as object },
      ],
    ];
    for (const [line, body] of lines) {
      const { status, text } = await ask(node, who, line, body);
      expect(status < 500 || status === 503, `${line}: ${status} ${text}`).toBe(true);
    }
  }
});
