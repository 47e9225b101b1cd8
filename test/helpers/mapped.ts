import type { Draft } from '../../src/server/exchange/draft.ts';
import { mapRecord } from '../../src/server/exchange/map-record.ts';

/** What a record becomes, at once. */
export function mapped(...given: Parameters<typeof mapRecord>): Draft[] {
  const steps = mapRecord(...given);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
