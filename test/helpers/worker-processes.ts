import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';
import { networkOf } from '../../src/server/model/ids.ts';
import { applyUpdate } from '../../src/server/model/next-version.ts';
import type { Person } from './callers.ts';
import { type Entity, read } from './entities.ts';
import type { TestNode } from './node.ts';
import { klados } from './processors.ts';

/** A request that a worker got. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it.
  body: any;
}

/** A worker process of the tests (worker/worker.ts). */
export interface WorkerProcess extends AsyncDisposable {
  endpoint: string;
  received: Received[];
  /** What went wrong in it. */
  failures: string[];
  /** Resolves when it has nothing more to say of the jobs that came: its log is done before that. */
  settled(): Promise<void>;
  tell(what: {
    klados?: string;
    key?: string;
    work?: string;
    failing?: string[];
    token?: string;
    patient?: boolean;
    expires_in?: number;
  }): Promise<void>;
}

const file = fileURLToPath(new URL('./worker/worker.ts', import.meta.url));

interface Said {
  port?: number;
  request?: { headers: IncomingHttpHeaders; text: string };
  failed?: string;
  told?: boolean;
  finished?: boolean;
}

export async function startWorker(): Promise<WorkerProcess> {
  const child: ChildProcess = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] });
  const received: Received[] = [];
  const failures: string[] = [];
  const events = new EventEmitter();
  let working = 0;
  child.on('message', ({ port, request, failed, told, finished }: Said) => {
    if (request) working++;
    if (finished && --working === 0) events.emit('settled');
    if (request) received.push({ ...request, body: JSON.parse(request.text) });
    if (failed !== undefined) failures.push(failed);
    if (port !== undefined) events.emit('port', port);
    if (told) events.emit('told');
  });
  const [port] = (await once(events, 'port')) as [number];
  return {
    endpoint: `http://127.0.0.1:${port}`,
    received,
    failures,
    async settled() {
      if (working > 0) await once(events, 'settled');
    },
    async tell(what) {
      const answer = once(events, 'told');
      child.send(what);
      await answer;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** An active klados with a key. */
export async function activeKlados(
  node: TestNode,
  owner: Person,
  collection: string,
  more: { endpoint: string; [member: string]: unknown },
): Promise<{ klados: Entity; key: string }> {
  const made = await klados(node, owner, collection, more);
  return { klados: await activate(node, owner, made), key: processorKey(node, owner, made.id, 'klados') };
}

export function processorKey(node: TestNode, owner: Person, processor: string, kind: 'agent' | 'klados'): string {
  return node.ctx.identity.createKey({ kind, account: owner.account ?? owner.id, processor, expiresIn: null }).key;
}

/** The processor with a verified endpoint, as if that had shown its token, and active. */
export async function activate(node: TestNode, owner: Person, made: Entity): Promise<Entity> {
  const { writes, networks } = node.ctx;
  const network = networkOf(made.id);
  const store = await networks.get(network);
  const ids = node.ctx.identity.accountById(owner.account ?? owner.id)?.ids[network] ?? [owner.id];
  const actor = { kind: 'user' as const, id: owner.id, ids, operator: false };
  const update = { properties: { endpoint_verified_at: new Date(writes.env.now()).toISOString(), status: 'active' } };
  await writes.write(store, (db) => {
    const base = writes.standing(db, network, made.id);
    const next = applyUpdate(base.manifest, base.cid, update, writes.stamp(actor));
    return { steps: [writes.step(db, { actor, network }, base, next, undefined, { verifying: true })] };
  });
  const { endpoint } = (await read(node, owner, made.id)).properties as { endpoint: string };
  const operators = node.ctx.identity.accountById(owner.account ?? owner.id)?.operator === true;
  node.ctx.identity.verifications.putVerified(made.id, { endpoint, verified_at: writes.env.now(), operators });
  return read(node, owner, made.id);
}
