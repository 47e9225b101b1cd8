import { expect, test } from 'vitest';
import { jobLogOf } from '../../src/server/model/job-log.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';

const manifest = (properties: JsonObject, type = 'klados_log'): Manifest => ({
  schema: 's',
  id: '01J00000000000000000000000',
  type,
  created_at: '2026-02-20T10:00:00.000Z',
  ver: 1,
  ts: '2026-02-20T10:00:00.000Z',
  prev: null,
  properties,
  relationships: [],
  edited_by: { user_id: 'K', method: 'ai_generated' },
});
const entry = (more: JsonObject): JsonObject => ({
  job_id: 'job_1',
  klados_id: 'K',
  status: 'running',
  log_data: { entry: { started_at: '2026-02-20T10:00:00.100Z', ...more }, messages: [] },
});

test('a log says whose it is and how far it has come', () => {
  expect(jobLogOf(manifest(entry({ status: 'running' })))).toEqual({
    job: 'job_1',
    klados: 'K',
    status: 'running',
    started: '2026-02-20T10:00:00.100Z',
    completed: null,
    error: null,
    promised: 0,
  });
});

test('what a processor left out of an error is filled in', () => {
  const error = (given: JsonObject) => jobLogOf(manifest(entry({ status: 'error', error: given })))?.error;
  expect(error({ code: 'TIMEOUT', message: 'late', retryable: true })).toEqual({
    code: 'TIMEOUT',
    message: 'late',
    retryable: true,
  });
  expect(error({})).toEqual({ code: 'UNKNOWN', message: '', retryable: false });
  expect(error({ message: 'm'.repeat(5000), retryable: 'yes' })?.message).toHaveLength(1000);
  expect(error({ message: `${'m'.repeat(999)}🌍` })?.message).toBe('m'.repeat(999));
});

test.each<[string, JsonObject[], number]>([
  ['a pass', [{ type: 'pass', invocations: [{}, {}] }], 2],
  ['a pass that does not say to whom', [{ type: 'pass' }], 1],
  ['a scatter', [{ type: 'scatter', outputs: ['a', 'b', 'c'], done_slots: 1, invocations: [{}] }], 2],
  ['a scatter without outputs', [{ type: 'scatter', invocations: [{}, {}] }], 2],
  ['a scatter that says nonsense', [{ type: 'scatter', outputs: ['a'], done_slots: 9 }], 0],
  [
    'two groups',
    [
      { type: 'pass', invocations: [{}] },
      { type: 'recurse', invocations: [{}] },
    ],
    2,
  ],
])('%s promises its jobs', (_, handoffs, promised) => {
  expect(jobLogOf(manifest(entry({ status: 'done', handoffs })))?.promised).toBe(promised);
});

test.each<[string, Manifest]>([
  ['another type', manifest(entry({}), 'document')],
  ['nothing', manifest({})],
  ['a status that is none', manifest({ ...entry({}), status: 'pending' })],
  ['no job', manifest({ klados_id: 'K', status: 'done' })],
  ['texts in place of objects', manifest({ job_id: 'j', klados_id: 'K', log_data: 'x', status: 7 })],
  ['a tombstone', { ...manifest(entry({})), deleted: true }],
])('%s is no log', (_, given) => {
  expect(jobLogOf(given)).toBeNull();
});

test('times that are none are left out', () => {
  const log = jobLogOf(manifest(entry({ status: 'done', started_at: 'yesterday', completed_at: 5 })));
  expect(log).toMatchObject({ started: null, completed: null });
});
