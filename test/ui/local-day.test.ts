import { afterEach, expect, test } from 'vitest';
import { dayOf, minuteOf } from '../../src/renderer/src/components/local-day.ts';

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

test.each([
  ['Pacific/Auckland', '2026-11-30', '2026-11-30-0905'],
  ['America/St_Johns', '2026-11-29', '2026-11-29-1635'],
  ['Asia/Kathmandu', '2026-11-30', '2026-11-30-0150'],
])('what is saved in %s is named after the day and the minute there', (place, day, minute) => {
  process.env.TZ = place;
  const time = new Date(Date.UTC(2026, 10, 29, 20, 5));
  expect([dayOf(time), minuteOf(time)]).toEqual([day, minute]);
});
