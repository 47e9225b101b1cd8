import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf } from '../../src/server/jobs/signature.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, remove } from '../helpers/entities.ts';
import { freePort } from '../helpers/free-port.ts';
import { activated, allow, command, ended, many, one, replying, within, workflow } from '../helpers/local.ts';
import { send, startNode, type TestNode } from '../helpers/node.ts';
import { klados } from '../helpers/processors.ts';

const main = fileURLToPath(new URL('../kit-worker/main.ts', import.meta.url));

let node: TestNode;
let me: Person;
let place: Entity;
let counter: Entity;
let worker: { url: string; process: ReturnType<typeof spawn> };

/** Starts the example as docs/processors.md says, and answers once it is ready. */
async function startWorker(env: Record<string, string>): Promise<typeof worker> {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  return { url: (JSON.parse(line) as { ready: { url: string } }).ready.url, process: child };
}

beforeAll(async () => {
  node = await startNode();
  me = operator(node);
  place = await collection(node, me, { label: 'processors' });
  const port = await freePort();
  const made = await klados(node, me, place.id, {
    label: 'Word counter',
    endpoint: `http://127.0.0.1:${port}`,
    accepts: one('document'),
    produces: one('word_count'),
  });
  const path = `/kladoi/${made.id}`;
  const { verification_token } = ok<{ verification_token: string }>(await ask(node, me, `POST ${path}/verify`, {}));
  const { key } = ok<{ key: string }>(await ask(node, me, `POST ${path}/keys`, {}));
  worker = await startWorker({
    ...{ PORT: String(port), NODE_URL: node.url, KLADOS_ID: made.id, KLADOS_KEY: key },
    VERIFICATION_TOKEN: verification_token,
  });
  expect(ok(await ask(node, me, `POST ${path}/verify`, { confirm: true }))).toMatchObject({ verified: true });
  counter = await activated(node, me, 'kladoi', await read(node, me, made.id));
});
afterAll(async () => {
  worker.process.kill('SIGTERM');
  await once(worker.process, 'exit');
  await node[Symbol.asyncDispose]();
});

describe('a worker made with the kit', () => {
  test('works in a workflow between two commands of the node', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const texts = ['one two three', 'four', ''].map((text) =>
      create(node, me, { collection: where.id, properties: { text } }),
    );
    const documents = await Promise.all(texts);
    await allow(node, {
      each: replying('return { outputs: job.entities.map(({ id }) => id) }'),
      sum: replying(
        'return { outputs: [{ type: "sum", properties: { words: job.entities.reduce((n, e) => n + e.properties.words, 0), langs: job.entities.map((e) => e.properties.language) } }] }',
      ),
    });
    const each = await command(node, me, place.id, 'each', { accepts: many('document'), produces: many('document') });
    const sum = await command(node, me, place.id, 'sum', { accepts: many('word_count'), produces: one('sum') });
    const flow = await workflow(node, me, place.id, {
      each: { klados: each, then: { scatter: 'count' } },
      count: { klados: counter, input: { lang: 'none' }, then: { gather: 'sum' } },
      sum: { klados: sum, then: { done: true } },
    });
    const body = {
      ...{ target_entities: documents.map(({ id }) => id), target_collection: where.id, confirm: true },
      input: { steps: { count: { lang: 'en' } } },
    };
    const started = ok<{ job_id: string; job_collection: string }>(
      await ask(node, me, `POST /rhizai/${flow.id}/invoke`, body),
    );
    const done = await ended(node, me, `/rhizai/${flow.id}/jobs/${started.job_id}/status`);
    expect(done).toMatchObject({ status: 'done', progress: { total: 5, done: 5, error: 0 } });
    const [result] = await within(node, me, where.id, 'sum');
    expect(result?.properties).toEqual({ words: 4, langs: ['en', 'en', 'en'] });
    const logs = await within(node, me, started.job_collection, 'klados_log');
    const empty = logs.find((log) => JSON.stringify(log.properties).includes('is empty.'));
    expect(empty?.properties).toMatchObject({ status: 'done', klados_id: counter.id, label: 'Word counter' });
  });

  test('says in its log what it could not do', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const bare = await create(node, me, { collection: where.id, properties: {} });
    const body = { target_entity: bare.id, target_collection: where.id, confirm: true };
    const { job_id } = ok<{ job_id: string }>(await ask(node, me, `POST /kladoi/${counter.id}/invoke`, body));
    const status = await ended(node, me, `/kladoi/${counter.id}/jobs/${job_id}/status`);
    expect(status).toMatchObject({
      status: 'error',
      errors: [{ code: 'INVALID_INPUT', message: `${bare.id} has no text.`, retryable: false }],
    });
  });

  test('names in its log the entity that it did not find', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const bare = await create(node, me, { collection: where.id, properties: {} });
    const body = { target_entity: bare.id, target_collection: where.id, confirm: true };
    // What is deleted while its job is on the way.
    worker.process.kill('SIGSTOP');
    const invoked = ask(node, me, `POST /kladoi/${counter.id}/invoke`, body);
    const store = await node.ctx.networks.get('main');
    const sent = () => store.read((db) => db.get('SELECT 1 FROM job WHERE target = ?', where.id));
    await expect.poll(sent).toBeDefined();
    await remove(node, me, bare);
    worker.process.kill('SIGCONT');
    const { job_id } = ok<{ job_id: string }>(await invoked);
    expect(await ended(node, me, `/kladoi/${counter.id}/jobs/${job_id}/status`)).toMatchObject({
      errors: [{ code: 'NOT_FOUND', message: `Entity not found: ${bare.id}`, retryable: false }],
    });
  });

  test('takes no job that is not signed by its node, or not one', async () => {
    const job = {
      ...{ job_id: 'job_1', target_entity: place.id, target_collection: place.id, job_collection: place.id },
      ...{ api_base: node.url, expires_at: new Date(Date.now() + 60_000).toISOString(), network: 'main' },
    };
    const key = node.ctx.identity.ensureNodeKey();
    const post = (body: unknown, header?: string) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const signature = header ?? signatureOf(key, text, Math.floor(Date.now() / 1000));
      return send(worker.url, '/process', { method: 'POST', headers: { 'X-Arke-Signature': signature }, body: text });
    };
    const wrong: [unknown, number, string, string?][] = [
      [job, 401, 'not signed', ''],
      [job, 401, 'unknown form', 'something'],
      [job, 401, 'does not match', signatureOf(key, 'other', Math.floor(Date.now() / 1000))],
      [job, 401, 'too old', signatureOf(key, JSON.stringify(job), 1)],
      [{ ...job, api_base: 'http://127.0.0.1:1' }, 401, 'not of'],
      [{ ...job, network: 'test' }, 400, 'on test'],
      [{ ...job, expires_at: '2020-01-01T00:00:00.000Z' }, 400, 'expired'],
      ['<html>', 400, 'not JSON'],
      [{}, 400, 'job_id'],
    ];
    for (const [body, status, words, header] of wrong) {
      const answer = await post(body, header);
      expect(answer.status, answer.text).toBe(status);
      expect(JSON.parse(answer.text)).toMatchObject({ accepted: false, error: expect.stringContaining(words) });
    }
    expect((await send(worker.url, '/nothing')).status).toBe(404);
    expect(JSON.parse((await send(worker.url, '/health')).text)).toMatchObject({ status: 'healthy' });
    expect((await send(worker.url, '//')).status).toBe(404);
  });

  test('runs a job once that is sent twice', async () => {
    const where = await collection(node, me, { label: 'letters' });
    const text = await create(node, me, { collection: where.id, properties: { text: 'a b' } });
    const body = { target_entity: text.id, target_collection: where.id, confirm: true };
    const started = ok<{ job_id: string; job_collection: string; expires_at: string }>(
      await ask(node, me, `POST /kladoi/${counter.id}/invoke`, body),
    );
    await ended(node, me, `/kladoi/${counter.id}/jobs/${started.job_id}/status`);
    const job = JSON.stringify({
      ...{ job_id: started.job_id, target_entity: text.id, target_collection: where.id },
      ...{
        job_collection: started.job_collection,
        api_base: node.url,
        expires_at: started.expires_at,
        network: 'main',
      },
    });
    const signature = signatureOf(node.ctx.identity.ensureNodeKey(), job, Math.floor(Date.now() / 1000));
    const again = await send(worker.url, '/process', {
      method: 'POST',
      headers: { 'X-Arke-Signature': signature },
      body: job,
    });
    expect(JSON.parse(again.text)).toEqual({ accepted: true, job_id: started.job_id });
    await ended(node, me, `/kladoi/${counter.id}/jobs/${started.job_id}/status`);
    expect(await within(node, me, where.id, 'word_count')).toHaveLength(1);
  });
});
