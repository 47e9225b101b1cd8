/** Where a difference is on the screen. */
export interface Place<T> {
  element: T;
  /** Pixels from the top of what scrolls. */
  top: number;
}

/** Differences that begin within so many pixels of one another stand on one line, side by side. */
const oneLine = 10;

/** One difference a line, from top to bottom: what is old and what is new of the same line is one. */
export function inLines<T>(places: readonly Place<T>[]): Place<T>[] {
  const lines: Place<T>[] = [];
  for (const place of places.toSorted((a, b) => a.top - b.top)) {
    const last = lines.at(-1);
    if (!last || place.top - last.top > oneLine) lines.push(place);
  }
  return lines;
}

/** Which of so many differences comes next; the last and the first stay. `at` is -1 before the first. */
export function nextDifference(at: number, count: number, by: 1 | -1): number {
  return Math.max(0, Math.min(count - 1, at + by));
}
