import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CommandRunner } from '../../src/server/jobs/local/command-runner.ts';
import { type CommandOutcome, type CommandRun, runCommand } from '../../src/server/jobs/local/run-command.ts';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'archeion-run-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const runner = new CommandRunner();
afterAll(() => runner[Symbol.asyncDispose]());
let through: (given: CommandRun) => Promise<CommandOutcome> = runCommand;

/** Runs a program text with Node itself. */
function run(program: string, more: Partial<CommandRun> = {}): Promise<CommandOutcome> {
  return through({
    run: [process.execPath, '-e', program],
    timeoutMs: 20_000,
    maxOutputBytes: 100_000,
    folder,
    environment: {},
    input: [],
    graceMs: 300,
    ...more,
  });
}

const outputOf = (outcome: CommandOutcome) =>
  outcome.ended === 'exited' ? outcome.output.toString() : JSON.stringify(outcome);

/** What a command has written of its process into a file of the folder; that is there a moment before it holds something. */
async function pidIn(file: string): Promise<number> {
  for (;;) {
    const text = await readFile(join(folder, file), 'utf8').catch(() => '');
    if (text !== '') return Number(text);
    await pause(20);
  }
}

/** Waits until the process is gone (or is a zombie, whose parent is not us). */
async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    try {
      process.kill(pid, 0);
      const state = existsSync(`/proc/${pid}/stat`) ? await readFile(`/proc/${pid}/stat`, 'utf8') : '';
      if (/\) Z /.test(state)) return true;
    } catch {
      return true;
    }
    await pause(50);
  }
  return false;
}

const ways = [
  ['in this process', runCommand],
  ['in the process for commands', (given: CommandRun) => runner.run(given)],
] as const;

describe.each(ways)('a command that behaves, %s', (_, way) => {
  beforeAll(() => {
    through = way;
  });

  test('gets its input, its folder and nothing else of the environment', async () => {
    const outcome = await run(
      `let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () =>
        console.log(JSON.stringify({ text, cwd: process.cwd(), env: process.env })))`,
      { input: ['{"a":', '1}'], environment: { LANG: 'C' } },
    );
    expect(JSON.parse(outputOf(outcome))).toEqual({ text: '{"a":1}', cwd: folder, env: { LANG: 'C' } });
  });

  test('gets arguments as they are: no shell reads them', async () => {
    const outcome = await run('', {
      run: [process.execPath, '-e', 'console.log(process.argv[1])', '$(touch hit); `id` > hit & *'],
    });
    expect(outputOf(outcome)).toBe('$(touch hit); `id` > hit & *\n');
    expect(existsSync(join(folder, 'hit'))).toBe(false);
  });

  test('may leave its input unread', async () => {
    async function* endless() {
      for (;;) yield 'x'.repeat(65_536);
    }
    expect(outputOf(await run('console.log(1)', { input: endless() }))).toBe('1\n');
  });

  test('says how it failed', async () => {
    expect(await run('console.error("no such thing"); process.exit(3)')).toMatchObject({
      ended: 'exited',
      code: 3,
      errors: 'no such thing',
    });
  });
});

describe.each(ways)('a command that does not, %s', (_, way) => {
  beforeAll(() => {
    through = way;
  });

  test('and is not there, which is said without where it was looked for', async () => {
    const outcome = await run('', { run: [join(folder, 'nothing-here')] });
    expect(outcome).toEqual({ ended: 'not-started', reason: 'ENOENT: no such file or directory' });
  });

  test('and cannot even be named', async () => {
    expect(await run('', { run: ['a\0b'] })).toEqual({ ended: 'not-started', reason: 'ERR_INVALID_ARG_VALUE' });
  });

  test('and writes without end', async () => {
    const outcome = await run('const x = "x".repeat(65536); const w = () => process.stdout.write(x, w); w()');
    expect(outcome.ended).toBe('too-much-output');
  });

  test('and fills stderr: only the end is kept', async () => {
    const outcome = await run(
      'for (let i = 0; i < 300; i++) require("fs").writeSync(2, "x".repeat(10000)); console.error("last words"); console.log("{}")',
    );
    expect(outputOf(outcome)).toBe('{}\n');
    const { errors } = outcome as { errors: string };
    expect(errors.endsWith('last words')).toBe(true);
    expect(errors.length).toBeLessThanOrEqual(8192);
  });

  test('and does not end, and ignores being asked to', async () => {
    const outcome = await run(
      'process.on("SIGTERM", () => {}); console.error(process.pid); setInterval(() => {}, 1000)',
      // By then it has begun also where the machine has much else to do.
      { timeoutMs: 5000 },
    );
    expect(outcome).toMatchObject({ ended: 'timed-out' });
    expect(await gone(Number((outcome as { errors: string }).errors))).toBe(true);
  });

  test('and leaves children behind, which ignore everything and hold its output open', async () => {
    const child = 'process.on("SIGTERM", () => {}); process.on("SIGHUP", () => {}); setInterval(() => {}, 1000)';
    const outcome = await run(
      `const c = require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(child)}], { stdio: "inherit" });
       console.log(c.pid); setTimeout(() => process.exit(0), 300)`,
    );
    expect(await gone(Number(outputOf(outcome)))).toBe(true);
  });

  test('and leaves a child that has left its group and holds its output open', async () => {
    const outcome = await run(
      `const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit", detached: true });
       c.unref(); require("fs").writeSync(1, String(c.pid)); process.exit(0)`,
    );
    const pid = Number(outputOf(outcome));
    expect(pid).toBeGreaterThan(0);
    process.kill(pid, 'SIGKILL');
  });

  test('is ended when it is not wanted any more', async () => {
    const stop = new AbortController();
    const running = run('console.error("up"); setInterval(() => {}, 1000)', { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    expect((await running).ended).toBe('stopped');
    expect((await run('', { signal: stop.signal })).ended).toBe('stopped');
  });

  test('is ended when there is no input for it', async () => {
    const broken = new Error('disk full');
    async function* input() {
      yield '{';
      throw broken;
    }
    expect(await run('setInterval(() => {}, 1000)', { input: input() })).toEqual({ ended: 'no-input', cause: broken });
  });
});

describe('the process for commands', () => {
  test('gives each its own, many at once', async () => {
    const echo = (n: number) =>
      runner.run({
        ...{
          run: [process.execPath, '-e', 'process.stdin.pipe(process.stdout)'],
          timeoutMs: 20_000,
          maxOutputBytes: 1e6,
        },
        ...{ folder, environment: {}, input: [`${n} `, 'x'.repeat(n * 10_000)] },
      });
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(echo));
    expect(outcomes.map((one) => outputOf(one).length)).toEqual([1, 2, 3, 4, 5].map((n) => 2 + n * 10_000));
  });

  test('rests when nothing has run for a while, and never while something runs', async () => {
    await using one = new CommandRunner({ idleMs: 100 });
    const run = (text: string) =>
      one.run({
        ...{ run: [process.execPath, '-e', text], timeoutMs: 20_000, maxOutputBytes: 1000 },
        ...{ folder, environment: {}, input: [] },
      });
    // Several end at once, so that each finds nothing running.
    await Promise.all([run('console.log(1)'), run('console.log(2)'), run('console.log(3)')]);
    expect(outputOf(await run('setTimeout(() => console.log("late"), 500)'))).toBe('late\n');
    await pause(300);
    expect(outputOf(await run('console.log("again")'))).toBe('again\n');
  });

  test('that is killed is started again; what ran in it is ended, and told so', async () => {
    await using one = new CommandRunner();
    const run = (text: string) =>
      one.run({
        ...{ run: [process.execPath, '-e', text], timeoutMs: 20_000, maxOutputBytes: 1000 },
        ...{ folder, environment: {}, input: [] },
      });
    const long = 'require("fs").writeFileSync("lost", String(process.pid)); setInterval(() => {}, 1000)';
    const running = run(long);
    const pid = await pidIn('lost');
    const outcome = await run('process.kill(process.ppid, "SIGKILL"); setTimeout(() => {}, 300)');
    expect([outcome, await running]).toEqual([{ ended: 'interrupted' }, { ended: 'interrupted' }]);
    expect(await gone(pid)).toBe(true);
    expect(outputOf(await run('console.log("again")'))).toBe('again\n');
  });

  test('ends its commands when the node is gone', async () => {
    const one = new CommandRunner();
    const long =
      'process.on("SIGTERM", () => {}); require("fs").writeFileSync("pid", String(process.pid)); setInterval(() => {}, 1000)';
    const running = one.run({
      ...{ run: [process.execPath, '-e', long], timeoutMs: 60_000, maxOutputBytes: 1000, graceMs: 200 },
      ...{ folder, environment: {}, input: [] },
    });
    const pid = await pidIn('pid');
    await one[Symbol.asyncDispose]();
    expect((await running).ended).toBe('stopped');
    expect(await gone(pid)).toBe(true);
  });
});
