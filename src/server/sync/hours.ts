/** Hours of the day, in the node's own time zone, in which a remote is synced; `to` may be 24, and `from` after `to`. */
export interface Hours {
  from: number;
  to: number;
}

const form = /^([01]?\d|2[0-3])-([01]?\d|2[0-4])$/;

/** Reads `22-6`; null where it is no such text, or names no limit at all. */
export function readHours(text: string): Hours | null {
  const found = form.exec(text);
  if (!found) return null;
  const [from, to] = [Number(found[1]), Number(found[2])];
  return from % 24 === to % 24 ? null : { from, to };
}

/** The next moment, from `time` on, in which a remote may be synced: `time` itself where it may be now. */
export function opensAt(hours: Hours | null, time: number): number {
  if (hours === null || isOpen(hours, time)) return time;
  return nextHour(hours.from, time);
}

/** When hours that are open at `time` end; null for never. */
export function closesAt(hours: Hours | null, time: number): number | null {
  return hours === null ? null : nextHour(hours.to, time);
}

function isOpen({ from, to }: Hours, time: number): boolean {
  const hour = new Date(time).getHours();
  return from < to ? from <= hour && hour < to : hour >= from || hour < to;
}

/** The first moment after `time` at which an hour of the day begins; a day may have 23 or 25 of them. */
function nextHour(hour: number, time: number): number {
  const day = new Date(time);
  const at = (days: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + days, hour).getTime();
  return [-1, 0, 1].map(at).find((moment) => moment > time) ?? at(2);
}
