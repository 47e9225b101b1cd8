import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withLineEnds } from '../../src/renderer/src/components/kept-lines.ts';
import {
  type Content,
  type Relationship,
  sameContent,
  stepsBetween,
  updateBetween,
  withRelationship,
} from '../../src/renderer/src/views/entity/model/content.ts';
import { type JsonMap, same, withValue } from '../../src/renderer/src/views/entity/model/json.ts';
import { jsonFault, valueFault } from '../../src/renderer/src/views/entity/model/json-fault.ts';
import {
  converted,
  isKept,
  kindOf,
  kinds,
  numberOf,
  referencesIn,
  shownAs,
  stays,
  turned,
} from '../../src/renderer/src/views/entity/model/kinds.ts';
import { mergeThreeWay, type Side } from '../../src/renderer/src/views/entity/model/three-way.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { applyUpdate } from '../../src/server/model/next-version.ts';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => value as JsonMap[string]);
const properties = fc.dictionary(fc.constantFrom('label', 'a', 'b', '__proto__', 'c d'), json, { maxKeys: 4 });
const relationships = fc.uniqueArray(
  fc.record({
    predicate: fc.constantFrom('to', 'collection'),
    peer: fc.constantFrom('x', 'y', 'z'),
    properties: fc.dictionary(fc.constantFrom('n', 'm'), fc.integer()),
  }),
  { selector: ({ predicate, peer }) => `${predicate} ${peer}` },
);
const content: fc.Arbitrary<Content> = fc.record({ properties, relationships });
const stamp = { schema: 's', ts: '2026-01-01T00:00:00.000Z', edited_by: { user_id: 'u', method: 'manual' as const } };

const merging = (
  base: Content | null,
  mine: Content,
  theirs: Content,
  choose: (path: string[]) => Side = () => 'mine',
  type: string | null = null,
) => mergeThreeWay(base, mine, theirs, choose, type);

describe('what is sent to save', () => {
  const manifestOf = (says: Content) =>
    ({ ...stamp, id: 'i', type: 't', created_at: stamp.ts, ver: 1, prev: null, ...says }) as never;

  test('makes of the old version exactly what the form shows, and first is the collection that is first there', () => {
    fc.assert(
      fc.property(content, content, (base, next) => {
        let says = base;
        let step = base;
        for (const then of stepsBetween(base, next)) {
          const saved = applyUpdate(manifestOf(says), 'tip', updateBetween(step, then) as never, stamp);
          step = then;
          says = { properties: saved.properties as JsonMap, relationships: saved.relationships as never };
          const isPlaced = [base, next].every(({ relationships }) => relationships.some(isPlace));
          // In no collection anybody may edit it.
          if (isPlaced) expect(says.relationships.some(isPlace)).toBe(true);
          expect(sameContent(then, says), JSON.stringify(says)).toBe(true);
        }
        expect(step).toBe(next);
      }),
    );
  });

  test('is one version, but where another collection is to be the first of those that are there', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => ({ predicate: 'collection', peer })) as [Place, Place, Place];
    const of = (...relationships: Place[]): Content => ({ properties: {}, relationships });
    expect(stepsBetween(of(a, b), of(b, c))).toEqual([of(b, c)]);
    expect(stepsBetween(of(b), of(a, b))).toEqual([of(a), of(a, b)]);
  });

  test('is nothing where nothing changed', () => {
    fc.assert(
      fc.property(content, (one) => {
        expect(updateBetween(one, structuredClone(one))).toEqual({});
      }),
    );
  });

  test('names only what changed', () => {
    const base: Content = {
      properties: { label: 'A', place: { town: 'Rye', land: 'England' }, old: 1 },
      relationships: [{ predicate: 'to', peer: 'x', peer_label: 'X' }],
    };
    const next: Content = {
      properties: { label: 'B', place: { town: 'Rye' } },
      relationships: [{ predicate: 'to', peer: 'y' }],
    };
    expect(updateBetween(base, next)).toEqual({
      properties: { label: 'B', place: { town: 'Rye' } },
      properties_remove: ['old', 'place'],
      relationships_add: [{ predicate: 'to', peer: 'y' }],
      relationships_remove: [{ predicate: 'to', peer: 'x' }],
    });
  });
});

describe('a relationship', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((peer) => ({ predicate: 'collection', peer })) as [
    ...[Place, Place, Place, Place],
  ];

  test('is not looked at where it is known otherwise whether two texts say the same', () => {
    const relationships = new Proxy<Relationship[]>([], {
      get: () => {
        throw new Error('looked at');
      },
    });
    const of = (text: string) => ({ properties: { text }, relationships });
    expect([sameContent(of('a'), of('a')), sameContent(of('a'), of('b'))]).toEqual([true, false]);
  });

  test('that says something else stays in its place, and a new one comes last', () => {
    const stated = { ...a, properties: { n: 1 } };
    expect(withRelationship([a, b], stated, [a, b])).toEqual([stated, b]);
    expect(withRelationship([a, b], c, [a, b])).toEqual([a, b, c]);
  });

  test('that was taken away is put back where it was', () => {
    expect(withRelationship([b, c], a, [a, b, c])).toEqual([a, b, c]);
    expect(withRelationship([a, c, d], b, [a, b, c])).toEqual([a, b, c, d]);
    expect(withRelationship([d], b, [a, b, c])).toEqual([b, d]);
    expect(withRelationship([], b, [a, b])).toEqual([b]);
  });
});

describe('two versions of one text', () => {
  const of = (properties: JsonMap, relationships: Content['relationships'] = []): Content => ({
    properties,
    relationships,
  });

  test('are merged place by place, also within objects', () => {
    const { merged, differences } = merging(
      of({ label: 'A', place: { town: 'Rye', land: 'England' }, year: 1900 }),
      of({ label: 'B', place: { town: 'Rye', land: 'Wales' }, year: 1900 }),
      of({ label: 'A', place: { town: 'Deal', land: 'England' }, year: 1901 }),
    );
    expect(merged.properties).toEqual({ label: 'B', place: { town: 'Deal', land: 'Wales' }, year: 1901 });
    expect(differences.map(({ path, clash }) => [path.join('.'), clash])).toEqual([
      ['properties.label', false],
      ['properties.place.town', false],
      ['properties.place.land', false],
      ['properties.year', false],
    ]);
  });

  test('of which no base is known clash wherever they differ', () => {
    const { merged, differences } = merging(null, of({ a: 1, m: { x: 1 } }), of({ a: 1, b: 2, m: { y: 1 } }));
    expect(merged.properties).toEqual({ a: 1, m: { x: 1 } });
    expect(differences.map(({ path, clash }) => [path.join('.'), clash])).toEqual([
      ['properties.b', true],
      ['properties.m.y', true],
      ['properties.m.x', true],
    ]);
  });

  test('clash where both changed the same, and whoever is chosen wins', () => {
    const [base, mine, theirs] = [of({ a: 1, b: 1 }), of({ a: 2 }), of({ a: 3, b: 2 })];
    expect(merging(base, mine, theirs).merged.properties).toEqual({ a: 2 });
    const taken = merging(base, mine, theirs, (path) => (path.at(-1) === 'b' ? 'theirs' : 'mine'));
    expect(taken.merged.properties).toEqual({ a: 2, b: 2 });
    expect(taken.differences.filter(({ clash }) => clash)).toHaveLength(2);
  });

  test('that brought other bytes both are one clash, with all that is said of them', () => {
    const held = (cid: string, size: number) => of({ content: { v1: { cid, size, kind: 'k' } } });
    const whose = (side: 'mine' | 'theirs') => () => side;
    for (const base of [held('A', 1), null]) {
      const { merged, differences } = merging(base, held('B', 20), held('C', 1), whose('theirs'));
      expect(merged).toEqual(held('C', 1));
      expect(differences.map(({ path, clash }) => [path.join('.'), clash])).toEqual([['properties.content.v1', true]]);
    }
    const file = (cid: string, size: number, label: string) => of({ cid, size, uploaded: true, label });
    const both = [file('A', 1, 'a'), file('B', 20, 'a'), file('C', 1, 'c')] as const;
    const { merged, differences } = merging(...both, whose('theirs'), 'file');
    expect(merged).toEqual(file('C', 1, 'c'));
    expect(differences.filter(({ clash }) => clash).map(({ path }) => path)).toEqual([['properties', 'cid']]);
    expect(merging(...both, whose('mine'), 'file').merged).toEqual(file('B', 20, 'c'));
    const one = merging(both[0], both[1], file('A', 1, 'c'), undefined, 'file');
    expect([one.merged, one.differences.some(({ clash }) => clash)]).toEqual([file('B', 20, 'c'), false]);
  });

  test('are not the same where another collection stands first', () => {
    const [a, b] = ['a', 'b'].map((peer) => ({ predicate: 'collection', peer })) as [Place, Place];
    expect([sameContent(of({}, [a, b]), of({}, [b, a])), sameContent(of({}, [a, b]), of({}, [a, b]))]).toEqual([
      ...[false, true],
    ]);
    const [x, y] = ['x', 'y'].map((peer) => ({ predicate: 'to', peer })) as [Place, Place];
    expect(sameContent(of({}, [x, a, y]), of({}, [y, x, a]))).toBe(true);
  });

  test('keep both sides’ relationships', () => {
    const [x, y, z] = ['x', 'y', 'z'].map((peer) => ({ predicate: 'to', peer }));
    const { merged } = merging(of({}, [x!]), of({}, [x!, y!]), of({}, [z!]));
    expect(merged.relationships).toEqual([z, y]);
    const properties = { n: 1, m: 1 };
    const both = merging(
      of({}, [{ ...x!, properties }]),
      of({}, [{ ...x!, properties: { n: 2, m: 1 } }]),
      of({}, [{ ...x!, properties: { n: 1, m: 2 } }]),
    );
    expect(both.merged.relationships).toEqual([{ ...x, properties: { n: 2, m: 2 } }]);
  });

  test('have one root: the one that was chosen where both set it', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => ({ predicate: 'root', peer }));
    for (const base of [of({}), of({}, [a!]), null]) {
      const { merged, differences } = merging(base, of({}, [b!]), of({}, [c!]));
      expect(merged.relationships).toEqual([b]);
      const old = base?.relationships[0]?.peer;
      const path = ['relationships', 'root', 'b'];
      expect(differences).toEqual([{ path, base: old, mine: 'b', theirs: 'c', clash: true }]);
      expect(merging(base, of({}, [b!]), of({}, [c!]), () => 'theirs').merged.relationships).toEqual([c]);
    }
    expect(merging(of({}, [a!]), of({}, [a!]), of({}, [c!])).merged.relationships).toEqual([c]);
    expect(merging(of({}, [a!]), of({}, [b!]), of({}, [a!])).merged.relationships).toEqual([b]);
    expect(merging(of({}, [a!]), of({}, [a!]), of({}, [])).merged.relationships).toEqual([]);
  });

  test('lie first in the collection of whoever moved it, and of the one that was chosen where both did', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((peer) => ({ predicate: 'collection', peer })) as [Place, Place, Place];
    const both = [of({}, [a]), of({}, [b]), of({}, [c])] as const;
    const path = ['relationships', 'collection', 'b'];
    expect(merging(...both)).toEqual({
      merged: of({}, [b]),
      differences: [{ path, base: 'a', mine: 'b', theirs: 'c', clash: true }],
    });
    expect(merging(...both, () => 'theirs').merged).toEqual(of({}, [c]));
    const one = merging(of({}, [a]), of({}, [b]), of({}, [a, c]));
    expect([one.merged.relationships, one.differences.some(({ clash }) => clash)]).toEqual([[b, c], false]);
  });

  test('that say the same never clash, and one that changed nothing gives way', () => {
    fc.assert(
      fc.property(content, content, (base, other) => {
        expect(merging(base, other, other).differences).toEqual([]);
        expect(sameContent(merging(base, base, other).merged, other)).toBe(true);
        expect(sameContent(merging(base, other, base).merged, other)).toBe(true);
      }),
    );
  });
});

type Place = Content['relationships'][number];

function isPlace({ predicate }: Place): boolean {
  return predicate === 'collection';
}

describe('values', () => {
  test('are edited as what they are', () => {
    const long = 'x'.repeat(91);
    expect(['a', 'a\nb', long, '1900-02-03', '1900-13-03', 1, true, null, [], {}].map(kindOf)).toEqual([
      ...['text', 'long', 'long', 'date', 'text', 'number', 'boolean', 'empty', 'list', 'object'],
    ]);
  });

  test('are dates only where the calendar has the day', () => {
    const days = ['1923-02-28', '1924-02-29', '0044-03-15', '9999-12-31'];
    expect(days.map(kindOf)).toEqual(days.map(() => 'date'));
    const none = [
      '1923-02-30',
      '1923-02-29',
      '1923-04-31',
      '0000-01-01',
      '1923-13-01',
      '1923-00-01',
      '1923-1-1',
      '12345-01-01',
    ];
    expect(none.map(kindOf)).toEqual(none.map(() => 'text'));
    expect(converted('1923-02-30', 'date')).toBe('');
  });

  test('are in a field that shows all of them, and stay there while it does', () => {
    expect(['a', 'a\rb', 'a\r\nb', 'a\r\nb\n', 'a\n\rb'].map((text) => shownAs(text, 1))).toEqual([
      ...['text', 'long', 'long', 'long', 'long'],
    ]);
    const many = Array<number>(201).fill(1);
    expect([shownAs(many, 1), shownAs(many.slice(1), 1), shownAs({}, 5), shownAs({}, 6)]).toEqual([
      ...['json', 'list', 'object', 'json'],
    ]);
    const long = 'x'.repeat(91);
    expect([long, '1923-05-14', 'a\nb', 'a\rb', 1].map((value) => stays('text', value))).toEqual([
      ...[true, true, false, false, false],
    ]);
    expect(['', '1923-05-14', '1923-05-1'].map((value) => stays('date', value))).toEqual([true, true, false]);
    expect(['a', 'a\rb', 'a\rb\n', 1].map((value) => stays('long', value))).toEqual([true, true, true, false]);
    expect([stays('json', 1), stays('json', 'a'), stays('number', 1)]).toEqual([true, true, false]);
  });

  test('become another kind with what that kind can say', () => {
    expect(converted('12.5', 'number')).toBe(12.5);
    expect(converted('some', 'number')).toBe(0);
    expect(converted(1900, 'text')).toBe('1900');
    expect(converted('a\r\nb\rc\nd', 'text')).toBe('a b c d');
    expect(converted('a', 'list')).toEqual(['a']);
    expect(converted('1900-01-02T10:00', 'date')).toBe('1900-01-02');
    expect(converted('true', 'boolean')).toBe(true);
    expect(converted('x', 'object')).toEqual({});
    expect(converted('x', 'empty')).toBe(null);
  });

  test('are again what they were on the way back from other kinds, unless they have become something else', () => {
    const there = turned('ca. 1850', 'number', null);
    expect(there.now).toBe(0);
    expect(turned(0, 'text', there).now).toBe('ca. 1850');
    expect(turned(1850, 'text', there).now).toBe('1850');
    // What no kind could be made of itself stays as it is.
    for (const value of ['a\nb', 1e21, [1, [2]], { a: {} }, null, true, '2024-02-29'])
      for (const kind of kinds)
        expect(turned(turned(value, kind, null).now, kindOf(value), turned(value, kind, null)).now).toEqual(value);
  });

  test('are numbers only where they can be kept exactly', () => {
    expect(['1', '-1.5', '.5', '1e3', ' 7 '].map(numberOf)).toEqual([1, -1.5, 0.5, 1000, 7]);
    const kept = [
      '0.30000000000000001',
      '4.9406564584124654e-324',
      '0.10',
      '1e-7',
      '-0.0',
      '00.5e+3',
      '123456789.012345',
      '1e21',
      '9007199254740992',
      '5e-324',
    ];
    expect(kept.filter((text) => !isKept(text))).toEqual([]);
    const other = ['0.12345678901234567890', '9007199254740993', '1e999', '-1e999', '1e-999', '3.14159265358979323846'];
    expect(other.filter(isKept)).toEqual([]);
    expect(other.map(numberOf)).toEqual(other.map(() => null));
    expect(['', '-', '1,5', '0x1', '9007199254740993', '1e999', 'NaN'].map(numberOf)).toEqual(Array(7).fill(null));
  });

  test('are JSON objects, or it is said where not', () => {
    expect(jsonFault('{"a": 1}')).toBe(null);
    expect(jsonFault('[1]')).toEqual({ reason: 'object', line: 1, column: 1, what: '' });
    const places: [string, number, number][] = [
      ['', 1, 1],
      ['{\n  "a": x\n}', 2, 8],
      ['{"a": 1,}', 1, 9],
      ['{"a" 1}', 1, 6],
      ['{"a": [1 2]}', 1, 10],
      ['{"a": 1}}', 1, 9],
      ['{"a": "b\n"}', 1, 7],
      ['{"a": 01}', 1, 8],
      ['{"a": [1}', 1, 9],
      ['{"a": 1', 1, 8],
    ];
    for (const [text, line, column] of places)
      expect(jsonFault(text), text).toEqual({ reason: 'syntax', line, column, what: '' });
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(jsonFault(`{"a": ${text}}`)).toBe(null);
      }),
    );
  });

  test('are no JSON where one of them would be lost or become another', () => {
    const faults: [string, string, number, number, string][] = [
      ['{"a": 1, "b": 2,\n "a": 3}', 'twice', 2, 2, 'a'],
      ['{"a": [{"b": 1, "\\u0062": 2}]}', 'twice', 1, 17, 'b'],
      ['{"__proto__": 1, "__proto__": 1}', 'twice', 1, 18, '__proto__'],
      ['{"a": 1e999}', 'number', 1, 7, '1e999'],
      ['{"a": [0, -9007199254740993]}', 'number', 1, 11, '-9007199254740993'],
      ['{"a": 1, "a": 1e999', 'syntax', 1, 20, ''],
    ];
    for (const [text, reason, line, column, what] of faults)
      expect(jsonFault(text), text).toEqual({ reason, line, column, what });
    const fine = [
      '{"a": {"a": 1}, "b": [{"a": 1}, {"a": 1}]}',
      '{"a": "1e999 \u007f \\" ", "b": 0.10}',
      ' {"a": -0} \n',
    ];
    expect(fine.map(jsonFault)).toEqual([null, null, null]);
    expect([valueFault('[1]'), valueFault('"a"'), valueFault('1e999')?.reason]).toEqual([null, null, 'number']);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[],:"\\ue01.-+ \n', 'true', 'null') }), (text) => {
        const read = (): unknown => JSON.parse(text);
        if (valueFault(text)?.reason === 'syntax') expect(read, text).toThrow();
        else expect(read, text).not.toThrow();
      }),
    );
  });

  test('keep the ends of their lines outside of what is typed', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r\n', '\r', '\n') });
    const asShown = (one: string) => one.replaceAll(/\r\n|\r/g, '\n');
    fc.assert(
      fc.property(text, text, text, text, (head, gone, typed, tail) => {
        const before = head + gone + tail;
        const shown = asShown(head) + asShown(typed) + asShown(tail);
        expect(asShown(withLineEnds(before, shown))).toBe(shown);
        expect(withLineEnds(before, asShown(before))).toBe(before);
      }),
    );
    expect(withLineEnds('a\r\nb\rc\n', 'a\nx\nb\nc\n')).toBe('a\r\nx\r\nb\rc\n');
  });

  test('refer to entities of the service, and of no other', () => {
    const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    expect(referencesIn(`[Ann](arke:${id}), arke:${id} and other:${id} javascript:${id}`, 'arke')).toEqual([id]);
    expect(referencesIn('arke:short', 'arke')).toEqual([]);
  });

  test('go to their place whatever its name', () => {
    expect(withValue({ a: [1, { b: 2 }] }, ['a', 1, 'b'], 3)).toEqual({ a: [1, { b: 3 }] });
    expect(withValue({ a: [1, 2] }, ['a', 0], undefined)).toEqual({ a: [2] });
    const odd = withValue({}, ['__proto__'], 'x');
    expect(Object.keys(odd as object)).toEqual(['__proto__']);
    expect(same(odd, JSON.parse('{"__proto__": "x"}') as JsonObject as JsonMap)).toBe(true);
  });
});
