import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Importer, importer } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

interface Preview {
  records: number;
  refused: number;
  columns: { name: string; filled: number; distinct: number | null; examples: string[]; looks: string }[];
  rows: {
    place: string;
    entities: {
      id: string;
      type: string;
      properties: Record<string, unknown>;
      relationships: { predicate: string; peer: string; peer_label?: string }[];
      mentioned: boolean;
      standing?: string;
    }[];
    issues: { message: string }[];
  }[];
  issues: { message: string }[];
}

let node: TestNode;
let on: Importer;
beforeAll(async () => {
  node = await startNode();
  on = importer(node);
});
afterAll(() => node[Symbol.asyncDispose]());

async function preview(body: object): Promise<Preview> {
  const answer = await on.ask('POST', '/node/imports/preview', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as Preview;
}

const works = 'no,title,artist,year\r\nA1,Dusk,Turner,1840\r\nA2,Dawn,Turner,\r\nA3,Noon,,c. 1850\r\n';
const mapping = {
  records: [
    {
      type: 'artwork',
      id: 'no',
      label: 'title',
      properties: { as: { year: 'number' }, omit_empty: true },
      nested: [{ path: 'artist', predicate: 'artist', type: 'artist' }],
    },
  ],
};

describe('a preview of an import', () => {
  test('says what the columns hold', async () => {
    const { columns, records, refused } = await preview({ name: 'works.csv', text: works });
    expect([records, refused]).toEqual([3, 0]);
    expect(columns).toEqual([
      { name: 'no', filled: 3, distinct: 3, examples: ['A1', 'A2', 'A3'], looks: 'text' },
      { name: 'title', filled: 3, distinct: 3, examples: ['Dusk', 'Dawn', 'Noon'], looks: 'text' },
      { name: 'artist', filled: 2, distinct: 1, examples: ['Turner'], looks: 'text' },
      { name: 'year', filled: 2, distinct: 2, examples: ['1840', 'c. 1850'], looks: 'text' },
    ]);
  });

  test('shows the records as entities, each with what is wrong with it, and writes nothing', async () => {
    const before = (await on.ask('GET', '/node/imports')).body;
    const { rows, refused } = await preview({ name: 'works.csv', text: works, mapping });
    expect(refused).toBe(1);
    const [first, second, third] = rows;
    expect(first?.entities).toMatchObject([
      { type: 'artwork', properties: { label: 'Dusk', no: 'A1', year: 1840 }, mentioned: false },
      { type: 'artist', properties: { label: 'Turner' }, mentioned: true },
    ]);
    expect(first?.entities[0]?.relationships).toMatchObject([
      { predicate: 'artist', peer: first?.entities[1]?.id, peer_label: 'Turner' },
    ]);
    expect(second?.entities[0]?.properties).not.toHaveProperty('year');
    expect(third?.entities).toEqual([]);
    expect(third?.issues[0]?.message).toMatch(/^works\.csv, line 4: "year" is "c\. 1850", which is not a number$/);
    expect((await on.ask('GET', '/node/imports')).body).toEqual(before);
  });

  test('lists columns whose names end in a dot, and imports them as a mapping says', async () => {
    const table = 'Inv.-Nr.;Bez.;Gew.\n1987.10;Katze;1,2\n';
    const { columns } = await preview({ name: 'museum.csv', text: table });
    expect(columns.map(({ name, looks }) => `${name} ${looks}`)).toEqual(['Inv.-Nr. text', 'Bez. text', 'Gew. text']);
    const rule = { type: 'object', id: 'Inv.-Nr.', properties: { except: ['Gew.'], rename: { 'Bez.': 'label' } } };
    const named = { records: [rule] };
    const { collection } = await on.run({ collection: 'Museum', mapping: named }, { 'museum.csv': table });
    expect([...(await on.entities(collection.id)).values()].map(({ properties }) => properties)).toEqual([
      { 'Inv.-Nr.': '1987.10', label: 'Katze' },
    ]);
  });

  test('has the ids that the import makes, and says what is there already', async () => {
    const small = works.split('\r\n').slice(0, 3).join('\r\n');
    const { collection } = await on.run({ collection: 'Works', mapping }, { 'works.csv': small });
    const { rows } = await preview({
      name: 'works.csv',
      text: `${small}\r\nA9,Late,Monet,1900`,
      mapping,
      collection: collection.id,
    });
    const ids = [...(await on.entities(collection.id)).values()].map(({ id }) => id);
    expect(rows.map(({ entities }) => entities.map(({ standing }) => standing))).toEqual([
      ['here', 'here'],
      ['here', 'here'],
      ['new', 'new'],
    ]);
    expect(ids).toContain(rows[0]?.entities[0]?.id);
  });

  test.each([
    ['a.csv', 'a,b\n1,"x\ny"\n2,"cut', 1],
    ['old.csv', 'a,b\r1,"x\ry"\r2,"cut', 1],
    ['a.tsv', '[a]\tb\n1\t2\n2\t"cut', 1],
    ['windows.csv', 'a,b\r\n1,"x\r\ny"\r\n2,"cut', 1],
    ['a.ndjson', '{"a":1}\n{"a":2}\n{"a":', 2],
    ['a.json', '[{"a":1},{"a":2},{"a":', 2],
    ['beginning', '[{"a":1},{"a":"x', 1],
  ])('of the beginning of %s takes its end for no fault', async (name, text, records) => {
    expect(await preview({ name, text, whole: false })).toMatchObject({ records, issues: [] });
    expect((await preview({ name, text })).issues).toHaveLength(1);
  });

  test.each([
    ['a.csv', 'a,b\n"1'],
    ['lines.csv', '{a,b\n"1\n2'],
    ['a.ndjson', '{"a":"'],
    ['a.json', '[{"a":"'],
  ])('of the beginning of %s that ends in its first record says so', async (name, text) => {
    const { records, issues } = await preview({ name, text, whole: false });
    expect(records).toBe(0);
    expect(issues.map(({ message }) => message)).toEqual([
      expect.stringContaining(`${name}: the first record is too long`),
    ]);
  });

  test('tells what is wrong with a file, and what came before', async () => {
    const { records, issues } = await preview({ name: 'a.csv', text: 'a,b\n1,2\n1,2,3\n' });
    expect(records).toBe(1);
    expect(issues[0]?.message).toMatch(/a\.csv, line 3/);
  });

  test('shows no more rows than are wanted, but what is refused further on', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => (i === 150 ? 'x' : String(i)));
    const as = { records: [{ type: 't', properties: { as: { n: 'number' } } }] };
    const { records, rows } = await preview({ name: 'a.csv', text: `n\n${lines.join('\n')}`, mapping: as, limit: 3 });
    expect(records).toBe(200);
    expect(rows.map(({ place }) => place)).toEqual([
      'a.csv, line 2',
      'a.csv, line 3',
      'a.csv, line 4',
      'a.csv, line 152',
    ]);
  });

  test('of a mapping that none can be is a 400 that says where, and others are refused', async () => {
    const answer = await on.ask('POST', '/node/imports/preview', {
      name: 'a.csv',
      text: 'a\n',
      mapping: { records: [] },
    });
    expect(answer.status).toBe(400);
    expect((await node.fetch('/node/imports/preview', { method: 'POST', body: { name: 'a', text: '' } })).status).toBe(
      401,
    );
  });
});
