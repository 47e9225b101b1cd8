import type { SeenRow } from '../store/remotes/remotes.ts';
import type { Report } from './report.ts';
import type { LastRun } from './runs.ts';

// How things stand with a remote, in numbers, as functions from what is known of it.

/** How long feeds keep events, in milliseconds (interface.md, Events). */
export const retention = 30 * 24 * 3600 * 1000;

export interface Lag {
  /** Events that its feed held when it was last asked, and that have not been dealt with. */
  events: number | null;
  /** How far behind that is: no unread event is older, in seconds. */
  seconds: number | null;
}

/** As of the last time that it was asked; null where it has not been asked, or never was read to the end. */
export function lagOf(
  seen: readonly SeenRow[],
  { lastRun, running }: { lastRun: LastRun | null; running: Report | null },
  now: number,
): Lag {
  const head = running?.head ?? lastRun?.head ?? null;
  const level = lastRun?.level ?? null;
  const events = head === null ? null : unreadBelow(seen, head);
  if (events === 0) return { events, seconds: 0 };
  return { events, seconds: level === null ? null : Math.max(0, Math.floor((now - level) / 1000)) };
}

function unreadBelow(seen: readonly SeenRow[], head: number): number {
  const read = seen.reduce(
    (sum, { first, last }) => sum + Math.max(0, Math.min(last, head) - Math.max(first, 1) + 1),
    0,
  );
  return Math.max(0, head - read);
}

/**
 * Hours until the oldest event that may be unread leaves the feed: all that were there when it was last read to the end
 * have been dealt with. Null where it never was.
 */
export function hoursLeft(run: LastRun | null, now: number): number | null {
  const level = run?.level ?? null;
  return level === null ? null : Math.max(0, Math.floor((level + retention - now) / 3_600_000));
}
