import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/server/model/manifest.ts';
import { equalJson, mergeAll, mergeObject, orderedJson, removeMembers } from '../../src/server/model/properties.ts';

const key = fc.constantFrom<string>('a', 'b', 'c', '__proto__', 'toString');
const { value, object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 1, 'x', ''),
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.uniqueArray(fc.tuple(key, tie('value')), { selector: ([k]) => k, maxLength: 4 }).map(Object.fromEntries),
}));
const isObject = (v: Json | undefined): v is JsonObject => typeof v === 'object' && v !== null && !Array.isArray(v);
const own = (o: JsonObject, k: string) => (Object.hasOwn(o, k) ? o[k] : undefined);

/** Says the same in another order of members. */
const reversed = (v: Json): Json => {
  if (Array.isArray(v)) return v.map(reversed);
  if (!isObject(v)) return v;
  return Object.fromEntries(
    Object.entries(v)
      .reverse()
      .map(([k, inner]) => [k, reversed(inner)]),
  );
};

describe('mergeObject', () => {
  test('objects merge, lists and null replace', () => {
    const base = { label: 'x', tags: ['a', 'b'], place: { city: 'Ghent', street: { name: 'Y' } }, gone: { a: 1 } };
    const patch = { tags: ['c'], place: { street: { number: 3 } }, gone: null };
    expect(mergeObject(base, patch)).toEqual({
      label: 'x',
      tags: ['c'],
      place: { city: 'Ghent', street: { name: 'Y', number: 3 } },
      gone: null,
    });
  });

  test('every member is the patch’s, or base’s where the patch has none, or both merged', () => {
    fc.assert(
      fc.property(object, object, (base, patch) => {
        const merged = mergeObject(base, patch);
        expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(base), ...Object.keys(patch)]));
        for (const k of Object.keys(merged)) {
          const [b, p] = [own(base, k), own(patch, k)];
          const wanted = p === undefined ? b : isObject(b) && isObject(p) ? mergeObject(b, p) : p;
          expect(equalJson(own(merged, k), wanted)).toBe(true);
        }
      }),
    );
  });

  test('merging twice is merging once, nothing is changed in place, and nothing reaches a prototype', () => {
    fc.assert(
      fc.property(object, object, (base, patch) => {
        const [b, p] = [structuredClone(base), structuredClone(patch)];
        const once = mergeObject(base, patch);
        expect(equalJson(mergeObject(once, patch), once)).toBe(true);
        expect(equalJson(mergeObject(base, {}), base)).toBe(true);
        expect([equalJson(base, b), equalJson(patch, p)]).toEqual([true, true]);
        expect(Object.getPrototypeOf(once)).toBe(Object.prototype);
      }),
    );
  });
});

describe('mergeAll', () => {
  test('is the same as one merge after the other', () => {
    fc.assert(
      fc.property(object, fc.array(object, { maxLength: 5 }), (base, patches) => {
        expect(equalJson(mergeAll(base, patches), patches.reduce(mergeObject, base))).toBe(true);
      }),
    );
  });
});

describe('removeMembers', () => {
  test('names at the top, and objects that lead further down', () => {
    const base = { a: 1, b: { c: 2, d: { e: 3, f: 4 } }, list: [1] };
    expect(removeMembers(base, ['a', 'nothing'])).toEqual({ b: base.b, list: [1] });
    expect(removeMembers(base, { b: { d: ['e'] }, a: ['x'], list: ['0'] })).toEqual({
      ...base,
      b: { c: 2, d: { f: 4 } },
    });
    expect(removeMembers(base, { b: ['c'], gone: { x: ['y'] } })).toEqual({ ...base, b: { d: base.b.d } });
    expect(removeMembers(base, ['b.c'])).toEqual(base);
  });

  test('exactly the named members go', () => {
    fc.assert(
      fc.property(object, fc.array(key), (base, names) => {
        const left = removeMembers(base, names);
        expect(Object.keys(left)).toEqual(Object.keys(base).filter((k) => !names.includes(k)));
        for (const k of Object.keys(left)) expect(own(left, k)).toBe(own(base, k));
      }),
    );
  });
});

describe('equalJson', () => {
  test('the order of members does not count, that of lists does', () => {
    fc.assert(fc.property(value, (v) => equalJson(v, reversed(v)) && equalJson(v, structuredClone(v))));
    expect(equalJson([1, 2], [2, 1])).toBe(false);
  });

  test('two that are equal have the same text, in one order', () => {
    const text = (v: Json): string =>
      isObject(v)
        ? `{${Object.keys(v)
            .sort()
            .map((k) => `${k}:${text(own(v, k) as Json)}`)}}`
        : Array.isArray(v)
          ? `[${v.map(text)}]`
          : JSON.stringify(v);
    fc.assert(fc.property(value, value, (a, b) => equalJson(a, b) === (text(a) === text(b))));
  });

  test.each<[Json | undefined, Json | undefined]>([
    [null, {}],
    [[], {}],
    [0, false],
    ['', null],
    [undefined, null],
    [{ a: 1 }, { b: 1 }],
    [JSON.parse('{"__proto__":1}'), {}],
    [{ toString: 1 }, {}],
  ])('%j is not %j', (a, b) => {
    expect([equalJson(a, b), equalJson(b, a)]).toEqual([false, false]);
  });
});

describe('orderedJson', () => {
  const inOrder = (v: Json): Json => {
    if (Array.isArray(v)) return v.map(inOrder);
    if (!isObject(v)) return v;
    const entries = Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries.map(([k, inner]) => [k, inOrder(inner)]));
  };

  test('is the text whose digests are on disk, whatever the order of members', () => {
    const known = { b: [{ z: null, a: 'ü' }, 1.5], a: { é: true, e: {} }, __proto__x: 0, 10: 'ten', 9: 'nine' };
    const text = '{"9":"nine","10":"ten","__proto__x":0,"a":{"e":{},"é":true},"b":[{"a":"ü","z":null},1.5]}';
    expect([known, reversed(known)].map(orderedJson)).toEqual([text, text]);
    fc.assert(
      fc.property(value, (v) => {
        expect([v, reversed(v)].map(orderedJson)).toEqual([JSON.stringify(inOrder(v)), JSON.stringify(inOrder(v))]);
      }),
    );
  });
});
