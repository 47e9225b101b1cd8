import { expect, test } from 'vitest';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import { openReader } from '../../src/server/store/connection.ts';
import type { NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { statusOfRun } from '../../src/server/store/jobs/jobs.ts';
import { readRun } from '../../src/server/store/jobs/run-list.ts';
import { explaining } from '../helpers/plans.ts';
import { commit, first, idOf, openStore, step } from '../helpers/store.ts';

test('the open batches of a run are looked for among what its collection lists since the run began, the clock set back by an hour', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const [collection, processor, created] = [idOf(5), idOf(1), Date.UTC(2026, 0, 1, 12)];
  const job: NewJob = {
    ...{ id: 'job_1', run: 'job_1', type: 'klados', processor, rhiza: null, collection, target: collection },
    ...{ parent: null, retries: null, handoff: null, asker: '{}', request: { job_id: 'job_1' } as JobRequest },
    ...{ created, expires: created + 1000, state: 'accepted', attempts: 1 },
  };
  const inRun = (n: number, type: string, properties: object) =>
    first(idOf(n), {
      ...{ type, created_at: new Date(created - 3_600_000).toISOString(), relationships: [['collection', collection]] },
      properties: { job_id: job.id, ...properties },
    });
  const log = inRun(10, 'klados_log', { klados_id: processor, log_data: { entry: { status: 'done' } } });
  const batch = inRun(11, 'batch', { status: 'pending', total: 0, gather_klados: processor });
  const db = openReader(opened.file);
  try {
    const plans: string[] = [];
    const status = () => statusOfRun(explaining(db, plans), { run: job.id, nowMs: created }).status;
    await store.submit([commit([], { rows: [{ kind: 'job', job }] }), step(null, log)]);
    expect(status()).toBe('done');
    // Of one that is shown, and asked for each second, all jobs are read once.
    plans.length = 0;
    readRun(explaining(db, plans), { job: job.id, failed: false, offset: 0, limit: 10, nowMs: created });
    expect(plans.filter((plan) => /^SEARCH j .*run=/.test(plan))).toHaveLength(1);
    await store.submit([step(null, batch)]);
    expect(status()).not.toBe('done');
    expect(plans.join('\n')).toMatch(/SEARCH l USING PRIMARY KEY \(collection=\? AND created_at>\?\)/);
  } finally {
    db.close();
  }
});
