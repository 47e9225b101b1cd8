import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, Relationship } from '../../src/server/model/manifest.ts';
import { type Clash, type Content, mergeThreeWay, sameContent } from '../../src/server/model/three-way.ts';

function says(properties: JsonObject, relationships: Relationship[] = []): Content {
  return { properties, relationships };
}
const gone: Content = { properties: {}, relationships: [], deleted: true };
const link = (peer: string, properties?: JsonObject): Relationship => ({
  predicate: 'shows',
  peer,
  ...(properties && { properties }),
});

describe('properties', () => {
  test.each<[string, JsonObject, JsonObject, JsonObject, JsonObject]>([
    ['different members', { a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 }, { a: 2, b: 2 }],
    ['the same change', { a: 1 }, { a: 2 }, { a: 2 }, { a: 2 }],
    [
      'members far down',
      { d: { x: { a: 1 } } },
      { d: { x: { a: 1, b: 2 } } },
      { d: { x: { a: 3 } } },
      { d: { x: { a: 3, b: 2 } } },
    ],
    ['an addition and a removal', { a: 1 }, {}, { a: 1, b: 2 }, { b: 2 }],
    ['both remove', { a: 1, b: 2 }, { b: 2 }, { b: 2 }, { b: 2 }],
    ['both add a map', {}, { m: { a: 1 } }, { m: { b: 2 } }, { m: { a: 1, b: 2 } }],
    [
      'hostile names',
      {},
      { constructor: 1 },
      JSON.parse('{"__proto__": 2}'),
      JSON.parse('{"constructor": 1, "__proto__": 2}'),
    ],
  ])('%s merge by themselves', (_, base, ours, theirs, merged) => {
    expect(mergeThreeWay(says(base), says(ours), says(theirs))).toEqual({ content: says(merged), clashes: [] });
  });

  test.each<[string, JsonObject, JsonObject, JsonObject, Clash]>([
    ['one value', { a: 1 }, { a: 2 }, { a: 3 }, { path: ['properties', 'a'], base: 1, ours: 2, theirs: 3 }],
    [
      'a list',
      { a: [1] },
      { a: [1, 2] },
      { a: [0, 1] },
      { path: ['properties', 'a'], base: [1], ours: [1, 2], theirs: [0, 1] },
    ],
    ['a removal and a change', { a: 1 }, {}, { a: 2 }, { path: ['properties', 'a'], base: 1, theirs: 2 }],
    [
      'a map and a value',
      { a: 1 },
      { a: { b: 1 } },
      { a: 'x' },
      { path: ['properties', 'a'], base: 1, ours: { b: 1 }, theirs: 'x' },
    ],
    ['an addition of two values', {}, { a: 1 }, { a: 2 }, { path: ['properties', 'a'], ours: 1, theirs: 2 }],
  ])('%s is a clash', (_, base, ours, theirs, clash) => {
    const merged = mergeThreeWay(says(base), says(ours), says(theirs));
    expect(merged).toEqual({ content: says(ours), clashes: [clash] });
    expect(mergeThreeWay(says(base), says(ours), says(theirs), () => 'theirs').content).toEqual(says(theirs));
  });

  test('each clash is settled by itself', () => {
    const merged = mergeThreeWay(
      says({ a: 1, b: 1, c: 1 }),
      says({ a: 2, b: 2, c: 2 }),
      says({ a: 3, b: 3, c: 1 }),
      ({ path }) => (path[1] === 'a' ? 'theirs' : 'ours'),
    );
    expect(merged.content.properties).toEqual({ a: 3, b: 2, c: 2 });
    expect(merged.clashes.map(({ path }) => path[1])).toEqual(['a', 'b']);
  });
});

describe('relationships', () => {
  const merge = (base: Relationship[], ours: Relationship[], theirs: Relationship[]) =>
    mergeThreeWay(says({}, base), says({}, ours), says({}, theirs));

  test("additions of both sides stay, base's first, then theirs, then ours", () => {
    const { content, clashes } = merge([link('A')], [link('A'), link('B')], [link('C'), link('A')]);
    expect(content.relationships).toEqual([link('A'), link('C'), link('B')]);
    expect(clashes).toEqual([]);
  });

  test('what one side removed is gone, and its properties merge', () => {
    const base = [link('A', { n: 1 }), link('B')];
    const { content, clashes } = merge(base, [link('A', { n: 1, by: 'us' })], [link('A', { n: 2 }), link('B')]);
    expect(content.relationships).toEqual([link('A', { n: 2, by: 'us' })]);
    expect(clashes).toEqual([]);
  });

  test('a removal against a change is a clash', () => {
    const { clashes } = merge([link('A')], [], [link('A', { n: 2 })]);
    expect(clashes).toEqual([{ path: ['relationships', 'shows', 'A'], base: link('A'), theirs: link('A', { n: 2 }) }]);
  });

  test.each<[string, object, object, boolean]>([
    ['a member that is undefined', { properties: undefined }, {}, true],
    [
      'members in another order',
      { peer_label: 'P', properties: { a: [1, { b: 2 }] } },
      { properties: { a: [1, { b: 2 }] }, peer_label: 'P' },
      true,
    ],
    ['a member more', {}, { peer_label: 'P' }, false],
    ['other properties', { properties: { a: [1] } }, { properties: { a: [2] } }, false],
    ['a hostile name', JSON.parse('{"__proto__": {}}'), {}, false],
  ])('%s makes two of them the same, or not', (_, one, other, same) => {
    const [a, b] = [one, other].map((more) => says({}, [{ ...link('P1'), ...more }]));
    expect([sameContent(a as Content, b as Content), sameContent(b as Content, a as Content)]).toEqual([same, same]);
  });

  test('copies of what the peer says never clash, and come out the same whoever merges', () => {
    const labelled = (peer_label: string) => [{ ...link('A'), peer_label }];
    const { content, clashes } = merge(labelled('old'), labelled('Bee'), labelled('Ant'));
    expect(content.relationships).toEqual(labelled('Ant'));
    expect(clashes).toEqual([]);
    expect(merge(labelled('old'), labelled('Ant'), labelled('Bee')).content.relationships).toEqual(labelled('Ant'));
    expect(merge(labelled('old'), labelled('ours'), labelled('old')).content.relationships).toEqual(labelled('ours'));
  });
});

describe('the root of a collection', () => {
  const root = (peer: string, more = {}): Relationship => ({ predicate: 'root', peer, ...more });
  const of = (...relationships: Relationship[]): Content => ({ ...says({}, relationships), type: 'collection' });

  test.each([
    ['set on both sides', of(), of(root('A')), of(root('B')), { ours: root('A'), theirs: root('B') }],
    [
      'moved on both sides',
      of(root('A')),
      of(root('B')),
      of(root('C')),
      { base: root('A'), ours: root('B'), theirs: root('C') },
    ],
    ['moved and taken away', of(root('A')), of(root('B')), of(), { base: root('A'), ours: root('B') }],
    [
      'changed and moved',
      of(root('A')),
      of(root('A', { properties: { n: 1 } })),
      of(root('B')),
      { base: root('A'), ours: root('A', { properties: { n: 1 } }), theirs: root('B') },
    ],
  ])('%s is one clash, and one root stands', (_, base, ours, theirs, sides) => {
    const { content, clashes } = mergeThreeWay(base, ours, theirs);
    expect(clashes).toEqual([{ path: ['relationships', 'root'], ...sides }]);
    expect(content.relationships).toEqual(ours.relationships);
    expect(mergeThreeWay(base, ours, theirs, () => 'theirs').content.relationships).toEqual(theirs.relationships);
  });

  test('that one side set, or both to the same, merges by itself', () => {
    const labelled = of(root('A', { peer_label: 'New name' }), link('X'));
    for (const [ours, theirs] of [
      [labelled, of(root('B'))],
      [of(root('B')), labelled],
      [of(root('B')), of(root('B'))],
    ] as const) {
      const { content, clashes } = mergeThreeWay(of(root('A')), ours, theirs);
      expect(clashes).toEqual([]);
      expect(content.relationships.filter(({ predicate }) => predicate === 'root')).toEqual([root('B')]);
    }
  });

  test('is no rule for what is no collection', () => {
    const [base, ours, theirs] = [says({}), says({}, [root('A')]), says({}, [root('B')])];
    expect(mergeThreeWay(base, ours, theirs)).toMatchObject({
      content: { relationships: [root('B'), root('A')] },
      clashes: [],
    });
  });
});

describe('the collection that stands first', () => {
  const lies = (...peers: string[]): Content =>
    says(
      {},
      peers.map((peer) => ({ predicate: 'collection', peer })),
    );
  const places = ({ relationships }: Content) => relationships.map(({ peer }) => peer);

  test.each([
    ['another one on each side', ['A'], ['B'], ['C']],
    ['another one, or none', ['A'], ['B'], []],
    ['each side the first one', [], ['B'], ['C']],
    ['each side takes what the other one leaves', ['A', 'B'], ['B'], ['A']],
    ['one side takes it out, and the other one puts it into one more', ['A'], [], ['A', 'C']],
    ['into two, and into another one', ['A'], ['B', 'C'], ['C']],
  ])('%s: it is one clash, and one side stands', (_, before, mine, other) => {
    const [base, ours, theirs] = [lies(...before), lies(...mine), lies(...other)];
    for (const side of ['ours', 'theirs'] as const) {
      const { content, clashes } = mergeThreeWay(base, ours, theirs, () => side);
      expect(clashes.map(({ path }) => path)).toEqual([['relationships', 'collection']]);
      expect(content).toEqual(side === 'ours' ? ours : theirs);
    }
    const [clash] = mergeThreeWay(base, ours, theirs).clashes;
    const said = ({ relationships }: Content) => (relationships.length > 1 ? relationships : relationships[0]);
    expect([clash?.base, clash?.ours, clash?.theirs]).toEqual([base, ours, theirs].map(said));
  });

  test.each([
    ['that one side moved', ['A'], ['B'], ['A'], ['B']],
    ['that both moved to the same', ['A'], ['B'], ['B', 'C'], ['B', 'C']],
    ['that both left', ['A'], ['A', 'B'], ['A', 'C'], ['A', 'C', 'B']],
    ['that one side moved, and the other one added to', ['A'], ['B'], ['A', 'C'], ['B', 'C']],
    ['that one side put behind another one', ['A', 'B'], ['B', 'A'], ['A', 'B', 'C'], ['B', 'A', 'C']],
  ])('%s merges by itself', (_, base, ours, theirs, merged) => {
    for (const [mine, other] of [
      [ours, theirs],
      [theirs, ours],
    ] as const) {
      const { content, clashes } = mergeThreeWay(lies(...base), lies(...mine), lies(...other));
      expect(clashes).toEqual([]);
      expect(places(content)[0]).toBe(merged[0]);
      expect(places(content).toSorted()).toEqual(merged.toSorted());
    }
  });
});

describe('what is said of bytes', () => {
  const entry = (cid: string, size: number, more: JsonObject = {}): JsonObject => ({ cid, size, type: 'a/b', ...more });
  const held = (v1: JsonObject, more: JsonObject = {}): Content =>
    says({ content: { v1, v2: entry('V', 1) }, ...more });
  const file = (properties: JsonObject): Content => ({ ...says(properties), type: 'file' });

  test.each([
    [
      'under a key of the content',
      held(entry('A', 10)),
      held(entry('B', 20, { type: 'c/d' })),
      held(entry('C', 10)),
      {
        path: ['properties', 'content', 'v1'],
        base: entry('A', 10),
        ours: entry('B', 20, { type: 'c/d' }),
        theirs: entry('C', 10),
      },
    ],
    [
      'of a file',
      file({ cid: 'A', key: 'k', size: 10, content_type: 'a/b', uploaded: true }),
      file({ cid: 'B', key: 'l', size: 20, content_type: 'c/d', uploaded: true }),
      file({ cid: 'C', key: 'm', size: 10, content_type: 'a/b', uploaded: true }),
      { path: ['properties', 'cid'], base: 'A', ours: 'B', theirs: 'C' },
    ],
    [
      'of a file that has not come, and has',
      file({ key: 'k', size: 10, uploaded: false }),
      file({ key: 'k', size: 20, uploaded: false }),
      file({ cid: 'C', key: 'k', size: 10, uploaded: true }),
      { path: ['properties', 'cid'], theirs: 'C' },
    ],
    [
      'without a base',
      null,
      held(entry('B', 20)),
      held(entry('C', 20)),
      { path: ['properties', 'content', 'v1'], ours: entry('B', 20), theirs: entry('C', 20) },
    ],
  ])('%s is one clash, and all of one side stands', (_, base, ours, theirs, clash) => {
    expect(mergeThreeWay(base, ours, theirs)).toEqual({
      content: { properties: ours.properties, relationships: [] },
      clashes: [clash],
    });
    expect(mergeThreeWay(base, ours, theirs, () => 'theirs').content.properties).toEqual(theirs.properties);
  });

  test('that one side changed merges by itself with the rest', () => {
    const other = held(entry('A', 10, { filename: 'a' }), { label: 'theirs' });
    expect(mergeThreeWay(held(entry('A', 10)), held(entry('B', 20)), other)).toEqual({
      content: held(entry('B', 20, { filename: 'a' }), { label: 'theirs' }),
      clashes: [],
    });
    const [base, ours] = [file({ cid: 'A', size: 10, label: 'l' }), file({ cid: 'B', size: 20, label: 'l' })];
    expect(mergeThreeWay(base, ours, file({ cid: 'A', size: 10, label: 'm' })).content.properties).toEqual({
      ...{ cid: 'B', size: 20, label: 'm' },
    });
    expect(mergeThreeWay(base, file({ ...ours.properties, label: 'm' }), ours).clashes).toEqual([]);
  });
});

describe('deletion', () => {
  const [base, edited] = [says({ a: 1 }), says({ a: 2 })];
  test.each<[string, Content, Content, Content]>([
    ['of what nobody changed', gone, base, gone],
    ['there of what nobody changed', base, gone, gone],
    ['on both sides', gone, gone, gone],
  ])('%s stands', (_, ours, theirs, content) => {
    expect(mergeThreeWay(base, ours, theirs)).toEqual({ content, clashes: [] });
  });

  test('against an edit is a clash of the whole', () => {
    const clash = { path: [], ours: 'deleted', theirs: 'live' };
    expect(mergeThreeWay(base, gone, edited)).toEqual({ content: gone, clashes: [clash] });
    expect(mergeThreeWay(base, gone, edited, () => 'theirs').content).toEqual(edited);
    expect(mergeThreeWay(base, edited, gone).clashes).toEqual([{ path: [], ours: 'live', theirs: 'deleted' }]);
  });
});

describe('without a base', () => {
  const merge = (ours: Content, theirs: Content, side: 'ours' | 'theirs' = 'ours') =>
    mergeThreeWay(null, ours, theirs, () => side);

  test('what one side alone has is a clash: it may have been removed by the other', () => {
    const [ours, theirs] = [says({ a: 1, m: { x: 1 } }, [link('A')]), says({ a: 1, m: { x: 1, y: 2 } }, [link('B')])];
    const { content, clashes } = merge(ours, theirs);
    expect(content).toEqual(ours);
    expect(clashes.map(({ path }) => path)).toEqual([
      ['properties', 'm', 'y'],
      ['relationships', 'shows', 'B'],
      ['relationships', 'shows', 'A'],
    ]);
    expect(merge(ours, theirs, 'theirs').content).toEqual(theirs);
  });

  test('a deletion is a clash, also against what says nothing', () => {
    expect(merge(gone, says({})).clashes).toEqual([{ path: [], ours: 'deleted', theirs: 'live' }]);
    expect(merge(gone, gone).clashes).toEqual([]);
  });
});

describe('whatever the versions say', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 2 }),
    fc.constant(null),
    fc.array(fc.integer({ min: 0, max: 1 }), { maxLength: 2 }),
  );
  const name = fc.constantFrom('a', 'b', 'c');
  const map = fc.dictionary(name, fc.oneof(value, fc.dictionary(name, value, { maxKeys: 2 })), { maxKeys: 3 });
  const relationships = fc.uniqueArray(
    fc.record({
      predicate: fc.constantFrom('p', 'collection'),
      peer: fc.constantFrom('X', 'Y'),
      properties: fc.dictionary(name, value, { maxKeys: 2 }),
    }),
    { selector: ({ predicate, peer }) => predicate + peer, maxLength: 3 },
  );
  const content = fc.oneof(
    { weight: 9, arbitrary: fc.record({ properties: map, relationships }) as fc.Arbitrary<Content> },
    { weight: 1, arbitrary: fc.constant(gone) },
  );
  const holds = (property: (base: Content, ours: Content, theirs: Content) => void) =>
    fc.assert(fc.property(content, content, content, property), { numRuns: 2000 });

  test('a side that changed nothing gives way', () =>
    holds((base, ours) => {
      for (const merged of [mergeThreeWay(base, ours, base), mergeThreeWay(base, base, ours)]) {
        expect(merged.clashes).toEqual([]);
        expect(sameContent(merged.content, ours)).toBe(true);
      }
    }));

  test('the same change on both sides is that change', () =>
    holds((base, ours) => {
      const merged = mergeThreeWay(base, ours, ours);
      expect(merged.clashes).toEqual([]);
      expect(sameContent(merged.content, ours)).toBe(true);
    }));

  test('without a base nothing merges by itself, and a side that is chosen stands as it is', () =>
    holds((_, ours, theirs) => {
      const merged = mergeThreeWay(null, ours, theirs);
      expect(merged.clashes.length > 0).toBe(!sameContent(ours, theirs));
      expect(sameContent(merged.content, ours)).toBe(true);
      expect(sameContent(mergeThreeWay(null, ours, theirs, () => 'theirs').content, theirs)).toBe(true);
    }));

  test('it does not matter who merges', () =>
    holds((base, ours, theirs) => {
      const here = mergeThreeWay(base, ours, theirs, () => 'ours');
      const there = mergeThreeWay(base, theirs, ours, () => 'theirs');
      expect(there.clashes.map(({ path }) => path.join()).toSorted()).toEqual(
        here.clashes.map(({ path }) => path.join()).toSorted(),
      );
      expect(sameContent(there.content, here.content)).toBe(true);
    }));

  test('without clashes every member is one that a side has, and what only one side changed is there', () =>
    holds((base, ours, theirs) => {
      const { content: merged, clashes } = mergeThreeWay(base, ours, theirs);
      if (base.deleted || ours.deleted || theirs.deleted || clashes.length > 0) return;
      for (const key of ['a', 'b', 'c']) {
        const [b, o, t, m] = [base, ours, theirs, merged].map(({ properties }) => JSON.stringify(properties[key]));
        if (t === b) expect(m).toBe(o);
        else if (o === b) expect(m).toBe(t);
      }
    }));
});
