import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startAnsweringServer } from '../helpers/answering-server.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { agent } from '../helpers/processors.ts';
import { activate, processorKey } from '../helpers/worker-processes.ts';

interface Started {
  job_id: string;
  job_collection: string;
}

async function anAgent(node: TestNode, me: Person, home: string, endpoint: string, more: object = {}) {
  const made = await agent(node, me, home, { endpoint, actions_required: ['entity:update'], ...more });
  return (await activate(node, me, made)).id;
}

test.each([
  ['is told of the job that has begun, once', 0],
  ['begins another where the time of that is up', 120_000],
])('an agent that a kill of the node left without an answer %s', async (_, later) => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  await using worker = await startAnsweringServer(async ({ path }) => {
    if (path.startsWith('/used')) await stopped;
    return { body: { accepted: true } };
  });
  let [used, self, target]: [string, Person, string] = ['', { id: '', headers: {} }, ''];
  let run: Started;
  const begin = (node: TestNode) => {
    const body = { target, job_collection: run.job_collection, input: { page: 1 }, expires_in: 60, confirm: true };
    return ask(node, self, `POST /agents/${used}/invoke`, body);
  };
  {
    await using node = await startNode({ data });
    const me = operator(node);
    const home = await collection(node, me);
    target = (await collection(node, me)).id;
    used = await anAgent(node, me, home.id, `${worker.url}/used`);
    const whole = await anAgent(node, me, home.id, `${worker.url}/whole`, { uses_agents: [{ pi: used }] });
    self = { id: whole, headers: { Authorization: `ApiKey ${processorKey(node, me, whole, 'agent')}` } };
    run = ok<Started>(await ask(node, me, `POST /agents/${whole}/invoke`, { target, confirm: true }));
    begin(node).catch(() => undefined);
    await expect.poll(() => worker.seen).toHaveLength(2);
  }
  stop();
  // As a kill leaves it.
  const db = new Database(join(data, 'main', 'archeion.db'));
  db.exec("UPDATE job SET state = 'sent', error = NULL WHERE parent IS NOT NULL");
  db.close();
  let ahead = 0;
  await using node = await startNode({ data, now: () => Date.now() + ahead });
  const me = operator(node);
  const jobs = async () =>
    ok<{ jobs: { job_id: string }[] }>(await ask(node, me, `GET /node/jobs/${run.job_id}`)).jobs.map(
      (one) => one.job_id,
    );
  const [, lost] = await jobs();
  ahead = later;
  if (later > 0) {
    expect(ok<Started>(await begin(node)).job_id).not.toBe(lost);
    expect(worker.seen).toHaveLength(3);
    return;
  }
  expect(ok(await begin(node))).toMatchObject({ status: 'started', job_id: lost });
  expect(worker.seen).toHaveLength(2);
  const another = ok<Started>(await begin(node));
  expect(worker.seen).toHaveLength(3);
  expect(await jobs()).toEqual([run.job_id, lost, another.job_id]);
});
