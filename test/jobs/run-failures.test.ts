import { expect, test } from 'vitest';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { RunStatus } from '../../src/server/model/run-status.ts';
import { openReader } from '../../src/server/store/connection.ts';
import type { NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { failuresOfRun } from '../../src/server/store/jobs/run-failures.ts';
import { readRun } from '../../src/server/store/jobs/run-list.ts';
import { longReads } from '../../src/server/store/threads/long-reads.ts';
import { commit, idOf, openStore } from '../helpers/store.ts';

const [created, place] = [Date.UTC(2026, 0, 1), idOf(5)];
const jobOf = (id: string): NewJob => ({
  ...{ id, run: 'run', type: 'klados', processor: idOf(1), rhiza: null, collection: place, target: place },
  ...{ parent: null, retries: null, handoff: null, asker: '{}', request: { job_id: id } as JobRequest },
  ...{ created, expires: created + 1000, state: 'refused', attempts: 1 },
});

test('of very many jobs that failed a state tells the first thousand, and all are repeated', async () => {
  await using opened = await openStore('here');
  const ids = Array.from({ length: 1001 }, (_, i) => `job_${i}`);
  await opened.store.submit([commit([], { rows: ids.map((id) => ({ kind: 'job', job: jobOf(id) })) })]);
  const db = openReader(opened.file);
  try {
    const now = { run: 'run', nowMs: created };
    const { errors, progress } = JSON.parse(longReads.runStatus(db, now)) as RunStatus;
    expect([progress.error, errors.length, errors.at(-1)?.job_id]).toEqual([1001, 1000, 'job_999']);
    expect(failuresOfRun(db, { ...now, codes: null })).toEqual({ failed: 1001, repeatable: ids });
    expect(failuresOfRun(db, { ...now, codes: ['TIMEOUT'] })).toEqual({ failed: 1001, repeatable: [] });
  } finally {
    db.close();
  }
});

test('of a run those that failed are shown by themselves, with what repeats them', async () => {
  await using opened = await openStore('here');
  const taken = (id: string, more: Partial<NewJob> = {}): NewJob => ({ ...jobOf(id), state: 'accepted', ...more });
  const jobs = [taken('fine'), jobOf('refused'), jobOf('repeated'), taken('again', { retries: 'repeated' })];
  const asked = taken('asked', { type: 'agent' });
  await opened.store.submit([commit([], { rows: [...jobs, asked].map((job) => ({ kind: 'job', job })) })]);
  const db = openReader(opened.file);
  try {
    const failed = (nowMs: number) => readRun(db, { job: 'run', failed: true, offset: 1, limit: 2, nowMs });
    expect(failed(created)).toMatchObject({ total: 3, jobs: [{ job_id: 'repeated' }, { job_id: 'again' }] });
    // What became of an agent's job only that can say.
    expect(failed(created + 1000)).toMatchObject({ total: 4, run: { progress: { total: 5 } } });
  } finally {
    db.close();
  }
});
