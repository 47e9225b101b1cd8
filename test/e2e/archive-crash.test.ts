import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { operate } from '../helpers/node-archives.ts';
import { untilResumed } from '../helpers/resumed.ts';
import { SampleState } from '../helpers/sample-archive.ts';

// The built program is killed in the middle of an import, and started again.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcessWithoutNullStreams[] = [];
let data: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'archeion-crash-'));
});

afterEach(async () => {
  for (const child of running.splice(0)) await killed(child);
  rmSync(data, { recursive: true, force: true });
});

test('an import that was killed is completed once the node answers again', async () => {
  const state = new SampleState();
  for (let i = 0; i < 4000; i++) state.write(`person ${i}`, 1 + (i % 3));
  const car = await state.export();

  const first = await serve();
  const response = await operate({ url: first.url, data }, 'POST /node/import-car', car);
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toMatch(/^\{"progress":/);
  await killed(first.child);
  expect(await readdir(join(data, 'main', 'spool'))).toHaveLength(1);

  const second = await serve();
  await untilResumed({ url: second.url, data });
  const ids = [...state.chains.keys()];
  const answers = await operate({ url: second.url, data }, 'GET /node/export?format=ndjson&history=tip');
  const lines = (await answers.text()).trim().split('\n');
  const tips = new Map(
    lines.map((line) => {
      const { id, cid } = JSON.parse(line) as { id: string; cid: string };
      return [id, cid];
    }),
  );
  expect(ids.filter((id) => tips.get(id) !== state.chains.get(id)?.at(-1)?.cid)).toEqual([]);
  expect(await readdir(join(data, 'main', 'spool'))).toEqual([]);
  const verify = await operate({ url: second.url, data }, 'POST /node/verify');
  expect(JSON.parse((await verify.text()).trim().split('\n').at(-1) ?? '')).toMatchObject({ done: { ok: true } });
});

async function killed(child: ChildProcessWithoutNullStreams): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function serve(): Promise<{ url: string; child: ChildProcessWithoutNullStreams }> {
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0', '--data', data]);
  running.push(child);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { url, child };
  }
  throw new Error(`The node ended before it was ready: ${said}`);
}
