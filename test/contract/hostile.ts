import fc from 'fast-check';

/** Numbers that JSON.stringify cannot write: they stand as text until `toText`. */
const rawNumbers = ['1e400', '-1e400', '9007199254740993', '1e-400', '-0', '123456789012345678901234567890', '1.5e300'];

/** Names that are members of every object, or that a careless merge would follow. */
export const names = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  'roles',
  '/',
  '',
  'length',
];

const texts = [
  ...names,
  '\ud800',
  'a\udc00b',
  '\u0000',
  'x\u0000y',
  '\uffff',
  "'; DROP TABLE entity; --",
  '../../etc/passwd',
  '%00',
  '*',
  'null',
  'NaN',
  'true',
  '-1',
  '\u202e\u{1f600}',
  'bafyreiaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
];

export const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...texts) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(101), 'y'.repeat(2001), 'z'.repeat(70_000)) },
);

const nested = fc.tuple(fc.constantFrom(5, 150, 201, 209, 211, 1000), fc.boolean()).map(([depth, list]) => {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = list ? [value] : { a: value };
  return value;
});

const leaf = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21),
  fc.constantFrom(...rawNumbers).map((text) => `@@${text}@@`),
);

/** Any JSON value that somebody could send for any other. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    { weight: 8, arbitrary: leaf },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 5 })), tie('value')), {
          maxLength: 4,
        })
        .map((entries) => Object.fromEntries(entries)),
    },
    { weight: 1, arbitrary: nested },
  ),
})).value;

const storable = fc.oneof(
  fc.constantFrom(...names, 'x\u0000y', '\uffff', '\u202e\u{1f600}', "'; DROP TABLE entity; --", '[a](arke:x)', '%00'),
  fc.constantFrom(null, true, 0, -1, 1.5, Number.MAX_SAFE_INTEGER, Number.MIN_VALUE, 0.1),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);

/** An object that is odd, and may be stored all the same. */
export const storableObject: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    { weight: 4, arbitrary: storable },
    { weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
    { weight: 2, arbitrary: tie('object') },
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...names, 'label', 'a', '_b'), tie('value')), { maxLength: 3 })
    .map((entries) => Object.fromEntries(entries)),
})).object;

/** The own members of the prototypes that every object has: what a pollution would change. */
export function prototypes(): unknown[][] {
  return [Object.prototype, Array.prototype, Function.prototype, String.prototype, Map.prototype].map((prototype) =>
    Reflect.ownKeys(prototype).map((key) => [key, Reflect.getOwnPropertyDescriptor(prototype, key)?.value]),
  );
}

/** The JSON text of a value, with the numbers that only text can hold. */
export function toText(value: unknown): string {
  return (JSON.stringify(value) ?? '').replaceAll(/"@@([-+.\de]+)@@"/g, '$1');
}
