import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { verifiedFolder } from '../helpers/attestations.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { verified } from '../helpers/node-archives.ts';
import { seeded } from '../helpers/seeded.ts';

const program = fileURLToPath(new URL('../helpers/attest-writer.ts', import.meta.url));

test('a node killed while it attests keeps every head that was seen, and takes up the rest', {
  timeout: 120_000,
}, async () => {
  await using folder = await temporaryFolder();
  // What every node has.
  await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
  const random = seeded(7);
  let seen = 0;
  for (let run = 1; run <= 3; run++) {
    const child = spawn(process.execPath, [program, folder.path, String(run)], { stdio: ['ignore', 'pipe', 'pipe'] });
    const exited = once(child, 'exit');
    let out = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk;
    });
    while (!out.includes('\n') && child.exitCode === null) await delay(5);
    await delay(random() * 400);
    child.kill('SIGKILL');
    expect([...(await exited), errors]).toEqual([null, 'SIGKILL', '']);
    seen = Math.max(seen, ...out.slice(0, out.lastIndexOf('\n')).split('\n').map(Number));
    const { ok, problems, counts } = await verifiedFolder(folder.path);
    expect({ ok, problems }).toEqual({ ok: true, problems: [] });
    expect(counts.heads).toBeGreaterThanOrEqual(run);
    expect(counts.leaves).toBeGreaterThanOrEqual(seen);
  }
  await using node = await startNode({ data: folder.path });
  const { ok, problems, remarks, counts } = await verified(node);
  expect({ ok, problems, remarks }).toEqual({ ok: true, problems: [], remarks: [] });
  expect(counts.leaves).toBe(counts.moves);
});
