import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { problemsAfterCrash } from '../helpers/crash-check.ts';
import { seeded } from '../helpers/seeded.ts';

const program = fileURLToPath(new URL('../helpers/crash-writer.ts', import.meta.url));
const kills = 4;

test('a node killed in the middle of its writes has lost no answered write and nothing contradicts itself', {
  timeout: 120_000,
}, async () => {
  const data = mkdtempSync(join(tmpdir(), 'archeion-crash-'));
  const log = join(data, 'answers');
  const random = seeded(20260101);
  try {
    let before = 0;
    for (let run = 1; run <= kills; run++) {
      const child = spawn(process.execPath, [program, data, log, String(run)], { stdio: ['ignore', 'ignore', 'pipe'] });
      const errors: string[] = [];
      child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
      await firstAnswer(child, log, before);
      await delay(20 + random() * 300);
      child.kill('SIGKILL');
      const [code, signal] =
        child.exitCode === null && child.signalCode === null
          ? await once(child, 'exit')
          : [child.exitCode, child.signalCode];
      expect({ code, signal, errors }).toEqual({ code: null, signal: 'SIGKILL', errors: [] });
      const answered = readFileSync(log, 'utf8');
      expect(answered.length).toBeGreaterThan(before);
      before = answered.length;
      expect(await problemsAfterCrash(data, lines(answered))).toEqual([]);
    }
  } finally {
    rmSync(data, { recursive: true });
  }
});

async function firstAnswer(child: ChildProcess, log: string, before: number): Promise<void> {
  while (child.exitCode === null && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= before) await delay(5);
}

/** Whole lines only: the kill may have come within the last one. */
function lines(text: string): [string, string][] {
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
}
