import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { stepInput } from '../../src/server/model/step-input.ts';

const of = (inputs: JsonObject[], given: JsonObject | undefined, names = ['in', 'out']) =>
  stepInput({ names, inputs }, given);

test('what is said later stands, and of several levels the outer one', () => {
  const steps = { in: { d: 4, e: 4 }, out: { e: 5 } };
  const given = { c: 3, d: 3, e: 3, steps };
  expect(
    of(
      [
        { a: 1, b: 1 },
        { b: 2, c: 2 },
      ],
      given,
    ),
  ).toEqual({ a: 1, b: 2, c: 3, d: 4, e: 5, steps });
  expect(of([], undefined)).toBeUndefined();
  expect(of([{ a: 1 }], undefined)).toEqual({ a: 1 });
});

test('what is said for a step and is no object goes no further than `steps`', () => {
  for (const steps of ['text', ['text'], { in: 'text', out: ['text'] }, { in: null, out: 7 }, null, 7])
    expect(of([{ a: 1 }], { steps })).toEqual({ a: 1, steps });
});

test('members of every name are given', () => {
  const text = '{"__proto__":{"a":1},"b":{"__proto__":2},"constructor":3}';
  for (const given of [
    of([JSON.parse(text)], {}),
    of([], JSON.parse(text)),
    of([], { steps: { in: JSON.parse(text) } }),
  ])
    expect(JSON.stringify({ ...given, steps: undefined })).toBe(text);
});
