import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, createReadStream, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readyUrl } from '../../src/main/node-client.ts';
import { ndjson, type Report } from '../helpers/imports.ts';

// `archeion import`, `key create` and `status` as they are built.

const launcher = fileURLToPath(new URL('../../build/archeion.mjs', import.meta.url));
const tateMapping = fileURLToPath(new URL('../fixtures/tate.mapping.json', import.meta.url));
const tate = fileURLToPath(new URL('../../../shared/data/tate/artworks.ndjson.gz', import.meta.url));
const running: ChildProcessWithoutNullStreams[] = [];
let folder: string;
let data: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archeion-cli-'));
  data = join(folder, 'data');
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
});

describe('import', () => {
  test('starts a node of its own where none runs, and says what became of the files', async () => {
    const works = file('works.csv', 'id,label\n1,Zebra\n2,Wool\n');
    const first = await archeion('import', works, '--collection', 'Works', '--type', 'work');
    expect(first).toMatchObject({ code: 0, err: `Made a new node in ${data}.\n` });
    expect(first.out).toContain('Made the collection "Works"');
    expect(first.out).toContain('2 records, 2 entities created');
    const again = await archeion('import', works, '--collection', 'Works', '--type', 'work', '--json');
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(again.out)).toMatchObject({ files: [works], created: 0, unchanged: 2 });
    expect(existsSync(join(data, 'node.json'))).toBe(false);
  });

  test('uses the node that runs', async () => {
    const { url } = await serve();
    const works = file('works.json', JSON.stringify([{ id: 1, label: 'Zebra' }]));
    const { code, out } = await archeion('import', works, '--collection', 'Works', '--json');
    expect(code).toBe(0);
    const { collection } = JSON.parse(out) as Report;
    const listed = await (await fetch(`${url}/collections/${collection.id}/entities`)).json();
    expect(listed).toMatchObject({ entities: [{ label: 'Zebra' }] });
    const status = await archeion('status', '--json');
    expect(JSON.parse(status.out)).toMatchObject({ running: true, url, networks: [{ network: 'main' }] });
  });

  test('works on the network that is asked for', async () => {
    const works = file('works.json', JSON.stringify([{ id: 1, label: 'Zebra' }]));
    const { out } = await archeion('import', works, '--collection', 'Works', '--json', '--network', 'test');
    expect((JSON.parse(out) as Report).collection.id).toMatch(/^II/);
  });

  test.each<[string, string[], 1 | 2, string]>([
    ['no such file', ['missing.csv', '--collection', 'A'], 2, 'There is no file'],
    ['a bad record', ['bad.ndjson', '--collection', 'A'], 1, 'bad.ndjson, line 2: is not JSON'],
  ])('%s', async (_what, args, code, text) => {
    file('bad.ndjson', '{"id":1}\nhello\n');
    const run = await archeion('import', ...args);
    expect(run).toMatchObject({ code });
    expect(run.err).toContain(text);
    expect(run.err).not.toContain('    at ');
  });

  test('says what is in where a record breaks it off, and how that is taken back', async () => {
    const { code, err } = await archeion(
      'import',
      file('half.ndjson', '{"id":1}\n{"id":2}\n{"id":'),
      '--collection',
      'Half',
    );
    expect(code).toBe(1);
    expect(err).toContain('half.ndjson, line 3: is not JSON: Unexpected end of JSON input');
    expect(err).toMatch(
      /What came before stays:\n +Made the collection "Half" \(.+\)\n +2 records, 2 entities created, 0 updated/,
    );
    expect(err).toMatch(/To take it back: POST \/node\/imports\/[0-9A-Z]+\/undo\./);
  });

  test('goes on where a node that was killed stopped, and ends as if it had not been', async () => {
    const count = 20_000;
    const works = file('works.ndjson', someWorks(count));
    const first = await serve();
    const importing = result(start(['import', works, '--collection', 'Works', '--data', data]));
    await expect.poll(() => entities(first.url), { interval: 20 }).toBeGreaterThan(1000);
    const killed = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await killed;
    const ended = await importing;
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('ended the connection');

    const again = await archeion('import', works, '--collection', 'Works', '--json');
    expect(again.code).toBe(0);
    const report = JSON.parse(again.out) as Report;
    expect(report.collection.created).toBe(false);
    expect(report.created).toBeGreaterThan(0);
    expect(report.created).toBeLessThan(count);
    expect(report.created + report.unchanged).toBe(count);
    const status = JSON.parse((await archeion('status', '--json')).out);
    // The operator and the collection beside the works; each came with one move.
    expect(status.networks[0]).toMatchObject({ entities: count + 2, moves: count + 2 });
  });

  test('says that it was stopped, and how to go on', async () => {
    const works = file('works.ndjson', someWorks(100_000));
    const { url } = await serve();
    const importing = start(['import', works, '--collection', 'Works', '--data', data]);
    const end = result(importing);
    await expect.poll(() => entities(url), { interval: 20 }).toBeGreaterThan(500);
    importing.kill('SIGINT');
    const ended = await end;
    expect(ended.code).toBe(1);
    expect(ended.err).toContain('Stopped.');
  });

  test.runIf(existsSync(tate))(
    'the first thousand artworks of the Tate, twice',
    async () => {
      const lines: string[] = [];
      for await (const line of createInterface({ input: createReadStream(tate).pipe(createGunzip()) }))
        if (lines.push(line) === 1000) break;
      const works = file('works.ndjson', lines.join('\n'));
      const args = ['import', works, '--collection', 'Tate', '--map', tateMapping, '--json'];
      const first = JSON.parse((await archeion(...args)).out) as Report;
      expect(first).toMatchObject({ records: 1000, refused: 0, updated: 0, created: first.entities });
      const again = JSON.parse((await archeion(...args)).out) as Report;
      expect(again).toMatchObject({ created: 0, updated: 0, unchanged: first.entities, left_alone: 0 });
    },
    60_000,
  );
});

test('key create prints a key that the node takes', async () => {
  const { url } = await serve();
  for (const more of [[], ['--service'], ['--label', 'cron', '--expires-in', '600']]) {
    const made = await archeion('key', 'create', ...more);
    expect(made).toMatchObject({ code: 0, err: '' });
    const answer = await fetch(`${url}/node/status`, { headers: { Authorization: `ApiKey ${made.out.trim()}` } });
    expect(answer.status).toBe(more[0] === '--service' ? 403 : 200);
  }
  expect(await archeion('key', 'create', '--expires-in', 'soon')).toMatchObject({ code: 2, out: '' });
  const { out } = await archeion('key', 'list');
  expect(out).toMatch(/^key +of +label +made +ends +last used\n/);
  const prefix = /^(\S+)… +service /m.exec(out)?.[1] ?? '';
  expect(await archeion('key', 'revoke', prefix)).toMatchObject({
    code: 0,
    out: `The key that begins with ${prefix} is revoked.\n`,
    err: '',
  });
  expect((await archeion('key', 'list')).out).not.toContain(prefix);
  expect(await archeion('key', 'revoke', prefix)).toMatchObject({
    code: 2,
    err: `archeion: There is no key that begins with ${prefix}: "archeion key list" shows them.\n`,
  });
});

test.skipIf(!existsSync('/dev/full'))('a key that could not be printed is none', async () => {
  await serve();
  const disk = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [launcher, 'key', 'create', '--label', 'lost', '--data', data], {
    stdio: ['ignore', disk, 'pipe'],
  });
  closeSync(disk);
  const words = child.stderr?.toArray();
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect((await words)?.join('')).toMatch(
    /^archeion: The key could not be printed \(.*ENOSPC.*\), so it is revoked again\.\n$/,
  );
  expect(await archeion('key', 'list')).toMatchObject({ code: 0, out: expect.stringContaining('no keys') });
});

test('status of a node that does not run, in words', async () => {
  expect((await archeion('key', 'create')).code).toBe(0);
  const { code, out } = await archeion('status');
  expect(code).toBe(0);
  expect(out).toContain('is not running');
  expect(out).toMatch(/main +1 entity, 0 deleted, 1 move,/);
  expect(out).toMatch(/^ {2}disk left {4}\d[\d.]* [kMGT]B$/m);
});

test('a node that does not answer is named', async () => {
  const { child, url } = await serve();
  child.kill('SIGSTOP');
  const run = await archeion('status');
  child.kill('SIGCONT');
  expect(run.code).toBe(1);
  expect(run.err).toContain(`The node of ${data} does not answer at ${url} yet: waiting until it answers or ends.\n`);
  expect(run.err).toContain(`archeion: The node of ${data} does not answer at ${url}. `);
  expect(run.err).not.toContain('that starts');
});

/** So many records that a command is still at them when it is ended. */
function someWorks(count: number): string {
  return ndjson(Array.from({ length: count }, (_, id) => ({ id, label: `work ${id}` })));
}

/** Written where the commands run. */
function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function entities(url: string): Promise<number> {
  const events = (await (await fetch(`${url}/events?limit=1`)).json()) as { events: { id: number }[] };
  return events.events[0]?.id ?? 0;
}

function start(args: string[]): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, [launcher, ...args], { cwd: folder });
  running.push(child);
  return child;
}

function archeion(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return result(start([...args, '--data', data]));
}

/** To be called as soon as the program has started: it may end at any time. */
async function result(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** Resolves with the address in the ready line; rejects with what the program said instead. */
async function serve(): Promise<{ url: string; child: ChildProcessWithoutNullStreams }> {
  const child = start(['serve', '--port', '0', '--data', data]);
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
