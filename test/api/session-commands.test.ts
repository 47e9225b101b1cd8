import { chmod, chown, copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeOnFolder } from '../../src/server/commands/parts/node-on-folder.ts';
import { run } from '../../src/server/commands/run.ts';
import { readNodeFile } from '../../src/server/node-file.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { send, temporaryFolder } from '../helpers/node.ts';
import { asService, isRoot, nobody, serviceFolder } from '../helpers/service-user.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let folders: AsyncDisposableStack;
const serving: AbortController[] = [];
const ended: Promise<unknown>[] = [];

beforeEach(async () => {
  folders = new AsyncDisposableStack();
  folder = folders.use(await temporaryFolder());
});
afterEach(async () => {
  for (const stop of serving.splice(0)) stop.abort();
  await Promise.all(ended.splice(0));
  await folders.disposeAsync();
});

interface Told {
  out: string[];
  err: string[];
}

/** One command line in this process, on the folder of the test. */
function archeion(args: string[], env: Record<string, string> = {}, ui: string | null = null) {
  const told: Told = { out: [], err: [] };
  const stop = new AbortController();
  const firstLine = Promise.withResolvers<string>();
  const shell = {
    env: { ARCHEION_DATA: folder.path, ARCHEION_LOG_LEVEL: 'silent', ...env },
    pid: process.pid,
    dataFolder: folder.path,
    ui,
    out: (line: string) => {
      told.out.push(line);
      firstLine.resolve(line);
    },
    err: (line: string) => void told.err.push(line),
    terminal: null,
    stopped: stop.signal,
  };
  const code = run(args, shell);
  return { told, code, stop, env: shell.env, firstLine: firstLine.promise };
}

/** A node that runs until the test ends. */
async function serve(env: Record<string, string> = {}, ui: string | null = null) {
  const running = archeion(['serve', '--port', '0'], env, ui);
  serving.push(running.stop);
  ended.push(running.code);
  const line = await Promise.race([running.firstLine, running.code.then(() => running.told.err.join())]);
  return { ...running, url: (JSON.parse(line) as { ready: { url: string } }).ready.url };
}

function exchange(url: string, token: string) {
  return send(url, '/node/session', { method: 'POST', headers: { Origin: url }, body: { token } });
}

function tokenIn(text: string): string {
  return /\/ui\/#token=([\w-]{43})(?:"|$)/.exec(text)?.[1] ?? '';
}

test('serve prints a link to the page on stderr, and nothing but the ready line on stdout', async () => {
  const { url, told } = await serve({}, folder.path);
  await expect.poll(() => told.err).toHaveLength(1);
  expect(told.err[0]).toContain(`${url}/ui/#token=`);
  expect(told.out).toEqual([JSON.stringify({ ready: { url } })]);
  expect((await exchange(url, tokenIn(told.err[0] ?? ''))).status).toBe(200);
});

test('serve without a built page prints no link to it, and names what is no setting', async () => {
  const { told, stop, code } = await serve({ ARCHEION_ALPHA_REQUIRE: 'true', ARCHEION_HOSTS: '', ARCHEION_PORT: '0' });
  stop.abort();
  await code;
  expect(told.err).toEqual([
    'There is no setting ARCHEION_ALPHA_REQUIRE, so it changes nothing: look whether it is misspelled.',
  ]);
});

test('serve names settings that change nothing without others', async () => {
  const { told, stop, code } = await serve({
    ARCHEION_CHAT_URL: 'http://127.0.0.1:9/v1',
    ARCHEION_CHAT_KEY: 'key',
    ARCHEION_JWT_ISSUER: 'https://idp.test',
  });
  stop.abort();
  await code;
  expect(told.err).toEqual([
    'ARCHEION_JWT_ISSUER changes nothing without ARCHEION_JWT_SECRET or ARCHEION_JWT_PUBLIC_KEY or ARCHEION_JWT_JWKS_URL.',
    'ARCHEION_CHAT_URL changes nothing without ARCHEION_CHAT_MODEL.',
  ]);
});

test.each([
  ['x'.repeat(31), [expect.stringMatching(/^ARCHEION_JWT_SECRET is short: /)]],
  [`${'x'.repeat(30)}ü`, []],
])('serve says of a secret for tokens that it can be found by trying (%s)', async (secret, said) => {
  const { told, stop, code } = await serve({ ARCHEION_JWT_SECRET: secret });
  stop.abort();
  await code;
  expect(told.err).toEqual(said);
});

test('serve takes the token of the desktop, prints none, and does not pass it on', async () => {
  const token = 'A'.repeat(43);
  const { url, told, env, stop, code } = await serve({ ARCHEION_RUN_TOKEN: token }, folder.path);
  expect(Object.keys(env)).not.toContain('ARCHEION_RUN_TOKEN');
  const opened = await exchange(url, token);
  // It has no end but that of the process.
  expect([opened.status, opened.body]).toEqual([200, {}]);
  expect((await exchange(url, token)).status).toBe(401);
  stop.abort();
  await code;
  expect(told.err).toEqual([]);
});

test('serve refuses a token that is too easy', async () => {
  const { code, told } = archeion(['serve', '--port', '0'], { ARCHEION_RUN_TOKEN: 'secret' });
  expect(await code).toBe(2);
  expect(told.err).toEqual(['archeion: ARCHEION_RUN_TOKEN: must be 32 bytes as base64url.']);
});

test('open prints a link of the running node', async () => {
  const { url } = await serve();
  const plain = archeion(['open']);
  expect(await plain.code).toBe(0);
  expect(plain.told).toEqual({ out: [expect.stringMatching(/^http:\/\/\S+$/)], err: [] });
  expect((await exchange(url, tokenIn(plain.told.out[0] ?? ''))).status).toBe(200);

  const json = archeion(['open', '--json']);
  expect(await json.code).toBe(0);
  const link = JSON.parse(json.told.out.join('\n')) as { url: string };
  expect(link).toEqual({ url: expect.stringContaining(`${url}/ui/#token=`), expires_at: expect.any(String) });
  expect((await exchange(url, tokenIn(link.url))).status).toBe(200);
});

test('open waits for a node that starts', async () => {
  const other = folders.use(await temporaryFolder());
  const { url } = await serve({ ARCHEION_DATA: other.path });
  using _starting = lockFolder(folder.path);
  const { code, told } = archeion(['open']);
  expect(await Promise.race([code, setTimeout(1000, 'it waits')])).toBe('it waits');
  for (const file of ['operator.key', 'node.json']) await copyFile(join(other.path, file), join(folder.path, file));
  expect([await code, told]).toEqual([0, { out: [expect.stringContaining(`${url}/ui/#token=`)], err: [] }]);
});

/** The folder of somebody else than the service, who may look into it. */
async function othersFolder() {
  const others = await serviceFolder();
  if (isRoot) await chown(others.path, 0, 0);
  await chmod(others.path, 0o755);
  return others;
}

test.skipIf(!isRoot)('a key that root has put into a folder does not make that another user’s', async () => {
  await using own = await serviceFolder();
  await writeFile(join(own.path, 'operator.key'), '', { mode: 0o600 });
  const shell = { err: () => undefined, stopped: new AbortController().signal };
  const start = () => Promise.reject(new Error('It may be begun.'));
  await expect(asService(() => nodeOnFolder(own.path, shell, start))).rejects.toThrow('It may be begun.');
});

test.skipIf(platform === 'win32').each(['node.json', 'operator.key'])(
  'open says of the folder of another user that it is one, not that no node runs: by its %s',
  async (name) => {
    await using others = await othersFolder();
    const file = join(others.path, name);
    await writeFile(file, '{}');
    await chmod(file, 0);
    const shell = { err: () => undefined, stopped: new AbortController().signal };
    const asked = asService(() =>
      nodeOnFolder(others.path, shell, () => Promise.reject(new Error('None was to be begun.'))),
    );
    await expect(asked).rejects.toThrow(
      /^The data folder .* is another user's \(EACCES.*\): run this command as the user /,
    );
  },
);

test.skipIf(platform === 'win32')('so does verify, not that the folder be copied', async () => {
  await using others = await othersFolder();
  for (const name of ['identity.db', 'lock.db', 'operator.key']) {
    await writeFile(join(others.path, name), '');
    await chmod(join(others.path, name), 0);
  }
  const { code, told } = asService(() => archeion(['verify', '--data', others.path]));
  expect([await code, told.err]).toEqual([1, [expect.stringMatching(/is another user's \(EACCES/)]]);
});

test.skipIf(!isRoot)('root makes nothing in the folder of another user whose node does not run', async () => {
  await using own = await serviceFolder();
  const expectRefused = async (...args: string[]) => {
    const before = await readdir(own.path);
    const { code, told } = archeion([...args, '--data', own.path]);
    const words = /^archeion: No node runs on .* another user's, .* \(sudo -u '#65534' archeion \.\.\.\)/;
    expect([await code, told.err]).toEqual([1, [expect.stringMatching(words)]]);
    expect(await readdir(own.path)).toEqual(before);
  };
  // Nor where that has not made anything yet, as in the moment in which a service starts for the first time.
  await expectRefused('key', 'create');
  await chown(own.path, 0, 0);
  await archeion(['key', 'create', '--data', own.path]).code;
  for (const name of ['', ...(await readdir(own.path))]) await chown(join(own.path, name), nobody, nobody);
  await expectRefused('status');
});

test('open says so where no node runs', async () => {
  const said = `archeion: No node runs on ${folder.path}: name its folder with --data, or start one with "archeion serve".`;
  const none = { out: [], err: [said] };
  const first = archeion(['open']);
  expect([await first.code, first.told]).toEqual([1, none]);
  expect(await readdir(folder.path)).toEqual([]);

  // Left over by a crash, and now the address of another node.
  const other = folders.use(await temporaryFolder());
  const { url } = await serve({ ARCHEION_DATA: other.path });
  const file = await readNodeFile(other.path);
  const stale = { ...file, instance: '00000000-0000-4000-8000-000000000000' };
  await writeFile(join(folder.path, 'node.json'), JSON.stringify(stale));
  expect(stale.url).toBe(url);
  const second = archeion(['open']);
  expect([await second.code, second.told]).toEqual([1, none]);
});
