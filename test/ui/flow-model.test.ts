import { describe, expect, test } from 'vitest';
import { findingsOf } from '../../src/renderer/src/views/flow/model/findings.ts';
import {
  connected,
  disconnected,
  draftOf,
  type FlowDraft,
  freeName,
  linksOf,
  saidBy,
  stepsOf,
  withForm,
  withName,
  withoutStep,
  withRoutes,
  withStep,
  withThen,
} from '../../src/renderer/src/views/flow/model/flow-draft.ts';
import { besideFlow, flowFault, flowIn, flowText } from '../../src/renderer/src/views/flow/model/flow-text.ts';
import { layoutOf } from '../../src/renderer/src/views/flow/model/layout.ts';
import { isTypable, meantBy, typedOf } from '../../src/renderer/src/views/flow/model/route-value.ts';
import type { RunJob } from '../../src/renderer/src/views/jobs/job-queries.ts';
import { treeOf } from '../../src/renderer/src/views/jobs/model/job-tree.ts';
import { logMessages } from '../../src/renderer/src/views/jobs/model/log-messages.ts';
import { fieldsOf, inputOf, withField } from '../../src/renderer/src/views/process/model/schema-form.ts';
import { bodyOf, changesOf, emptyForm, formOf } from '../../src/renderer/src/views/processors/form-values.ts';

const klados = { id: 'K', type: 'klados' as const };
const empty: FlowDraft = { entry: '', flow: {} };
const three = ['read', 'work', 'join'].reduce<FlowDraft>(
  (draft, name, i, all) => withStep(draft, name, klados, all[i - 1] ?? null),
  empty,
);

describe('a flow that is edited', () => {
  test('begins with its first step, and each new one follows the one before', () => {
    expect(three).toEqual({
      entry: 'read',
      flow: {
        read: { klados, then: { pass: 'work' } },
        work: { klados, then: { pass: 'join' } },
        join: { klados, then: { done: true } },
      },
    });
    expect(linksOf(three).map(({ source, target, form }) => [source, target, form])).toEqual([
      ['read', 'work', 'pass'],
      ['work', 'join', 'pass'],
    ]);
  });

  test('is typed as JSON of which nothing would be lost', () => {
    expect(flowIn(flowText(three))).toEqual(three);
    expect(flowIn('{}')).toEqual(empty);
    const wrong = (text: string) => {
      expect(flowIn(text)).toBeNull();
      return flowFault(text);
    };
    expect(wrong('{"entry": "a", "flow": {')).toMatchObject({ reason: 'syntax', line: 1, column: 25 });
    expect(wrong('{"flow": {"a": {}, "b": {}, "a": {}}}')).toMatchObject({ reason: 'twice', what: 'a' });
    expect(wrong('{"flow": {"a": {"input": {"id": 12345678901234567890}}}}')?.reason).toBe('number');
    for (const text of ['[]', '"a"', '{"flow": []}']) expect(wrong(text)?.reason).toBe('object');
  });

  test('compares with what is typed, and no other number', () => {
    const meant = (text: string) => (['text', 'plain', null] as const).map((as) => meantBy({ text, as }));
    expect(meant('1850')).toEqual(['1850', 1850, 1850]);
    expect(meant('-1.50')).toEqual(['-1.50', -1.5, -1.5]);
    expect(meant('true')).toEqual(['true', true, true]);
    expect(meant('null')).toEqual(['null', null, null]);
    expect(meant('007')).toEqual(['007', 7, '007']);
    expect(meant('+49')).toEqual(['+49', 49, '+49']);
    for (const text of ['12345678901234567890', '0.1234567890123456789', '-', '', '1e999', 'Infinity', 'blue'])
      expect(meant(text)).toEqual([text, text, text]);
    for (const value of ['1850', 1850, '007', 7, 'true', true, null, 'null', '', 'blue', 1.5, 1e-7])
      expect(meantBy(typedOf(value)), String(value)).toBe(value);
    expect(['a', 'a\nb', 1, null, [], {}].map(isTypable)).toEqual([true, false, true, true, false, false]);
  });

  test('keeps its routes and what else it says when a step is named anew, led elsewhere or removed', () => {
    const given = draftOf({
      entry: 'read',
      flow: {
        ...three.flow,
        work: {
          klados: { id: 'K', label: 'kept' },
          more: [1],
          then: { scatter: 'join', route: [{ where: { property: 'a', equals: 1 }, target: 'read' }] },
        },
      },
    }) as FlowDraft;
    const named = withName(withName(given, 'join', 'end'), 'read', 'begin');
    expect(named.entry).toBe('begin');
    expect(Object.keys(named.flow)).toEqual(['begin', 'work', 'end']);
    expect(named.flow.work).toEqual({
      klados: { id: 'K', label: 'kept' },
      more: [1],
      then: { scatter: 'end', route: [{ where: { property: 'a', equals: 1 }, target: 'begin' }] },
    });
    expect(withName(given, 'read', 'work')).toBe(given);
    const gone = withoutStep(named, 'begin');
    expect(gone.entry).toBe('work');
    expect(stepsOf(gone)[0]).toMatchObject({ form: 'scatter', target: 'end', routes: [] });
    expect(withoutStep(gone, 'end').flow.work).toMatchObject({ then: { done: true }, more: [1] });
  });

  test('keeps what else is said of what follows a step, and of its routes', () => {
    const rule = { where: { property: 'a', equals: 1 }, target: 'join', about: 'maps' };
    const given = draftOf({
      entry: 'read',
      flow: { ...three.flow, read: { klados, then: { pass: 'work', note: 'x', route: [rule] } } },
    }) as FlowDraft;
    const then = (draft: FlowDraft) => (draft.flow.read as { then: object }).then;
    expect(then(withThen(given, 'read', 'scatter', 'join'))).toEqual({ scatter: 'join', note: 'x', route: [rule] });
    expect(then(withThen(given, 'read', 'done', ''))).toEqual({ done: true, note: 'x' });
    expect(then(withName(given, 'join', 'end'))).toMatchObject({ route: [{ ...rule, target: 'end' }] });
    expect(besideFlow('{"entry": "a", "note": 1, "flow": {}}')).toEqual(['note']);
    expect(['{"entry"', '[]', flowText(given)].map(besideFlow)).toEqual([[], [], []]);
  });

  test('has its routes, its target and its depth back when its way on comes back', () => {
    const rule = { where: { property: 'a', equals: 1 }, target: 'join', about: 'maps' };
    const ends = { where: { property: 'a', equals: 2 }, target: 'done' };
    const then = { recurse: 'work', max_depth: 4, note: 'x', route: [rule, ends] };
    const given = draftOf({ entry: 'read', flow: { ...three.flow, read: { klados, then } } }) as FlowDraft;
    const step = (draft: FlowDraft) => stepsOf(draft).find(({ name }) => name === 'read')!;
    let now = given;
    let said = saidBy(step(now), undefined);
    for (const form of ['pass', 'done', 'gather', 'done', 'done'] as const) {
      now = withForm(now, 'read', form, said);
      said = saidBy(step(now), said);
    }
    expect(step(now)).toMatchObject({ form: 'done', routes: [], more: { note: 'x' } });
    expect(withForm(now, 'read', 'recurse', said)).toEqual(given);
    // What is there no more does not come back.
    const without = withoutStep(now, 'join');
    expect(step(withForm(without, 'read', 'pass', said))).toMatchObject({ target: 'work', routes: [ends] });
    expect(step(withForm(withoutStep(now, 'work'), 'read', 'pass', said))).toMatchObject({ target: 'join' });
    // What was taken away while there was room for it does neither.
    const bare = withRoutes(given, 'read', []);
    const ended = withForm(bare, 'read', 'done', saidBy(step(bare), said));
    expect(step(withForm(ended, 'read', 'pass', saidBy(step(ended), saidBy(step(bare), said)))).routes).toEqual([]);
  });

  test('is led on by a line, which can be taken away', () => {
    const back = connected(withThen(three, 'join', 'recurse', 'work'), 'join', 'read');
    expect(stepsOf(back)[2]).toMatchObject({ form: 'recurse', target: 'read' });
    const routed = withRoutes(three, 'read', [{ where: { property: 'kind', equals: 'map' }, target: 'join' }]);
    const [own, route] = linksOf(routed);
    expect(route).toMatchObject({ target: 'join', route: 0, when: 'kind = map' });
    expect(stepsOf(disconnected(routed, route!))[0]).toMatchObject({ form: 'pass', routes: [] });
    expect(stepsOf(disconnected(routed, own!))[0]).toMatchObject({ form: 'done' });
    expect(connected(three, 'join', 'nowhere')).toBe(three);
  });

  test('gives names that are free, also of labels without letters', () => {
    expect(freeName(three, 'Read!')).toBe('read-2');
    expect(freeName(three, '…')).toBe('step');
    expect(freeName(three, 'done')).toBe('step');
  });

  test('may be anything, as another node wrote it', () => {
    expect(draftOf([])).toBeNull();
    expect(draftOf({ flow: 'x' })).toBeNull();
    const wild = draftOf({
      entry: 7,
      flow: { a: null, b: { klados: [], then: { pass: 1, done: true } } },
    }) as FlowDraft;
    expect(stepsOf(wild)).toMatchObject([
      { name: 'a', klados: null, form: null },
      { name: 'b', klados: null, form: null },
    ]);
    expect(linksOf(wild)).toEqual([]);
  });
});

describe('the arrangement', () => {
  test('puts each step right of all that lead to it, and none over another', () => {
    const split = withRoutes(withStep(three, 'maps', klados, null), 'read', [
      { where: { property: 'kind', equals: 'map' }, target: 'maps' },
    ]);
    const places = layoutOf(withThen(withThen(split, 'maps', 'pass', 'join'), 'join', 'recurse', 'read'));
    const x = (name: string) => places.get(name)?.x ?? Number.NaN;
    expect(x('read')).toBeLessThan(x('work'));
    expect(x('maps')).toBe(x('work'));
    expect(x('join')).toBeGreaterThan(x('work'));
    expect(new Set([...places.values()].map((place) => JSON.stringify(place))).size).toBe(4);
  });

  test('takes circles, and flows of thousands of steps', () => {
    const names = Array.from({ length: 5000 }, (_, i) => `s${i}`);
    const flow = Object.fromEntries(
      names.map((name, i) => [name, { then: { pass: names[(i + 1) % names.length] ?? '' } }]),
    );
    const places = layoutOf({ entry: 's0', flow });
    expect(places.size).toBe(5000);
    expect(places.get('s4999')?.x).toBeGreaterThan(places.get('s1')?.x ?? 0);
  });
});

test('what the node says of a flow stands at its step', () => {
  const findings = findingsOf([
    { path: ['flow', 'read', 'then', 'pass'], message: 'INVALID_TARGET: no step' },
    { path: ['entry'], message: 'name the step' },
  ]);
  expect(findings).toEqual([
    { step: 'read', place: 'then.pass', code: 'INVALID_TARGET', message: 'no step', serious: true },
    { step: null, place: 'entry', code: null, message: 'name the step', serious: true },
  ]);
});

describe('the form of a processor', () => {
  test('sends what was changed, and says what is to go', () => {
    const before = formOf({ label: 'a', description: 'b', endpoint: 'https://x', actions_required: ['entity:view'] });
    const after = { ...before, label: 'c', description: ' ', endpoint: 'https://x//' };
    expect(changesOf(before, after, 'agent')).toEqual({ label: 'c', properties_remove: ['description'] });
    expect(bodyOf({ ...emptyForm, inputSchema: '[]' }, 'klados')).toBeNull();
    // Of these something would be lost.
    for (const text of ['{"type": "object", "type": "array"}', '{"maximum": 9007199254740993}', '{"maximum": 1e999}']) {
      expect(bodyOf({ ...emptyForm, inputSchema: text }, 'klados')).toBeNull();
      expect(changesOf(emptyForm, { ...emptyForm, outputSchema: text }, 'agent')).toBeNull();
    }
    // Either name of an agent's id counts, as for the node.
    const used = formOf({ uses_agents: [{ id: 'A', label: 'a' }, { pi: 'B', id: 'C' }, { label: 'none' }] });
    expect(used.usesAgents).toEqual([{ pi: 'A', label: 'a' }, { pi: 'B' }]);
    expect(formOf({ label: 1, accepts: 'x', actions_required: [1, 'a'] })).toMatchObject({
      label: '',
      actions: ['a'],
      accepts: { types: [], cardinality: 'one' },
    });
  });
});

describe('the form of an input', () => {
  test('has a field for each member that the schema names', () => {
    const fields = fieldsOf({
      type: 'object',
      required: ['lang'],
      properties: {
        lang: { type: 'string', title: 'Language', default: 'en' },
        depth: { type: 'integer' },
        mode: { enum: ['fast', 'good'] },
        tags: { type: 'array' },
      },
    });
    expect(fields?.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['lang', 'text', true],
      ['depth', 'number', false],
      ['mode', 'choice', false],
      ['tags', 'json', false],
    ]);
    expect(fields?.[0]).toMatchObject({ title: 'Language', fallback: 'en' });
    expect([fieldsOf(true), fieldsOf({ type: 'object' }), fieldsOf({ properties: {} })]).toEqual([null, null, null]);
  });

  test('is an object or nothing', () => {
    expect([inputOf(''), inputOf('{"a": 1}'), inputOf('[1]'), inputOf('{')]).toEqual([{}, { a: 1 }, null, null]);
    expect(withField(withField({}, '__proto__', 1), 'a', undefined)).toEqual(JSON.parse('{"__proto__": 1}'));
  });
});

describe('the jobs of a run', () => {
  const job = (job_id: string, more: Partial<RunJob> = {}) =>
    ({ job_id, parent: null, retries: null, ...more }) as RunJob;

  test('stand under those that handed on to them, repetitions beside what they repeat', () => {
    const jobs = [
      job('a'),
      job('b', { parent: 'a' }),
      job('c', { parent: 'a' }),
      job('b2', { retries: 'b' }),
      job('d', { parent: 'b2' }),
    ];
    expect(treeOf(jobs).map(({ job: { job_id }, depth, repeatedBy }) => [job_id, depth, repeatedBy])).toEqual([
      ['a', 0, null],
      ['b', 1, 'b2'],
      ['c', 1, null],
      ['b2', 1, null],
      ['d', 2, null],
    ]);
  });

  test('are all shown, whatever they say of each other', () => {
    const jobs = [
      job('a', { parent: 'b' }),
      job('b', { parent: 'a' }),
      job('c', { retries: 'c' }),
      job('d', { parent: 'x' }),
    ];
    expect(
      treeOf(jobs)
        .map((line) => line.job.job_id)
        .sort(),
    ).toEqual(['a', 'b', 'c', 'd']);
  });

  test('have logs that may say anything', () => {
    const messages = [
      { level: 'loud', message: 'hm' },
      { message: 1 },
      null,
      { level: 'error', message: 'no', metadata: { a: 1 } },
    ];
    expect(logMessages({ log_data: { messages } })).toEqual([
      { level: 'info', message: 'hm', at: null, more: null },
      { level: 'error', message: 'no', at: null, more: '{"a":1}' },
    ]);
    expect([logMessages(undefined), logMessages({ log_data: [] })]).toEqual([[], []]);
  });
});
