import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { filesIn } from '../helpers/files-in.ts';
import { cutOff } from './cuts.ts';
import { Disk } from './disk.ts';
import { cutNode } from './node-cuts.ts';
import { buildRecorder, readRecording, recorded, type Step } from './recording.ts';
import { brokenPromises, type Promised } from './store-promises.ts';

// A program that writes with the store is recorded; then the power is cut at many moments of it (docs/faults.md).

const unsynced = fileURLToPath(new URL('./unsynced-writer.ts', import.meta.url));
const writer = fileURLToPath(new URL('./store-writer.ts', import.meta.url));
const program = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));
const cuts = 40;

function canRecord(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return process.platform === 'linux';
  } catch {
    return false;
  }
}

test('a power cut of a recording that is not there says so', async () => {
  await expect(cutNode('nowhere', [1], () => undefined)).rejects.toThrow(/^There is no recording in nowhere: /);
});

describe.runIf(canRecord())('power cuts', () => {
  let place: string;
  let folder: string;
  let steps: Step[];

  beforeAll(() => {
    place = realpathSync(mkdtempSync(join(tmpdir(), 'archeion-faults-')));
    folder = join(place, 'recorded');
    mkdirSync(folder);
    const env = { ...process.env, ...recorded(buildRecorder(place), folder, join(place, 'log')) };
    execFileSync(process.execPath, [writer, join(folder, 'data'), '5'], { env });
    steps = readRecording(join(place, 'log'));
  });

  afterAll(() => {
    rmSync(place, { recursive: true, force: true });
  });

  async function broken(
    recording: Step[],
    seeds: number,
    more: { folder?: string; at?: number } = {},
  ): Promise<string[]> {
    const problems: string[] = [];
    const all = Array.from({ length: seeds }, (_, seed) => seed);
    await cutOff({ steps: recording, folder, ...more }, all, async ({ seed, at, folder, marks }) => {
      const promised = marks.map((text) => JSON.parse(text) as Promised);
      const found = await brokenPromises(join(folder, 'data'), promised).catch((error: Error) => [error.message]);
      problems.push(...found.map((problem) => `seed ${seed}, cut at ${at} of ${recording.length}: ${problem}`));
    });
    return problems;
  }

  test('the recording leads to the same files, byte by byte', async () => {
    const disk = new Disk(folder);
    for (const step of steps) disk.apply(step);
    const copy = join(place, 'copy');
    disk.copy(copy);
    const names = (await filesIn(folder)).filter((name) => !name.endsWith('-shm'));
    expect(names.length).toBeGreaterThan(100);
    expect(await filesIn(copy)).toEqual(names);
    expect(names.filter((name) => !readFileSync(join(copy, name)).equals(readFileSync(join(folder, name))))).toEqual(
      [],
    );
  });

  test('whatever moment the power is cut at, what was promised is there and nothing is half', async () => {
    expect(steps.filter(({ kind }) => kind === 'mark').length).toBeGreaterThan(300);
    expect(await broken(steps, cuts)).toEqual([]);
  });

  test('what a killed process has not synced is on the disk before anybody reads it', async () => {
    const [folder, log] = [join(place, 'unsynced'), join(place, 'unsynced-log')];
    mkdirSync(folder);
    const env = { ...process.env, ...recorded(join(place, 'recorder.so'), folder, log) };
    for (const part of ['write', 'read'])
      expect(spawnSync(process.execPath, [unsynced, join(folder, 'data'), part], { env }).signal).toBe('SIGKILL');
    const recording = readRecording(log);
    const at = recording.findLastIndex(({ kind }) => kind === 'mark');
    expect(at).toBeGreaterThan(0);
    // Cut right after somebody was shown it.
    expect(await broken(recording, 40, { folder, at: at + 1 })).toEqual([]);
  });

  test('a folder whose name the system has chosen is recorded like any other', async () => {
    const [folder, log] = [join(place, 'chosen'), join(place, 'chosen-log')];
    mkdirSync(folder);
    const made = `const { mkdtempSync, writeFileSync } = require('node:fs');
      writeFileSync(mkdtempSync(process.argv[1]) + '/some', 'bytes');`;
    const env = { ...process.env, ...recorded(join(place, 'recorder.so'), folder, log) };
    execFileSync(process.execPath, ['-e', made, join(folder, 'r')], { env });
    const disk = new Disk(folder);
    for (const step of readRecording(log)) disk.apply(step);
    const copy = join(place, 'chosen-copy');
    disk.copy(copy);
    const names = await filesIn(folder);
    expect(names).toEqual([expect.stringMatching(/^r\w{6}\/some$/)]);
    expect(await filesIn(copy)).toEqual(names);
  });

  test('an export that was said to be done is there, whole and under its name', async () => {
    const [data, folder, log] = [join(place, 'exporting'), join(place, 'exports'), join(place, 'exports-log')];
    mkdirSync(folder);
    const archeion = (args: string[], more: object = {}) =>
      execFileSync(process.execPath, [program, ...args, '--data', data], { env: { ...process.env, ...more } });
    const works = join(place, 'works.csv');
    writeFileSync(works, 'id,label\n1,Zebra\n');
    archeion(['import', works, '--collection', 'Works']);
    archeion(['export', '--out', join(folder, 'all.car')], recorded(join(place, 'recorder.so'), folder, log));
    const whole = readFileSync(join(folder, 'all.car'));
    const recording = readRecording(log);
    const lost: number[] = [];
    const seeds = Array.from({ length: 20 }, (_, seed) => seed);
    await cutOff({ steps: recording, folder, at: recording.length }, seeds, async ({ seed, folder: left }) => {
      const file = join(left, 'all.car');
      if (!existsSync(file) || !readFileSync(file).equals(whole)) lost.push(seed);
    });
    expect(lost).toEqual([]);
  });

  test('on a disk that does not do what a sync asks for, promises are broken and that is found', async () => {
    const lying = steps.filter(({ kind }) => kind !== 'sync-end');
    expect((await broken(lying, 5)).length).toBeGreaterThan(0);
  });
});
