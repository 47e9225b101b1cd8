import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { allow, command, ended, program, replying, within } from '../helpers/local.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  me = operator(node);
});
afterAll(() => node[Symbol.asyncDispose]());

async function start({ id }: Entity, where: Entity) {
  const body = { target_entity: where.id, target_collection: where.id, confirm: true };
  return ok<{ job_id: string; job_collection: string }>(await ask(node, me, `POST /kladoi/${id}/invoke`, body));
}

async function until(met: () => boolean) {
  while (!met()) await pause(20);
}

test.each(['disabled', 'deleted'])(
  'the jobs of a klados that is %s end with an error, and no command of it',
  async (how) => {
    await using folder = await temporaryFolder();
    const log = join(folder.path, 'log');
    const where = await collection(node, me, { label: how });
    const slow = `require('node:fs').appendFileSync(${JSON.stringify(log)}, 'began ' + process.pid); setInterval(() => {}, 1000)`;
    await allow(node, { slow: program(slow, { at_once: 1 }) });
    const of = await command(node, me, where.id, 'slow');
    const jobs = [await start(of, where)];
    await until(() => existsSync(log));
    jobs.push(await start(of, where), await start(of, where));
    if (how === 'disabled') ok(await ask(node, me, `PUT /kladoi/${of.id}`, { expect_tip: of.cid, status: 'disabled' }));
    else ok(await ask(node, me, `DELETE /entities/${of.id}`, { expect_tip: of.cid }));
    const path = (job: string) => `/kladoi/${of.id}/jobs/${job}/status`;
    for (const [i, { job_id, job_collection }] of jobs.entries()) {
      // Statuses are those of a klados that is there.
      const [one] = await logs(job_collection, job_id);
      expect(one?.properties).toMatchObject({
        status: 'error',
        log_data: { entry: { error: { code: 'PERMISSION_DENIED', retryable: i > 0 } } },
      });
      if (how === 'disabled')
        expect(await ended(node, me, path(job_id))).toMatchObject({
          status: 'error',
          errors: [{ code: 'PERMISSION_DENIED', retryable: i > 0 }],
        });
    }
    const words = (await readFile(log, 'utf8')).match(/\d+/g);
    expect(words).toHaveLength(1);
    expect(() => process.kill(Number(words?.[0]), 0)).toThrow('ESRCH');
  },
);

/** The logs of a job, once it has ended. */
async function logs(from: string, job: string): Promise<Entity[]> {
  for (let i = 0; i < 200; i++) {
    const all = await within(node, me, from, 'klados_log');
    const own = all.filter(({ properties }) => properties.job_id === job && properties.status !== 'running');
    if (own.length > 0) return own;
    await pause(50);
  }
  throw new Error(`the log of ${job} does not end`);
}

test('what a command has made is not written where its klados was disabled meanwhile', async () => {
  await using folder = await temporaryFolder();
  const [began, go] = [join(folder.path, 'began'), join(folder.path, 'go')];
  const where = await collection(node, me, { label: 'target' });
  // Deaf to the signal that ends it.
  const reply = `process.on('SIGTERM', () => require('node:fs').writeFileSync(${JSON.stringify(go)}, ''));
    require('node:fs').writeFileSync(${JSON.stringify(began)}, '');
    while (!require('node:fs').existsSync(${JSON.stringify(go)})) await new Promise((done) => setTimeout(done, 20));
    return { outputs: [{ type: 'note' }] };`;
  await allow(node, { deaf: replying(reply) });
  const of = await command(node, me, where.id, 'deaf');
  const { job_id } = await start(of, where);
  await until(() => existsSync(began));
  ok(await ask(node, me, `PUT /kladoi/${of.id}`, { expect_tip: of.cid, status: 'disabled' }));
  const status = await ended(node, me, `/kladoi/${of.id}/jobs/${job_id}/status`);
  expect(status).toMatchObject({ status: 'error', errors: [{ code: 'PERMISSION_DENIED', retryable: false }] });
  expect(await within(node, me, where.id, 'note')).toEqual([]);
});
