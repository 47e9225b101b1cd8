import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { read } from '../helpers/entities.ts';
import { failed, JobScene } from '../helpers/job-scene.ts';
import { startNode } from '../helpers/node.ts';
import { klados } from '../helpers/processors.ts';
import { activate } from '../helpers/worker-processes.ts';
import { addRemote, keyOf, sync } from './nodes.ts';
import { startProxy } from './proxy.ts';

// A remote that offers no more than the public interface keeps its own version of a job's log, by the user of the key.

test('jobs stand as they stood when a plain remote has their logs by its own user', async () => {
  await using scene = await JobScene.open();
  await using origin = await startNode();
  await using proxy = await startProxy(origin.url);
  const { node, who } = scene;
  await addRemote(node, who, { url: proxy.url, key: keyOf(operator(origin)), direction: 'both' });
  const { id, self } = await scene.klados('accept');
  const jobs = [
    await scene.invoke(id),
    await scene.invoke(id),
    await scene.invoke(id),
    await scene.invoke(id),
  ] as const;
  const [done, broken, running, makers] = jobs;
  const log = await scene.log(self, done, { status: 'done' });
  await scene.log(self, broken, { status: 'error', error: failed });
  await scene.log(self, running, { status: 'running' });
  // Whoever made the klados may be whose key its worker has.
  await scene.log(who, makers, { klados_id: id, status: 'done' });
  const stand = () => Promise.all(jobs.map(async ({ job_id }) => (await scene.status(id, job_id)).status));
  expect(await stand()).toEqual(['done', 'error', 'running', 'done']);

  await sync(node, who);
  await sync(node, who);
  expect((await read(node, who, log.id)).edited_by.user_id).toBe(operator(origin).id);
  expect(await stand()).toEqual(['done', 'error', 'running', 'done']);

  await scene.log(self, running, { status: 'done' });
  const later = await scene.invoke(id);
  await scene.log(who, later, { klados_id: id, status: 'done' });
  expect(await stand()).toEqual(['done', 'error', 'done', 'done']);
  expect((await scene.status(id, later.job_id)).status).toBe('done');
});

test('who made a klados counts for its jobs when a plain remote has it by its own user', async () => {
  await using scene = await JobScene.open();
  await using origin = await startNode();
  await using proxy = await startProxy(origin.url);
  const { node, who, home } = scene;
  await addRemote(node, who, { url: proxy.url, key: keyOf(operator(origin)), direction: 'both' });
  const made = await klados(node, who, home.id, { endpoint: `${scene.endpoint.url}/accept` });
  await sync(node, who);
  await sync(node, who);
  const there = await read(node, who, made.id);
  expect(there.edited_by.user_id).toBe(operator(origin).id);
  await activate(node, who, there);
  const job = await scene.invoke(made.id);
  await scene.log(who, job, { klados_id: made.id, status: 'done' });
  expect((await scene.status(made.id, job.job_id)).status).toBe('done');
});
