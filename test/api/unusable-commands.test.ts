import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { allow, command, ended, replying } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let me: Person;
let where: Entity;
beforeAll(async () => {
  node = await startNode({ env: { PATH: '/usr/bin:/bin' } });
  me = operator(node);
  where = await collection(node, me, { label: 'target' });
});
afterAll(() => node[Symbol.asyncDispose]());

/** As an editor leaves the allow-list in the middle of saving it. */
const spoil = () => writeFile(join(node.data, 'processors.json'), '{"commands": {"quick": ');

async function batch(klados: Entity, count: number): Promise<string> {
  const invocations = Array.from({ length: count }, () => ({ target_entity: where.id }));
  const body = { target_collection: where.id, invocations, confirm: true };
  return ok<{ dispatch_id: string }>(await ask(node, me, `POST /kladoi/${klados.id}/invoke/batch`, body)).dispatch_id;
}

const jobs = async (run: string) =>
  ok<{ jobs: { sending: string; status: string }[] }>(await ask(node, me, `GET /node/jobs/${run}?limit=100`)).jobs;

test('jobs that wait while the list of allowed commands cannot be read are run once it can', async () => {
  const commands = { quick: replying('return {}') };
  await allow(node, commands);
  const quick = await command(node, me, where.id, 'quick');
  await spoil();
  const run = await batch(quick, 12);
  await expect.poll(() => jobs(run)).toHaveLength(12);
  await node.ctx.invocations.idle();
  expect(new Set((await jobs(run)).map(({ sending }) => sending))).toEqual(new Set(['queued']));
  await allow(node, commands);
  const done = { status: 'done', progress: { total: 12, done: 12 } };
  expect(await ended(node, me, `/kladoi/${quick.id}/jobs/${run}/status`)).toMatchObject(done);
}, 60_000);

test('jobs whose turn comes while the list of allowed commands cannot be read are run once it can', async () => {
  const [began, may] = [join(node.data, 'began'), join(node.data, 'may')];
  const slow = `const fs = require('node:fs'); fs.writeFileSync(${JSON.stringify(began)}, '');
    while (!fs.existsSync(${JSON.stringify(may)})) await new Promise((after) => setTimeout(after, 20)); return {};`;
  const commands = { slow: replying(slow, { at_once: 1 }) };
  await allow(node, commands);
  const one = await command(node, me, where.id, 'slow');
  const run = await batch(one, 8);
  await node.ctx.invocations.idle();
  await expect.poll(() => existsSync(began)).toBe(true);
  await spoil();
  await writeFile(may, '');
  await expect.poll(async () => (await jobs(run)).some(({ status }) => status === 'done')).toBe(true);
  await pause(1_000);
  expect((await jobs(run)).filter(({ status }) => status === 'error')).toEqual([]);
  await allow(node, commands);
  const done = { status: 'done', progress: { total: 8, done: 8 } };
  expect(await ended(node, me, `/kladoi/${one.id}/jobs/${run}/status`)).toMatchObject(done);
}, 60_000);

test('a job that waits since long while the list of allowed commands cannot be read is run soon once it can', async () => {
  const commands = { late: replying('return {}') };
  await allow(node, commands);
  const late = await command(node, me, where.id, 'late');
  await spoil();
  const run = await batch(late, 1);
  const db = new Database(databaseFile(node.data, 'main'));
  // As after ten minutes.
  const aged = () =>
    db.prepare("UPDATE job SET attempts = 12 WHERE run = ? AND state = 'queued' AND attempts > 0").run(run);
  await expect.poll(() => aged().changes).toBe(1);
  const tried = db.prepare('SELECT state, attempts FROM job WHERE run = ?');
  await expect.poll(() => tried.get(run)).toEqual({ state: 'queued', attempts: 13 });
  db.close();
  await allow(node, commands);
  await expect.poll(() => jobs(run)).toMatchObject([{ status: 'done' }]);
}, 60_000);
