import fc from 'fast-check';

/** A text as it looks where its bytes are taken for Latin letters. */
export const misread = (text: string) => Buffer.from(text).toString('latin1');
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
export const name = fc.oneof(
  letters,
  letters.map(misread),
  fc.constantFrom('/', 'bytes', '__proto__', 'constructor', '0', '10', '2', 'prev', 'id'),
);
/** Values of JSON and names of members that are easily taken for others. */
export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(name, tie('value'), { maxKeys: 40 }),
  ),
}));
