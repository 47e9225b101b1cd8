import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { ok } from '../helpers/entities.ts';
import { failed, JobScene } from '../helpers/job-scene.ts';

let scene: JobScene;
beforeAll(async () => {
  scene = await JobScene.open();
});
beforeEach(() => scene.renew());
afterAll(() => scene[Symbol.asyncDispose]());

/** Bytes of what the node keeps of a run's requests. */
function kept(run: string): number {
  const db = new Database(join(scene.node.data, 'main', 'archeion.db'), { readonly: true });
  try {
    return db.prepare('SELECT sum(octet_length(request)) FROM job WHERE run = ?').pluck().get(run) as number;
  } finally {
    db.close();
  }
}

const inputs = () => scene.endpoint.received.map(({ body }) => body.input);

test('what the jobs of a batch are given in common is kept once, and each is sent all of it, also when it is repeated', async () => {
  const { id, self } = await scene.klados('accept');
  const input = { text: 'shared '.repeat(20_000), side: 'left', options: { depth: 1 } };
  const invocations = Array.from({ length: 40 }, (_, n) => ({
    target_entity: scene.file.id,
    ...(n === 7 && { input: { side: 'right', options: { width: 2 } } }),
  }));
  const body = { target_collection: scene.target.id, input, invocations, confirm: true };
  const { dispatch_id, job_collection } = ok<{ dispatch_id: string; job_collection: string }>(
    await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, body),
  );
  await scene.node.ctx.invocations.idle();
  expect(scene.endpoint.received).toHaveLength(40);
  const own = { ...input, side: 'right', options: { width: 2 } };
  expect(inputs().filter((one) => (one as typeof input).side === 'right')).toEqual([own]);
  expect(inputs().filter((one) => (one as typeof input).side === 'left')).toEqual(Array(39).fill(input));
  expect(kept(dispatch_id)).toBeLessThan(40 * 1000);

  for (const side of ['left', 'right']) {
    const sent = scene.endpoint.received.find(({ body }) => (body.input as typeof input).side === side);
    const job_id = String(sent?.body.job_id);
    await scene.log(self, { job_id, job_collection }, { status: 'error', error: failed });
    ok(await ask(scene.node, scene.who, `POST /node/jobs/${job_id}/repeat`, {}));
  }
  expect(inputs().slice(40)).toEqual([input, own]);
  expect(kept(dispatch_id)).toBeLessThan(42 * 1000);
});

test('what a job of a batch hands on has the input that it is given there, and no other', async () => {
  const { id, self } = await scene.klados('accept');
  const body = { target_collection: scene.target.id, input: { side: 'left' }, confirm: true };
  const invocations = [{ target_entity: scene.file.id }];
  ok(await ask(scene.node, scene.who, `POST /kladoi/${id}/invoke/batch`, { ...body, invocations }));
  await scene.node.ctx.invocations.idle();
  const [first] = scene.endpoint.received;
  const [job_id, job_collection] = [String(first?.body.job_id), String(first?.body.job_collection)];
  const log = await scene.log(self, { job_id, job_collection }, { status: 'running' });
  const rhiza = { id: scene.home.id, path: ['first', 'second'], parent_logs: [log.id] };
  await scene.invoke(id, { job_collection, input: { depth: 2 }, rhiza }, self);
  await scene.invoke(id, { job_collection, rhiza }, self);
  expect(inputs()).toEqual([{ side: 'left' }, { depth: 2 }, undefined]);
});
