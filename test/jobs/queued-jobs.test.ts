import { expect, it } from 'vitest';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { Commit } from '../../src/server/store/commit.ts';
import type { NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { queuedJobs } from '../../src/server/store/jobs/jobs.ts';
import { openStore } from '../helpers/store.ts';

it('are those whose time is not over: what expired while it waited is not read again and again', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const made = (n: number, expires: number): Commit => {
    const request = { job_id: `job_${n}` } as JobRequest;
    const job: NewJob = {
      ...{ id: `job_${n}`, run: `job_${n}`, type: 'klados', processor: 'p', rhiza: null, collection: 'c', target: 'c' },
      ...{ parent: null, retries: null, handoff: null, asker: '{}', request, created: 0, expires },
      ...{ state: 'queued', attempts: 0 },
    };
    return { changes: [], preconditions: [], rows: [{ kind: 'job', job }], origin: 'local', time: 0 };
  };
  await store.submit([made(1, 100), made(2, 300), made(3, 200), made(4, 300)]);
  const waiting = (nowMs: number, after = 0, limit = 10) =>
    store.read((db) => queuedJobs(db, { after, except: { ids: [], processors: [] }, limit, nowMs }));
  expect(waiting(50).map(({ job }) => job.id)).toEqual(['job_1', 'job_2', 'job_3', 'job_4']);
  expect(waiting(200).map(({ job }) => job.id)).toEqual(['job_2', 'job_4']);
  const [first] = waiting(200, 0, 1);
  expect(waiting(200, first?.key).map(({ job }) => job.id)).toEqual(['job_4']);
});
