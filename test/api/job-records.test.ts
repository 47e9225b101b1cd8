import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { startAnsweringServer } from '../helpers/answering-server.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import { JobScene, type Started, type Status } from '../helpers/job-scene.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activate, activeKlados } from '../helpers/worker-processes.ts';
import { writerGate } from '../helpers/writer-gate.ts';

const unrecorded = 'what became of a job could not be recorded';

/** Takes no connection: the port of a server that has ended may be another one's by now. */
const gone = 'http://127.0.0.1:2';

/** A node whose jobs can be kept from being changed. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const endpoint = opened.use(await startProcessorEndpoint());
  const node = opened.use(await startNode({ data: folder.path }));
  const who = operator(node);
  const home = await collection(node, who);
  const db = opened.adopt(new Database(join(folder.path, 'main', 'archeion.db')), (it) => void it.close());
  const all = opened.move();
  return {
    node,
    endpoint,
    klados: async (url: string) => (await activeKlados(node, who, home.id, { endpoint: url })).klados,
    invoke: (id: string) =>
      ask(node, who, `POST /kladoi/${id}/invoke`, {
        ...{ target_collection: home.id, target_entity: home.id, confirm: true },
      }),
    batch: async (id: string) => {
      const body = { target_collection: home.id, invocations: [{ target_entity: home.id }], confirm: true };
      return ok<{ dispatch_id: string }>(await ask(node, who, `POST /kladoi/${id}/invoke/batch`, body));
    },
    status: async (id: string, job: string) => ok<Status>(await ask(node, who, `GET /kladoi/${id}/jobs/${job}/status`)),
    move: async ({ id }: Entity, to: string) => {
      const { cid } = await read(node, who, id);
      const moved = await ask(node, who, `PUT /kladoi/${id}`, { expect_tip: cid, endpoint: to });
      await activate(node, who, ok<Entity>(moved));
    },
    /** From now on a change of a job is refused where that holds, and whatever else is written with it. */
    refuse: (when: string) =>
      db.exec(`CREATE TRIGGER full BEFORE UPDATE ON job WHEN ${when} BEGIN SELECT RAISE(ABORT, 'no more'); END`),
    take: () => db.exec('DROP TRIGGER full'),
    logged: (text: string) => node.logged.filter((line) => line.includes(text)).length,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

describe('what became of a request is kept until the store takes it', () => {
  test('when it did not arrive, so that it is sent again', async () => {
    await using scene = await startScene();
    const klados = await scene.klados(`${gone}/accept`);
    scene.refuse("OLD.state = 'sent'");
    const { dispatch_id } = await scene.batch(klados.id);
    await expect.poll(() => scene.logged(unrecorded)).toBeGreaterThan(1);
    scene.take();
    await scene.move(klados, `${scene.endpoint.url}/accept`);
    await expect.poll(() => scene.endpoint.received.length, { timeout: 60_000 }).toBe(1);
    expect((await scene.status(klados.id, dispatch_id)).progress).toMatchObject({ total: 1, pending: 1 });
  });

  test('when it was refused, and whoever asked is told meanwhile', async () => {
    await using scene = await startScene();
    const klados = await scene.klados(`${scene.endpoint.url}/refuse`);
    scene.refuse("OLD.state = 'sent'");
    const answer = await scene.invoke(klados.id);
    expect(ok<Started>(answer)).toMatchObject({ status: 'rejected', error: 'no work today' });
    await expect.poll(() => scene.logged(unrecorded)).toBeGreaterThan(1);
    scene.take();
    const job = String(scene.endpoint.received[0]?.body.job_id);
    const refused = { status: 'error', errors: [{ code: 'REJECTED' }] };
    await expect.poll(() => scene.status(klados.id, job), { timeout: 60_000 }).toMatchObject(refused);
    expect(scene.endpoint.received).toHaveLength(1);
  });
});

test('what waits to be sent again is sent when the store takes that, though whoever asked has been told of an error', async () => {
  await using scene = await startScene();
  const klados = await scene.klados(`${gone}/accept`);
  scene.refuse("OLD.state = 'queued'");
  expect((await scene.invoke(klados.id)).status).toBeGreaterThanOrEqual(500);
  await expect.poll(() => scene.logged('jobs that wait could not be sent')).toBeGreaterThan(0);
  scene.take();
  await scene.move(klados, `${scene.endpoint.url}/accept`);
  await expect.poll(() => scene.endpoint.received.length, { timeout: 60_000 }).toBe(1);
});

/** A workflow of two steps, begun: the first klados has written its log, and hands on to the second. */
async function begun(scene: JobScene, second: string) {
  const first = await scene.klados('accept');
  const step = (id: string, then: object) => ({ klados: { id, type: 'klados' }, then });
  const flow = { a: step(first.id, { scatter: 'b' }), b: step(second, { done: true }) };
  const body = { label: 'r', version: '1', entry: 'a', flow, collection: scene.home.id };
  const rhiza = ok<Entity>(await ask(scene.node, scene.who, 'POST /rhizai', body));
  const started = ok<Started>(await ask(scene.node, scene.who, `POST /rhizai/${rhiza.id}/invoke`, scene.invocation()));
  const log = await scene.log(first.self, started, { status: 'running', rhiza_id: rhiza.id });
  const handOn = async (more: object = {}, node = scene.node) => {
    const context = { id: rhiza.id, path: ['a', 'b'], parent_logs: [log.id], ...more };
    const invocation = scene.invocation({ job_collection: started.job_collection, rhiza: context });
    return ok<Started>(await ask(node, first.self, `POST /kladoi/${second}/invoke`, invocation));
  };
  return { first, rhiza, started, log, handOn };
}

test('a handoff whose refusal the store does not take yet is handed on anew all the same', async () => {
  await using scene = await JobScene.open();
  const second = await scene.klados('refuse');
  const { handOn } = await begun(scene, second.id);
  await using opened = new AsyncDisposableStack();
  const file = join(scene.node.data, 'main', 'archeion.db');
  const db = opened.adopt(new Database(file), (it) => void it.close());
  const when = "NEW.state = 'refused'";
  db.exec(`CREATE TRIGGER full BEFORE UPDATE ON job WHEN ${when} BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  expect(await handOn()).toMatchObject({ status: 'rejected', error: 'no work today' });
  // What the store refuses is tried again meanwhile, and takes along what is written with it.
  const again = () => vi.waitFor(() => handOn(), { timeout: 60_000 });
  expect(await again()).toMatchObject({ status: 'rejected', error: 'no work today' });
  scene.endpoint.become('refuse', 'accept');
  const { status, job_id } = await again();
  expect(status).toBe('started');
  // Now it is the handoff that counts.
  db.exec('DROP TRIGGER full');
  expect(await handOn()).toMatchObject({ status: 'started', job_id });
});

test('a handoff of which there may be equal ones is answered before it is recorded that it was taken, and a kill may come between', async () => {
  await using scene = await JobScene.open({ writer: 'thread' });
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(
    await startAnsweringServer(() => {
      opened.use(writerGate());
      return { body: { accepted: true } };
    }),
  );
  const second = await scene.klados('', { endpoint: worker.url });
  const { handOn } = await begun(scene, second.id);
  expect((await handOn({ scatter_total: 1 })).status).toBe('started');
});

test('a handoff of which there may be equal ones, and that had not arrived when the node stopped, is told of once', async () => {
  await using folder = await temporaryFolder();
  const scene = await JobScene.open({ data: folder.path });
  const second = await scene.klados('', { endpoint: `${gone}/accept` });
  const { handOn } = await begun(scene, second.id);
  const unanswered = handOn({ scatter_total: 2 }).catch(() => null);
  const db = new Database(join(folder.path, 'main', 'archeion.db'), { readonly: true });
  const waiting = db.prepare("SELECT id FROM job WHERE state = 'queued' AND error IS NOT NULL").pluck();
  await expect.poll(() => waiting.get()).toBeDefined();
  const job_id = waiting.get();
  db.close();
  await scene[Symbol.asyncDispose]();
  await unanswered;
  const started = () => startNode({ data: folder.path, now: () => scene.clock.ms });
  {
    await using node = await started();
    expect(await handOn({ scatter_total: 2 }, node)).toMatchObject({ status: 'started', job_id });
  }
  // It has not arrived yet, and whoever began it knows of it.
  await using node = await started();
  expect(await handOn({ scatter_total: 2 }, node)).not.toMatchObject({ job_id });
});

test('of a run that is resumed only in part, that part is sent', async () => {
  await using scene = await JobScene.open();
  const second = await scene.klados('accept');
  const { first, rhiza, started, log, handOn } = await begun(scene, second.id);
  const count = 201;
  await Promise.all(Array.from({ length: count }, () => handOn({ scatter_total: count })));
  const done = { properties: { status: 'done', log_data: { entry: { status: 'done' } } } };
  ok(await ask(scene.node, first.self, `PUT /entities/${log.id}`, { expect_tip: log.cid, ...done }));
  scene.clock.ms += 7_200_000;
  scene.endpoint.received.length = 0;

  await using opened = new AsyncDisposableStack();
  const file = join(scene.node.data, 'main', 'archeion.db');
  const db = opened.adopt(new Database(file), (it) => void it.close());
  const many = '(SELECT count(*) FROM job WHERE retries IS NOT NULL) >= 200';
  db.exec(`CREATE TRIGGER full BEFORE INSERT ON job WHEN ${many} BEGIN SELECT RAISE(ABORT, 'no more'); END`);
  const resume = () => ask(scene.node, scene.who, `POST /rhizai/${rhiza.id}/jobs/${started.job_id}/resume`, {});
  expect((await resume()).status).toBeGreaterThanOrEqual(500);
  await scene.node.ctx.invocations.idle();
  expect(scene.endpoint.received).toHaveLength(200);
  db.exec('DROP TRIGGER full');
  expect(ok(await resume())).toMatchObject({ resumed: 1 });
  await scene.node.ctx.invocations.idle();
  expect(scene.endpoint.received).toHaveLength(count);
});
