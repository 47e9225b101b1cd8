import { expect, test } from 'vitest';
import { readJob } from '../../src/server/kit/job-request.ts';
import { Kit } from '../../src/server/kit/kit.ts';
import { ask, operator } from '../helpers/callers.ts';
import { collection, ok } from '../helpers/entities.ts';
import { freePort } from '../helpers/free-port.ts';
import type { Started, Status } from '../helpers/job-scene.ts';
import { within, workflow } from '../helpers/local.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { startProcessorEndpoint } from '../helpers/processor-endpoint.ts';
import { activeKlados } from '../helpers/worker-processes.ts';

/** How many calls in a row fail before the node is back: more than in a few seconds. */
const outage = 5;

test.each(['before it has handed on', 'once it has handed on'])(
  'a job whose node is away %s is done when that is back, and handed on once',
  async (when) => {
    await using folder = await temporaryFolder();
    await using endpoint = await startProcessorEndpoint();
    const options = { data: folder.path, env: { ARCHEION_PORT: String(await freePort()) } };
    await using opened = new AsyncDisposableStack();
    const node = await startNode(options);
    const stopped = Promise.withResolvers<void>();
    const stop = async () => {
      await node[Symbol.asyncDispose]();
      stopped.resolve();
    };
    opened.defer(() => stop());
    const who = operator(node);
    const place = await collection(node, who, { label: 'letters' });
    const at = {
      endpoint: `${endpoint.url}/accept`,
      actions_required: ['entity:view', 'entity:create', 'entity:update'],
    };
    const [one, two] = [await activeKlados(node, who, place.id, at), await activeKlados(node, who, place.id, at)];
    const flow = await workflow(node, who, place.id, {
      a: { klados: one.klados, then: { pass: 'b' } },
      b: { klados: two.klados, then: { done: true } },
    });
    const body = { target_collection: place.id, target_entity: place.id, confirm: true };
    const started = ok<Started>(await ask(node, who, `POST /rhizai/${flow.id}/invoke`, body));
    const job = readJob(endpoint.received[0]?.body);

    let failures = 0;
    const calling: typeof fetch = async (url, init) => {
      const answer = await fetch(url, init).catch((error: unknown) => {
        failures++;
        throw error;
      });
      if (when === 'before it has handed on' || !String(url).endsWith('/invoke')) return answer;
      const text = await answer.text();
      await stop();
      return new Response(text, answer);
    };
    const address = { url: node.url, network: 'main' as const, klados: one.klados.id, key: one.key };
    const kit = new Kit({ ...address, label: 'Worker', fetch: calling }, async ({ targets }) => {
      if (when === 'before it has handed on') await stop();
      return targets;
    });
    const ended = kit.run(job);
    ended.catch(() => undefined);
    await stopped.promise;
    await expect.poll(() => failures).toBeGreaterThanOrEqual(outage);

    await using again = await startNode(options);
    expect(await ended).toEqual({ state: 'done' });
    await again.ctx.additive.idle();
    const path = `/rhizai/${flow.id}/jobs/${started.job_id}/status`;
    expect(ok<Status>(await ask(again, who, `GET ${path}`))).toMatchObject({
      status: 'running',
      progress: { total: 2, done: 1, pending: 1 },
    });
    expect(endpoint.received.map(({ body }) => (body as { rhiza: { path: string[] } }).rhiza.path)).toEqual([
      ['a'],
      ['a', 'b'],
    ]);
    expect(await within(again, who, started.job_collection, 'klados_log')).toMatchObject([
      { properties: { status: 'done', log_data: { entry: { outputs: [place.id] } } } },
    ]);
  },
  60_000,
);
