import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Node } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow, plainRow } from '../report.ts';

const invocations = 1000;
const atOnce = 32;
const previews = 300;
const scattered = 5000;

interface Status {
  status: string;
  progress: { total: number; done: number };
  errors?: object[];
}

/** Processors that do nothing: how many jobs a second begin and are logged. */
export async function measureJobs(node: Node): Promise<void> {
  await using kladoi = await startKladoi();
  const home = await made(node, 'POST /collections', { label: 'processors' });
  const target = await made(node, 'POST /collections', { label: 'target' });
  const echo = await kladoi.register(node, home, 'echo', 'one');
  const file = await made(node, 'POST /entities', { type: 'file', collection: target });
  const body = { target_collection: target, target_entity: file };
  const invoke = `POST /kladoi/${echo}/invoke`;

  for (let i = 0; i < 20; i++) await call(node, invoke, body);
  const times: number[] = [];
  for (let i = 0; i < previews; i++) {
    const begun = performance.now();
    await call(node, invoke, body);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  atMostRow('preview of an invocation, median', times[previews / 2] ?? 0, 'ms', 5);

  const jobs: { job_id: string }[] = [];
  const begun = performance.now();
  node.reset();
  let at = 0;
  const some = async () => {
    while (at++ < invocations) jobs.push(await call(node, invoke, { ...body, confirm: true }));
  };
  await Promise.all(Array.from({ length: atOnce }, some));
  await Promise.all(jobs.map(({ job_id }) => ended(node, `/kladoi/${echo}/jobs/${job_id}/status`)));
  atLeastRow('invocations of a klados over HTTP, each logged', rate(invocations, begun), '/s', 300);
  loopRow('invocations', (await node.loopDelay()).p99);

  const batchBegun = performance.now();
  const items = Array.from({ length: invocations }, () => ({ target_entity: file }));
  const { dispatch_id } = await call<{ dispatch_id: string }>(node, `${invoke}/batch`, {
    target_collection: target,
    invocations: items,
    confirm: true,
  });
  await ended(node, `/kladoi/${echo}/jobs/${dispatch_id}/status`);
  plainRow('the same as one batch', rate(invocations, batchBegun), '/s');
  if (kladoi.failures.length > 0) throw new Error(`a klados failed: ${kladoi.failures[0]}`);
}

/** A workflow over many targets; on a node of its own, whose peak of memory it is. */
export async function measureScatter(node: Node): Promise<void> {
  await using kladoi = await startKladoi();
  const home = await made(node, 'POST /collections', { label: 'processors' });
  const target = await made(node, 'POST /collections', { label: 'target' });
  const ids: Record<string, string> = {};
  for (const [name, takes] of Object.entries({ split: 'many', work: 'one', join: 'many' }))
    ids[name] = await kladoi.register(node, home, name, takes);
  const files: string[] = [];
  for (let i = 0; i < scattered; i += 100) {
    const entities = Array.from({ length: 100 }, () => ({ type: 'file', collection: target }));
    const { results } = await call<{ results: { id: string }[] }>(node, 'POST /entities/batch', { entities });
    files.push(...results.map(({ id }) => id));
  }
  const step = (name: string, then: object) => ({ klados: { id: ids[name], type: 'klados' }, then });
  const flow = {
    split: step('split', { scatter: 'work' }),
    work: step('work', { gather: 'join' }),
    join: step('join', { done: true }),
  };
  const rhiza = await made(node, 'POST /rhizai', { label: 'r', version: '1', entry: 'split', flow, collection: home });
  const scatterBegun = performance.now();
  node.reset();
  const { job_id } = await call<{ job_id: string }>(node, `POST /rhizai/${rhiza}/invoke`, {
    target_collection: target,
    target_entities: files,
    confirm: true,
  });
  const { progress, errors } = await ended(node, `/rhizai/${rhiza}/jobs/${job_id}/status`);
  if (progress.done !== scattered + 2 || errors) throw new Error(`the scatter ended as ${JSON.stringify(progress)}`);
  plainRow(`scatter over ${scattered} targets with a gather`, (performance.now() - scatterBegun) / 1000, 's');
  loopRow('the scatter', (await node.loopDelay()).p99);
  atMostRow('peak memory with the scatter', node.memory().peak, 'MB', 250);
  if (kladoi.failures.length > 0) throw new Error(`a klados failed: ${kladoi.failures[0]}`);
}

const rate = (count: number, begun: number): number => (count * 1000) / (performance.now() - begun);

async function call<T>(node: Node, line: string, body?: object): Promise<T> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(`${node.url}${path}`, {
    method,
    headers: node.headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${line} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

async function made(node: Node, line: string, body: object): Promise<string> {
  return (await call<{ id: string }>(node, line, body)).id;
}

async function ended(node: Node, path: string): Promise<Status> {
  for (;;) {
    const status = await call<Status>(node, `GET ${path}`);
    if (status.status === 'done' || status.status === 'error') return status;
    await sleep(500);
  }
}

async function startKladoi() {
  const child: ChildProcess = fork(join(import.meta.dirname, '../echo-kladoi.ts'), { execArgv: [] });
  const events = new EventEmitter();
  const failures: string[] = [];
  child.on('message', (said: { port?: number; told?: string; failed?: string }) => {
    if (said.failed !== undefined) failures.push(said.failed);
    if (said.port !== undefined) events.emit('port', said.port);
    if (said.told !== undefined) events.emit('told');
  });
  const [port] = (await once(events, 'port')) as [number];
  const tell = async (what: object) => {
    const told = once(events, 'told');
    child.send(what);
    await told;
  };
  return {
    failures,
    /** Registered, verified, active, and with a key. */
    async register(node: Node, collection: string, name: string, cardinality: string): Promise<string> {
      const ports = { accepts: { types: ['*'], cardinality }, produces: { types: ['*'], cardinality: 'many' } };
      const id = await made(node, 'POST /kladoi', {
        ...{ label: name, endpoint: `http://127.0.0.1:${port}/${name}`, collection, ...ports },
        actions_required: ['entity:view', 'entity:create', 'entity:update'],
      });
      const verify = `POST /kladoi/${id}/verify`;
      const { verification_token: token } = await call<{ verification_token: string }>(node, verify, {});
      await tell({ name, klados: id, token });
      const { verified } = await call<{ verified: boolean }>(node, verify, { confirm: true });
      if (!verified) throw new Error(`${name} was not verified`);
      const { cid } = await call<{ cid: string }>(node, `GET /kladoi/${id}`);
      await call(node, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'active' });
      const { key } = await call<{ key: string }>(node, `POST /kladoi/${id}/keys`, {});
      await tell({ name, key });
      return id;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    },
  };
}
