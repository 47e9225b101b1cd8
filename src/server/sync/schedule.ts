import { type Hours, opensAt } from './hours.ts';

// When a remote that is watched is synced next, as a function from a state and an event to the next state; the clock and
// the dice are arguments (SPEC.md, Watching). Times are milliseconds.

export interface Schedule {
  /** When the next run begins. */
  due: number;
  /** Runs in a row that found nothing to do, and that failed. */
  idle: number;
  failures: number;
  /** The last run did all but what the remote failed at. */
  partial: boolean;
  /** It is left alone until then, as it wants itself, or as somebody here does. */
  held: number;
}

export type ScheduleEvent =
  /** A run came to its end; `active`: it had something to do. */
  | { kind: 'ended'; active: boolean }
  /** A run did all but what the remote failed at. */
  | { kind: 'partial' }
  /** A run failed, or stopped because somebody has to look; `retryAfter` is what the remote asked for. */
  | { kind: 'failed'; retryAfter: number | null }
  /** Something waits here to be pushed, or somebody wants a run. */
  | { kind: 'nudged' }
  /** The remote says that it has something new. */
  | { kind: 'news' }
  /** Another run with it is under way. */
  | { kind: 'busy' }
  /** Somebody has ended a run. */
  | { kind: 'stopped' }
  /** It may be synced at other hours than before. */
  | { kind: 'hours' }
  /** It has been given another key, or another address. */
  | { kind: 'rekeyed' };

export interface Moment {
  at: number;
  /** From 0 up to 1. */
  random: number;
  hours: Hours | null;
}

export const shortestIdle = 2000;
export const longestIdle = 60_000;
const idleGrowth = 1.5;
const firstRetry = 2000;
export const longestRetry = 300_000;
/** Edits that come together go together. */
export const nudgeDelay = 300;
/** And so do events of a remote, of which people wait to see the first. */
export const newsDelay = 10;
const busyDelay = 1000;
const longestHeld = 24 * 3600 * 1000;

/** Watching begins with a run, unless the remote has asked for peace; `held`: until when. */
export function startSchedule({ at, hours }: Omit<Moment, 'random'>, held: number | null): Schedule {
  const until = held === null ? 0 : Math.min(held, at + longestHeld);
  return { due: opensAt(hours, Math.max(at, until)), idle: 0, failures: 0, partial: false, held: until };
}

export function scheduleStep(state: Schedule, event: ScheduleEvent, { at, random, hours }: Moment): Schedule {
  const next = { ...state };
  const place = (due: number): Schedule => ({ ...next, due: opensAt(hours, Math.max(due, next.held)) });
  switch (event.kind) {
    case 'ended':
    case 'partial':
      next.failures = 0;
      next.held = 0;
      next.partial = event.kind === 'partial';
      // What it did says nothing of what it failed at, which is not asked for more and more often.
      next.idle = event.kind === 'ended' && event.active ? 0 : state.idle + 1;
      return place(at + jittered(grown(shortestIdle, idleGrowth, next.idle, longestIdle), random, longestIdle));
    case 'failed':
      next.failures = state.failures + 1;
      next.partial = false;
      next.idle = 0;
      next.held = event.retryAfter === null ? 0 : at + Math.min(event.retryAfter, longestHeld);
      return place(at + jittered(grown(firstRetry, 2, next.failures - 1, longestRetry), random, longestRetry));
    case 'nudged':
    case 'news': {
      // A remote that does not answer is not asked more often because there is more to say.
      if (state.failures > 0) return state;
      next.idle = 0;
      // What it fails at may be what makes the news.
      const delay = state.partial ? shortestIdle : event.kind === 'news' ? newsDelay : nudgeDelay;
      return place(Math.min(Math.max(state.due, at), at + delay));
    }
    case 'busy':
      return place(at + busyDelay);
    case 'stopped':
      // Neither an edit nor news may begin at once what somebody has just ended.
      next.held = Math.max(state.held, at + longestIdle);
      return place(next.held);
    case 'hours':
      return place(Math.max(at, Math.min(state.due, at + shortestIdle)));
    case 'rekeyed':
      // What failed with the one before may have failed for that.
      next.failures = 0;
      return place(at + nudgeDelay);
  }
}

function grown(first: number, factor: number, times: number, longest: number): number {
  return Math.min(longest, first * factor ** Math.min(times, 64));
}

/** A fifth more or less, so that those who were cut off together do not come back together. */
function jittered(ms: number, random: number, longest: number): number {
  return Math.min(longest, ms * (0.8 + 0.4 * random));
}
