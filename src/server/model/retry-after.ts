/** Retry-After in milliseconds: seconds, or a date, which is read by the clock of whoever answers. */
export function retryAfterOf(
  header: string | string[] | undefined,
  date: string | string[] | undefined,
): number | null {
  if (typeof header !== 'string') return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const [until, from] = [Date.parse(header), typeof date === 'string' ? Date.parse(date) : Number.NaN];
  return Number.isNaN(until) || Number.isNaN(from) ? null : Math.max(0, until - from);
}
