import { describe, expect, it } from 'vitest';
import { ValidationError } from '../../src/server/errors.ts';
import { sourceDigest } from '../../src/server/exchange/draft.ts';
import { createIntake } from '../../src/server/exchange/intake.ts';
import { mapContext, maxNested } from '../../src/server/exchange/map-record.ts';
import { defaultMapping, parseMapping } from '../../src/server/exchange/mapping.ts';
import { readRecords } from '../../src/server/exchange/records.ts';
import { derivedId, entityIdPattern } from '../../src/server/model/ids.ts';
import type { Json, JsonObject } from '../../src/server/model/manifest.ts';
import { mapped } from '../helpers/mapped.ts';
import { bytesOf, mapRecords } from './streams.ts';

const collection = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const idOf = (kind: string, sourceId: string) => derivedId('main', collection, kind, sourceId);

/** The drafts of a record under one rule. */
function drafts(rule: JsonObject, record: JsonObject) {
  return mapped(parseMapping({ records: [rule] }), record, mapContext('main', collection));
}

function message(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ValidationError) return error.issues.map((i) => i.message).join('\n');
    throw error;
  }
  return '';
}

const parsed = (text: string): JsonObject => JSON.parse(text);

describe('without a mapping', () => {
  it('a record is one entity with its fields and a label', () => {
    const record = { id: 7, title: 'Zebra', size: { w: 1 } };
    expect(mapped(defaultMapping(true), record, mapContext('test', collection))).toEqual([
      {
        id: derivedId('test', collection, 'record', '7'),
        kind: 'record',
        sourceId: '7',
        type: 'record',
        properties: { ...record, label: 'Zebra' },
        relationships: [],
        nested: false,
      },
    ]);
    expect(record).toEqual({ id: 7, title: 'Zebra', size: { w: 1 } });
  });

  it('the hash of the record is its id where it has none, whatever the order of its members', () => {
    const context = mapContext('main', collection);
    const [a] = mapped(defaultMapping(false), { a: 1, b: { c: 2, d: 3 } }, context);
    const [b] = mapped(defaultMapping(false), { b: { d: 3, c: 2 }, a: 1 }, context);
    const [c] = mapped(defaultMapping(false), { a: 1, b: { c: 2, d: 4 } }, context);
    expect(a?.id).toMatch(entityIdPattern);
    expect(b?.id).toBe(a?.id);
    expect(c?.id).not.toBe(a?.id);
    expect(a?.properties).not.toHaveProperty('label');
  });
});

describe('a field whose name ends in a dot', () => {
  const record = { 'Inv.-Nr.': 'A1', 'Bez.': 'Katze', 'Gew.': '1.25', 'Mat.': 'oil; canvas', 'Bem.': '', 'x.y': 'z' };

  it('is named by a mapping as any other', () => {
    const rule = {
      match: { field: 'Inv.-Nr.' },
      type: 't',
      id: 'Inv.-Nr.',
      label: 'Bez.',
      properties: { except: ['Bem.'], rename: { 'Gew.': 'weight' }, as: { 'Gew.': 'number' } },
      nested: [{ path: 'Mat.', predicate: 'material', type: 'material', split: ';' }],
    };
    const own = drafts(rule, record).at(-1);
    expect(own?.id).toBe(idOf('t', 'A1'));
    expect(own?.properties).toEqual({
      'Inv.-Nr.': 'A1',
      'Bez.': 'Katze',
      weight: 1.25,
      'x.y': 'z',
      label: 'Katze',
    });
    expect(own?.relationships.map(({ peer_label }) => peer_label)).toEqual(['oil', 'canvas']);
  });

  it('keeps its name where it is one of a few, and stands in what is wrong with it', () => {
    const only = { type: 't', id: 'Inv.-Nr.', properties: { only: ['Inv.-Nr.', 'x.y'] } };
    expect(drafts(only, record).at(-1)?.properties).toEqual({ 'Inv.-Nr.': 'A1', y: 'z', label: 'A1' });
    const wrong = { type: 't', properties: { as: { 'Bez.': 'number' } } };
    expect(message(() => drafts(wrong, record))).toBe('"Bez." is "Katze", which is not a number');
  });
});

describe('an entity', () => {
  const labelled = { type: 't', id: 'id', label: ['a.b', 'c'] };

  it('takes the first label that holds text, else its id', () => {
    const label = (record: JsonObject) => drafts(labelled, { id: 1, ...record }).at(-1)?.properties.label;
    expect(label({ a: { b: 'deep' }, c: 'flat' })).toBe('deep');
    expect(label({ a: { b: ' ' }, c: 'flat' })).toBe('flat');
    expect(label({ a: [], c: 5 })).toBe('5');
    expect(label({ 'a.b': 'dotted', a: { b: 'deep' } })).toBe('dotted');
    expect(label({ c: null })).toBe('1');
  });

  it('keeps a text of its own as its label where the rule names none', () => {
    const own = (record: JsonObject) => drafts({ type: 't', id: 'id' }, { id: 1, ...record })[0]?.properties;
    expect(own({ label: 'Foo' })).toEqual({ id: 1, label: 'Foo' });
    expect(own({ label: ' ' })).toEqual({ id: 1, label: '1' });
    expect(own({ label: null })).toEqual({ id: 1, label: '1' });
    const renamed = { type: 't', id: 'id', properties: { rename: { titel: 'label' } } };
    expect(drafts(renamed, { id: 1, titel: 'Katze' })[0]?.properties).toEqual({ id: 1, label: 'Katze' });
  });

  it('keeps a field "label" that is not its label under another name', () => {
    const languages = { en: 'Cat', de: 'Katze' };
    const context = mapContext('main', collection);
    expect(mapped(defaultMapping(true), { id: 1, label: languages }, context)[0]?.properties).toEqual({
      ...{ id: 1, label: '1', source_label: languages },
    });
    expect(mapped(defaultMapping(false), { name: 'Cat', label: ['a', 'b'] }, context)[0]?.properties).toEqual({
      ...{ name: 'Cat', label: 'Cat', source_label: ['a', 'b'] },
    });
    // One that reads the same is still another value.
    for (const label of [['Paris'], [['Paris']], true])
      expect(mapped(defaultMapping(false), { name: String(label), label }, context)[0]?.properties).toEqual({
        ...{ name: String(label), label: String(label), source_label: label },
      });
    const titled = { type: 't', id: 'id', label: 'title' };
    const wall = { id: 1, title: 'Zebra', label: 'Wall text' };
    expect(drafts(titled, wall)[0]?.properties).toEqual({ ...wall, label: 'Zebra', source_label: 'Wall text' });
    // A number is its label as a text.
    expect(mapped(defaultMapping(true), { id: 1, label: 5 }, context)[0]?.properties).toEqual({ id: 1, label: '5' });
    expect(message(() => drafts(titled, { ...wall, source_label: 'x' }))).toContain('rename or except');
    const nested = {
      ...titled,
      nested: [{ type: 'maker', path: 'maker', predicate: 'made_by', id: 'id', label: 'name' }],
    };
    expect(
      drafts(nested, { id: 1, title: 'T', maker: { id: 2, name: 'Stubbs', label: { x: 1 } } })[0]?.properties,
    ).toEqual({
      ...{ id: 2, name: 'Stubbs', label: 'Stubbs', source_label: { x: 1 } },
    });
  });

  it('takes all fields, all but some, some, or some under other names', () => {
    const record = { id: 1, a: { b: 2, c: 3 }, d: null };
    const taken = (properties: JsonObject) => drafts({ type: 't', id: 'id', properties }, record)[0]?.properties;
    expect(taken({})).toEqual({ ...record, label: '1' });
    expect(taken({ except: ['a.b', 'd', 'no'] })).toEqual({ id: 1, a: { c: 3 }, label: '1' });
    expect(taken({ only: ['a.b', 'd', 'no'] })).toEqual({ b: 2, d: null, label: '1' });
    expect(taken({ only: ['a.b'], rename: { 'a.b': 'x' } })).toEqual({ x: 2, label: '1' });
    expect(taken({ rename: { 'a.c': 'x', no: 'y' } })).toEqual({ id: 1, a: { b: 2 }, d: null, x: 3, label: '1' });
    expect(message(() => taken({ rename: { 'a.c': 'd' } }))).toMatch(/"a\.c" can't be renamed.*"d"/);
    expect(record).toEqual({ id: 1, a: { b: 2, c: 3 }, d: null });
  });

  it('is refused without a usable id', () => {
    for (const id of [null, '', ' ', [], {}, true, 'x'.repeat(1001)])
      expect(message(() => drafts({ type: 't', id: 'a.id' }, { a: { id } }))).toMatch(
        /kind "t" has no usable id at "a\.id"/,
      );
    expect(message(() => drafts({ type: 't', id: 'id' }, {}))).toMatch(/no usable id/);
    expect(message(() => drafts({ type: 't', id: 'toString' }, {}))).toMatch(/no usable id/);
  });

  it('keeps names of the prototype as ordinary properties', () => {
    const record = parsed('{"id":1,"__proto__":{"x":1},"a":{"__proto__":2}}');
    const choices: JsonObject[] = [{}, { except: ['b'] }, { only: ['__proto__'] }, { rename: { a: 'b' } }];
    for (const properties of choices) {
      const own = drafts({ type: 't', id: 'id', properties }, record)[0]?.properties ?? {};
      expect(Object.keys(own)).toContain('__proto__');
      expect(Object.getPrototypeOf(own)).toBe(Object.prototype);
    }
    expect(drafts({ type: 't', id: '__proto__.x' }, record)[0]?.sourceId).toBe('1');
  });

  it('is chosen by the first rule that matches', () => {
    const mapping = parseMapping({
      records: [
        { type: 'a', match: { field: 'x.y', equals: 1 } },
        { type: 'b', match: { field: 'x' } },
      ],
    });
    const typeOf = (record: JsonObject) => mapped(mapping, record, mapContext('main', collection))[0]?.type;
    expect(typeOf({ x: { y: 1 } })).toBe('a');
    expect(typeOf({ x: { y: 2 } })).toBe('b');
    expect(typeOf({ x: null })).toBe('b');
    expect(message(() => typeOf({ y: 1 }))).toMatch(/fits no rule/);
  });
});

describe('nested entities', () => {
  const makers = {
    path: 'makers',
    predicate: 'maker',
    relationship_properties: ['role'],
    type: 'person',
    id: 'id',
    label: 'name',
  };

  it('come before the record, which links to each once', () => {
    const ann = { id: 1, name: 'Ann', role: 'painter' };
    const record = { id: 1, makers: [ann, { id: 2, name: 'Ben' }, { ...ann, role: 'framer' }, { ...ann }] };
    expect(drafts({ type: 'work', id: 'id', nested: [makers] }, record)).toEqual([
      {
        id: idOf('person', '1'),
        kind: 'person',
        sourceId: '1',
        type: 'person',
        properties: { id: 1, name: 'Ann', label: 'Ann' },
        relationships: [],
        nested: true,
      },
      expect.objectContaining({ id: idOf('person', '2'), properties: { id: 2, name: 'Ben', label: 'Ben' } }),
      {
        id: idOf('work', '1'),
        kind: 'work',
        sourceId: '1',
        type: 'work',
        properties: { id: 1, label: '1' },
        relationships: [
          {
            predicate: 'maker',
            peer: idOf('person', '1'),
            peer_type: 'person',
            peer_label: 'Ann',
            properties: { role: ['painter', 'framer'] },
          },
          { predicate: 'maker', peer: idOf('person', '2'), peer_type: 'person', peer_label: 'Ben' },
        ],
        nested: false,
      },
    ]);
  });

  it('may be one object, texts, inside arrays on the way, absent or null', () => {
    const tags = { path: 'parts.tags', predicate: 'tag', type: 'tag', id: 'id' };
    const ids = (record: JsonObject) =>
      drafts({ type: 'work', id: 'id', nested: [tags] }, { id: 1, ...record }).map((d) => d.sourceId);
    expect(ids({ parts: { tags: { id: 'x' } } })).toEqual(['x', '1']);
    expect(ids({ parts: [{ tags: ['x', 'y'] }, { tags: [{ id: 'z' }, null] }, 5] })).toEqual(['x', 'y', 'z', '1']);
    const none: Json[] = [null, 5, [], {}, { tags: null }, { tags: [] }];
    for (const parts of none) expect(ids({ parts })).toEqual(['1']);
    expect(message(() => ids({ parts: { tags: [true] } }))).toMatch(/kind "tag" has no usable id/);
    const [tag] = drafts({ type: 'work', id: 'id', nested: [tags] }, { id: 1, parts: { tags: 'red' } });
    expect(tag).toMatchObject({ type: 'tag', properties: { label: 'red' } });
  });

  it('without ids are the same where their own properties are', () => {
    const { id: _, ...rule } = makers;
    const record = {
      id: 1,
      makers: [
        { name: 'Ann', role: 'painter' },
        { role: 'framer', name: 'Ann' },
        { name: 'Ben', role: 'painter' },
      ],
    };
    const result = drafts({ type: 'work', id: 'id', nested: [rule] }, record);
    expect(result.map((d) => d.properties.label)).toEqual(['Ann', 'Ben', '1']);
    expect(result[2]?.relationships[0]?.properties).toEqual({ role: ['painter', 'framer'] });
  });

  it('may hold entities themselves; a record that mentions itself is described once, by itself', () => {
    const inner = { path: 'of', predicate: 'of', type: 'work', id: 'id' };
    const rule = { type: 'work', id: 'id', nested: [{ ...makers, nested: [inner] }] };
    const result = drafts(rule, { id: 1, x: 2, makers: [{ id: 5, of: [{ id: 1 }, { id: 3 }] }] });
    expect(result.map((d) => [d.type, d.sourceId, d.nested])).toEqual([
      ['work', '3', true],
      ['person', '5', true],
      ['work', '1', false],
    ]);
    expect(result[1]?.relationships.map((r) => r.peer)).toEqual([idOf('work', '1'), idOf('work', '3')]);
    expect(result[1]?.properties).toEqual({ id: 5, label: '5' });
    expect(result[2]?.properties).toEqual({ id: 1, x: 2, label: '1' });
  });

  const node = (id: number, ...children: JsonObject[]): JsonObject => ({
    id,
    ...(children.length > 0 && { children }),
  });
  const tree = (settings: JsonObject) => ({
    type: 'work',
    id: 'id',
    nested: [
      {
        path: 'tree',
        predicate: 'about',
        type: 'topic',
        id: 'id',
        tree: { children: 'children', predicate: 'broader', ...settings },
      },
    ],
  });
  const edges = (rule: JsonObject, record: JsonObject) =>
    drafts(rule, record).flatMap((d) => {
      const known = new Map(drafts(rule, record).map((other) => [other.id, other.sourceId]));
      return d.relationships.map((r) => `${d.sourceId} ${r.predicate} ${known.get(r.peer)}`);
    });

  it('in a tree point to their parents; the record links to all nodes or to leaves', () => {
    const record = { id: 'w', tree: node(1, node(2, node(3), node(4)), node(5)) };
    const up = ['2 broader 1', '3 broader 2', '4 broader 2', '5 broader 1'];
    expect(edges(tree({}), record)).toEqual([...up, ...[1, 2, 3, 4, 5].map((n) => `w about ${n}`)]);
    expect(edges(tree({ link: 'leaves' }), record)).toEqual([...up, ...[3, 4, 5].map((n) => `w about ${n}`)]);
    expect(edges(tree({ skip_root: true, link: 'leaves' }), record)).toEqual([
      '3 broader 2',
      '4 broader 2',
      ...[3, 4, 5].map((n) => `w about ${n}`),
    ]);
    expect(drafts(tree({ skip_root: true }), record).map((d) => d.sourceId)).toEqual(['2', '3', '4', '5', 'w']);
    expect(drafts(tree({}), record)[0]?.properties).toEqual({ id: 1, label: '1' });
  });

  it('in a tree of which the leaves alone are linked say what a node between would have said of its relationship', () => {
    const { nested, ...work } = tree({ link: 'leaves' });
    const rule = { ...work, nested: nested.map((one) => ({ ...one, relationship_properties: ['weight'] })) };
    const leaf = { id: 2, name: '2', weight: 7 };
    const found = drafts(rule, { id: 'w', tree: { id: 1, name: '1', weight: 5, children: [leaf] } });
    expect(found.map(({ sourceId, beyond }) => [sourceId, beyond])).toEqual([
      ['1', ['weight']],
      ['2', undefined],
      ['w', undefined],
    ]);
    expect(found.at(-1)?.relationships).toMatchObject([{ peer: found[1]?.id, properties: { weight: 7 } }]);
  });

  it('say what another mention in the same record says beyond them', () => {
    const told = (record: JsonObject) =>
      drafts({ type: 'work', id: 'id', nested: [makers] }, record).map(({ sourceId, beyond }) => [sourceId, beyond]);
    const ann = { id: 1, name: 'Ann' };
    const many = [ann, { ...ann, born: 1724, role: 'painter' }, { id: 1, name: 'Anna' }, { id: 2 }, ann];
    expect(told({ id: 'w', makers: many })).toEqual([
      ['1', ['born', 'name']],
      ['2', undefined],
      ['w', undefined],
    ]);
    const inner = { path: 'of', predicate: 'of', type: 'work', id: 'id' };
    const own = (of: JsonObject[]) =>
      drafts({ type: 'work', id: 'id', nested: [inner] }, { id: 'w', a: 1, of }).at(-1)?.beyond;
    expect(own([{ id: 'w', a: 1 }])).toBeUndefined();
    expect(
      own([
        { id: 'w', a: 1 },
        { id: 'w', b: 2 },
      ]),
    ).toEqual(['b']);
    expect(
      own([
        { id: 'w', a: 3 },
        { id: 'w', b: 2 },
      ]),
    ).toEqual(['b', 'a']);
  });

  it('a tree that is only its skipped root links to nothing', () => {
    expect(drafts(tree({ skip_root: true, link: 'leaves' }), { id: 'w', tree: node(1) })).toMatchObject([
      { sourceId: 'w', relationships: [] },
    ]);
  });

  it('one node under two parents has both', () => {
    const record = { id: 'w', tree: [node(1, node(9)), node(2, node(9))] };
    expect(edges(tree({ link: 'leaves' }), record)).toEqual(['9 broader 1', '9 broader 2', 'w about 9']);
  });

  it('are no more than a record may hold', () => {
    const many = Array.from({ length: maxNested + 1 }, (_, id) => ({ id }));
    const rule = { type: 'work', id: 'id', nested: [makers] };
    expect(message(() => drafts(rule, { id: 1, makers: many }))).toMatch(/holds more than 50,000 nested items/);
    expect(drafts(rule, { id: 1, makers: many.slice(1) }).length).toBe(maxNested + 1);
    const same = many.map(() => ({ id: 1 }));
    expect(message(() => drafts(rule, { id: 1, makers: same }))).toMatch(/nested items/);
    const roles = Array.from({ length: 2000 }, (_, role) => ({ id: 1, role }));
    expect(message(() => drafts(rule, { id: 1, makers: roles }))).toMatch(/differ in "role" more than 1000 times/);
  });

  it('give long labels to their peers in short', () => {
    const name = '🦄'.repeat(600);
    const [, work] = drafts({ type: 'work', id: 'id', nested: [makers] }, { id: 1, makers: { id: 1, name } });
    const label = work?.relationships[0]?.peer_label ?? '';
    expect(label.length).toBeLessThanOrEqual(500);
    expect(label).toMatch(/^🦄+…$/u);
  });
});

describe('the digest of a source', () => {
  const base = { type: 't', properties: { a: 1, b: 2 }, relationships: [{ predicate: 'p', peer: 'x' }] };

  it('tells changes of content and nothing else', () => {
    const digest = sourceDigest(base);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const two = [...base.relationships, { predicate: 'o', peer: 'x' }];
    expect(sourceDigest({ ...base, properties: { b: 2, a: 1 } })).toBe(digest);
    expect(sourceDigest({ ...base, relationships: [{ predicate: 'p', peer: 'x', peer_label: 'X' }] })).toBe(digest);
    expect(sourceDigest({ ...base, relationships: two })).toBe(
      sourceDigest({ ...base, relationships: two.toReversed() }),
    );
    for (const changed of [
      { type: 'u' },
      { properties: { a: 1 } },
      { relationships: [] },
      { relationships: two },
      { relationships: [{ predicate: 'p', peer: 'x', properties: {} }] },
    ])
      expect(sourceDigest({ ...base, ...changed })).not.toBe(digest);
  });
});

describe('an intake', () => {
  const rule = { type: 'work', id: 'id', nested: [{ path: 'of', predicate: 'of', type: 'work', id: 'id' }] };
  const take = (...records: JsonObject[]) => {
    const intake = createIntake();
    const all = records.map((r) => intake.sift(drafts(rule, r)));
    const taken = all.map(({ passed }) => passed.map((d) => `${d.sourceId}${d.nested ? '?' : ''}`));
    const told = all.map(({ differing }) => differing.map(({ reason, names }) => `${reason} ${names}`));
    intake.close();
    return { taken, told, counts: intake.counts() };
  };

  it('passes a mention once and before its record only, and of two records with one id the first', () => {
    expect(take({ id: 1, of: [{ id: 2 }] }, { id: 3, of: [{ id: 2 }] }, { id: 2, of: [{ id: 1 }] }, { id: 2 })).toEqual(
      {
        taken: [['2?', '1'], ['3'], ['2'], []],
        told: [[], [], [], []],
        counts: { records: 4, entities: 3, relationships: 3, repeated: 1 },
      },
    );
  });

  it('tells what is left out and stands nowhere', () => {
    const work = (id: number, of: JsonObject) => ({ id, of: [of] });
    expect(take(work(1, { id: 9, a: 1 }), work(2, { id: 9, a: 1, b: 2 }), work(3, { id: 9, a: 2 })).told).toEqual([
      ...[[], ['mentioned b'], ['mentioned a']],
    ]);
    expect(take({ id: 1, a: 1, b: 2 }, { id: 1, a: 1 }, { id: 1, a: 2 }, work(2, { id: 1, c: 3 })).told).toEqual([
      ...[[], [], ['repeated a'], ['mentioned c']],
    ]);
    expect(take(work(1, { id: 2, a: 1 }), { id: 2, a: 1, b: 1 }, work(1, { id: 2, b: 1 })).told).toEqual([[], [], []]);
    expect(take(work(1, { id: 2, a: 1 }), { id: 2, b: 1 }).told).toEqual([[], ['replaces ']]);
    // A label is often the id where something is only named, or is taken from another field.
    expect(take({ id: 1, of: ['2'] }, { id: 2, label: 'Zebra' }, { id: 3, of: ['2'] }).told).toEqual([[], [], []]);
    expect(
      take(
        {
          id: 1,
          of: [
            { id: 9, a: 1 },
            { id: 9, b: 1 },
          ],
        },
        work(2, { id: 9, c: 1 }),
      ).told,
    ).toEqual([...[['mentioned b'], ['mentioned c']]]);
  });

  it('counts what replaces a mention instead of it', () => {
    expect(take({ id: 1, of: [{ id: 2 }] }, { id: 2 }).counts).toMatchObject({ entities: 2, relationships: 1 });
  });
});

it('an error of mapping names the file and the line', async () => {
  const records = readRecords(bytesOf('{"id":1}\n{"no":1}'), 'a.ndjson');
  const context = mapContext('main', collection);
  const lines: number[] = [];
  const run = async () => {
    for await (const { source } of mapRecords(defaultMapping(true), records, context)) lines.push(source.line);
  };
  await expect(run()).rejects.toMatchObject({
    issues: [{ message: expect.stringMatching(/^a\.ndjson, line 2: a record of kind "record" has no usable id/) }],
  });
  expect(lines).toEqual([1]);
});
