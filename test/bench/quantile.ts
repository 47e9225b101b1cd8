/** The time that a part of the times, 0..1, kept to; 0 where there are none. */
export function quantile(times: readonly number[], part: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))] ?? 0;
}
