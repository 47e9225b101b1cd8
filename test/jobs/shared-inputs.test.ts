import { expect, test } from 'vitest';
import { SharedInputs } from '../../src/server/jobs/shared-inputs.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import type { Reader } from '../../src/server/store/connection.ts';
import type { NewJobBatch } from '../../src/server/store/jobs/job-rows.ts';
import { commit, idOf, openStore, type TestStore } from '../helpers/store.ts';

const request = { job_collection: idOf(1), api_base: '', expires_at: '', network: 'main' } as const;

function batchOf(id: string, input: JsonObject | undefined): NewJobBatch {
  return {
    id,
    job: {
      ...{ type: 'klados', processor: idOf(2), rhiza: null, collection: idOf(1), target: idOf(3), parent: null },
      ...{ retries: null, handoff: null, asker: idOf(4), created: 0, expires: 1 },
      request: { ...request, ...(input && { input }) },
    },
    items: [{ target_entity: idOf(5) }],
  };
}

/** Asks for the input of a job of each batch in turns, twice; gives what came the last time, and how often the store was read. */
async function inTurns({ store }: TestStore, inputs: (JsonObject | undefined)[]) {
  const batches = inputs.map((input, n) => batchOf(`batch_${n}`, input));
  await store.submit([commit([], { rows: batches.map((batch) => ({ kind: 'job_batch' as const, batch })) })]);
  const shared = new SharedInputs();
  let reads = 0;
  const counting = (db: Reader): Reader => ({
    get: (sql, ...params) => {
      reads++;
      return db.get(sql, ...params);
    },
    all: (sql, ...params) => db.all(sql, ...params),
    each: (sql, ...params) => db.each(sql, ...params),
  });
  const round = () =>
    batches.map(({ id: run }) =>
      store.look((db) =>
        shared.inputOf(counting(db), { id: `job of ${run}`, run, parent: null, request: { ...request, job_id: '' } }),
      ),
    );
  round();
  return { found: round(), reads };
}

test('the batches of as many jobs as are sent at once are read once each, also those that give nothing to all', async () => {
  await using opened = await openStore('here');
  const inputs = Array.from({ length: 32 }, (_, n) => (n % 2 === 0 ? { n } : undefined));
  expect(await inTurns(opened, inputs)).toEqual({ found: inputs, reads: 32 });
});

test('long inputs are kept as far as there is room for them', async () => {
  await using opened = await openStore('here');
  const inputs = Array.from({ length: 5 }, (_, n) => ({ n, text: 'x'.repeat(4 * 2 ** 20) }));
  expect(await inTurns(opened, inputs)).toEqual({ found: inputs, reads: 10 });
});
