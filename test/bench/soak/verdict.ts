import { quantile } from '../quantile.ts';
import type { Kind } from './client.ts';
import type { Gauges } from './gauges.ts';
import type { Lap } from './tally.ts';

/** One minute of a soak. */
export interface Minute extends Lap {
  gauges: Gauges;
}

export interface Verdict {
  what: string;
  found: string;
  ok: boolean;
}

/** The line through resident memory over the second half may rise by so much of its mean. */
const mostRise = 0.05;
/** A p99 of the last third may be so many times that of the second, and so many milliseconds more. */
const mostSlower = { times: 1.5, ms: 5 };
/** A p99 of fewer answers says nothing. */
const leastAnswers = 200;

/** Whether a node did as well in the end as before. */
export function verdicts(minutes: readonly Minute[]): Verdict[] {
  const errors = minutes.reduce((sum, minute) => sum + minute.errors, 0);
  const resident = minutes.slice(Math.floor(minutes.length / 2)).map(({ gauges }) => gauges.resident);
  const rise = riseOf(resident);
  const slower = slowerKinds(minutes);
  return [
    { what: 'no answer but the expected ones', found: `${errors} others`, ok: errors === 0 },
    {
      what: `memory flat: over the second half at most ${mostRise * 100} % more`,
      found: `${(rise * 100).toFixed(1)} % of ${Math.round(mean(resident))} MB`,
      ok: rise <= mostRise,
    },
    {
      what: `p99 stable: in the last third at most ${mostSlower.times} x the second and ${mostSlower.ms} ms`,
      found: slower.length === 0 ? 'each kind' : `not ${slower.join(', ')}`,
      ok: slower.length === 0,
    },
  ];
}

/** By how much of its mean the straight line that fits some values best rises from the first to the last. */
export function riseOf(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const [middle, level] = [(values.length - 1) / 2, mean(values)];
  const [over, squares] = values.reduce(
    ([a, b], value, i) => [a + (i - middle) * (value - level), b + (i - middle) ** 2],
    [0, 0],
  );
  return ((over / squares) * (values.length - 1)) / level;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function slowerKinds(minutes: readonly Minute[]): Kind[] {
  const [, second = new Map(), last = new Map()] = thirds(minutes);
  return [...last].flatMap(([kind, times]) => {
    const before = second.get(kind) ?? [];
    if (before.length < leastAnswers || times.length < leastAnswers) return [];
    return quantile(times, 0.99) > quantile(before, 0.99) * mostSlower.times + mostSlower.ms ? [kind] : [];
  });
}

/** The times of the first, the second and the last third, by kind. */
export function thirds(minutes: readonly Minute[]): Map<Kind, number[]>[] {
  return [0, 1, 2].map((third) => {
    const part = minutes.slice(
      Math.floor((minutes.length * third) / 3),
      Math.floor((minutes.length * (third + 1)) / 3),
    );
    const all = new Map<Kind, number[]>();
    for (const { times } of part)
      for (const [kind, list] of times) {
        const known = all.get(kind) ?? [];
        for (const time of list) known.push(time);
        all.set(kind, known);
      }
    return all;
  });
}
