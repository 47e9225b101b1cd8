import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { ask, type Person } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { command, ended, fixture, many, one, type RunView, within, workflow } from '../helpers/local.ts';
import { send, type TestNode, temporaryFolder } from '../helpers/node.ts';

// As an operator would: the built program, commands allowed on the command line, five files, a workflow that is killed in the
// middle, one that breaks and is resumed, and the kit as another program imports it.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const running: ChildProcess[] = [];

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

interface Program extends Pick<TestNode, 'fetch' | 'data'> {
  child: ChildProcess;
}

async function serve(data: string, detached = false): Promise<Program> {
  const child = spawn(process.execPath, [launcher, 'serve', '--data', data, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached,
  });
  running.push(child);
  for await (const line of createInterface({ input: child.stdout })) {
    const url = readyUrl(line);
    if (url) return { child, data, fetch: (path, asked) => send(url, path, asked) };
  }
  throw new Error('the program ended before it was ready');
}

const archeion = (data: string, ...args: string[]) =>
  execFileSync(process.execPath, [launcher, '--data', data, ...args], { encoding: 'utf8' });

function operator(data: string): Person {
  const key = readFileSync(join(data, 'operator.key'), 'utf8').trim();
  return { id: '', headers: { Authorization: `ApiKey ${key}` } };
}

/** The helpers need no more of a node than its answers. */
const nodeOf = (program: Program) => program as unknown as TestNode;

async function kill({ child }: Program): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function plant(program: Program, me: Person) {
  const node = nodeOf(program);
  const place = await collection(node, me, { label: 'processors' });
  const where = await collection(node, me, { label: 'letters' });
  const files: Entity[] = [];
  for (let i = 0; i < 5; i++)
    files.push(await fixture(node, me, where.id, 'letter.pdf', 'application/pdf', `\n%copy ${i}\n`));
  const check = await command(node, me, place.id, 'fixity', { accepts: many('file'), produces: many('file') });
  const read = await command(node, me, place.id, 'extract-text', { accepts: one('file'), produces: one('document') });
  const join = await command(node, me, place.id, 'combine-text', {
    accepts: many('document'),
    produces: one('document'),
  });
  const flow = await workflow(node, me, place.id, {
    check: { klados: check, then: { scatter: 'read' } },
    read: { klados: read, then: { gather: 'join' } },
    join: { klados: join, then: { done: true } },
  });
  const invoke = async (program: Program) => {
    const body = { target_entities: files.map(({ id }) => id), target_collection: where.id, confirm: true };
    const { job_id } = ok<{ job_id: string }>(await ask(nodeOf(program), me, `POST /rhizai/${flow.id}/invoke`, body));
    return `/rhizai/${flow.id}/jobs/${job_id}`;
  };
  return { where, invoke };
}

test('a workflow that is killed in the middle goes on to the same result; one that breaks is resumed', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  let program = await serve(data);
  for (const name of ['fixity', 'extract-text', 'combine-text'])
    expect(archeion(data, 'processor', 'allow', name)).toContain(`exec:${name} may run`);
  const me = operator(data);
  const { where, invoke } = await plant(program, me);

  const first = await invoke(program);
  for (let done = 0; done < 2; await pause(20))
    done = ok<RunView>(await ask(nodeOf(program), me, `GET ${first}/status`)).progress.done;
  await kill(program);
  program = await serve(data);
  expect(await ended(nodeOf(program), me, `${first}/status`)).toMatchObject({
    status: 'done',
    progress: { total: 7, done: 7, error: 0 },
  });
  const documents = await within(nodeOf(program), me, where.id, 'document');
  expect(documents).toHaveLength(6);
  expect(documents.filter(({ properties }) => properties.sources === 5)).toHaveLength(1);

  // A step that breaks: another program under its name.
  archeion(data, 'processor', 'allow', 'extract-text', '--', process.execPath, '-e', 'process.exit(7)');
  const second = await invoke(program);
  const broken = await ended(nodeOf(program), me, `${second}/status`);
  expect(broken).toMatchObject({ status: 'error', progress: { total: 6, done: 1, error: 5 } });
  archeion(data, 'processor', 'allow', 'extract-text');
  await ask(nodeOf(program), me, `POST ${second}/resume`, {});
  const after = await ended(nodeOf(program), me, `${second}/status`);
  expect(after, JSON.stringify(after)).toMatchObject({ status: 'done' });
  expect(await within(nodeOf(program), me, where.id, 'document')).toHaveLength(12);
  await kill(program);
}, 180_000);

test('the kit is there for other programs', async () => {
  const { Kit, RefusedJobError } = (await import('../../out/main/kit.js' as string)) as {
    Kit: new (...args: unknown[]) => object;
    RefusedJobError: new () => Error;
  };
  const options = { url: 'http://127.0.0.1:1', network: 'main', klados: 'K', key: 'ak_', label: 'k' };
  const kit = new Kit(options, async () => []) as {
    serve: () => Promise<{ url: string; close: () => Promise<void> }>;
    begin: (job: object) => void;
  };
  const worker = await kit.serve();
  expect((await fetch(`${worker.url}/health`)).status).toBe(200);
  await worker.close();
  expect(() => kit.begin({ job_id: 'job_1' })).toThrow(RefusedJobError);
  // A compiler checks all of what is no declaration with the other program's own settings.
  const { types } = JSON.parse(readFileSync('package.json', 'utf8')).exports['./kit'];
  expect([types, readFileSync(types, 'utf8')]).toEqual([
    expect.stringMatching(/\.d\.ts$/),
    expect.stringMatching(/\{ Handler \}.*class Kit/s),
  ]);
});

test.each(['by itself', 'with all of its group'])(
  'a command that is deaf does not outlive a node that is killed %s, and its next run works alone',
  async (how) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    const runs = join(folder.path, 'runs');
    const text = `process.on('SIGTERM', () => {});
      const { appendFileSync, existsSync, readFileSync } = require('node:fs');
      const runs = ${JSON.stringify(runs)};
      const before = existsSync(runs) ? Number(readFileSync(runs, 'utf8')) : null;
      const isAlive = (pid) => { try { return process.kill(pid, 0); } catch { return false; } };
      if (before === null) { appendFileSync(runs, String(process.pid)); setInterval(() => {}, 1000); }
      else console.log(JSON.stringify({ messages: [{ message: isAlive(before) ? 'beside' : 'alone' }] }));`;
    let program = await serve(data, true);
    archeion(data, 'processor', 'allow', 'deaf', '--', process.execPath, '-e', text);
    const me = operator(data);
    const place = await collection(nodeOf(program), me, { label: 'processors' });
    const deaf = await command(nodeOf(program), me, place.id, 'deaf');
    const body = { target_entity: place.id, target_collection: place.id, confirm: true };
    const started = await ask(nodeOf(program), me, `POST /kladoi/${deaf.id}/invoke`, body);
    const { job_id, job_collection } = ok<{ job_id: string; job_collection: string }>(started);
    await expect.poll(() => existsSync(runs) && readFileSync(runs, 'utf8'), { timeout: 20_000 }).toMatch(/\d+/);
    const exited = once(program.child, 'exit');
    process.kill((program.child.pid ?? 0) * (how === 'by itself' ? 1 : -1), 'SIGKILL');
    await exited;
    program = await serve(data, true);
    const path = `/kladoi/${deaf.id}/jobs/${job_id}/status`;
    expect(await ended(nodeOf(program), me, path)).toMatchObject({ status: 'done' });
    const [log] = await within(nodeOf(program), me, job_collection, 'klados_log');
    expect(JSON.stringify(log?.properties)).toContain('"message":"alone"');
    await kill(program);
  },
  60_000,
);
