import { describe, expect, test } from 'vitest';
import { readFlow } from '../../src/server/model/flow.ts';
import { checkFlow } from '../../src/server/model/flow-check.ts';

const klados = { id: '01J00000000000000000000000', type: 'klados' };
const done = { klados, then: { done: true } };
const to = (then: unknown, more: object = {}) => ({ klados, then, ...more });
const is = (property: string, equals: unknown) => ({ property, equals });

/** The codes with where they stand. */
const errors = (flow: unknown, entry: unknown = 'a') =>
  checkFlow(entry, flow).errors.map(({ code, path }) => `${code} ${path.join('.')}`);
const warnings = (flow: unknown, entry: unknown = 'a') =>
  checkFlow(entry, flow).warnings.map(({ code, path }) => `${code} ${path.join('.')}`);

test('all five forms, routes and inputs', () => {
  const flow = {
    a: to({ scatter: 'b', route: [{ where: is('kind', 'text'), target: 'c' }] }, { input: { lang: 'en' } }),
    b: to({ gather: 'd' }),
    c: to({ gather: 'd', route: [{ where: { or: [is('x', null), { and: [is('y.0.z', 1)] }] }, target: 'd' }] }),
    d: {
      klados: { pi: klados.id, type: 'rhiza' },
      then: { pass: 'e', route: [{ where: is('done', true), target: 'done' }] },
    },
    e: to({ recurse: 'a', max_depth: 3 }),
  };
  expect(checkFlow('a', flow)).toEqual({ errors: [], warnings: [] });
  expect([...(readFlow(flow) ?? [])].length).toBe(5);
});

describe('the rules of processors.md 3.7', () => {
  test.each([
    ['MISSING_ENTRY', null, { a: done }, ['MISSING_ENTRY entry']],
    ['MISSING_ENTRY', '', { a: done }, ['MISSING_ENTRY entry']],
    ['MISSING_ENTRY', 5, { a: done }, ['MISSING_ENTRY entry']],
    ['EMPTY_FLOW', 'a', undefined, ['EMPTY_FLOW flow']],
    ['EMPTY_FLOW', 'a', {}, ['EMPTY_FLOW flow']],
    ['EMPTY_FLOW', 'a', [done], ['EMPTY_FLOW flow']],
    ['EMPTY_FLOW stops', '', {}, ['MISSING_ENTRY entry', 'EMPTY_FLOW flow']],
    ['ENTRY_NOT_IN_FLOW', 'b', { a: done }, ['ENTRY_NOT_IN_FLOW entry']],
    ['ENTRY_NOT_IN_FLOW', 'toString', { a: done }, ['ENTRY_NOT_IN_FLOW entry']],
    ['MISSING_KLADOS', 'a', { a: { then: { done: true } } }, ['MISSING_KLADOS flow.a.klados']],
    ['MISSING_KLADOS', 'a', { a: { ...done, klados: { label: 'x' } } }, ['MISSING_KLADOS flow.a.klados']],
    ['MISSING_KLADOS', 'a', { a: { ...done, klados: { id: 'x' } } }, ['MISSING_KLADOS flow.a.klados']],
    [
      'MISSING_KLADOS',
      'a',
      { a: { ...done, klados: { ...klados, type: 'agent' } } },
      ['MISSING_KLADOS flow.a.klados.type'],
    ],
    ['MISSING_THEN', 'a', { a: { klados } }, ['MISSING_THEN flow.a.then']],
    ['MISSING_THEN', 'a', { a: to(null) }, ['MISSING_THEN flow.a.then']],
    ['both', 'a', { a: 'x' }, ['MISSING_KLADOS flow.a.klados', 'MISSING_THEN flow.a.then']],
    ['INVALID_HANDOFF', 'a', { a: to({}) }, ['INVALID_HANDOFF flow.a.then', 'UNTERMINATED_PATH flow.a']],
    ['INVALID_HANDOFF', 'a', { a: to('b') }, ['INVALID_HANDOFF flow.a.then', 'UNTERMINATED_PATH flow.a']],
    ['UNTERMINATED_PATH', 'a', { a: to({ done: false }) }, ['INVALID_HANDOFF flow.a.then', 'UNTERMINATED_PATH flow.a']],
    ['INVALID_HANDOFF', 'a', { a: to({ done: true, pass: 'a' }) }, ['INVALID_HANDOFF flow.a.then']],
    ['INVALID_HANDOFF', 'a', { a: to({ scatter: 'b', gather: 'b' }), b: done }, ['INVALID_HANDOFF flow.a.then']],
    ['INVALID_TARGET', 'a', { a: to({ pass: 'b' }) }, ['INVALID_TARGET flow.a.then.pass']],
    ['INVALID_TARGET', 'a', { a: to({ scatter: '' }) }, ['INVALID_TARGET flow.a.then.scatter']],
    ['INVALID_TARGET', 'a', { a: to({ gather: { id: 'b' } }), b: done }, ['INVALID_TARGET flow.a.then.gather']],
    ['INVALID_TARGET', 'a', { a: to({ recurse: 'x' }) }, ['INVALID_TARGET flow.a.then.recurse']],
    ['INVALID_TARGET', 'a', { a: to({ pass: 'done' }) }, ['INVALID_TARGET flow.a.then.pass']],
    ['INVALID_MAX_DEPTH', 'a', { a: to({ recurse: 'a', max_depth: 0 }) }, ['INVALID_MAX_DEPTH flow.a.then.max_depth']],
    [
      'INVALID_MAX_DEPTH',
      'a',
      { a: to({ recurse: 'a', max_depth: 1.5 }) },
      ['INVALID_MAX_DEPTH flow.a.then.max_depth'],
    ],
    [
      'INVALID_MAX_DEPTH',
      'a',
      { a: to({ recurse: 'a', max_depth: '3' }) },
      ['INVALID_MAX_DEPTH flow.a.then.max_depth'],
    ],
    ['INVALID_INPUT', 'a', { a: to({ done: true }, { input: [] }) }, ['INVALID_INPUT flow.a.input']],
    ['CYCLE_DETECTED', 'a', { a: to({ pass: 'a' }) }, ['CYCLE_DETECTED flow.a.then.pass']],
  ])('%s: entry %j, flow %j', (_, entry, flow, expected) => {
    expect(errors(flow, entry)).toEqual(expected);
  });

  const routed = (...route: unknown[]) => ({ a: to({ pass: 'b', route }), b: done });

  test.each([
    [
      'INVALID_ROUTE_RULE',
      routed('x'),
      ['INVALID_ROUTE_RULE flow.a.then.route.0.where', 'INVALID_ROUTE_RULE flow.a.then.route.0.target'],
    ],
    ['INVALID_ROUTE_RULE', routed({ target: 'b' }), ['INVALID_ROUTE_RULE flow.a.then.route.0.where']],
    ['INVALID_ROUTE_RULE', routed({ where: is('a', 1) }), ['INVALID_ROUTE_RULE flow.a.then.route.0.target']],
    ['INVALID_ROUTE_RULE', routed({ where: is('a', 1), target: 5 }), ['INVALID_ROUTE_RULE flow.a.then.route.0.target']],
    ['INVALID_ROUTE_RULE', { a: to({ pass: 'b', route: {} }), b: done }, ['INVALID_ROUTE_RULE flow.a.then.route']],
    ['INVALID_TARGET', routed({ where: is('a', 1), target: 'x' }), ['INVALID_TARGET flow.a.then.route.0.target']],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: {}, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: 'x', target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: is(5 as never, 1), target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.property'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: is('a', [1]), target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.equals'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { property: 'a' }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.equals'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { and: [] }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.and'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { or: 'x' }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.or'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { or: [is('a', 1), 5] }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.or.1'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { ...is('a', 1), not: true }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.not'],
    ],
    [
      'INVALID_WHERE_CONDITION',
      routed({ where: { and: [is('a', 1), { or: [is('a', 1)], equals: 1 }] }, target: 'b' }),
      ['INVALID_WHERE_CONDITION flow.a.then.route.0.where.and.1.equals'],
    ],
    [
      'a gather finishes no items',
      { a: to({ gather: 'b', route: [{ where: is('a', 1), target: 'done' }] }), b: done },
      ['INVALID_TARGET flow.a.then.route.0.target'],
    ],
  ])('%s: %j', (_, flow, expected) => {
    expect(errors(flow)).toEqual(expected);
  });
});

test.each([
  undefined,
  null,
  [],
  {},
  { a: {} },
  { a: { then: { done: true } } },
  { a: to({}) },
  { a: to({ done: false }) },
  { a: to({ pass: 5 }) },
  { a: to({ recurse: 'a', max_depth: 0 }) },
  { a: to({ pass: 'a', route: [{ where: {}, target: 'a' }] }) },
  { a: done, b: { klados: { id: 'x' }, then: { done: true } } },
])('what is no flow is read as none: %j', (flow) => {
  expect(readFlow(flow)).toBeNull();
});

describe('cycles', () => {
  test('name their steps', () => {
    const flow = { a: to({ pass: 'b' }), b: to({ scatter: 'c' }), c: to({ gather: 'b' }) };
    expect(checkFlow('a', flow).errors).toEqual([
      { code: 'CYCLE_DETECTED', path: ['flow', 'c', 'then', 'gather'], message: 'b -> c -> b' },
    ]);
  });

  test('over a route count, over a recurse do not', () => {
    const route = [{ where: is('again', true), target: 'a' }];
    expect(errors({ a: to({ pass: 'b' }), b: to({ pass: 'c', route }), c: done })).toEqual([
      'CYCLE_DETECTED flow.b.then.route.0.target',
    ]);
    expect(errors({ a: to({ pass: 'b' }), b: to({ recurse: 'a', route: [{ ...route[0], target: 'b' }] }) })).toEqual(
      [],
    );
  });

  test('that nothing reaches are found as well', () => {
    const flow = { a: done, b: to({ pass: 'c' }), c: to({ pass: 'b' }) };
    expect(errors(flow)).toEqual(['CYCLE_DETECTED flow.c.then.pass']);
  });

  test('are not seen where ways only meet again', () => {
    const route = [{ where: is('x', 1), target: 'c' }];
    expect(errors({ a: to({ pass: 'b', route }), b: to({ pass: 'd' }), c: to({ pass: 'd' }), d: done })).toEqual([]);
  });
});

describe('warnings', () => {
  test('of steps that nothing leads to; a recurse leads there', () => {
    expect(warnings({ a: done, b: to({ pass: 'c' }), c: done })).toEqual([
      'UNREACHABLE_KLADOS flow.b',
      'UNREACHABLE_KLADOS flow.c',
    ]);
    expect(warnings({ a: to({ recurse: 'b' }), b: done })).toEqual([]);
  });

  test('of a step that is named like the end', () => {
    expect(warnings({ a: to({ pass: 'done' }), done })).toEqual(['RESERVED_STEP_NAME flow.done']);
  });
});

describe('hostile flows', () => {
  const name = (i: number) => `step ${i}`;
  const chain = (length: number, last: unknown) =>
    Object.fromEntries(
      Array.from({ length }, (_, i) => [name(i), to(i === length - 1 ? last : { pass: name(i + 1) })]),
    );

  test('2,000 steps, one after the other', () => {
    const flow = chain(2000, { done: true });
    expect(checkFlow(name(0), flow)).toEqual({ errors: [], warnings: [] });
    expect(readFlow(flow)?.size).toBe(2000);
  });

  test('a long name of a step is cut between characters', () => {
    const long = (length: number) => `${'x'.repeat(length)}\u{1F30A} and more words`;
    expect(checkFlow('a', { a: to({ pass: long(99) }) }).errors[0]?.message).toBe(
      `there is no step "${'x'.repeat(99)}"`,
    );
    const [cycle] = checkFlow(long(96), { [long(96)]: to({ pass: long(96) }) }).errors;
    expect(cycle?.message).toBe(`${'x'.repeat(96)}... -> ${'x'.repeat(96)}...`);
  });

  test('a cycle of 2,000 steps is named briefly', () => {
    const [cycle, ...others] = checkFlow(name(0), chain(2000, { pass: name(0) })).errors;
    expect(others).toEqual([]);
    expect(cycle?.message).toMatch(/^step 0 -> step 1 -> .* -> \(1961 more\) -> .* -> step 1999 -> step 0$/);
    expect(cycle?.message.length).toBeLessThan(1000);
  });

  test.each([2001, 10_000])('more steps are refused, whatever they are: %i', (length) => {
    const flow = chain(length, {});
    expect(errors(flow, name(0))).toEqual(['FLOW_TOO_LARGE flow']);
    expect(readFlow(flow)).toBeNull();
  });

  test('routes without number are refused before they are looked at', () => {
    const rule = { where: is('x', 1), target: 'b' };
    const flow = { a: to({ pass: 'b', route: Array(60_000).fill(rule) }), b: done };
    expect(errors(flow)).toEqual(['FLOW_TOO_LARGE flow']);
    expect(readFlow(flow)).toBeNull();
    expect(
      errors({ a: to({ pass: 'b', route: [{ ...rule, where: is('x'.repeat(5_000_000), 1) }] }), b: done }),
    ).toEqual(['FLOW_TOO_LARGE flow']);
    expect(errors({ a: to({ pass: 'b', route: Array(6000).fill(rule) }), b: done })).toEqual([]);
  });

  test('every step leading to every other is told of in few words', () => {
    const names = Array.from({ length: 80 }, (_, i) => name(i));
    const route = names.map((target) => ({ where: is('x', 1), target }));
    const flow = Object.fromEntries(names.map((one) => [one, to({ pass: name(0), route })]));
    expect(checkFlow(name(0), flow).errors).toHaveLength(10);
  });

  test('faults without number are told of a hundred times', () => {
    const route = Array.from({ length: 20_000 }, () => ({}));
    expect(errors({ a: to({ pass: 'b', route }), b: done })).toHaveLength(100);
    const unreached = Object.fromEntries(Array.from({ length: 1900 }, (_, i) => [name(i), done]));
    expect(warnings({ a: done, ...unreached })).toHaveLength(100);
    expect(errors(Object.fromEntries(Array.from({ length: 1900 }, (_, i) => [name(i), 0])), name(0))).toHaveLength(100);
  });

  test('names that mean something to JavaScript are names', () => {
    const flow = JSON.parse(
      `{"__proto__": ${JSON.stringify(to({ pass: 'constructor' }))}, "constructor": ${JSON.stringify(done)}}`,
    );
    expect(checkFlow('__proto__', flow)).toEqual({ errors: [], warnings: [] });
    expect([...(readFlow(flow)?.keys() ?? [])]).toEqual(['__proto__', 'constructor']);
    const input = '{"__proto__":{"a":1},"b":{"__proto__":2}}';
    const read = readFlow({ a: { ...done, input: JSON.parse(input) } });
    expect(JSON.stringify(read?.get('a')?.input)).toBe(input);
    expect(errors(JSON.parse('{"a": {"__proto__": {"klados": 1, "then": {"done": true}}}}'))).toEqual([
      'MISSING_KLADOS flow.a.klados',
      'MISSING_THEN flow.a.then',
    ]);
  });

  test('conditions nested deep', () => {
    let where: unknown = is('x', 1);
    for (let i = 0; i < 90; i++) where = { and: [where] };
    const flow = { a: to({ pass: 'b', route: [{ where, target: 'b' }] }), b: done };
    expect(errors(flow)).toEqual([]);
    expect(readFlow(flow)).not.toBeNull();
  });
});
