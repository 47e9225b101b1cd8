import { describe, expect, test } from 'vitest';
import type { JobError } from '../../src/server/model/job-log.ts';
import { batchStatus, type RunJob, runStatus } from '../../src/server/model/run-status.ts';

const begun = Date.UTC(2026, 1, 20, 10);
const end = begun + 3_600_000;
const at = (seconds: number) => new Date(begun + seconds * 1000).toISOString();

const job = (id: string, more: Partial<RunJob> = {}): RunJob => ({
  id,
  processor: `K${id[0]}`,
  parent: null,
  retries: null,
  state: 'accepted',
  error: null,
  created: begun,
  expires: end,
  log: null,
  ...more,
});
const running = (from: number): RunJob['log'] => ({
  status: 'running',
  started: at(from),
  completed: null,
  error: null,
  promised: 0,
});
const done = (from: number, to: number, promised = 0): RunJob['log'] => ({
  status: 'done',
  started: at(from),
  completed: at(to),
  error: null,
  promised,
});
const timedOut: JobError = { code: 'TIMEOUT', message: 'request timed out', retryable: true };
const failed = (from: number, to: number, error = timedOut): RunJob['log'] => ({
  status: 'error',
  started: at(from),
  completed: at(to),
  error,
  promised: 0,
});

/** The run of processors.md, section 5: a scatter over three, then a gather. */
const scattered = (slots: [RunJob['log'], RunJob['log'], RunJob['log']]): RunJob[] => [
  job('1', { log: done(0.1, 1, 3) }),
  ...slots.map((log, i) => job(`2${i}`, { parent: '1', log })),
];
const nothing = { pending: 0, running: 0, done: 0, error: 0 };

describe('a run', () => {
  test('is pending until its first log', () => {
    expect(runStatus([job('1', { state: 'sent' })], [], begun)).toEqual({
      status: 'pending',
      progress: { ...nothing, total: 1, pending: 1 },
      current: [],
      errors: [],
      started: at(0),
      completed: null,
    });
  });

  test('that is a batch of which not all are jobs yet is pending until its first log, too', () => {
    const status = (...jobs: RunJob[]) =>
      batchStatus(runStatus(jobs, [], begun), { run: 'D', rest: 5, first: jobs[0] }, begun);
    expect(status()).toMatchObject({ status: 'pending', progress: { ...nothing, total: 5, pending: 5 } });
    expect(status(job('1'))).toMatchObject({ status: 'pending', progress: { total: 6, pending: 6 } });
    expect(status(job('1', { log: running(1) }))).toMatchObject({ status: 'running', progress: { total: 6 } });
    expect(status(job('1', { log: done(0, 1) }))).toMatchObject({ status: 'running', completed: null });
  });

  test('that is a batch whose time was up before all were jobs runs while a failed one is repeated, and ends with that', () => {
    const status = (log: RunJob['log']) => {
      const jobs = [job('1'), job('12', { retries: '1', created: end + 1000, expires: end + 3_601_000, log })];
      return batchStatus(runStatus(jobs, [], end + 2000), { run: 'D', rest: 2, first: jobs[0] }, end + 2000);
    };
    const errors = [{ job_id: 'D', code: 'TIMEOUT' }];
    expect(status(running(3601))).toMatchObject({ status: 'running', completed: null, errors });
    expect(status(done(3601, 3602))).toMatchObject({ status: 'error', completed: at(3602), errors });
  });

  test('runs while a job of it does (m88)', () => {
    expect(runStatus(scattered([running(0.5), running(0.6), running(0.7)]), [], begun)).toEqual({
      status: 'running',
      progress: { ...nothing, total: 4, running: 3, done: 1 },
      current: ['K2'],
      errors: [],
      started: at(0.1),
      completed: null,
    });
  });

  test('is not done between a job and the one that it handed on to', () => {
    const [first, ...rest] = scattered([done(1, 2), done(1, 2), null]);
    expect(runStatus([first as RunJob, ...rest], [], begun)).toMatchObject({
      status: 'running',
      progress: { pending: 1, done: 3 },
    });
  });

  test('is done when all of it is (m89)', () => {
    const jobs = [
      ...scattered([done(0.5, 4), done(0.6, 6), done(0.7, 8, 1)]),
      job('3', { parent: '22', log: done(8.2, 9) }),
    ];
    expect(runStatus(jobs, [], begun)).toMatchObject({
      status: 'done',
      progress: { total: 5, done: 5, error: 0 },
      started: at(0.1),
      completed: at(9),
    });
  });

  test('ends in an error, and goes on when the failed job is repeated (m93, m96)', () => {
    const jobs = scattered([done(0.5, 4), failed(0.6, 6), done(0.7, 8)]);
    expect(runStatus(jobs, [], begun)).toEqual({
      status: 'error',
      progress: { ...nothing, total: 4, done: 3, error: 1 },
      current: [],
      errors: [{ klados_id: 'K2', job_id: '21', ...timedOut }],
      started: at(0.1),
      completed: at(8),
    });
    const again = [...jobs, job('2x', { parent: '1', retries: '21', log: done(12, 18, 1) })];
    expect(runStatus([...again, job('3', { parent: '2x' })], [], begun)).toMatchObject({
      status: 'running',
      errors: [],
    });
    expect(runStatus([...again, job('3', { parent: '2x', log: done(19, 20) })], [], begun)).toEqual({
      status: 'done',
      progress: { ...nothing, total: 6, done: 5, error: 1 },
      current: [],
      errors: [],
      started: at(0.1),
      completed: at(20),
    });
  });

  test('never runs for ever: what has no end of its log when its time is up has timed out', () => {
    const [first, a, b] = scattered([running(0.5), null, done(1, 2)]);
    const jobs = [first, a, b].map((one) => one as RunJob);
    expect(runStatus(jobs, [], end - 1).status).toBe('running');
    const late = runStatus(jobs, [], end);
    expect(late).toMatchObject({ status: 'error', completed: new Date(end).toISOString() });
    expect(late.errors).toMatchObject([
      { job_id: '20', code: 'TIMEOUT', retryable: true },
      { job_id: '21', code: 'TIMEOUT', retryable: true, message: expect.stringContaining('wrote no log') },
    ]);
  });

  test('that says when none of its jobs ended has ended when the last of them began, not before, and not in the future', () => {
    const open = (log: RunJob['log']) => log && { ...log, completed: null };
    const over = [job('1', { log: open(done(2, 0)) }), job('2', { parent: '1', log: open(failed(5, 0)) })];
    expect(runStatus(over, [], begun + 10_000)).toMatchObject({ status: 'error', completed: at(5) });
    expect(runStatus([over[0] as RunJob], [], begun + 10_000)).toMatchObject({ status: 'done', completed: at(2) });
  });

  test('tells of a job that the processor refused', () => {
    const jobs = [job('1', { log: done(0, 1, 1) }), job('2', { parent: '1', state: 'refused', error: 'no key' })];
    expect(runStatus(jobs, [], begun)).toMatchObject({
      status: 'error',
      errors: [{ klados_id: 'K2', job_id: '2', code: 'REJECTED', message: 'no key', retryable: true }],
    });
  });

  test('believes the log of a job, whatever the answer was', () => {
    for (const state of ['refused', 'unknown', 'sent'] as const)
      expect(runStatus([job('1', { state, error: 'e', log: done(0, 1) })], [], end).status).toBe('done');
  });

  test('counts what a failed job had handed on as void', () => {
    const jobs = [
      job('1', { log: failed(0, 1) }),
      job('2', { parent: '1', state: 'refused', error: 'no' }),
      job('3', { parent: '1', log: done(1, 2) }),
    ];
    expect(runStatus(jobs, [], begun).errors.map(({ job_id }) => job_id)).toEqual(['1']);
  });

  test('counts as void what came of that by others, and of a job that was repeated', () => {
    const first = job('1', { log: failed(0, 1) });
    const rest = [
      job('2', { parent: '1', log: done(1, 2, 2) }),
      job('3', { parent: '2', log: failed(2, 3) }),
      job('4', { parent: '3', log: failed(2, 3) }),
    ];
    const errors = (...jobs: RunJob[]) => runStatus(jobs, [], begun).errors.map(({ job_id }) => job_id);
    expect(errors(first, ...rest)).toEqual(['1']);
    const again = [job('1x', { retries: '1', log: done(4, 5, 1) }), job('2x', { parent: '1x', log: done(6, 7) })];
    const stuck = ['2', '1'].map((scatter) => ({ id: `B${scatter}`, job: scatter, klados: null }));
    // One that came to its end after all, when it had been repeated, counts no more either.
    for (const before of [first, job('1', { log: done(0, 8, 3) })])
      expect(runStatus([before, ...rest, ...again], stuck, begun)).toMatchObject({ status: 'done', errors: [] });
  });

  test('waits for what was promised, and no longer than its time', () => {
    const jobs = [job('1', { log: done(0, 1, 2) }), job('2', { parent: '1', log: done(1, 2) })];
    expect(runStatus(jobs, [], begun).status).toBe('running');
    expect(runStatus(jobs, [], end)).toMatchObject({ status: 'error', errors: [{ job_id: '1', code: 'TIMEOUT' }] });
  });

  test('whose gather nobody will begin is an error', () => {
    const jobs = scattered([done(0.5, 4), done(0.6, 6), done(0.7, 8)]);
    const stuck = [{ id: 'B', job: '1', klados: null }];
    expect(runStatus(jobs, stuck, begun)).toMatchObject({
      status: 'error',
      errors: [{ klados_id: 'K1', job_id: '1', code: 'GATHER_STUCK', retryable: false }],
    });
    const going = [...jobs, job('3', { log: running(9) })];
    expect(runStatus(going, stuck, begun)).toMatchObject({ status: 'running', errors: [] });
  });
});
