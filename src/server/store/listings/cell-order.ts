export type Cell = string | number | null;

/** A value as it is compared: the number that it is or begins with, and what follows that; texts without one have null. */
export interface Measured {
  number: number | null;
  rest: string;
}

const leading = /^\s*[+-]?\d+(?:\.\d+)?/;
const collator = new Intl.Collator('en');

/** `1890-05` lies between `1890` and `1891`, and `9` before `10`, whether they are texts or numbers. */
export function measured(value: string | number): Measured {
  if (typeof value === 'number') return { number: value, rest: '' };
  const whole = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isFinite(whole)) return { number: whole, rest: '' };
  const begun = leading.exec(value)?.[0];
  if (begun === undefined) return { number: null, rest: value };
  return { number: Number(begun), rest: value.slice(begun.length) };
}

/** Numbers, also those that texts begin with, before other texts. */
export function compareMeasured(a: Measured, b: Measured): number {
  if (a.number === null || b.number === null) {
    const order = Number(a.number === null) - Number(b.number === null);
    return order === 0 ? collator.compare(a.rest, b.rest) : order;
  }
  return a.number < b.number ? -1 : a.number > b.number ? 1 : collator.compare(a.rest, b.rest);
}
