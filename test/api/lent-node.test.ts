import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

/** A command line that runs: what it says on stderr as it comes, and its exit code. */
function begun(data: string, ...args: string[]) {
  const said: string[] = [];
  const stop = new AbortController();
  const ended = run(args, {
    env: {},
    pid: 1,
    dataFolder: data,
    ui: null,
    terminal: null,
    out: (line) => void said.push(line),
    err: (line) => void said.push(line),
    stopped: stop.signal,
  });
  return { said, ended, stop };
}

test.each([
  ['ended', false],
  ['stopped', true],
])('a command that runs the node of another waits for it when it has %s', async (_how, isStopped) => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await mkdir(at('data'));
  for (const name of ['first.csv', 'second.csv']) execFileSync('mkfifo', [at(name)]);
  await writeFile(at('third.csv'), 'id,label\n2,Wool\n');
  const first = begun(at('data'), 'import', at('first.csv'), '--collection', 'First');
  // Opened when the command reads it: its node runs by then.
  const toFirst = await open(at('first.csv'), 'w');
  await toFirst.write('id,label\n1,Zebra\n');
  const second = begun(at('data'), 'import', at('second.csv'), at('third.csv'), '--collection', 'Second');
  const toSecond = await open(at('second.csv'), 'w');
  await toSecond.write('id,label\n1,Zebra\n');
  if (isStopped) first.stop.abort();
  await toFirst.close();
  await expect.poll(() => first.said.join('\n'), { timeout: 30_000 }).toContain('Other commands use the node');
  await toSecond.close();
  expect([await second.ended, await first.ended]).toEqual([0, isStopped ? 1 : 0]);
  expect(second.said.join('\n')).toContain('2 records, 2 entities created');
});

test.each([
  ['ended', false],
  ['stopped', true],
])('what a command has left off itself when it has %s is no other command', async (_how, isStopped) => {
  await using folder = await temporaryFolder();
  const row = (id: number) => `${JSON.stringify({ id, label: `Zebra ${id}`, text: 'stripes '.repeat(80) })}\n`;
  const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => row(from + i)).join('');
  const file = join(folder.path, 'zebras.ndjson');
  // What is stopped would go on for as long as somebody writes.
  if (isStopped) execFileSync('mkfifo', [file]);
  else await writeFile(file, `${rows(0, 1500)}{"id":12345678901234567890123}\n${rows(1500, 30_000)}`);
  const data = join(folder.path, 'data');
  const { said, ended, stop } = begun(data, 'import', file, '--collection', 'Zebras');
  if (isStopped) {
    const writer = await open(file, 'w');
    await writer.write(rows(0, 1500));
    await expect.poll(() => existsSync(join(data, 'main', 'search.db')), { timeout: 30_000 }).toBe(true);
    stop.abort();
    await writer.close();
  }
  expect(await ended).toBe(1);
  expect(said.join('\n')).toContain(isStopped ? 'Stopped' : 'line 1501: id is beyond 2^53-1');
  expect(said.join('\n')).not.toContain('Other commands');
});

test('commands that begin together without a node all do what they are for', async () => {
  await using folder = await temporaryFolder();
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const all = Array.from({ length: 4 }, () => begun(folder.path, 'key', 'create'));
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0]);
});

test('a command waits while another process has the folder and does not answer yet, and says so', async () => {
  await using folder = await temporaryFolder();
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const lock = lockFolder(folder.path);
  const { said, ended } = begun(folder.path, 'key', 'create');
  const left = begun(folder.path, 'key', 'create');
  const words = `Another process has the data folder ${folder.path}, as a node that starts: waiting until it answers or ends.`;
  await expect.poll(() => [...said, ...left.said], { timeout: 10_000 }).toEqual([words, words]);
  left.stop.abort();
  expect([await left.ended, ...left.said]).toEqual([1, words, 'archeion: Stopped.']);
  lock[Symbol.dispose]();
  expect([await ended, ...said]).toEqual([0, words, expect.stringMatching(/^uk_/)]);
});
