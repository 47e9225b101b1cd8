import { expect, test } from 'vitest';
import { ask, type Person } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import type { Started } from '../helpers/job-scene.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activeKlados } from '../helpers/worker-processes.ts';
import { read, startCurated, sync } from './nodes.ts';

test('a grant in a mirrored collection stays on this node, and what the klados makes there is pushed', async () => {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  await using endpoint = await startProcessorEndpoint();
  await using pair = await startCurated({ mirror: { now: () => clock.ms }, origin: { now: () => clock.ms } });
  const { origin, mirror, here, curator, place, work } = pair;
  await sync(mirror, here);
  const home = await collection(mirror, here, { label: 'processors' });
  const { klados, key } = await activeKlados(mirror, here, home.id, { endpoint: `${endpoint.url}/accept` });
  const self: Person = { id: klados.id, headers: { Authorization: `ApiKey ${key}` } };
  const before = await read(mirror, here, place.id);
  const output = () => ask(mirror, self, 'POST /entities', { type: 'document', collection: place.id });
  expect((await output()).status).toBe(403);

  const invocation = { target_collection: place.id, target_entity: work.id, expires_in: 600, confirm: true };
  const invoke = async () => ok<Started>(await ask(mirror, here, `POST /kladoi/${klados.id}/invoke`, invocation));
  const first = await invoke();
  expect(first.grants).toMatchObject([{ was_update: false }]);
  expect((await read(mirror, here, place.id)).cid).toBe(before.cid);
  const made = ok(await output());
  // What it was not granted it may not do.
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
});
