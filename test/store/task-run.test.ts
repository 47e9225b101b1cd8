import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runTask } from '../../src/server/store/threads/task-run.ts';

const allow = (files: number | string) => execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${files}:`]);

/** Opens as many files as there may be. */
function useUp(): number[] {
  const files: number[] = [];
  try {
    for (;;) files.push(openSync('/dev/null', 'r'));
  } catch {
    return files;
  }
}

test.runIf(process.platform === 'linux')(
  'a task whose thread cannot open files says that they are too few',
  async () => {
    const [, before = ''] = /^Max open files +(\w+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    allow(Math.max(...readdirSync('/proc/self/fd').map(Number)) + 20);
    const files = useUp();
    onTestFinished(() => {
      for (const file of files) closeSync(file);
      allow(before);
    });
    const begun = runTask({ name: 'verifyBackup', args: { folder: '/nowhere' } }).next();
    await expect(begun).rejects.toMatchObject({ reason: expect.stringMatching(/open too few files/) });
  },
);
