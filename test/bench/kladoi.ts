import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from './call.ts';
import type { Node } from './processes.ts';

export interface Status {
  status: string;
  progress: { total: number; done: number };
  errors?: object[];
}

/** Processors of the bench, in a process of their own. */
export interface Kladoi extends AsyncDisposable {
  /** What went wrong in them. */
  failures: string[];
  /** Registered, verified, active, and with a key; gives its id. */
  register(node: Node, collection: string, name: string, cardinality: string): Promise<string>;
}

/** A workflow over many targets, whose results are gathered. */
export interface Scatter {
  files: string[];
  rhiza: string;
  start(more?: object): Promise<{ job_id: string; job_collection: string }>;
  /** Where its status is told. */
  status(job: string): string;
}

export async function prepareScatter(node: Node, kladoi: Kladoi, count: number): Promise<Scatter> {
  const home = await made(node, 'POST /collections', { label: 'processors' });
  const target = await made(node, 'POST /collections', { label: 'target' });
  const ids: Record<string, string> = {};
  for (const [name, takes] of Object.entries({ split: 'many', work: 'one', join: 'many' }))
    ids[name] = await kladoi.register(node, home, name, takes);
  const files: string[] = [];
  for (let i = 0; i < count; i += 100) {
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
  const body = { target_collection: target, target_entities: files, confirm: true };
  return {
    files,
    rhiza,
    start: (more = {}) => call(node, `POST /rhizai/${rhiza}/invoke`, { ...body, ...more }),
    status: (job) => `/rhizai/${rhiza}/jobs/${job}/status`,
  };
}

export async function made(node: Node, line: string, body: object): Promise<string> {
  return (await call<{ id: string }>(node, line, body)).id;
}

/** The state of a job that has come to its end, looked at again after so many milliseconds. */
export async function ended(node: Node, path: string, pause = 500): Promise<Status> {
  for (;;) {
    const status = await call<Status>(node, `GET ${path}`);
    if (status.status === 'done' || status.status === 'error') return status;
    await sleep(pause);
  }
}

/** `patient`: they go on asking a node that does not answer. */
export async function startKladoi(patient = false): Promise<Kladoi> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'echo-kladoi.ts'), patient ? ['patient'] : [], {
    execArgv: [],
  });
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
