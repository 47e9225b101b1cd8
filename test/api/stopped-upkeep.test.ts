import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type AnswerLine, lastOf } from '../../src/server/commands/parts/lines.ts';
import { commandLine } from '../helpers/command-line.ts';
import { cidOf } from '../helpers/files.ts';
import { filesIn } from '../helpers/files-in.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { create, lastLine, operate } from '../helpers/node-archives.ts';

// Who leaves a backup or a verification ends it: nobody else would hear what becomes of it.

const many = 4000;

/** A data folder with content that takes a while to copy and to verify; `damaged`: none of it is what it was. */
async function scene({ damaged = false } = {}) {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await temporaryFolder());
  const at = (...names: string[]) => join(folder.path, ...names);
  {
    await using node = await startNode({ data: at('data') });
    await create(node, 'Ada');
  }
  for (let i = 0; i < many; i++) {
    const bytes = `page ${i} `.repeat(500);
    const cid = cidOf(bytes);
    const path = at('data', 'main', 'files', cid.slice(-2), cid);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, damaged ? '' : bytes);
    // Of which nothing is written, and each of which takes a while to hash.
    if (damaged) await truncate(path, 8 * 2 ** 20);
  }
  const all = opened.move();
  return { at, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const soon = { timeout: 60_000, interval: 50 };

test('a backup whose asker leaves ends, leaves nothing, and touches no earlier one', async () => {
  await using s = await scene();
  await using node = await startNode({ data: s.at('data') });
  expect(await lastLine(await operate(node, 'POST /node/backup', { dir: s.at('earlier') }))).toHaveProperty('done');
  const earlier = await filesIn(s.at('earlier'));
  await mkdir(s.at('there'));
  const names = async () => [...(await readdir(s.at())), ...(await readdir(s.at('there')))].sort();
  const isLeftOff = async (dir: string) => {
    const answer = await operate(node, 'POST /node/backup', { dir: s.at(dir) });
    const reader = answer.body?.getReader();
    for (let said = ''; !said.includes('content'); )
      said += Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    await expect.poll(async () => (await names()).join(), soon).not.toContain('partial');
    return !existsSync(s.at(dir, 'backup.json'));
  };
  for (const dir of ['new', 'there']) {
    // It may be whole before the node hears that its asker has left.
    while (!(await isLeftOff(dir))) {
      await rm(s.at(dir), { recursive: true });
      if (dir === 'there') await mkdir(s.at(dir));
    }
    expect(await names()).toEqual(['data', 'earlier', 'there']);
    expect(await filesIn(s.at('earlier'))).toEqual(earlier);
  }
  expect(await lastLine(await operate(node, 'POST /node/backup', { dir: s.at('there') }))).toHaveProperty('done');
  expect(node.logged.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
});

test('a backup that is told to stop on a node of its own ends with it', async () => {
  await using s = await scene();
  const stop = new AbortController();
  const ended = commandLine(s.at('data'), ['backup', s.at('new')], stop.signal);
  await expect.poll(() => readdir(s.at()), soon).toContainEqual(expect.stringMatching(/^new\..*\.partial$/));
  stop.abort();
  expect(await ended).toMatchObject({
    code: 1,
    out: '',
    err: 'archeion: Stopped. Nothing of the backup is left, unless it was whole by then.',
  });
  // Its node waits for what is still at work before it lets the folder go.
  expect(await readdir(s.at())).toEqual(['data']);
});

test.each([
  [[], 'Stopped. Nothing was begun.'],
  [[{ progress: 1 }], 'Stopped. Some of it stays.'],
])('a command that is told to stop says what stands (%j)', async (said, words) => {
  const stop = new AbortController();
  async function* lines(): AsyncGenerator<AnswerLine<number, string>> {
    yield* said;
    stop.abort();
    throw new Error('the connection ended');
  }
  const shell = { terminal: null, err: () => undefined, stopped: stop.signal };
  const shown = (done: number) => ({ done, total: null, text: '' });
  const left = (begun: boolean) => (begun ? 'Some of it stays.' : 'Nothing was begun.');
  await expect(lastOf(shell, 'a task', lines(), shown, left)).rejects.toThrow(words);
});

test('a verification whose asker leaves ends', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  await create(node, 'Ada');
  // Of which nothing is written, and which takes minutes to hash.
  const large = join(folder.path, 'main', 'files', cidOf('').slice(-2), cidOf(''));
  await mkdir(dirname(large), { recursive: true });
  await writeFile(large, '');
  await truncate(large, 256 * 2 ** 30);
  const begins = async () => {
    const reader = (await operate(node, 'POST /node/verify')).body?.getReader();
    const said = Buffer.from((await reader?.read())?.value ?? []).toString();
    await reader?.cancel();
    return said;
  };
  expect(await begins()).toContain('"progress"');
  await expect.poll(begins, soon).toContain('"progress"');
});

test('a verification of a folder that is told to stop does not say that it has changed nothing', async () => {
  await using s = await scene({ damaged: true });
  const stop = new AbortController();
  const ended = commandLine(s.at('data'), ['verify'], stop.signal);
  const aside = () => readdir(s.at('data', 'main', 'files', 'damaged')).catch(() => []);
  await expect.poll(async () => (await aside()).length, soon).toBeGreaterThan(0);
  stop.abort();
  expect(await ended).toMatchObject({
    code: 1,
    err: `archeion: Stopped. Damaged files lie in ${s.at('data', 'main', 'files', 'damaged')}.`,
  });
  expect((await aside()).length).toBeLessThan(many);
});
