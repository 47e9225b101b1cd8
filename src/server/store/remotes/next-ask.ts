const first = 60_000;
const longest = 24 * 3_600_000;

/**
 * When what a remote did not give is asked for again, in epoch milliseconds: after 1, 4, 16 ... minutes, at most a day.
 * @param tries how often it was asked for before
 */
export function nextAsk(now: number, tries: number): number {
  return now + Math.min(first * 4 ** tries, longest);
}

/**
 * Whether that time has come, as SQL over a column, with the arguments of `dueArguments`. What lies further away than any answer of
 * `nextAsk` was noted by a clock that was ahead, and is due too.
 */
export function isDueIn(column: string): string {
  return `(${column} <= ? OR ${column} > ?)`;
}

export function dueArguments(now: number): [number, number] {
  return [now, now + longest];
}

/** As `isDueIn`. */
export function isDueAt(again: number, now: number): boolean {
  return again <= now || again > now + longest;
}
