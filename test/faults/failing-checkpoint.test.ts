import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import type { NodeStatusView } from '../../src/server/resources/node/status/wire.ts';
import { commandLine } from '../helpers/command-line.ts';
import { canFail, failingDisk } from './failing-disk.ts';
import { call } from './scene.ts';

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const cannot = /^What was written cannot be brought from the log into the database archeion\.db \(disk I\/O error/;

/** The built program on a disk that can be made to fail. */
async function serve(place: string) {
  const data = join(place, 'data');
  const disk = failingDisk(place);
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...disk },
  });
  const faults: { reason: string }[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.includes('storage failed')) faults.push(JSON.parse(line));
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (!url) continue;
    const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
    const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' };
    const ended = async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    };
    return { data, url, headers, faults, writesFail: disk.FAILING_WRITES, [Symbol.asyncDispose]: ended };
  }
  throw new Error('The program ended before it was ready.');
}

type Served = Awaited<ReturnType<typeof serve>>;

/** A checkpoint is due after 2000 versions. */
async function write(node: Served): Promise<void> {
  const entities = Array.from({ length: 100 }, () => ({ type: 'document', properties: {} }));
  for (let n = 0; n < 21; n++) await call(node, 'POST /entities/batch', { entities });
}

/** Keys go to the database of accounts. */
async function writeKeys(node: Served, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await call(node, 'POST /node/keys', { label: `key ${n}` });
}

async function problem(node: Served): Promise<string | null | undefined> {
  return (await call<NodeStatusView>(node, 'GET /node/status')).networks[0]?.database_problem;
}

/** Of the whole node's databases, and whether the metrics say so of each. */
async function nodeProblem(node: Served) {
  const { database_problem } = await call<NodeStatusView>(node, 'GET /node/status');
  const metrics = await call<string>(node, 'GET /metrics');
  const failing = metrics.matchAll(/^archeion_node_checkpoint_failing\{database="(.+)"\} (\d)$/gm);
  return { database_problem, failing: Object.fromEntries([...failing].map(([, name, value]) => [name, value])) };
}

const failing = async (node: Served) =>
  /^archeion_checkpoint_failing\{network="main"\} (\d)$/m.exec(await call<string>(node, 'GET /metrics'))?.[1];

test.runIf(canFail())('a log that cannot be brought into the database is said, until it can', async () => {
  const place = mkdtempSync(join(tmpdir(), 'archeion-checkpoints-'));
  try {
    await using node = await serve(place);
    await call(node, 'POST /entities', { type: 'document', properties: {} });
    expect([await problem(node), await failing(node)]).toEqual([null, '0']);
    writeFileSync(node.writesFail, 'always');
    await write(node);
    await expect.poll(() => problem(node)).toMatch(cannot);
    expect(await failing(node)).toBe('1');
    expect((await commandLine(node.data, ['status'])).out).toMatch(/^ {4}What was written cannot be brought/m);
    await write(node);
    await expect.poll(() => node.faults.length).toBeGreaterThan(0);
    expect(node.faults).toMatchObject([
      { level: 50, database: expect.any(String), reason: expect.stringMatching(cannot) },
    ]);
    rmSync(node.writesFail);
    await write(node);
    await expect.poll(() => problem(node)).toBeNull();
    expect(await failing(node)).toBe('0');
  } finally {
    rmSync(place, { recursive: true });
  }
});

test.runIf(canFail())('so is that of the accounts, and that of the attestation log', async () => {
  const place = mkdtempSync(join(tmpdir(), 'archeion-checkpoints-'));
  const of = (name: string) => expect.stringContaining(`into the database ${name} (disk I/O error`);
  try {
    await using node = await serve(place);
    await writeKeys(node, 1);
    const well = { database_problem: null, failing: { 'identity.db': '0', 'chat.db': '0' } };
    expect(await nodeProblem(node)).toEqual(well);
    writeFileSync(node.writesFail, 'always');
    await writeKeys(node, 400);
    await expect
      .poll(() => nodeProblem(node))
      .toEqual({ database_problem: of('identity.db'), failing: { 'identity.db': '1', 'chat.db': '0' } });
    expect((await commandLine(node.data, ['status'])).out).toMatch(/^ {4}What was .* the database identity\.db/m);
    // How fast that log grows is decided by how many moves are attested at once.
    const written = () => write(node).then(() => problem(node));
    await expect.poll(written, { timeout: 90_000 }).toEqual(of('attest.db'));
    expect(await failing(node)).toBe('1');
    const told = node.faults.map(({ reason }) => /the database (.+\.db)/.exec(reason)?.[1]);
    expect([...new Set(told)].toSorted()).toEqual(['archeion.db', 'attest.db', 'identity.db']);
    rmSync(node.writesFail);
    await writeKeys(node, 1);
    await expect.poll(() => nodeProblem(node)).toEqual(well);
    await write(node);
    await expect.poll(() => problem(node), { timeout: 60_000 }).toBeNull();
    expect(await failing(node)).toBe('0');
  } finally {
    rmSync(place, { recursive: true });
  }
});
