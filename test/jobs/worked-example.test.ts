import { createHash, createPublicKey, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, on, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { activeKlados, startWorker, type WorkerProcess } from '../helpers/worker-processes.ts';

// processors.md, section 5, with real worker processes: a scatter over three files, then a gather.

interface Status {
  job_id: string;
  rhiza_id: string;
  status: string;
  progress: Record<string, number>;
  current_kladoi?: string[];
  errors?: { klados_id: string; job_id: string; code: string; message: string; retryable: boolean }[];
  started_at: string;
  completed_at?: string;
}

let node: TestNode;
let v1: Person;
let target: Entity;
let rhiza: Entity;
let files: string[];
let kladoi: Record<'K1' | 'K2' | 'K3', string>;
let workers: WorkerProcess[];
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  node = opened.use(await startNode({ env: { ARCHEION_PRIVATE_ENDPOINTS: 'everyone' } }));
  v1 = on('test', await user(node, 'V1'));
  ok(await ask(node, v1, 'GET /users/me'));
  workers = await Promise.all(['split', 'work', 'join'].map(() => startWorker()));
  for (const worker of workers) opened.use(worker);
  const processors = await collection(node, v1, { label: 'processors' });
  target = await collection(node, v1, { label: 'Target' });
  const actions_required = ['entity:view', 'entity:create', 'entity:update'];
  const ids: string[] = [];
  const ports = { split: ['many', 'many'], work: ['one', 'one'], join: ['many', 'one'] };
  for (const [i, [work, [takes, gives]]] of Object.entries(ports).entries()) {
    const { endpoint, tell } = workers[i] as WorkerProcess;
    const { klados, key } = await activeKlados(node, v1, processors.id, {
      label: ['Splitter', 'Worker', 'Joiner'][i],
      endpoint,
      actions_required,
      accepts: { types: ['*'], cardinality: takes },
      produces: { types: ['*'], cardinality: gives },
    });
    ids.push(klados.id);
    await tell({ klados: klados.id, key, work });
  }
  const [K1 = '', K2 = '', K3 = ''] = ids;
  kladoi = { K1, K2, K3 };
  files = [];
  for (const label of ['one', 'two', 'three'])
    files.push((await create(node, v1, { type: 'file', collection: target.id, properties: { label } })).id);
  const step = (id: string) => ({ klados: { id, type: 'klados' } });
  const made = ok<Entity>(
    await ask(node, v1, 'POST /rhizai', {
      label: 'Three files',
      version: '1.0.0',
      entry: 'split',
      flow: {
        split: { ...step(K1), then: { scatter: 'work' } },
        work: { ...step(K2), input: { quality: 'draft' }, then: { gather: 'join' } },
        join: { ...step(K3), then: { done: true } },
      },
      collection: processors.id,
    }),
  );
  rhiza = ok(await ask(node, v1, `PUT /rhizai/${made.id}`, { expect_tip: made.cid, status: 'active' }));
});
afterAll(() => opened.disposeAsync());

const invocation = () => ({
  target_collection: target.id,
  target_entities: files,
  input: { lang: 'en', steps: { work: { quality: 'final' } } },
  expires_in: 3600,
});
const invoke = async (more: object = {}) =>
  ask(node, v1, `POST /rhizai/${rhiza.id}/invoke`, { ...invocation(), ...more });
const statusOf = async (job: string): Promise<Status> =>
  ok(await ask(node, v1, `GET /rhizai/${rhiza.id}/jobs/${job}/status`));

async function ended(job: string): Promise<Status> {
  for (;;) {
    const status = await statusOf(job);
    if (status.status === 'done' || status.status === 'error') return status;
    await sleep(50);
  }
}

/** A job is done when its log says so; its worker writes some more after that. */
async function settled(): Promise<void> {
  for (const worker of workers) await worker.settled();
  await node.ctx.additive.idle();
}

/** Logs and batches of a run, once everything that was queued is applied. */
async function inside(jobs: string, type: string): Promise<Entity[]> {
  await settled();
  const { entities } = ok<{ entities: { entity: Entity }[] }>(
    await ask(node, v1, `GET /collections/${jobs}/entities?type=${type}&expand=full`),
  );
  return entities.map(({ entity }) => entity);
}

const role = (id: string) => `klados_${id.toLowerCase()}`;

describe('the worked example', () => {
  test('previews, starts, scatters, gathers and is done (m3 to m89)', async () => {
    const [splitter, worker, joiner] = workers as [WorkerProcess, WorkerProcess, WorkerProcess];
    // m3
    const preview = await invoke();
    expect(preview.status).toBe(200);
    const grant = (id: string, label: string) => ({
      klados: { id, label },
      actions: ['entity:view', 'entity:create', 'entity:update'],
      role: role(id),
      already_granted: false,
    });
    expect(preview.body).toEqual({
      status: 'pending_confirmation',
      message: expect.stringContaining('"confirm": true'),
      grants: [grant(kladoi.K1, 'Splitter'), grant(kladoi.K2, 'Worker'), grant(kladoi.K3, 'Joiner')],
      target: { id: target.id, label: 'Target' },
      expires_at: expect.any(String),
      kladoi_count: 3,
      all_ready: true,
    });
    expect((await read(node, v1, target.id)).cid).toBe(target.cid);
    expect(splitter.received).toEqual([]);

    // m4
    const started = await invoke({ confirm: true });
    expect(started.status).toBe(202);
    const { job_id, job_collection, expires_at } = started.body as Record<string, string>;
    expect(started.body).toEqual({
      status: 'started',
      job_id: expect.stringMatching(/^job_[0-9A-HJKMNP-TV-Z]{26}$/),
      job_collection,
      rhiza_id: rhiza.id,
      expires_at,
    });
    const granted = await read(node, v1, target.id);
    expect(granted.ver).toBe(target.ver + 1);
    expect(granted.relationships.filter(({ predicate }) => predicate.startsWith('klados_'))).toHaveLength(3);

    // m5
    expect(splitter.received).toHaveLength(1);
    const [sent] = splitter.received;
    expect(sent?.body).toEqual({
      job_id,
      target_entities: files,
      target_collection: target.id,
      job_collection,
      input: { lang: 'en', steps: { work: { quality: 'final' } } },
      api_base: node.url,
      expires_at,
      network: 'test',
      rhiza: { id: rhiza.id, path: ['split'], parent_logs: [] },
    });
    expect(sent?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'Arke/1.0',
      'x-arke-request-id': expect.stringMatching(/^req_[0-9A-HJKMNP-TV-Z]{26}$/),
    });
    const signing = ok<{ public_key: string }>(await node.fetch('/.well-known/signing-key'));
    const [, t = '', v = ''] = /^t=(\d+),v1=(.+)$/.exec(String(sent?.headers['x-arke-signature'])) ?? [];
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60);
    const x = Buffer.from(signing.public_key, 'base64').toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, Buffer.from(`${t}.${sent?.text}`), publicKey, Buffer.from(v, 'base64'))).toBe(true);

    // m88, m89
    const done = await ended(job_id as string);
    expect(done).toEqual({
      job_id,
      rhiza_id: rhiza.id,
      status: 'done',
      progress: { total: 5, pending: 0, running: 0, done: 5, error: 0 },
      started_at: expect.any(String),
      completed_at: expect.any(String),
    });

    // m15 to m19, m67
    const slots = worker.received.map(({ body }) => body);
    expect(slots.map(({ target_entity }) => target_entity)).toEqual(files);
    for (const [index, body] of slots.entries())
      expect(body).toMatchObject({
        target_collection: target.id,
        job_collection,
        input: { quality: 'final', lang: 'en', steps: { work: { quality: 'final' } } },
        expires_at,
        rhiza: { id: rhiza.id, path: ['split', 'work'], batch: { index, total: 3 } },
      });
    const gathered = joiner.received.map(({ body }) => body);
    expect(gathered).toHaveLength(1);
    expect(gathered[0].target_entities).toHaveLength(3);
    expect(gathered[0].rhiza.path).toEqual(['split', 'work', 'join']);
    expect(gathered[0].rhiza.batch).toBeUndefined();
    // The grants of the beginning are there: none of this wrote another version of the target's roles.
    await settled();
    const after = await read(node, v1, target.id);
    expect(after.cid).toBe(granted.cid);

    // 5.8
    await settled();
    const jobs = await read(node, v1, job_collection as string);
    const logs = await inside(jobs.id, 'klados_log');
    const links = (predicate: string) => jobs.relationships.filter((r) => r.predicate === predicate);
    expect(logs).toHaveLength(5);
    expect(links('log_started')).toHaveLength(5);
    expect(links('log_done')).toHaveLength(5);
    expect(links('final_output')).toHaveLength(1);
    expect(links('final_error')).toEqual([]);
    expect(logs.every(({ properties }) => properties.status === 'done')).toBe(true);
    const [batch] = await inside(jobs.id, 'batch');
    expect(batch?.properties).toMatchObject({ total: 3, completed: 3, status: 'complete' });
    for (const { failures } of workers) expect(failures).toEqual([]);
  });

  test('fails in a slot, and goes on where it stopped (m90 to m96)', async () => {
    const [, worker, joiner] = workers as [WorkerProcess, WorkerProcess, WorkerProcess];
    worker.received.length = 0;
    joiner.received.length = 0;
    await worker.tell({ failing: [files[1] as string] });
    const { job_id, job_collection } = ok<Record<string, string>>(await invoke({ confirm: true }));

    // m93
    const failed = await ended(job_id as string);
    const lost = worker.received.find(({ body }) => body.target_entity === files[1])?.body;
    expect(failed).toEqual({
      job_id,
      rhiza_id: rhiza.id,
      status: 'error',
      progress: { total: 4, pending: 0, running: 0, done: 3, error: 1 },
      errors: [
        { klados_id: kladoi.K2, job_id: lost.job_id, code: 'TIMEOUT', message: 'request timed out', retryable: true },
      ],
      started_at: expect.any(String),
      completed_at: expect.any(String),
    });
    expect(joiner.received).toEqual([]);

    // Another code resumes nothing.
    const resume = (body: object) => ask(node, v1, `POST /rhizai/${rhiza.id}/jobs/${job_id}/resume`, body);
    expect(ok(await resume({ error_codes: ['NOT_FOUND'] }))).toEqual({ resumed: 0, skipped: 1, jobs: [] });

    // m94, m95. Those of very many jobs would take the event loop too long to say at once.
    const said = vi.spyOn(JSON, 'stringify');
    const resumed = ok<{ jobs: { new_job_id: string }[] }>(await resume({ error_codes: ['TIMEOUT'] }));
    const [again] = resumed.jobs;
    expect(resumed).toEqual({
      resumed: 1,
      skipped: 0,
      jobs: [{ original_job_id: lost.job_id, klados_id: kladoi.K2, new_job_id: again?.new_job_id }],
    });
    expect(said.mock.calls.filter(([value]) => Object(value).jobs)).toEqual([]);
    said.mockRestore();
    const done = await ended(job_id as string);
    await settled();
    const repeated = worker.received.at(-1)?.body;
    const [failedLog] = (await inside(job_collection as string, 'klados_log')).filter(
      ({ properties }) => properties.job_id === lost.job_id,
    );
    expect(repeated).toEqual({
      ...lost,
      job_id: again?.new_job_id,
      expires_at: repeated.expires_at,
      rhiza: { ...lost.rhiza, parent_logs: [failedLog?.id] },
    });

    // m96
    expect(done).toEqual({
      job_id,
      rhiza_id: rhiza.id,
      status: 'done',
      progress: { total: 6, pending: 0, running: 0, done: 5, error: 1 },
      started_at: expect.any(String),
      completed_at: expect.any(String),
    });
    expect(joiner.received).toHaveLength(1);
    expect(joiner.received[0]?.body.target_entities).toHaveLength(3);
    await settled();
    const jobs = await read(node, v1, job_collection as string);
    expect(jobs.relationships.map(({ predicate }) => predicate)).toEqual(
      expect.arrayContaining(['final_error', 'final_output']),
    );
    expect(ok(await resume({}))).toEqual({ resumed: 0, skipped: 0, jobs: [] });
    for (const { failures } of workers) expect(failures).toEqual([]);
  });

  test('is followed as it happens', async () => {
    const { job_id } = ok<Record<string, string>>(await invoke({ confirm: true }));
    const answer = await node.fetch(`/rhizai/${rhiza.id}/jobs/${job_id}/status/stream`, {
      headers: { ...v1.headers },
    });
    expect(answer.headers['content-type']).toMatch(/^text\/event-stream/);
    const states = answer.text
      .split('\n\n')
      .filter((event) => event.startsWith('data: '))
      .map((event) => JSON.parse(event.slice(6)) as Status);
    expect(states.at(-1)).toMatchObject({ job_id, status: 'done', progress: { total: 5, done: 5 } });
    expect(states.length).toBeGreaterThan(1);
    expect(new Set(states.map((state) => createHash('sha1').update(JSON.stringify(state)).digest('hex'))).size).toBe(
      states.length,
    );
  });
});
