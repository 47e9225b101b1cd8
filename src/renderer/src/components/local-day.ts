const two = (part: number): string => String(part).padStart(2, '0');

/** A time as the day of the browser's place, as `2026-11-30`. */
export function dayOf(time: Date): string {
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}

/** The same with the minute, as `2026-11-30-0915`. */
export function minuteOf(time: Date): string {
  return `${dayOf(time)}-${two(time.getHours())}${two(time.getMinutes())}`;
}
