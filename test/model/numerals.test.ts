import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKeptAsNumber, printedDigits } from '../../src/server/model/numerals.ts';

describe('a numeral is kept as a number', () => {
  const kept = [
    ...[
      '0',
      '-0.00',
      '0e999',
      '7',
      '-1.50',
      '+.5',
      '5.',
      '007',
      '1e3',
      '1E-7',
      '3.14',
      '0.1',
      '100000000000000000000e-18',
    ],
    ...['0.10000000000000001', '0.1000000000000000055511151231257827', '5e-324', '1.7976931348623157e308'],
    ...['5.684341886080802e-14', '0.30000000000000004'],
  ];
  it.each(kept)('%s', (numeral) => {
    expect(isKeptAsNumber(numeral)).toBe(true);
  });

  const lost = [
    ...['3.14159265358979323846', '3.1415926535897932', '1e-400', '-1e-400', '1e400', '0.33333333333333333333'],
    ...['9007199254740993', `1${'0'.repeat(1000)}`, `0.${'0'.repeat(400)}1`],
  ];
  it.each(lost)('not %s', (numeral) => {
    expect(isKeptAsNumber(numeral)).toBe(false);
  });

  it('however a program prints a double, and of up to so many digits whatever the last says', () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: 17, max: 60 }),
        (value, digits) => {
          expect(isKeptAsNumber(String(value))).toBe(true);
          expect(isKeptAsNumber(value.toPrecision(digits))).toBe(true);
        },
      ),
    );
    expect(isKeptAsNumber('3.1415926535897932', printedDigits)).toBe(true);
    expect(isKeptAsNumber('3.14159265358979323', printedDigits)).toBe(false);
    expect(isKeptAsNumber('1e-400', printedDigits)).toBe(false);
  });
});
