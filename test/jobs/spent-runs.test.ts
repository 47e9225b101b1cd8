import { expect, it } from 'vitest';
import { JobPruner } from '../../src/server/jobs/pruner.ts';
import { JobSender } from '../../src/server/jobs/sender.ts';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { Commit } from '../../src/server/store/commit.ts';
import type { NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { spentJobs } from '../../src/server/store/jobs/spent-runs.ts';
import { openStore } from '../helpers/store.ts';

const made = (run: string, n: number, expires: number): Commit => {
  const request = { job_id: `${run} ${n}` } as JobRequest;
  const job: NewJob = {
    ...{ id: `${run} ${n}`, run, type: 'klados', processor: 'p', rhiza: null, collection: 'c', target: 'c' },
    ...{ parent: null, retries: null, handoff: null, asker: '{}', request, created: 0, expires },
    ...{ state: 'accepted', attempts: 1 },
  };
  return { changes: [], preconditions: [], rows: [{ kind: 'job', job }], origin: 'local', time: 0 };
};

it('go where all their jobs have ended, of which a part is looked at a time', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const jobs = (run: string, ...expires: number[]) => expires.map((end, n) => made(run, n, end));
  await store.submit([...jobs('over', ...Array.from({ length: 501 }, () => 10)), ...jobs('live', 10, 10, 10, 99)]);
  const pages: object[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const page = store.read((db) => spentJobs(db, 'live', { before: 50, after: from, limit: 3 }));
    pages.push(page);
    after = page.next;
  }
  expect(pages).toEqual([
    { spent: true, next: 504 },
    { spent: false, next: null },
  ]);
  const log = { error: () => expect.unreachable(), info: () => undefined };
  const stop = new AbortController().signal;
  const sender = new JobSender({ dispatchers: [], apiBase: () => '', now: () => 60, log, stop });
  const pruner = new JobPruner({ sender, now: () => 60, keepMs: 10, log, stop });
  const left = () => store.read((db) => db.all('SELECT run, count(*) AS n FROM job GROUP BY run'));
  expect([await pruner.prune(store), left()]).toEqual([1, [{ run: 'live', n: 4 }]]);
  await store.submit([made('over', 0, 99)]);
  expect([await pruner.prune(store), left()]).toMatchObject([0, [{ n: 4 }, { n: 1 }]]);
});
