import { expect, test } from 'vitest';
import { BusyError } from '../../src/server/errors.ts';
import { InputChecks } from '../../src/server/jobs/input-check.ts';

const slow = (title: string) => ({ title, type: 'string', pattern: '^(a+)+$' });
const long = `${'a'.repeat(60)}!`;
const quick = { type: 'integer' };
const tooSlow = { issues: [{ message: expect.stringContaining('takes longer than 2 seconds') }] };

test('a schema that takes for ever is refused, and others are checked meanwhile', async () => {
  await using checks = new InputChecks({ limitMs: 2000, waitMs: 600_000 });
  const refused = Array.from({ length: 2 }, () =>
    expect(checks.check(slow('x'), [long])).rejects.toMatchObject(tooSlow),
  );
  const [good, wrong] = await checks.check(quick, [1, 'one']);
  expect([good, wrong]).toEqual([[], [{ path: [], message: 'must be integer' }]]);
  await Promise.all(refused);
});

test('so they are where several take for ever: only a check that has begun is measured', async () => {
  await using checks = new InputChecks({ limitMs: 2000, waitMs: 600_000 });
  const refused = ['x', 'y', 'z'].map((title) =>
    expect(checks.check(slow(title), [long])).rejects.toMatchObject(tooSlow),
  );
  expect(await checks.check(quick, [1])).toEqual([[]]);
  await Promise.all(refused);
});

test('a check that does not come to its turn says that the node is busy', async () => {
  // No thread starts as fast as that.
  await using checks = new InputChecks({ waitMs: 1 });
  await expect(checks.check(quick, [1])).rejects.toThrow(BusyError);
  await expect(checks.check(quick, [1])).rejects.toThrow(BusyError);
});

test('checks of one schema are each answered', async () => {
  await using checks = new InputChecks();
  const all = await Promise.all([1, 'a', 2].map((input) => checks.check(quick, [input])));
  expect(all.map(([issues = []]) => issues.length)).toEqual([0, 1, 0]);
});

test.each([
  ['draft 6', { $schema: 'http://json-schema.org/draft-06/schema#', const: 1 }, 1, 2],
  ['https before the name of draft 7', { $schema: 'https://json-schema.org/draft-07/schema#', const: 1 }, 1, 2],
  ['a pattern with \\-', { pattern: '^\\d{4}\\-\\d{2}$' }, '2026-11', '2026/11'],
  ['a pattern with \\p beside it', { allOf: [{ pattern: '^\\p{L}\\p{L}' }, { pattern: '\\-$' }] }, 'äé-', 'p{L}-'],
])('an input is checked by %s', async (_, schema, good, wrong) => {
  await using checks = new InputChecks();
  expect((await checks.check(schema, [good, wrong])).map(({ length }) => length)).toEqual([0, 1]);
});
