import type { KeyRecord } from '../store/api-keys.ts';

/** Epoch milliseconds in ISO 8601. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

/** What every list says of a key, beside how it is named there. */
export function keyFacts({ label, created_at, expires_at, last_used_at }: KeyRecord) {
  return {
    label,
    created_at: isoTime(created_at),
    expires_at: expires_at === null ? null : isoTime(expires_at),
    last_used_at: last_used_at === null ? null : isoTime(last_used_at),
  };
}
