import { expect, test } from 'vitest';
import { applyUpdate } from '../../src/server/model/next-version.ts';
import { ask, type Person } from '../helpers/callers.ts';
import { collection, invalid, ok, update } from '../helpers/entities.ts';
import type { Started } from '../helpers/job-scene.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { agent, klados } from '../helpers/processors.ts';
import { activeKlados } from '../helpers/worker-processes.ts';
import { keyOf, read, startCurated, sync } from './nodes.ts';

/** A node with a mirrored collection and a klados of its own. */
async function startScene() {
  await using opened = new AsyncDisposableStack();
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const now = () => clock.ms;
  const endpoint = opened.use(await startProcessorEndpoint());
  const pair = opened.use(await startCurated({ mirror: { now }, origin: { now } }));
  const { mirror, here } = pair;
  await sync(mirror, here);
  const home = await collection(mirror, here, { label: 'processors' });
  const { klados, key } = await activeKlados(mirror, here, home.id, { endpoint: `${endpoint.url}/accept` });
  const self: Person = { id: klados.id, headers: { Authorization: `ApiKey ${key}` } };
  const all = opened.move();
  return { ...pair, clock, home, klados, self, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

test('a grant in a mirrored collection stays on this node, and what the klados makes there is pushed', async () => {
  await using scene = await startScene();
  const { origin, mirror, here, curator, place, work, clock, klados, self } = scene;
  const before = await read(mirror, here, place.id);
  const output = () => ask(mirror, self, 'POST /entities', { type: 'document', collection: place.id });
  expect((await output()).status).toBe(403);

  const invocation = { target_collection: place.id, target_entity: work.id, expires_in: 600, confirm: true };
  const invoke = async () => ok<Started>(await ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, invocation));
  const first = await invoke();
  expect(first.grants).toMatchObject([{ was_update: false }]);
  expect((await read(mirror, here, place.id)).cid).toBe(before.cid);
  const made = ok(await output());
  const listed = async () =>
    ok<{ allowed_actions: string[] }>(await ask(mirror, self, `GET /entities/${place.id}/permissions`)).allowed_actions;
  expect(await listed()).toContain('entity:create');
  // What it was not granted it may not do.
  expect(await listed()).not.toContain('entity:update');
  const { cid } = await read(mirror, here, work.id);
  const change = { expect_tip: cid, properties: { a: 1 } };
  expect((await ask(mirror, self, `PUT /entities/${work.id}`, change)).status).toBe(403);
  expect((await invoke()).grants).toEqual(first.grants);
  // By this grant, which stands in no version, it hands on as well.
  const context = { rhiza: { id: klados.id, path: ['again'], parent_logs: [] }, job_collection: first.job_collection };
  const next = await ask(mirror, self, `POST /kladoi/${klados.id}/invoke`, { ...invocation, ...context });
  expect(ok<Started>(next)).toMatchObject({ status: 'started', grants: first.grants });
  expect((await read(mirror, here, place.id)).cid).toBe(before.cid);

  await sync(mirror, here);
  expect(await read(origin, curator, made.id)).toMatchObject({ id: made.id, type: 'document' });
  clock.ms += 600_000;
  expect((await output()).status).toBe(403);
  expect(await listed()).not.toContain('entity:create');
});

test('what one may do in a mirror to which nothing is pushed is listed as it is allowed', async () => {
  await using pair = await startCurated({ keyed: false });
  const { origin, mirror, here, curator, place, work } = pair;
  const everyone = { relationships_add: [{ predicate: 'editor', peer: '*' }] };
  await update(origin, curator, place, everyone);
  await sync(mirror, here);
  const change = { expect_tip: work.cid, properties: { a: 1 } };
  expect((await ask(mirror, here, `PUT /entities/${work.id}`, change)).status).toBe(403);
  const { body } = await ask(mirror, here, `GET /entities/${work.id}/permissions`);
  expect(body).toMatchObject({ allowed_actions: ['entity:tip', 'entity:view'], resolution: { role: 'editor' } });
});

test('a klados that works in a mirror writes nothing there once nothing is pushed any more, as nobody does', async () => {
  await using scene = await startScene();
  const { mirror, here, curator, place, work, klados, self } = scene;
  const invocation = { target_collection: place.id, target_entity: work.id, confirm: true };
  ok(await ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, invocation));
  const create = (who: Person) => ask(mirror, who, 'POST /entities', { type: 'document', collection: place.id });
  const listed = async () =>
    ok<{ allowed_actions: string[] }>(await ask(mirror, self, `GET /entities/${place.id}/permissions`)).allowed_actions;
  const push = async (direction: string) =>
    ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction }));
  await push('pull');
  const refusal = { error: expect.stringContaining('mirrored from "origin", to which nothing is pushed') };
  for (const who of [here, self]) {
    const { status, body } = await create(who);
    expect([status, body]).toEqual([403, refusal]);
  }
  expect(await listed()).not.toContain('entity:create');
  ok(await ask(mirror, self, `GET /entities/${work.id}`));
  await push('both');
  expect((await create(self)).status).toBe(201);
  expect(await listed()).toContain('entity:create');
});

test('in a mirror each run keeps what it gave, whatever another one gives for how long', async () => {
  await using scene = await startScene();
  const { mirror, here, place, work, clock, klados, self } = scene;
  const invocation = { target_collection: place.id, target_entity: work.id, confirm: true };
  const invoke = async (more: object) =>
    ok<Started>(await ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, { ...invocation, ...more }));
  const create = async () =>
    (await ask(mirror, self, 'POST /entities', { type: 'document', collection: place.id })).status;
  const describe = async () => {
    const { cid: expect_tip } = await read(mirror, here, place.id);
    return (await ask(mirror, self, `PUT /collections/${place.id}`, { expect_tip, properties: { a: clock.ms } }))
      .status;
  };
  // Only where the logs lie does it get `collection:update`.
  await invoke({ expires_in: 600, job_collection: place.id });
  expect(await describe()).toBe(200);
  const longer = await invoke({ expires_in: 6000 });
  expect(longer.expires_at).toBe(new Date(clock.ms + 6_000_000).toISOString());
  expect([await create(), await describe()]).toEqual([201, 200]);
  clock.ms += 600_000;
  expect([await create(), await describe()]).toEqual([201, 403]);
  // What has ended is given anew, and the longer one is left as it is.
  const logged = await invoke({ expires_in: 600, job_collection: place.id });
  expect(logged.status).toBe('started');
  expect(await describe()).toBe(200);
  // And no longer than that run was given, though the other one goes on.
  clock.ms += 600_000;
  expect([await create(), await describe()]).toEqual([201, 403]);
  clock.ms = Date.parse(longer.expires_at);
  expect([await create(), await describe()]).toEqual([403, 403]);
});

test('a role without an end that the remote gives the klados keeps it from nothing here', async () => {
  await using scene = await startScene();
  const { origin, mirror, here, curator, place, work, clock, klados, self } = scene;
  const role = `klados_${klados.id.toLowerCase()}`;
  const given = {
    properties: { roles: { [role]: ['entity:view'] } },
    relationships_add: [{ predicate: role, peer: klados.id, peer_type: 'klados' }],
  };
  // The origin does not know the klados, as a remote that asks for nobody.
  const { writes, networks } = origin.ctx;
  const actor = { kind: 'user' as const, id: curator.id, ids: [curator.id], operator: false };
  await writes.write(await networks.get('main'), (db) => {
    const base = writes.standing(db, 'main', place.id);
    const next = applyUpdate(base.manifest, base.cid, given, writes.stamp(actor));
    return { steps: [writes.step(db, { actor, network: 'main' }, base, next, undefined)] };
  });
  await sync(mirror, here);
  const invocation = { target_collection: place.id, target_entity: work.id, expires_in: 600 };
  const invoke = (more: object = {}) =>
    ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, { ...invocation, ...more });
  expect(ok(await invoke())).toMatchObject({ can_proceed: true });
  const { status, grants } = ok<Started>(await invoke({ confirm: true }));
  const expires_at = new Date(clock.ms + 600_000).toISOString();
  expect({ status, grants }).toMatchObject({ status: 'started', grants: [{ role, expires_at }] });
  // The grant of before is known: it is not the collection's, which has none that ends.
  clock.ms += 30_000;
  expect(ok<Started>(await invoke({ confirm: true })).grants).toEqual(grants);
  const output = { type: 'document', collection: place.id };
  expect((await ask(mirror, self, 'POST /entities', output)).status).toBe(201);
});

test('logs are written in a mirrored collection only where it is the target as well', async () => {
  await using scene = await startScene();
  const { mirror, here, place, work, home, klados, self } = scene;
  const invoke = (target: string, more: object = {}) =>
    ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, {
      ...{ target_collection: target, target_entity: work.id, job_collection: place.id, confirm: true },
      ...more,
    });
  for (const confirm of [false, true]) {
    const answer = await invoke(home.id, { confirm });
    expect([answer.status, answer.body]).toEqual([
      400,
      invalid(['job_collection'], expect.stringMatching(/^Works is mirrored.*leave it out/)),
    ]);
  }
  const { job_id } = ok<Started>(await invoke(place.id));
  const log = { type: 'klados_log', collection: place.id, properties: { job_id } };
  expect((await ask(mirror, self, 'POST /entities', log)).status).toBe(201);
});

test.each(['klados', 'agent'] as const)(
  'a mirrored %s is not started from here, and what leads on is said',
  async (type) => {
    await using pair = await startCurated();
    const { origin, mirror, here, curator, place, work } = pair;
    const [path, register] = type === 'agent' ? ['agents', agent] : ['kladoi', klados];
    const { id, cid } = await register(origin, curator, place.id);
    await sync(mirror, here);
    const way = expect.stringContaining('mirrored from "origin": its endpoint is verified and its keys are made at');
    const target = type === 'agent' ? { target: place.id } : { target_collection: place.id, target_entity: work.id };
    const started = await ask(mirror, here, `POST /${path}/${id}/invoke`, { ...target, confirm: true });
    expect(started).toMatchObject({ status: 400, body: invalid(['id'], way) });
    for (const what of ['verify', 'keys'])
      expect(await ask(mirror, here, `POST /${path}/${id}/${what}`, {})).toMatchObject({
        status: 403,
        body: { error: way },
      });
    expect(await read(mirror, here, id)).toMatchObject({ cid });
  },
);
