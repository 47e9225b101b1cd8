import { expect, it, vi } from 'vitest';
import { leftWork } from '../../src/server/commands/parts/left-work.ts';
import { StorageError } from '../../src/server/errors.ts';
import { JobQueue } from '../../src/server/jobs/queue.ts';
import { JobSender } from '../../src/server/jobs/sender.ts';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { Commit } from '../../src/server/store/commit.ts';
import type { NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { findJob, queuedJobs, type StoredJob } from '../../src/server/store/jobs/jobs.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { change, commit, first, idOf, openStore } from '../helpers/store.ts';

const made = (n: number, expires: number, { state = 'queued', handoff = null }: Partial<NewJob> = {}): Commit => {
  const request = { job_id: `job_${n}` } as JobRequest;
  const job: NewJob = {
    ...{ id: `job_${n}`, run: `job_${n}`, type: 'klados', processor: 'p', rhiza: null, collection: 'c', target: 'c' },
    ...{ parent: null, retries: null, handoff, asker: '{}', request, created: 0, expires },
    ...{ state, attempts: 0 },
  };
  return { changes: [], preconditions: [], rows: [{ kind: 'job', job }], origin: 'local', time: 0 };
};

/** A queue that reaches no processor, with what it logs. */
function queueOf(store: NetworkStore) {
  const told: string[] = [];
  const warned: string[] = [];
  const tell = (_: object, message: string) => void told.push(message);
  const stop = new AbortController().signal;
  const sender = new JobSender({
    ...{ dispatchers: [], apiBase: () => 'http://node', now: () => 0, log: { error: tell }, stop },
  });
  const log = { error: tell, warn: (_: object, message: string) => void warned.push(message), info: tell };
  return { queue: new JobQueue(store, { sender, now: () => 0, newUlid: () => '', log, stop }), told, warned };
}

it('are those whose time is not over: what expired while it waited is not read again and again', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  await store.submit([made(1, 100), made(2, 300), made(3, 200), made(4, 300)]);
  const waiting = (nowMs: number, after = 0, limit = 10) =>
    store.read((db) => queuedJobs(db, { after, except: { ids: [], processors: [] }, limit, nowMs }));
  const idsOf = ({ jobs }: { jobs: StoredJob[] }) => jobs.map(({ id }) => id);
  expect(idsOf(waiting(50))).toEqual(['job_1', 'job_2', 'job_3', 'job_4']);
  expect(idsOf(waiting(200))).toEqual(['job_2', 'job_4']);
  expect(waiting(200).next).toBe(null);
  const first = waiting(200, 0, 1);
  expect(idsOf(waiting(200, first.next ?? 0))).toEqual(['job_4']);
});

it('are looked for a part at a time behind very many of a processor that takes none', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  await store.submit(Array.from({ length: 5001 }, (_, n) => made(n, 100)));
  const waiting = (after: number, processors: string[] = ['p']) =>
    store.read((db) => queuedJobs(db, { after, except: { ids: [], processors }, limit: 10, nowMs: 0 }));
  expect(waiting(0)).toEqual({ jobs: [], next: 5000 });
  expect(waiting(5000)).toEqual({ jobs: [], next: null });
  expect(waiting(5000, [])).toMatchObject({ jobs: [{ id: 'job_5000' }], next: null });
});

it('are looked for again whenever somebody says that there may be some, also as the last look ends', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const look = vi.spyOn(store, 'look');
  for (let ticks = 0; ticks < 12; ticks++) {
    const queue = new JobQueue(store, {
      // Nothing waits, so that nothing is sent.
      sender: {} as JobSender,
      now: () => 0,
      newUlid: () => '',
      log: { error: () => expect.unreachable(), warn: () => expect.unreachable(), info: () => expect.unreachable() },
      stop: new AbortController().signal,
    });
    look.mockClear();
    const woken = Promise.withResolvers<void>();
    // So many microtasks after what is otherwise the last look.
    look.mockImplementationOnce((...args) => {
      const found = NetworkStore.prototype.look.apply(store, args);
      const after = async () => {
        for (let n = 0; n < ticks; n++) await null;
        queue.wake();
        woken.resolve();
      };
      void after();
      return found;
    });
    queue.wake();
    await woken.promise;
    await queue.idle();
    expect([ticks, look.mock.calls.length]).toEqual([ticks, 2]);
  }
});

it('wait on where the node could not look up their processor, since nothing of them went out', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  await store.submit([made(1, 100)]);
  const job = () => store.look((db) => findJob(db, 'job_1')) as StoredJob;
  const logged: string[] = [];
  const sender = new JobSender({
    dispatchers: [],
    apiBase: () => 'http://node',
    now: () => 0,
    log: { error: (_, message) => void logged.push(message) },
    stop: new AbortController().signal,
  });
  vi.spyOn(store, 'read').mockImplementationOnce(() => {
    throw new StorageError('The disk could not be read.');
  });
  await sender.attempt(store, job());
  expect(job().sending).toMatchObject({ state: 'queued', attempts: 1, error: expect.stringContaining('look up') });
  expect(logged).toEqual(['the processor of a job could not be looked up']);
  await sender.attempt(store, job());
  expect(job().sending).toMatchObject({ state: 'refused', error: 'the processor is not here any more' });
});

it('are taken up beside all else where a stop of the node left very many, and what waits is sent after that', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const left = Array.from({ length: 501 }, (_, n) => made(n, 100, { state: 'sent' }));
  await store.submit(left);
  const { queue, told } = queueOf(store);
  const unknown = () => left.filter((_, n) => store.read((db) => findJob(db, `job_${n}`))?.sending.state === 'unknown');
  const { submit } = store;
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const spy = vi.spyOn(store, 'submit').mockImplementation(async (commits) => {
    if (spy.mock.calls.length > 1) await held;
    return submit.call(store, commits);
  });
  await queue.resume();
  expect([unknown().length, queue.resumed, told.length]).toEqual([500, 500, 1]);
  const takenUp = queue.takenUp();
  letGo();
  await takenUp;
  expect([unknown().length, queue.resumed, told.length]).toEqual([501, null, 2]);
});

it('are taken up beside all else where too much waits to be written already, too', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  await store.submit(Array.from({ length: 501 }, (_, n) => made(n, 100, { state: 'sent' })));
  const { queue } = queueOf(store);
  await queue.resume();
  const takenUp = queue.takenUp();
  // More than may wait; nothing of it is kept, since it relies on what is not there.
  const version = first(idOf(1));
  const large = { ...change(null, version), blocks: [{ cid: version.cid, bytes: new Uint8Array(2 ** 26) }] };
  const refused = store.submit([commit([large], { preconditions: [{ id: idOf(2), tip: version.cid }] })]);
  await takenUp;
  expect(await refused).toMatchObject([{ committed: false }]);
  expect(store.read((db) => findJob(db, 'job_500'))?.sending.state).toBe('unknown');
});

it('are looked at beside all else for handoffs that had not arrived when the node stopped, before any is sent', async () => {
  await using opened = await openStore('here');
  const { store } = opened;
  const from = { state: 'queued', attempts: 0 } as const;
  const to = { ...from, attempts: 1, error: 'no connection', retryAfter: null };
  const left = Array.from({ length: 501 }, (_, n) => made(n, 100, { handoff: `digest ${n}` }));
  await store.submit(left);
  const rows = left.map((_, n) => ({ kind: 'job_sending', id: `job_${n}`, from, to }) as const);
  await store.submit([{ changes: [], preconditions: [], rows, origin: 'local', time: 0 }]);
  const { queue, told, warned } = queueOf(store);
  await queue.resume();
  expect([queue.resumed, told.length]).toEqual([500, 1]);
  await queue.takenUp();
  expect([queue.resumed, told.length]).toEqual([null, 2]);
  // As for a command that a node is run for, which has nothing to do with jobs.
  expect(warned).toEqual([]);
  const handoffs = ['digest 0', 'digest 500', 'digest 0'];
  expect(await Promise.all(handoffs.map(async (handoff) => (await queue.unanswered(handoff))?.id))).toEqual([
    ...['job_0', 'job_500', undefined],
  ]);
});

it('are looked at by the next start, as a command says that runs a node for itself, which ends at once', () => {
  const left = { what: 'jobs', name: null, done: 500 } as const;
  expect([leftWork(left, true), leftWork(left, false)]).toEqual([
    'looks what became of jobs that a stop of the node left: 500 jobs so far',
    'a stop of the node left jobs: its next start looks what became of them',
  ]);
});
