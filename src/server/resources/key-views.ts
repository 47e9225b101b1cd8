import { isoTime } from '../model/iso-time.ts';
import type { KeyRecord } from '../store/accounts/api-keys.ts';

/** What every list says of a key, beside how it is named there. */
export function keyFacts({ label, created_at, expires_at, last_used_at }: KeyRecord) {
  return {
    label,
    created_at: isoTime(created_at),
    expires_at: expires_at === null ? null : isoTime(expires_at),
    last_used_at: last_used_at === null ? null : isoTime(last_used_at),
  };
}
