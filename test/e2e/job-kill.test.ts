import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { type Entity, ok } from '../helpers/entities.ts';
import { freePort } from '../helpers/free-port.ts';
import { send, temporaryFolder } from '../helpers/node.ts';
import { startWorker, type WorkerProcess } from '../helpers/worker-processes.ts';

// As an operator does it: three workers on this machine, registered and verified, and a workflow that scatters and gathers.
// The built program is killed while it runs, and comes to the same result.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];
const count = 40;

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Program {
  child: ChildProcess;
  call: <T = Entity>(line: string, body?: unknown) => Promise<T>;
}

async function serve(data: string, port: number): Promise<Program> {
  const args = [launcher, 'serve', '--data', data, '--port', String(port)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url === null || url === undefined) continue;
    const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
    const headers = { Authorization: `ApiKey ${key}` };
    return {
      child,
      call: async <T>(line: string, body?: unknown) => {
        const [method = '', path = ''] = line.split(' ');
        return ok<T>(await send(url, path, { method, headers, body }));
      },
    };
  }
  throw new Error('the program ended before it was ready');
}

/** Registered, verified by the endpoint itself, active, and with a key. */
async function klados(
  { call }: Program,
  collection: string,
  worker: WorkerProcess,
  work: string,
  takes: string,
): Promise<string> {
  const made = await call('POST /kladoi', {
    label: work,
    endpoint: worker.endpoint,
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
    accepts: { types: ['*'], cardinality: takes },
    produces: { types: ['*'], cardinality: 'many' },
    collection,
  });
  const { verification_token } = await call<{ verification_token: string }>(`POST /kladoi/${made.id}/verify`, {});
  await worker.tell({ klados: made.id, token: verification_token });
  expect(await call(`POST /kladoi/${made.id}/verify`, { confirm: true })).toMatchObject({ verified: true });
  const { cid } = await call(`GET /kladoi/${made.id}`);
  await call(`PUT /kladoi/${made.id}`, { expect_tip: cid, status: 'active' });
  const { key } = await call<{ key: string }>(`POST /kladoi/${made.id}/keys`, {});
  await worker.tell({ key, work, patient: true, expires_in: 60 });
  return made.id;
}

interface Status {
  status: string;
  progress: { done: number };
  errors?: { code: string; retryable: boolean }[];
}

test('a workflow whose node is killed comes to the same result', { timeout: 280_000 }, async () => {
  await using folder = await temporaryFolder();
  await using split = await startWorker();
  await using work = await startWorker();
  await using joined = await startWorker();
  const port = await freePort();
  let program = await serve(folder.path, port);
  const { call } = program;
  const home = await call('POST /collections', { label: 'processors' });
  const target = await call('POST /collections', { label: 'Target' });
  const [K1, K2, K3] = [
    await klados(program, home.id, split, 'split', 'many'),
    await klados(program, home.id, work, 'work', 'one'),
    await klados(program, home.id, joined, 'join', 'many'),
  ];
  const step = (id: string, then: object) => ({ klados: { id, type: 'klados' }, then });
  const flow = {
    split: step(K1, { scatter: 'work' }),
    work: step(K2, { gather: 'join' }),
    join: step(K3, { done: true }),
  };
  const rhiza = await call('POST /rhizai', { label: 'r', version: '1.0.0', entry: 'split', flow, collection: home.id });
  const files: string[] = [];
  for (let i = 0; i < count; i++)
    files.push((await call('POST /entities', { type: 'file', collection: target.id })).id);
  const started = await call<{ job_id: string; job_collection: string }>(`POST /rhizai/${rhiza.id}/invoke`, {
    target_collection: target.id,
    target_entities: files,
    // Longer than all of it takes: only what is handed on ends while the test runs.
    expires_in: 3600,
    confirm: true,
  });

  // In the middle of the scatter, twice.
  for (const received of [5, 25]) {
    while (work.received.length < received) await sleep(5);
    const ended = once(program.child, 'exit');
    program.child.kill('SIGKILL');
    await ended;
    program = await serve(folder.path, port);
  }

  const look = () => program.call<Status>(`GET /rhizai/${rhiza.id}/jobs/${started.job_id}/status`);
  for (let status = await look(); status.status !== 'done'; status = await look()) {
    if (status.status === 'error') {
      // A request that the kill met between the disk and the wire never arrived: it times out, and is sent again.
      expect(status.errors?.every(({ retryable }) => retryable)).toBe(true);
      const path = `/rhizai/${rhiza.id}/jobs/${started.job_id}/resume`;
      expect((await program.call<{ resumed: number }>(`POST ${path}`, {})).resumed).toBeGreaterThan(0);
    }
    await sleep(200);
  }

  const inside = async (type: string, collection: string) => {
    const page = await program.call<{ entities: { id: string }[] }>(
      `GET /collections/${collection}/entities?type=${type}&limit=1000`,
    );
    return Promise.all(page.entities.map(({ id }) => program.call(`GET /entities/${id}`)));
  };
  const batches = (await inside('batch', started.job_collection)).map(
    ({ properties }) => properties as { status: string; slots: { status: string; output_ids: string[] }[] },
  );
  // An answer that the kill took away may have been a batch's, which was then made again.
  const [{ slots } = { slots: [] }, ...more] = batches.filter(({ status }) => status === 'complete');
  expect(more).toEqual([]);
  expect(slots).toHaveLength(count);
  expect(slots.every(({ status }) => status === 'complete')).toBe(true);
  const documents = await inside('document', target.id);
  const results = documents.filter(({ properties }) => properties.label === `joined ${count}`);
  expect(results.length).toBeGreaterThan(0);
  // Each file came to one output of its own, and the result is made of exactly these.
  const outputs = results[0]?.relationships.filter(({ predicate }) => predicate === 'derived_from') ?? [];
  expect(outputs.map(({ peer }) => peer).sort()).toEqual(slots.flatMap(({ output_ids }) => output_ids).sort());
  const sources = documents
    .filter(({ id }) => outputs.some(({ peer }) => peer === id))
    .map(({ relationships }) => relationships.find(({ predicate }) => predicate === 'derived_from')?.peer);
  expect(sources.sort()).toEqual(files.sort());
  // No job was sent twice.
  for (const { received } of [split, work, joined]) {
    const jobs = received.map(({ body }) => body.job_id);
    expect(new Set(jobs).size).toBe(jobs.length);
  }
});
