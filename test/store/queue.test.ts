import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { BusyError, StorageError } from '../../src/server/errors.ts';
import type { JobRequest } from '../../src/server/model/job-request.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import type { Outcome } from '../../src/server/store/commit.ts';
import { inProcessQueue } from '../../src/server/store/commit-queue.ts';
import { openWriter } from '../../src/server/store/connection.ts';
import type { JobRow, NewJob } from '../../src/server/store/jobs/job-rows.ts';
import { migrations } from '../../src/server/store/migrations/migrate.ts';
import { ThreadQueue, writerThread } from '../../src/server/store/threads/thread-queue.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { rebuiltProjections, storedProjections } from '../helpers/projections.ts';
import { commit, first, idOf, next, openStore, step, type TestStore, type Version, writers } from '../helpers/store.ts';

/** An error of the database itself, in the middle of a commit's writes. */
const failing = `CREATE TRIGGER fails BEFORE INSERT ON moves WHEN NEW.origin = 'fails'
  BEGIN SELECT RAISE(ABORT, 'the disk said no'); END`;

function consistent({ store, rows }: TestStore): void {
  expect(rows('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  store.read((db) => expect(storedProjections(db)).toEqual(rebuiltProjections(db)));
}

/** A queue over a closed store's file, and the threads that it starts. */
async function threadQueue(file: string): Promise<{ queue: ThreadQueue; threads: Worker[] }> {
  const threads: Worker[] = [];
  const queue = new ThreadQueue((fileId) => {
    const thread = writerThread({ file, asks: false, fileId });
    threads.push(thread);
    return thread;
  });
  await queue.open();
  return { queue, threads };
}

function jobRow(id: string, input: JsonObject): JobRow {
  const job: NewJob = {
    ...{ id, run: id, type: 'klados', processor: 'p', rhiza: null, collection: 'c', target: 'c', parent: null },
    ...{ retries: null, handoff: null, asker: '{}', request: { job_id: id, input } as JobRequest },
    ...{ created: 0, expires: 100, state: 'queued', attempts: 0 },
  };
  return { kind: 'job', job };
}

describe.each(writers)('a queue with the writer %s', (writer) => {
  test('an error in one commit rejects its whole group, nothing of it is kept, and later groups work', async () => {
    await using opened = await openStore(writer);
    opened.meddle(failing);
    const made = Array.from({ length: 10 }, (_, n) => first(idOf(n)));
    const submissions = made.map((it, n) =>
      opened.store.submit([n === 5 ? { ...step(null, it), origin: 'fails' } : step(null, it)]),
    );
    const results = await Promise.allSettled(submissions);
    const rejected = results.flatMap((it, n) => (it.status === 'rejected' ? [n] : []));
    expect(rejected).toContain(5);
    for (const n of rejected) {
      const { reason } = results[n] as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(StorageError);
      expect(reason).toMatchObject({ code: 'STORAGE', reason: expect.stringContaining('the disk said no') });
    }
    // Whoever was in another group was answered, and what was answered is what is there.
    expect(made.flatMap(({ id }, n) => (opened.tip(id) === undefined ? [n] : []))).toEqual(rejected);
    const again = await opened.store.submit(rejected.map((n) => step(null, made[n] as Version)));
    expect(again.every(({ committed }) => committed)).toBe(true);
    expect(opened.rows('SELECT max(id) AS n, count(*) AS c FROM moves')).toEqual([{ n: 10, c: 10 }]);
    consistent(opened);
  });

  test('an error that is a commit’s own fails its submission, and its neighbours are written', async () => {
    await using opened = await openStore(writer);
    const made = Array.from({ length: 12 }, (_, n) => first(idOf(n)));
    const broken = {
      kind: 'versions' as const,
      id: idOf(50),
      blocks: [{ cid: first(idOf(50)).cid, bytes: Uint8Array.of(0xff) }],
    };
    const submissions = made.map((it, n) =>
      opened.store.submit([n % 5 === 2 ? { ...step(null, it), rows: [broken] } : step(null, it)]),
    );
    const results = await Promise.allSettled(submissions);
    for (const [n, it] of results.entries()) {
      if (n % 5 === 2) expect(it).toMatchObject({ status: 'rejected', reason: expect.any(StorageError) });
      else expect(it).toMatchObject({ status: 'fulfilled', value: [{ committed: true }] });
    }
    expect(made.map(({ id }) => opened.tip(id) === undefined)).toEqual(made.map((_, n) => n % 5 === 2));
    expect(results[2]).toMatchObject({ reason: { reason: expect.stringMatching(/^This cannot be written: /) } });
    consistent(opened);
  });

  test('a submission over several groups is answered once, in order; a failure keeps the groups before it', async () => {
    await using opened = await openStore(writer);
    opened.meddle(failing);
    const made = Array.from({ length: 1000 }, (_, n) => first(idOf(n)));
    const outcomes = await opened.store.submit(made.slice(0, 600).map((it) => step(null, it)));
    expect(outcomes.map((it) => it.committed && it.moves)).toEqual(outcomes.map((_, n) => [n + 1]));
    const rest = made.slice(600).map((it) => step(null, it));
    const last = { ...rest.at(-1), origin: 'fails' } as (typeof rest)[number];
    await expect(opened.store.submit([...rest.slice(0, -1), last])).rejects.toThrow(StorageError);
    const kept = made.filter(({ id }) => opened.tip(id) !== undefined);
    // The last group had at most 256 versions.
    expect(kept.length).toBeGreaterThanOrEqual(1000 - 256);
    expect(kept).toEqual(made.slice(0, kept.length));
    expect(opened.tip((made.at(-1) as Version).id)).toBeUndefined();
    consistent(opened);
  });

  test('what waits is bounded: more is refused, and room comes back', async () => {
    await using opened = await openStore(writer);
    const properties = { text: 'x'.repeat(4_000_000) };
    const made = Array.from({ length: 20 }, (_, n) => first(idOf(n), { properties }));
    const results = await Promise.allSettled(made.map((it) => opened.store.submit([step(null, it)])));
    const refused = results.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
    // 64 MiB hold 16 of them.
    expect(refused.length).toBe(4);
    for (const reason of refused) expect(reason).toBeInstanceOf(BusyError);
    const late = made.slice(-4).map((it) => opened.store.submit([step(null, it)]));
    expect((await Promise.all(late)).flat().map(({ committed }) => committed)).toEqual([true, true, true, true]);
    expect(made.every(({ id, cid }) => opened.tip(id) === cid)).toBe(true);
  });

  test('what jobs are sent counts as waiting too', async () => {
    await using opened = await openStore(writer);
    const input = { text: 'x'.repeat(4_000_000) };
    const jobs = Array.from({ length: 20 }, (_, n) => commit([], { rows: [jobRow(`job_${n}`, input)] }));
    const results = await Promise.allSettled(jobs.map((it) => opened.store.submit([it])));
    expect(results.filter((it) => it.status === 'rejected' && it.reason instanceof BusyError)).toHaveLength(4);
  });

  test('one submission larger than the bound is taken while nothing else waits', async () => {
    await using opened = await openStore(writer);
    const properties = { text: 'x'.repeat(4_000_000) };
    const large = Array.from({ length: 18 }, (_, n) => step(null, first(idOf(n), { properties })));
    const [outcomes, other] = await Promise.allSettled([
      opened.store.submit(large),
      opened.store.submit([step(null, first(idOf(99)))]),
    ]);
    expect(outcomes).toMatchObject({ status: 'fulfilled' });
    expect(other).toMatchObject({ status: 'rejected', reason: expect.any(BusyError) });
    await opened.store.submit([step(null, first(idOf(99)))]);
  });

  test('closing writes what waits, answers it, and leaves no log behind', async () => {
    await using opened = await openStore(writer);
    const made = Array.from({ length: 2000 }, (_, n) => first(idOf(n)));
    const waiting = made.map((it) => opened.store.submit([step(null, it)]));
    await opened.store.close();
    expect((await Promise.all(waiting)).every(([it]) => it?.committed)).toBe(true);
    const db = openWriter(opened.file);
    expect(db.get('SELECT count(*) AS n FROM moves')).toEqual({ n: 2000 });
    expect(db.db.pragma('wal_checkpoint(PASSIVE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
    db.close();
  });

  test('many writers of one entity: exactly one wins each round', async () => {
    await using opened = await openStore(writer);
    let tip = first(idOf(1));
    await opened.store.submit([step(null, tip)]);
    for (let round = 0; round < 20; round++) {
      const rivals = Array.from({ length: 8 }, (_, n) => next(tip, { properties: { round, n } }));
      const outcomes = (await Promise.all(rivals.map((it) => opened.store.submit([step(tip, it)])))).flat();
      expect(outcomes.filter(({ committed }) => committed)).toHaveLength(1);
      const winner = rivals[outcomes.findIndex(({ committed }) => committed)] as Version;
      for (const it of outcomes) if (!it.committed) expect(it.actual).toBe(winner.cid);
      tip = winner;
    }
    expect(opened.tip(tip.id)).toBe(tip.cid);
  });

  test('nothing to write is answered with nothing', async () => {
    await using opened = await openStore(writer);
    expect(await opened.store.submit([])).toEqual([]);
    expect(await opened.store.submit([commit([])])).toEqual([{ committed: true, moves: [] }]);
  });
});

describe('a writer thread that dies', () => {
  test('fails what it was sent with a clear sentence, and another one takes the next write', async () => {
    await using opened = await openStore('here');
    await opened.store.close();
    const { queue, threads } = await threadQueue(opened.file);
    const versions: Version[] = [first(idOf(1))];
    await queue.submit([step(null, versions[0] as Version)]);
    for (let round = 0; round < 3; round++) {
      const busy = Array.from({ length: 3000 }, (_, n) =>
        queue.submit([step(null, first(idOf(10_000 * (round + 1) + n)))]),
      );
      // It has taken the work and is in the middle of it, or has not got it yet.
      await (round === 0 ? Promise.race(busy) : new Promise((resolve) => setImmediate(resolve)));
      await threads.at(-1)?.terminate();
      const results = await Promise.allSettled(busy);
      const lost = results.flatMap((it) => (it.status === 'rejected' ? [it.reason] : []));
      expect(lost.length).toBeGreaterThan(0);
      for (const reason of lost) {
        expect(reason).toBeInstanceOf(StorageError);
        expect(reason).toMatchObject({ reason: expect.stringContaining('The writer stopped unexpectedly') });
      }
      const before = versions.at(-1) as Version;
      versions.push(next(before));
      const [outcome] = (await queue.submit([step(before, versions.at(-1) as Version)])) as [Outcome];
      expect(outcome.committed).toBe(true);
      const answered = results.flatMap((it, n) => (it.status === 'fulfilled' ? [idOf(10_000 * (round + 1) + n)] : []));
      const db = openWriter(opened.file);
      for (const id of answered)
        expect(db.get('SELECT tip FROM entity WHERE id = ? AND tip IS NOT NULL', id)).toBeDefined();
      expect(db.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      db.close();
    }
    expect(threads).toHaveLength(4);
    await queue.close();
    await expect(queue.submit([])).rejects.toMatchObject({ reason: 'The node is closing.' });
    expect(threads).toHaveLength(4);
  });

  test('what cannot be handed over to it fails alone', async () => {
    await using opened = await openStore('here');
    await opened.store.close();
    const { queue, threads } = await threadQueue(opened.file);
    const before = queue.submit([step(null, first(idOf(1)))]);
    await new Promise((resolve) => setImmediate(resolve));
    const posting = vi.spyOn(threads[0] as Worker, 'postMessage').mockImplementationOnce(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    const failed = queue.submit([step(null, first(idOf(2)))]);
    await expect(failed).rejects.toMatchObject({ reason: expect.stringContaining('Array buffer allocation failed') });
    expect(posting).toHaveBeenCalledTimes(1);
    expect(await before).toMatchObject([{ committed: true }]);
    expect(await queue.submit([step(null, first(idOf(3)))])).toMatchObject([{ committed: true }]);
    expect(threads).toHaveLength(1);
    await queue.close();
  });

  test('a database that cannot be opened again is said, until it can', async () => {
    await using opened = await openStore('here');
    await opened.store.close();
    const { queue, threads } = await threadQueue(opened.file);
    opened.meddle('PRAGMA user_version = 99');
    await threads[0]?.terminate();
    const a = first(idOf(1));
    await expect(queue.submit([step(null, a)])).rejects.toMatchObject({
      reason: expect.stringContaining('newer Archeion'),
    });
    opened.meddle(`PRAGMA user_version = ${migrations.length}`);
    expect(await queue.submit([step(null, a)])).toEqual([{ committed: true, moves: [1] }]);
    await queue.close();
  });
});

test.each(['deleted', 'replaced'])('a writer that is started again writes to no other file: %s', async (how) => {
  await using opened = await openStore('here');
  await opened.store.close();
  const { queue, threads } = await threadQueue(opened.file);
  const [a, b] = [first(idOf(1)), first(idOf(2))];
  await queue.submit([step(null, a)]);
  const gone = once(threads[0] as Worker, 'exit');
  await threads[0]?.terminate();
  await gone;
  renameSync(opened.file, `${opened.file}.away`);
  if (how === 'replaced') copyFileSync(`${opened.file}.away`, opened.file);
  const refused = { reason: expect.stringMatching(/^The database archeion.db was moved away or replaced/) };
  for (let n = 0; n < 2; n++) await expect(queue.submit([step(null, b)])).rejects.toMatchObject(refused);
  expect(existsSync(opened.file)).toBe(how === 'replaced');
  renameSync(`${opened.file}.away`, opened.file);
  expect(await queue.submit([step(null, b)])).toMatchObject([{ committed: true }]);
  await queue.close();
});

test('the writer is durable at each commit and readers cannot write', async () => {
  await using opened = await openStore('here');
  const db = openWriter(opened.file);
  const pragma = (name: string) => db.db.pragma(name, { simple: true });
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('synchronous')).toBe(2);
  expect(pragma('wal_autocheckpoint')).toBe(0);
  expect([pragma('fullfsync'), pragma('checkpoint_fullfsync')]).toEqual([1, 1]);
  db.close();
  expect(() => opened.rows("INSERT INTO meta VALUES ('a', 'b') RETURNING name")).toThrow(StorageError);
  expect(() => opened.rows('DELETE FROM moves RETURNING id')).toThrow(/Service unavailable/);
});

describe('a group of submissions of many commits', () => {
  /** How many groups they are answered in, where each commit takes half a millisecond. */
  async function groupsOf(...sizes: number[]): Promise<number> {
    await using opened = await openStore('here');
    let time = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (time += 0.5));
    try {
      let made = 0;
      const submissions = sizes.map((size) => Array.from({ length: size }, () => step(null, first(idOf(made++)))));
      await Promise.all(submissions.map((commits) => opened.store.submit(commits)));
      return opened.store.activity().groups;
    } finally {
      clock.mockRestore();
    }
  }

  test('has whole ones: one that has begun within 15 ms is written to its end', async () => {
    expect(await groupsOf(20, 20)).toBe(1);
    expect(await groupsOf(20, 20, 20, 20)).toBe(2);
  });

  test('ends within 30 ms, whatever has begun', async () => {
    expect(await groupsOf(20, 50)).toBe(2);
    expect(await groupsOf(20, 30)).toBe(1);
  });

  test('ends after 5 ms where one of a single commit waits', async () => {
    expect(await groupsOf(10, 10, 1)).toBe(3);
    expect(await groupsOf(10, 10, 2)).toBe(1);
  });
});

test('a queue whose database cannot be opened throws a StorageError', async () => {
  expect(() => inProcessQueue('/nowhere/at/all/archeion.db')).toThrow(StorageError);
});

test('a database that cannot be opened is named with its network', async () => {
  await using folder = await temporaryFolder();
  const name = join('main', 'archeion.db');
  mkdirSync(join(folder.path, name), { recursive: true });
  const reason = expect.stringContaining(`The database ${name} cannot be opened`);
  expect(() => inProcessQueue(join(folder.path, name))).toThrow(expect.objectContaining({ reason }));
});

test('so is one beside which a file cannot be opened', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'archeion.db');
  openWriter(file).close();
  symlinkSync('/nowhere/at/all', `${file}-shm`);
  const reason = expect.stringContaining('The database archeion.db cannot be opened');
  expect(() => inProcessQueue(file)).toThrow(expect.objectContaining({ reason }));
});
