import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, type Entity, ok, read } from '../helpers/entities.ts';
import type { Started, Status } from '../helpers/job-scene.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activate, activeKlados } from '../helpers/worker-processes.ts';

const unrecorded = 'what became of a job could not be recorded';

/** A node whose jobs can be kept from being changed; endpoints under `gone` take no connection. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const endpoint = opened.use(await startProcessorEndpoint());
  const gone = await startProcessorEndpoint();
  await gone[Symbol.asyncDispose]();
  const node = opened.use(await startNode({ data: folder.path }));
  const who = operator(node);
  const home = await collection(node, who);
  const db = opened.adopt(new Database(join(folder.path, 'main', 'archeion.db')), (it) => void it.close());
  const all = opened.move();
  return {
    node,
    endpoint,
    gone,
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
    /** From now on a change of a job is refused where that holds. */
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
    const klados = await scene.klados(`${scene.gone.url}/accept`);
    scene.refuse("OLD.state = 'sent'");
    const { dispatch_id } = await scene.batch(klados.id);
    await expect.poll(() => scene.logged(unrecorded), { timeout: 5000 }).toBeGreaterThan(1);
    await scene.move(klados, `${scene.endpoint.url}/accept`);
    scene.take();
    await expect.poll(() => scene.endpoint.received.length, { timeout: 10_000 }).toBe(1);
    expect((await scene.status(klados.id, dispatch_id)).progress).toMatchObject({ total: 1, pending: 1 });
  });

  test('when it was refused, and whoever asked waits for it', async () => {
    await using scene = await startScene();
    const klados = await scene.klados(`${scene.endpoint.url}/refuse`);
    scene.refuse("OLD.state = 'sent'");
    const answer = scene.invoke(klados.id);
    await expect.poll(() => scene.logged(unrecorded), { timeout: 5000 }).toBeGreaterThan(1);
    scene.take();
    expect(ok<Started>(await answer)).toMatchObject({ status: 'rejected', error: 'no work today' });
    const job = String(scene.endpoint.received[0]?.body.job_id);
    expect(await scene.status(klados.id, job)).toMatchObject({ status: 'error', errors: [{ code: 'REJECTED' }] });
    expect(scene.endpoint.received).toHaveLength(1);
  });
});

test('what waits to be sent again is sent when the store takes that, though whoever asked has been told of an error', async () => {
  await using scene = await startScene();
  const klados = await scene.klados(`${scene.gone.url}/accept`);
  scene.refuse("OLD.state = 'queued'");
  expect((await scene.invoke(klados.id)).status).toBeGreaterThanOrEqual(500);
  await scene.move(klados, `${scene.endpoint.url}/accept`);
  scene.take();
  await expect.poll(() => scene.endpoint.received.length, { timeout: 10_000 }).toBe(1);
});
