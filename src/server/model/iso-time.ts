/** The beginning of a time as text, down to its second, and that second in epoch milliseconds. */
let [beginning, second] = ['', Number.NaN];

/**
 * A time in epoch milliseconds as `toISOString` says it. Of all that a write needs that is among the slowest, so the part that
 * many writes share is kept.
 */
export function isoTime(ms: number): string {
  const whole = Math.trunc(ms);
  const start = Math.floor(whole / 1000) * 1000;
  if (start !== second) {
    beginning = new Date(start).toISOString().slice(0, -'000Z'.length);
    second = start;
  }
  return `${beginning}${String(whole - start).padStart(3, '0')}Z`;
}
