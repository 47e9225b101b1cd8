const first = 60_000;
const longest = 24 * 3_600_000;

/**
 * When what a remote did not give is asked for again, in epoch milliseconds: after 1, 4, 16 ... minutes, at most a day.
 * @param tries how often it was asked for before
 */
export function nextAsk(now: number, tries: number): number {
  return now + Math.min(first * 4 ** tries, longest);
}
