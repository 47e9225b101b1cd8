// Kladoi that do nothing but what a job asks of them, in one process: `echo` writes a log; `split` scatters its targets,
// `work` fills its slot, and the last one gathers at `join`. Slots of one batch are written together, as the kit does it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

interface Told {
  name: string;
  klados: string;
  key: string;
  token: string;
}

interface Job {
  job_id: string;
  target_entity?: string;
  target_entities?: string[];
  target_collection: string;
  job_collection: string;
  api_base: string;
  rhiza?: { id: string; path: string[]; parent_logs: string[]; batch?: { id: string; index: number; total: number } };
}

interface Slot {
  index: number;
  status: string;
  output_ids?: string[];
}

const atOnce = 16;
/** The public library waits up to 10 s before it writes a slot (processors.md 2.9). */
const gatheringMs = 1000;
/** A node that is killed comes back: what it did not answer is asked again; its permissions then last two minutes at a time. */
const patient = process.argv[2] === 'patient';
const kladoi = new Map<string, Told>();
const agent = new Agent({ connections: 64, pipelining: 1 });

async function call<T>(job: Job, key: string, line: string, body?: object): Promise<T> {
  for (;;) {
    try {
      return await once<T>(job, key, line, body);
    } catch (error) {
      if (!patient || error instanceof Refusal) throw error;
      await sleep(100);
    }
  }
}

/** The node has answered. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

async function once<T>(job: Job, key: string, line: string, body?: object): Promise<T> {
  const [method = 'GET', path = ''] = line.split(' ');
  const answer = await request(`${job.api_base}${path}`, {
    method: method as 'GET' | 'POST' | 'PUT',
    dispatcher: agent,
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300)
    throw new Refusal(answer.statusCode, `${line} was answered ${answer.statusCode}: ${text.slice(0, 300)}`);
  return JSON.parse(text) as T;
}

const targetsOf = ({ target_entity, target_entities }: Job) => target_entities ?? [target_entity ?? ''];

/** The whole log of a job that has done its work. */
async function log(job: Job, { klados, key }: Told, more: object = {}): Promise<string> {
  const at = new Date().toISOString();
  const common = { klados_id: klados, job_id: job.job_id, status: 'done' };
  const received = { target_collection: job.target_collection, from_logs: job.rhiza?.parent_logs ?? [] };
  const entry = { type: 'klados_log', ...common, started_at: at, completed_at: at, received, ...more };
  const properties = { ...common, log_data: { entry, messages: [] } };
  const body = { type: 'klados_log', collection: job.job_collection, properties };
  return (await call<{ id: string }>(job, key, 'POST /entities', body)).id;
}

function invocation(job: Job, ids: string[], rhiza: object): object {
  const [first] = ids;
  return {
    ...(ids.length === 1 ? { target_entity: first } : { target_entities: ids }),
    target_collection: job.target_collection,
    job_collection: job.job_collection,
    expires_in: patient ? 120 : 3600,
    confirm: true,
    rhiza,
  };
}

async function split(job: Job, self: Told): Promise<void> {
  const rhiza = job.rhiza as NonNullable<Job['rhiza']>;
  const ids = targetsOf(job);
  const slots = ids.map((_, index) => ({ index, status: 'pending' }));
  const properties = { job_id: job.job_id, total: ids.length, completed: 0, status: 'pending', slots };
  const made = { type: 'batch', collection: job.job_collection, properties };
  const batch = await call<{ id: string }>(job, self.key, 'POST /entities', made);
  const id = await log(job, self, { handoffs: [{ type: 'scatter', outputs: ids, batch_id: batch.id, done_slots: 0 }] });
  const next = kladoi.get('work') as Told;
  let at = 0;
  const sendSome = async () => {
    for (let index = at++; index < ids.length; index = at++) {
      const place = { id: batch.id, index, total: ids.length };
      const context = { id: rhiza.id, path: [...rhiza.path, 'work'], parent_logs: [id], batch: place };
      const body = invocation(job, [ids[index] as string], context);
      await call(job, self.key, `POST /kladoi/${next.klados}/invoke`, body);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendSome));
}

/** What waits to be written to one batch together. */
interface Round {
  outputs: Map<number, string[]>;
  written: Promise<void>;
}
const next = new Map<string, Round>();
const running = new Map<string, Promise<unknown>>();

/** A log that says it is done comes after the handoff, as always. */
async function work(job: Job, self: Told): Promise<void> {
  const { batch } = job.rhiza as NonNullable<Job['rhiza']>;
  if (!batch) throw new Error('nothing was scattered');
  const round = next.get(batch.id) ?? open(job, self, batch.id);
  round.outputs.set(batch.index, targetsOf(job));
  await round.written;
  await log(job, self);
}

function open(job: Job, self: Told, batch: string): Round {
  const outputs = new Map<number, string[]>();
  const written = (running.get(batch) ?? Promise.resolve()).then(async () => {
    await sleep(gatheringMs);
    next.delete(batch);
    return fill(job, self, batch, outputs);
  });
  running.set(batch, written);
  const round = { outputs, written };
  next.set(batch, round);
  return round;
}

async function fill(job: Job, self: Told, batch: string, outputs: ReadonlyMap<number, string[]>): Promise<void> {
  type Batch = { cid: string; properties: { slots: Slot[]; total: number } };
  const { cid, properties } = await call<Batch>(job, self.key, `GET /entities/${batch}`);
  const slots = properties.slots.map((slot): Slot => {
    const output_ids = outputs.get(slot.index);
    return output_ids ? { ...slot, status: 'complete', output_ids } : slot;
  });
  const completed = slots.filter(({ status }) => status === 'complete').length;
  const status = completed === properties.total ? 'complete' : 'pending';
  try {
    await call(job, self.key, `PUT /entities/${batch}`, { expect_tip: cid, properties: { slots, completed, status } });
  } catch (error) {
    // The answer to the first attempt may have been lost, not what it wrote.
    if (patient && error instanceof Refusal && error.status === 409) return fill(job, self, batch, outputs);
    throw error;
  }
  if (status !== 'complete') return;
  const rhiza = job.rhiza as NonNullable<Job['rhiza']>;
  const context = { id: rhiza.id, path: [...rhiza.path, 'join'], parent_logs: [] };
  const all = slots.flatMap(({ output_ids = [] }) => output_ids);
  const { klados } = kladoi.get('join') as Told;
  await call(job, self.key, `POST /kladoi/${klados}/invoke`, invocation(job, all, context));
}

const works: Record<string, (job: Job, self: Told) => Promise<unknown>> = { echo: log, split, work, join: log };

process.on('message', (told: Told) => {
  kladoi.set(told.name, { ...kladoi.get(told.name), ...told });
  process.send?.({ told: told.name });
});
process.on('disconnect', () => process.exit());

const server = createServer((request, response) => {
  const [, name = '', ...rest] = (request.url ?? '').split('/');
  const self = kladoi.get(name);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.setHeader('Content-Type', 'application/json');
    if (request.method === 'GET' && rest[0] === '.well-known') {
      response.end(JSON.stringify({ verification_token: self?.token, klados_id: self?.klados }));
      return;
    }
    const job = JSON.parse(Buffer.concat(chunks).toString()) as Job;
    response.end(JSON.stringify({ accepted: true, job_id: job.job_id }));
    if (self) works[name]?.(job, self).catch((error: Error) => process.send?.({ failed: error.message }));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
