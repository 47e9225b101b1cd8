import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Entity, type Importer, importer, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';

const works = [
  { id: 1, label: 'Zebra', year: 1930 },
  { id: 2, label: 'Wool', year: 1939 },
];
const mapping = {
  records: [
    {
      match: { field: 'by' },
      type: 'work',
      id: 'id',
      label: 'title',
      nested: [
        { path: 'by', predicate: 'maker', type: 'person', id: 'id', label: 'name', relationship_properties: ['role'] },
      ],
    },
    { type: 'person', id: 'id', label: 'name' },
  ],
};

let node: TestNode;
let on: Importer;
beforeAll(async () => {
  node = await startNode();
  on = importer(node);
});
afterAll(() => node[Symbol.asyncDispose]());

describe('the formats', () => {
  const csv = 'id,label,year\n1,Zebra,1930\n2,Wool,1939\n';
  test.each([
    ['works.ndjson', ndjson(works)],
    ['works.jsonl', ndjson(works)],
    ['works.json', JSON.stringify(works)],
    ['works.csv', csv],
    ['works.ndjson.gz', gzipSync(ndjson(works))],
    ['works.csv.gz', gzipSync(csv)],
    ['works', JSON.stringify(works)],
  ])('%s', async (name, content) => {
    const report = await on.run({ collection: `formats ${name}`, type: 'work' }, { [name]: content });
    expect(report).toMatchObject({ records: 2, entities: 2, created: 2, refused: 0, files: [name] });
    const found = await on.entities(report.collection.id);
    expect([...found.keys()].sort()).toEqual(['Wool', 'Zebra']);
    expect(found.get('Wool')).toMatchObject({ type: 'work', ver: 1, edited_by: { method: 'import' } });
    expect(String(found.get('Wool')?.properties.year)).toBe('1939');
  });

  test('a JSON array is not read as a JSON body, whatever its type says', async () => {
    const { id, collection } = await on.start({ collection: 'typed' });
    const sent = JSON.stringify(works).replace('1930', '1930.0');
    const { lines } = await on.put(id, 'works.json', sent, 'application/json');
    expect(lines.at(-1)?.done).toMatchObject({ created: 2 });
    expect((await on.entities(collection.id)).size).toBe(2);
  });

  test('one file in one request', async () => {
    const query = new URLSearchParams({ collection: 'single', type: 'work', name: 'works.csv' });
    const answer = await on.ask('POST', `/node/import?${query}`, 'id,label\n1,Zebra\n');
    expect(JSON.parse(answer.text)).toMatchObject({
      done: { created: 1, collection: { label: 'single', created: true } },
    });
  });
});

describe('entities and relationships', () => {
  test('records and what they mention; the collection stands first', async () => {
    const record = { id: 7, title: 'Horse', by: [{ id: 'p', name: 'Rosa', role: 'painter' }] };
    const { collection, ...report } = await on.run({ collection: 'nested', mapping }, { 'a.ndjson': ndjson([record]) });
    expect(report).toMatchObject({ records: 1, entities: 2, relationships: 1, created: 2 });
    const found = await on.entities(collection.id);
    const rosa = found.get('Rosa');
    expect(rosa).toMatchObject({ type: 'person', properties: { id: 'p', name: 'Rosa', label: 'Rosa' } });
    expect(found.get('Horse')?.relationships).toMatchObject([
      { predicate: 'collection', peer: collection.id },
      { predicate: 'maker', peer: rosa?.id, properties: { role: 'painter' } },
    ]);
  });

  test('a record of its own replaces what a mention made, in one import or a later one', async () => {
    const work = ndjson([{ id: 7, title: 'Horse', by: { id: 'p', name: 'Rosa' } }]);
    const person = ndjson([{ id: 'p', name: 'Rosa', born: 1822 }]);
    const together = await on.run({ collection: 'together', mapping }, { 'a.ndjson': work, 'b.ndjson': person });
    expect(together).toMatchObject({ records: 2, entities: 2, created: 2, updated: 1 });
    await on.run({ collection: 'later', mapping }, { 'a.ndjson': work });
    const later = await on.run({ collection: 'later', mapping }, { 'b.ndjson': person });
    expect(later).toMatchObject({ created: 0, updated: 1 });
    for (const { collection } of [together, later])
      expect((await on.entities(collection.id)).get('Rosa')).toMatchObject({ ver: 2, properties: { born: 1822 } });
    const again = await on.run({ collection: 'together', mapping }, { 'a.ndjson': work, 'b.ndjson': person });
    expect(again).toMatchObject({ created: 0, updated: 0, left_alone: 0 });
  });

  test('a mention changes nothing that is there', async () => {
    await on.run({ collection: 'mention', mapping }, { 'b.ndjson': ndjson([{ id: 'p', name: 'Rosa', born: 1822 }]) });
    const work = { id: 7, title: 'Horse', by: { id: 'p', name: 'R. Bonheur' } };
    const report = await on.run({ collection: 'mention', mapping }, { 'a.ndjson': ndjson([work]) });
    expect(report).toMatchObject({ created: 1, updated: 0, unchanged: 1, left_alone: 0 });
    expect((await on.entities(report.collection.id)).get('Rosa')).toMatchObject({ ver: 1 });
  });

  test('of two records with one id the first stands, across files too', async () => {
    const first = ndjson([works[0] as object, { id: 1, label: 'other' }]);
    const report = await on.run(
      { collection: 'repeated' },
      { 'a.ndjson': first, 'b.ndjson': ndjson([{ id: 1, label: 'third' }]) },
    );
    expect(report).toMatchObject({ records: 3, created: 1, updated: 0, repeated: 2, differing: 2 });
    expect([...(await on.entities(report.collection.id)).keys()]).toEqual(['Zebra']);
  });

  test('what is said of a thing at several places and is not kept is told, in one import and in a later one', async () => {
    const school = { id: 's', name: 'Academy' };
    const work = (id: number, by: object) => ({ id, title: `work ${id}`, by });
    const records = [
      work(1, { id: 'p', name: 'Rosa', role: 'painter' }),
      work(2, { id: 'p', name: 'Rosa', role: 'engraver' }),
      work(3, { id: 'p', name: 'Rosa', born: 1822, school }),
      { ...work(1, { id: 'p' }), title: 'another' },
      work(4, [
        { id: 'q', name: 'Ann' },
        { id: 'q', died: 1806 },
      ]),
    ];
    const report = await on.run({ collection: 'differing', mapping }, { 'a.ndjson': ndjson(records) });
    expect(report).toMatchObject({ records: 5, created: 6, repeated: 1, refused: 0, differing: 3 });
    const found = await on.entities(report.collection.id);
    const rosa = found.get('Rosa');
    expect(rosa?.properties).toEqual({ id: 'p', name: 'Rosa', label: 'Rosa' });
    expect(report.differing_examples).toEqual([
      { id: rosa?.id, place: 'a.ndjson, line 3', reason: 'mentioned', names: ['born', 'school'] },
      { id: found.get('work 1')?.id, place: 'a.ndjson, line 4', reason: 'repeated', names: ['title'] },
      { id: found.get('Ann')?.id, place: 'a.ndjson, line 5', reason: 'mentioned', names: ['died'] },
    ]);

    const later = ndjson([work(6, { id: 'p', name: 'R. Bonheur' }), work(7, { id: 'q' })]);
    const again = await on.run({ collection: 'differing', mapping }, { 'b.ndjson': later });
    expect(again).toMatchObject({ created: 2, updated: 0, unchanged: 2, differing: 1 });
    expect(again.differing_examples).toMatchObject([{ id: rosa?.id, place: 'b.ndjson, line 1', names: ['name'] }]);
    const person = ndjson([{ id: 'p', full_name: 'Rosa', name: 'R. B.' }]);
    const replaced = await on.run({ collection: 'differing', mapping }, { 'c.ndjson': person });
    expect(replaced).toMatchObject({ updated: 1, differing: 0 });
    const edit = { expect_tip: (await on.ask('GET', `/entities/${rosa?.id}/tip`)).body as { cid: string } };
    await on.ask('PUT', `/entities/${rosa?.id}`, { expect_tip: edit.expect_tip.cid, properties: { name: 'Rosa B.' } });
    // What was edited here is not expected to say what its sources say.
    expect(await on.run({ collection: 'differing', mapping }, { 'b.ndjson': later })).toMatchObject({ differing: 0 });
    const listed = (await on.ask('GET', '/node/imports')).body as { imports: { counts: { differing: number } }[] };
    expect(listed.imports[3]).toMatchObject({ id: report.id, counts: { differing: 3 } });
  });

  test('records without an id are known by their content', async () => {
    const records = ndjson([{ label: 'a' }, { label: 'b', id: null }, { label: 'a' }]);
    const first = await on.run({ collection: 'content' }, { 'a.ndjson': records });
    expect(first).toMatchObject({ records: 3, created: 2, repeated: 1 });
    const again = await on.run({ collection: 'content' }, { 'a.ndjson': records });
    expect(again).toMatchObject({ created: 0, unchanged: 2 });
  });
});

describe('importing again', () => {
  const edited = (entity: Entity | undefined) => entity as Entity;
  const run = (collection: string, records: object[]) => on.run({ collection }, { 'works.ndjson': ndjson(records) });
  const changed = works.map((work) => ({ ...work, year: work.year + 1 }));

  test('changes nothing', async () => {
    const first = await run('same', works);
    const before = await on.entities(first.collection.id);
    const again = await run('same', works);
    expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 2, left_alone: 0 });
    expect(again.collection).toEqual({ ...first.collection, created: false });
    expect(await on.entities(first.collection.id)).toEqual(before);
  });

  test('updates what has changed in its source', async () => {
    const { collection } = await run('changed', works);
    const records = [{ id: 1, label: 'Zebra', note: 'new' }, works[1] as object];
    expect(await run('changed', records)).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
    const zebra = (await on.entities(collection.id)).get('Zebra');
    expect(zebra).toMatchObject({ ver: 2, edited_by: { method: 'import' } });
    expect(zebra?.properties).toEqual({ id: 1, label: 'Zebra', note: 'new' });
    expect(await run('changed', records)).toMatchObject({ updated: 0, unchanged: 2 });
    expect(await run('changed', works)).toMatchObject({ updated: 1, unchanged: 1 });
  });

  test('leaves local edits alone, and reports sources that have changed', async () => {
    const { collection } = await run('edited', works);
    const zebra = edited((await on.entities(collection.id)).get('Zebra'));
    const update = { expect_tip: zebra.cid, properties: { year: 1 } };
    expect((await on.ask('PUT', `/entities/${zebra.id}`, update)).status).toBe(200);
    expect(await run('edited', works)).toMatchObject({ unchanged: 2, left_alone: 0 });
    const report = await run('edited', changed);
    expect(report).toMatchObject({ updated: 1, left_alone: 1 });
    expect(report.left_alone_examples).toEqual([{ id: zebra.id, place: 'works.ndjson, line 1', reason: 'edited' }]);
    expect((await on.entities(collection.id)).get('Zebra')).toMatchObject({ ver: 2, properties: { year: 1 } });
  });

  test('follows the source again once both say the same', async () => {
    const { collection } = await run('met', works);
    const zebra = edited((await on.entities(collection.id)).get('Zebra'));
    await on.ask('PUT', `/entities/${zebra.id}`, { expect_tip: zebra.cid, properties: { year: 1931 } });
    expect(await run('met', changed)).toMatchObject({ updated: 1, unchanged: 1, left_alone: 0 });
    expect(await run('met', works)).toMatchObject({ updated: 2 });
  });

  test('leaves deletions alone', async () => {
    const { collection } = await run('deleted', works);
    const zebra = edited((await on.entities(collection.id)).get('Zebra'));
    expect((await on.ask('DELETE', `/entities/${zebra.id}`, { expect_tip: zebra.cid })).status).toBe(200);
    expect(await run('deleted', works)).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    const report = await run('deleted', changed);
    expect(report).toMatchObject({ updated: 1, left_alone: 1, left_alone_examples: [{ reason: 'deleted' }] });
    expect([...(await on.entities(collection.id)).keys()]).toEqual(['Wool']);
  });

  test('writes over nothing that something else has made under the id', async () => {
    const { collection } = await run('foreign', works);
    const { id } = edited((await on.entities(collection.id)).get('Zebra'));
    const other = await startNode();
    try {
      const there = importer(other);
      await there.ask('POST', '/collections', { id: collection.id, label: 'foreign' });
      const body = { id, type: 'record', collection: collection.id, properties: { label: 'mine' } };
      expect((await there.ask('POST', '/entities', body)).status).toBe(201);
      const report = await there.run({ collection: collection.id }, { 'works.ndjson': ndjson(works) });
      expect(report).toMatchObject({
        created: 1,
        left_alone: 1,
        left_alone_examples: [{ id, reason: 'not_imported' }],
      });
    } finally {
      await other[Symbol.asyncDispose]();
    }
  });

  test('goes on with what another node imported and an archive brought, but for what was edited', async () => {
    const { collection } = await run('moved', [...works, { id: 3, label: 'Oak', year: 1950 }]);
    const oak = edited((await on.entities(collection.id)).get('Oak'));
    await on.ask('PUT', `/entities/${oak.id}`, { expect_tip: oak.cid, properties: { year: 1 } });
    const { car } = await exported(node, `?collection=${collection.id}`);
    await using other = await startNode();
    const there = importer(other);
    await imported(other, car);
    const again = (records: object[]) =>
      there.run({ collection: collection.id }, { 'works.ndjson': ndjson([...records, { id: 3, label: 'Oak' }]) });
    const left = { left_alone: 1, left_alone_examples: [{ id: oak.id, reason: 'not_imported' }] };
    expect(await again(changed)).toMatchObject({ created: 0, updated: 2, ...left });
    expect(edited((await there.entities(collection.id)).get('Zebra')).properties).toMatchObject({ year: 1931 });
    expect(await again(works)).toMatchObject({ updated: 2, ...left });
    // Back at the first node, which knows another version from its own import.
    await imported(node, (await exported(other, `?collection=${collection.id}`)).car);
    expect(await run('moved', changed)).toMatchObject({ updated: 2, left_alone: 0 });
  });

  test('a type does not change: the record is refused, the others are not', async () => {
    await on.run({ collection: 'types', mapping }, { 'a.ndjson': ndjson([{ id: 1, name: 'a' }]) });
    const other = { records: [{ type: 'place', kind: 'person', id: 'id', label: 'name' }] };
    const records = ndjson([
      { id: 1, name: 'b' },
      { id: 2, name: 'c' },
    ]);
    const report = await on.run({ collection: 'types', mapping: other }, { 'a.ndjson': records });
    expect(report).toMatchObject({ created: 1, updated: 0, refused: 1 });
    expect(report.refused_examples).toMatchObject([{ place: 'a.ndjson, line 1', issues: [{ path: ['type'] }] }]);
  });
});
