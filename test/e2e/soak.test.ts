import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Kind } from '../bench/soak/client.ts';
import { soak } from '../bench/soak/run.ts';
import { report } from '../bench/soak/tables.ts';
import { type Minute, riseOf, verdicts } from '../bench/soak/verdict.ts';

// The short form of `npm run soak`, and how it judges.

test('a node under a mixed load of many clients gives no wrong answer and keeps every write', {
  timeout: 180_000,
}, async () => {
  const data = mkdtempSync(join(tmpdir(), 'archeion-soak-'));
  onTestFinished(() => rmSync(data, { recursive: true, force: true }));
  const lines: string[] = [];
  const { minutes, answered, verdicts, problems } = await soak({
    ...{ data, seconds: 8, lapSeconds: 2, clients: 64, rate: 100, entities: 448 },
    say: (line) => lines.push(line),
  });
  expect(problems).toEqual([]);
  // How fast it is, and how its memory goes, says nothing beside other tests.
  expect(verdicts.filter(({ ok }) => ok).map(({ what }) => what)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^no answer/), expect.stringMatching(/^every answered/)]),
  );
  expect(answered.size).toBe(12);
  expect(lines).toHaveLength(5);
  expect(report(minutes, verdicts)).toContain('| goal | found | met |');
});

const gauges = { resident: 300, heap: 50, handles: 60, threads: 17, wal: 4, database: 100, index: 50 };

function minute(resident: number, ms: number, errors = 0): Minute {
  const times = new Map<Kind, number[]>([['get', Array.from({ length: 300 }, () => ms)]]);
  return { times, errors, gauges: { ...gauges, resident } };
}

function met(minutes: Minute[]): boolean[] {
  return verdicts(minutes).map(({ ok }) => ok);
}

test('a soak is judged by its errors, by memory in its second half and by what becomes slower', () => {
  expect(met([100, 300, 301, 299, 300, 300].map((resident) => minute(resident, 4)))).toEqual([true, true, true]);
  expect(met([300, 300, 300, 300, 310, 320].map((resident) => minute(resident, 4)))).toEqual([true, false, true]);
  expect(met([4, 4, 4, 4, 4, 20].map((ms) => minute(300, ms)))).toEqual([true, true, false]);
  expect(met([40, 40, 4, 4, 5, 5].map((ms) => minute(300, ms)))).toEqual([true, true, true]);
  expect(met([minute(300, 4), minute(300, 4, 1)])).toEqual([false, true, true]);
});

test('what rises is the line through all values', () => {
  expect(riseOf([100, 110, 120])).toBeCloseTo(20 / 110);
  expect(riseOf([120, 110, 100])).toBeCloseTo(-20 / 110);
  expect(riseOf([100, 100, 130, 100, 100])).toBeCloseTo(0);
  expect(riseOf([5])).toBe(0);
});
