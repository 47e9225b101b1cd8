import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../src/server/commands/run.ts';
import { operator, type Person, user } from '../helpers/callers.ts';
import { create, read, update } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';
import { holding } from '../sync/contents.ts';
import { keyOf } from '../sync/nodes.ts';
import { startProxy } from '../sync/proxy.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let origin: TestNode;
const started: { stop: AbortController; code: Promise<unknown> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
  origin = await startNode();
});
afterEach(async () => {
  for (const { stop, code } of started.splice(0).reverse()) {
    stop.abort();
    await code;
  }
  await origin[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** One command line in this process, on the folder of the test. */
function archeion(line: string) {
  const out: string[] = [];
  const err: string[] = [];
  const stop = new AbortController();
  const code = run(line.split(' '), {
    env: { ARCHEION_DATA: folder.path, ARCHEION_LOG_LEVEL: 'silent' },
    pid: process.pid,
    dataFolder: folder.path,
    ui: null,
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    terminal: null,
    stopped: stop.signal,
  });
  started.push({ stop, code });
  return { out, err, stop, code };
}

async function done(line: string): Promise<string[]> {
  const { code, out, err } = archeion(line);
  expect([await code, ...err.filter((line) => !/^Made a new node in /.test(line))]).toEqual([0]);
  return out;
}

test('remotes are watched, limited, and described', async () => {
  const key = keyOf(await user(origin, 'curator'));
  const added = await done(`remote add origin ${origin.url} --key ${key} --watch --hours 22-6 --max-kbps 2000`);
  expect(added).toContain('  Watched from 22 to 6 o\'clock, with at most 2,000 kbit/s while "archeion serve" runs.');
  expect(await done('remote set origin --no-watch --max-kbps none --hours always')).toContain(
    '  Not watched: "archeion remote set origin --watch" keeps it in sync.',
  );
  expect((await done(`remote set origin --url ${origin.url.replace('127.0.0.1', 'localhost')}`))[0]).toContain(
    '//localhost:',
  );
  const again = `remote set origin --url ${origin.url}`;
  expect((await done(`${again} --no-key`))[0]).toMatch(/ pull, without a key$/);
  expect((await done(`${again} --key ${key} --direction both`))[0]).toMatch(/ both$/);
  const wrong = archeion(`remote set origin --url ftp://museum.org --key ${key} --no-watch`);
  const said =
    /must be an http or https address\nThe address and the key are as they were; the other settings are made\.$/;
  expect([await wrong.code, ...wrong.err]).toEqual([2, expect.stringMatching(said)]);
  const [json = ''] = await done('status --json');
  expect(JSON.parse(json).networks[0].remotes).toMatchObject([{ name: 'origin', watch: false, lag: { events: null } }]);
  await done('sync --once');
  const status = await done('status');
  expect(status.find((line) => line.includes('All its events were read'))).toMatch(/^ {6}All its events were read \d/);

  for (const [all, one] of [
    ['--all-collections', `--collection ${'0'.repeat(26)}`],
    ['--all-types', '--type work'],
  ]) {
    const { code, err } = archeion(`remote set origin ${all} ${one}`);
    expect([await code, ...err]).toEqual([2, expect.stringContaining(`option '${all}' cannot be used with option`)]);
  }

  for (const line of ['remote set origin', 'remote set origin --max-kbps few', 'remote set origin --hours 6-6'])
    expect(await archeion(line).code, line).toBe(2);
  for (const line of ['--watch --once', '--watch --dry-run', '--accept-large-change --watch --json'])
    expect(await archeion(`sync ${line}`).code, line).toBe(2);
  const agreed = archeion('sync origin --accept-large-change --dry-run');
  expect([await agreed.code, ...agreed.out, ...agreed.err]).toEqual([
    2,
    'archeion: --accept-large-change is for one run that is made: give it without --watch and --dry-run.',
  ]);
  for (const line of ['sync orgin', 'sync orgin --watch', 'remote set orgin --watch', 'remote remove orgin']) {
    const { code, out, err } = archeion(line);
    expect([await code, ...out, ...err], line).toEqual([
      2,
      'archeion: There is no remote orgin: "archeion remote list" shows them.',
    ]);
  }
});

test('a key stays where another setting of the command is refused, and the other way round it is said', async () => {
  const key = keyOf(await user(origin, 'curator'));
  await done(`remote add origin ${origin.url} --key ${key} --direction push`);
  const stand = async () => (await done('remote list'))[0];
  const before = await stand();
  expect(before).toMatch(/ push$/);
  for (const line of ['--no-key --collection Letters', `--key ${key} --direction pull --max-kbps 5`]) {
    expect(await archeion(`remote set origin ${line}`).code, line).toBe(2);
    expect(await stand(), line).toBe(before);
  }
  const wrong = archeion('remote set origin --type work --key uk_00000000000000000000000000000000');
  expect(await wrong.code).toBe(2);
  expect(wrong.err.join()).toMatch(/\nThe key is as it was; the other settings are made\.$/);
  expect(await stand()).toBe(`${before}, only work`);
  expect((await done('remote set origin --no-key'))[0]).toMatch(/ pull, without a key, only work$/);
});

test('a dry run shows labels also with signs at which other programs end lines', async () => {
  await done(`remote add origin ${origin.url} --key ${keyOf(await user(origin, 'curator'))}`);
  await using here = await startNode({ data: folder.path });
  const label = 'one\u2028two\u2029three';
  await create(here, operator(here), { properties: { label } });
  const told = archeion('sync origin --dry-run --json');
  expect([await told.code, ...told.err]).toEqual([0]);
  expect(JSON.parse(told.out.join()).remotes[0].preview.push).toContainEqual(expect.objectContaining({ label }));
});

test('what a remote says to a terminal is written out, and a document says it as it was', async () => {
  const curator = await user(origin, 'curator');
  const { id } = await create(origin, curator);
  await using proxy = await startProxy(origin.url);
  await done(`remote add origin ${proxy.url} --key ${keyOf(curator)}`);
  await done('sync origin');
  await using here = await startNode({ data: folder.path });
  await update(here, operator(here), await read(here, operator(here), id), { properties: { label: 'mine' } });
  const error = 'No\u001b]52;c;x\u0007\u009b2J\u202e\u{e0001}\nall is well';
  proxy.fault = ({ method }) => (method === 'PUT' ? { status: 403, body: { error } } : undefined);
  expect(await archeion('sync origin').code).toBe(1);
  const written = 'No\\u001b]52;c;x\\u0007\\u009b2J\\u202e\\udb40\\udc01\\u000aall is well';
  for (const line of ['remote list', 'status']) {
    const said = await done(line);
    expect(said.join('\n')).toContain(written);
    expect(said.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  const [json = ''] = await done('remote list --json');
  expect(json).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(JSON.parse(json).remotes[0].words.join()).toContain(error);

  proxy.fault = () => ({ status: 400, body: { error } });
  const failed = archeion('sync origin');
  expect(await failed.code).toBe(1);
  expect([...failed.out, ...failed.err].join('\n')).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test('a mirror is limited by type and content, previewed, and widened later', async () => {
  const curator = await user(origin, 'curator');
  await create(origin, curator, { type: 'person' });
  const work = await create(origin, curator, { type: 'work' });
  const sent = await origin.fetch(`/entities/${work.id}/content?key=v1`, {
    method: 'POST',
    headers: { ...curator.headers, 'Content-Type': 'text/plain' },
    body: 'a page',
  });
  expect(sent.status).toBe(200);
  const added = await done(`remote add origin ${origin.url} --key ${keyOf(curator)} --type work --no-content`);
  expect(added[0]).toMatch(/both, only work, without the bytes of files$/);
  const preview = await done('sync origin --dry-run');
  expect(preview).toContain('  What lies in no collection comes too, and is not counted.');
  expect((await done('sync origin --once'))[0]).toMatch(/1 entity pulled; .* 0 restored there$/);
  expect((await done('remote set origin --all-types --content'))[0]).toMatch(/both$/);
  expect((await done('sync origin --once'))[0]).toMatch(/, 1 file fetched \(0 MB\)$/);
});

test.each(['a node of its own', 'a running node'])('sync --watch goes on until it is stopped, in %s', async (where) => {
  const curator = await user(origin, 'curator');
  await done(`remote add origin ${origin.url} --key ${keyOf(curator)}`);
  if (where === 'a running node') {
    const serving = archeion('serve --port 0');
    await vi.waitFor(() => expect(serving.out).toHaveLength(1), 15_000);
  }
  const watching = archeion('sync origin --watch --json');
  const runs = () => watching.out.map((line) => JSON.parse(line)).filter(({ run }) => run !== null);
  await vi.waitFor(() => expect(runs()).not.toHaveLength(0), 15_000);
  const before = runs().length;
  await create(origin, curator, { properties: { label: 'One' } });
  await vi.waitFor(() => expect(runs().slice(before).at(-1)?.run.report.events).toBeDefined(), 15_000);
  await vi.waitFor(() => expect(runs().some(({ run }) => run.report.versions > 0)).toBe(true), 15_000);
  expect(runs().at(-1)).toMatchObject({ remote: 'origin', run: { error: null }, next_run_at: expect.any(String) });
  watching.stop.abort();
  expect([await watching.code, ...watching.err]).toEqual([0]);
});

test('sync --watch of several remotes ends with the first that is not watched any more', async () => {
  await using node = await startNode({ data: folder.path });
  for (const name of ['first', 'second']) await done(`remote add ${name} ${origin.url}`);
  const watching = archeion('sync --watch --json');
  const watched = () => new Set(watching.out.map((line) => JSON.parse(line).remote));
  await vi.waitFor(() => expect(watched()).toEqual(new Set(['first', 'second'])), 15_000);
  await done('remote remove first');
  expect(await watching.code).toBe(1);
  expect(watching.err).toEqual(['archeion: The node does not watch first any more.']);
  await vi.waitFor(() => expect(node.ctx.requests.isBusy()).toBe(false), 5000);
});

test('sync --watch says what was done, and ends with 1 where there is nothing to watch any more', async () => {
  const [curator, second, third] = [await user(origin, 'one'), await user(origin, 'two'), await user(origin, 'three')];
  const serving = archeion('serve --port 0');
  await vi.waitFor(() => expect(serving.out).toHaveLength(1), 15_000);
  await using proxy = await startProxy(origin.url);
  await done(`remote add origin ${proxy.url} --key ${keyOf(curator)}`);
  const watching = archeion('sync --watch');
  await vi.waitFor(
    () => expect(watching.out.at(-1)).toMatch(/ origin: \d+ versions? of \d+ entit(y|ies) pulled$/),
    15_000,
  );
  // Another key begins a run at once.
  const told = async (said: RegExp, who: Person) => {
    await done(`remote set origin --key ${keyOf(who)}`);
    await vi.waitFor(() => expect(watching.out.at(-1)).toMatch(said), 15_000);
  };
  proxy.fault = ({ path }) => (path.startsWith('/events') ? { status: 401, body: { error: 'expired' } } : undefined);
  await told(/ origin: .* shows no events: expired/, second);
  proxy.fault = () => undefined;
  await told(/ origin: in step again$/, third);
  expect(await done('remote remove origin')).toEqual(['origin is removed. What was mirrored from it stays here.']);
  expect(await watching.code).toBe(1);
  expect(watching.err).toEqual(['archeion: The node does not watch origin any more.']);
  expect(await archeion('sync nobody --watch').code).toBe(2);
});

test('sync names bytes for which a node gives no address, and ends with 1', async () => {
  await using proxy = await startProxy(origin.url, { plain: false });
  await using node = await startNode({ data: folder.path });
  await holding(node, operator(node), Buffer.from('a page'));
  await node[Symbol.asyncDispose]();
  await done(`remote add origin ${proxy.url} --key ${keyOf(await user(origin, 'curator'))}`);
  proxy.fault = ({ path }) => (path.endsWith('/content/upload-url') ? { status: 404 } : undefined);
  const told = archeion('sync origin');
  expect(await told.code).toBe(1);
  expect(told.out).toContain('  the bytes of 1 file are still to go there: it gives no address for them now');
  expect(told.err).toEqual(['archeion: origin does not have all bytes of files: archeion remote list.']);
});

test('a dry run says what it can of each remote, and why it cannot of one', async () => {
  await using away = await startProxy(origin.url);
  await done(`remote add away ${away.url}`);
  await done(`remote add origin ${origin.url}`);
  away.fault = () => 'cut';
  const told = archeion('sync --dry-run');
  expect(await told.code).toBe(1);
  // Each as soon as it is known; that one cannot be read is known after some tries.
  const firsts = told.out.filter((line) => !line.startsWith(' ')).toSorted();
  expect(firsts).toEqual([
    expect.stringMatching(/^away: .* cannot be read: /),
    expect.stringMatching(/^origin: \d+ events? of \d+ entit(y|ies) to pull, 0 entities to push$/),
  ]);
  expect(told.err).toEqual(['archeion: away could not be synced.']);
  const json = archeion('sync --dry-run --json');
  expect(await json.code).toBe(1);
  expect(JSON.parse(json.out.join())).toMatchObject({
    remotes: [
      { remote: 'away', error: expect.any(String) },
      { remote: 'origin', preview: { push: [] } },
    ],
  });
});

test('a dry run says what went wrong also where that comes late', async () => {
  await using slow = await startProxy(origin.url);
  await done(`remote add slow ${slow.url}`);
  slow.fault = () => ({ trickles: 1000 });
  const told = archeion('sync slow --dry-run --json');
  // By then the answer has begun (beatMs of http/streams.ts).
  await vi.waitFor(() => expect(slow.calls.length).toBeGreaterThan(0), 15_000);
  const begun = setTimeout(() => {
    slow.fault = () => 'cut';
    slow.breakOff();
  }, 16_000);
  expect(await told.code).toBe(1);
  clearTimeout(begun);
  expect(JSON.parse(told.out.join())).toEqual({
    remotes: [{ remote: 'slow', error: expect.stringContaining(' cannot be read: ') }],
  });
});
