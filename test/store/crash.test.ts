import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findTip } from '../../src/server/store/entities.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { chain } from '../../src/server/store/versions.ts';
import { rebuiltProjections, storedProjections } from '../helpers/projections.ts';

const program = fileURLToPath(new URL('../helpers/crash-writer.ts', import.meta.url));
const kills = 4;

/** Numbers that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

test('a node killed in the middle of its writes has lost no answered write and nothing contradicts itself', async () => {
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
      await check(data, answered);
    }
  } finally {
    rmSync(data, { recursive: true });
  }
});

async function firstAnswer(child: ChildProcess, log: string, before: number): Promise<void> {
  while (child.exitCode === null && (statSync(log, { throwIfNoEntry: false })?.size ?? 0) <= before) await delay(5);
}

async function check(data: string, answered: string): Promise<void> {
  const store = await NetworkStore.open(data, 'main', 'here');
  try {
    store.read((db) => {
      expect(db.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(storedProjections(db)).toEqual(rebuiltProjections(db));
      expect(db.get('SELECT count(*) AS n, max(id) AS last FROM moves')).toMatchObject({
        n: db.get<{ last: number }>('SELECT max(id) AS last FROM moves')?.last,
      });
      const chains = new Map<string, Set<string>>();
      const missing = lines(answered).filter(([id, cid]) => {
        const known = chains.get(id) ?? new Set(chain(db, findTip(db, id) ?? '', 100).map((version) => version.cid));
        chains.set(id, known);
        return !known.has(cid);
      });
      expect(missing).toEqual([]);
    });
  } finally {
    await store.close();
  }
}

/** Whole lines only: the kill may have come within the last one. */
function lines(text: string): [string, string][] {
  return text
    .slice(0, text.lastIndexOf('\n'))
    .split('\n')
    .map((line) => line.split(' ') as [string, string]);
}
