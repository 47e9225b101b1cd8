import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { checkpointsOn } from '../../src/server/store/checkpoints/checkpoints.ts';
import { openReader } from '../../src/server/store/connection.ts';
import { SideThread } from '../../src/server/store/threads/side-thread.ts';
import { ThreadQueue, writerThread } from '../../src/server/store/threads/thread-queue.ts';
import { temporaryFolder } from '../helpers/node.ts';
import { first, idOf, step } from '../helpers/store.ts';

const kilobyte = 1024;

/** A queue whose writer asks for checkpoints, and how large its database has become without the log. */
async function asking(folder: string, checkpoint: (file: string) => Promise<number>) {
  const file = join(folder, 'archeion.db');
  const queue = new ThreadQueue(
    (fileId) => writerThread({ file, asks: true, fileId }),
    () => checkpoint(file),
  );
  await queue.open();
  let made = 0;
  return {
    file,
    queue,
    /** Writes so many entities; the writer has told all that it asks for when another write is answered. */
    write: async (count: number): Promise<void> => {
      const commits = Array.from({ length: count }, () => step(null, first(idOf(made++))));
      for (const outcome of await queue.submit(commits)) expect(outcome.committed).toBe(true);
      await queue.submit([step(null, first(idOf(made++)))]);
    },
    size: () => statSync(file).size,
    count: () => {
      const reader = openReader(file);
      try {
        expect(reader.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
        return reader.get<{ n: number }>('SELECT count(*) AS n FROM moves')?.n;
      } finally {
        reader.close();
      }
    },
  };
}

test('a checkpoint that is due is made by another thread, every 2000 versions, and closing leaves no log', async () => {
  await using folder = await temporaryFolder();
  await using thread = new SideThread();
  const made: number[] = [];
  const checkpoint = checkpointsOn(thread);
  const it = await asking(folder.path, async (file) => {
    const pages = await checkpoint(file, null);
    made.push(pages);
    return pages;
  });
  const before = it.size();
  await it.write(1900);
  expect(made).toEqual([]);
  expect(it.size()).toBe(before);
  await it.write(200);
  await expect.poll(() => made.length).toBe(1);
  expect(made[0]).toBeGreaterThan(100);
  expect(it.size()).toBeGreaterThan(before + 500 * kilobyte);
  const then = it.size();
  await it.write(2000);
  await expect.poll(() => made.length).toBe(2);
  expect(it.size()).toBeGreaterThan(then + 500 * kilobyte);
  await it.queue.close();
  expect(existsSync(`${it.file}-wal`)).toBe(false);
  expect(it.count()).toBe(1901 + 201 + 2001);
});

test('where none is made there, the writer makes it: at once when it is told so, and after 8000 versions when it is told nothing', async () => {
  await using failing = await temporaryFolder();
  const refused = await asking(failing.path, () => Promise.reject(new Error('the thread has ended')));
  await refused.write(2100);
  await expect.poll(refused.size).toBeGreaterThan(500 * kilobyte);
  await refused.queue.close();
  expect(refused.count()).toBe(2101);

  await using silent = await temporaryFolder();
  let asked = 0;
  let answer: (pages: number) => void = () => undefined;
  const unanswered = await asking(silent.path, () => {
    asked++;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  await unanswered.write(2100);
  const before = unanswered.size();
  await unanswered.write(7000);
  expect([asked, unanswered.size()]).toEqual([1, before]);
  await unanswered.write(1000);
  await expect.poll(unanswered.size).toBeGreaterThan(before + 500 * kilobyte);
  answer(0);
  await unanswered.queue.close();
  expect(unanswered.count()).toBe(2101 + 7001 + 1001);
});

test('a log of more than 64 MB begins anew after a checkpoint, though something is left in it', async () => {
  await using folder = await temporaryFolder();
  await using thread = new SideThread();
  const checkpoint = checkpointsOn(thread);
  const logs: number[] = [];
  const it = await asking(folder.path, async (file) => {
    const reader = openReader(file);
    try {
      reader.run('BEGIN');
      reader.get('SELECT 1 FROM moves');
      // What is written now cannot leave the log, since somebody reads what was there before.
      await it.queue.submit([step(null, first(idOf(80_000 + logs.length)))]);
      const pages = await checkpoint(file, null);
      logs.push(pages);
      return pages;
    } finally {
      reader.close();
    }
  });
  const pagesOfLog = () => {
    const db = new Database(it.file);
    try {
      return (db.pragma('wal_checkpoint(NOOP)') as { log: number }[])[0]?.log;
    } finally {
      db.close();
    }
  };
  await it.write(2000);
  await expect.poll(() => logs.length).toBe(1);
  await it.write(1);
  expect(pagesOfLog()).toBeGreaterThan(logs[0] as number);

  // Text that hardly gets smaller.
  const text = Array.from({ length: 60_000 }, (_, n) => (n * n * 7919 + n).toString(36)).join('');
  for (let n = 0; n < 90; n++) {
    const properties = { label: `${n}`, text: text + n };
    await it.queue.submit([step(null, first(idOf(90_000 + n), { properties }))]);
  }
  await it.write(2000);
  await expect.poll(() => logs.length).toBe(2);
  expect(logs[1]).toBeGreaterThan(16_384);
  await it.write(1);
  expect(pagesOfLog()).toBeLessThan(100);
  await it.queue.close();
});
