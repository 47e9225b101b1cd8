import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { collection } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';

// The whole shell over the stand-in, with the built program as its processes.

const cli = resolve(import.meta.dirname, '../../out/main/cli.js');
/** Gives a process of Node the port on which Electron's utility processes hear. */
const hears = `data:text/javascript,import { EventEmitter } from 'node:events';
process.parentPort = new EventEmitter();
process.on('message', (data) => process.parentPort.emit('message', { data }));`;

const processes: ChildProcess[] = [];
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let shell: typeof import('./electron.ts');

beforeEach(async () => {
  // Both are new for each test: the shell begins when it is imported.
  vi.resetModules();
  vi.doMock('electron', async () => (await import('./electron.ts')).electron);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  folder = await temporaryFolder();
  vi.stubEnv('ARCHEION_DATA', join(folder.path, 'data'));
  shell = await import('./electron.ts');
  shell.electron.app.paths.appData = folder.path;
  // Without an end to it a node that cannot start would be tried again and again.
  shell.told.press = { 'The node does not run': 1 };
  shell.told.fork = (path, args, options) => {
    const child = new shell.Child(path, args, options);
    const run = spawn(process.execPath, ['--import', hears, cli, ...args], {
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    processes.push(run);
    run.stdout?.pipe(child.stdout);
    run.stderr?.pipe(child.stderr);
    run.once('close', (code) => child.emit('exit', code ?? 1));
    child.postMessage = (message) => run.send(message as string);
    child.kill = () => run.kill('SIGKILL');
    return child;
  };
});

afterEach(async () => {
  for (const run of processes.splice(0)) {
    if (run.exitCode !== null || run.signalCode !== null) continue;
    const gone = new Promise((done) => run.once('exit', done));
    run.kill('SIGKILL');
    await gone;
  }
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

// Other files of this process have a stand-in of their own.
afterAll(() => {
  vi.doUnmock('electron');
  vi.resetModules();
});

const start = () => import('../../src/main/index.ts');
const soon = { timeout: 25_000, interval: 50 };
const cookies = () => shell.told.sessions.get('archeion')?.jar ?? [];
const settingsFile = () => join(folder.path, 'Archeion Desktop', 'desktop.json');
const windows = () => shell.told.windows;
const said = () => shell.told.messages.map(({ message }) => message);

async function whoami(index: number): Promise<number> {
  const cookie = cookies()[index];
  const answer = await fetch(`${cookie?.url}/auth/whoami`, { headers: { Cookie: `${cookie?.name}=${cookie?.value}` } });
  return answer.status;
}

test('the window is signed in, comes through a crash of the node, takes archives, and waits for the node at the end', async () => {
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  const [window] = windows();
  const url = cookies()[0]?.url ?? '';
  // No script can read it.
  expect(cookies()[0]).toMatchObject({ path: '/', httpOnly: true, sameSite: 'strict' });
  expect(window?.loaded).toEqual([`${url}/ui/`]);
  expect(await whoami(0)).toBe(200);
  expect(shell.told.menu.length).toBeGreaterThan(4);
  await expect.poll(() => shell.told.trays[0]?.tip, soon).toBe('Archeion: Nothing is synced');
  expect(existsSync(settingsFile())).toBe(true);

  processes[0]?.kill('SIGKILL');
  // Its user reloads the page meanwhile.
  const page = window?.webContents;
  page?.emit('did-fail-load', shell.event(), -102, 'ERR_CONNECTION_REFUSED', `${url}/ui/`, true);
  await expect.poll(() => page?.reloads, soon).toBe(1);
  expect(cookies()).toHaveLength(2);
  // The same page at the same address: what was typed is still there, and its session is good again.
  expect(cookies()[1]?.url).toBe(url);
  expect(windows()).toEqual([window]);
  expect(window?.loaded).toHaveLength(1);
  // Nor does it come to the front by itself.
  expect(window?.done).toEqual([]);
  expect(await whoami(1)).toBe(200);

  await using other = await startNode();
  await collection(other, operator(other), { label: 'Letters' });
  const archive = await fetch(`${other.url}/node/export`, { headers: operator(other).headers });
  writeFileSync(join(folder.path, 'letters.car'), Buffer.from(await archive.arrayBuffer()));
  shell.electron.app.emit('second-instance', {}, ['archeion', '--x', 'letters.car'], folder.path);
  await expect.poll(said, soon).toContain('“letters.car” is imported');
  expect(window?.done).toContain('show');
  const opened = shell.event();
  shell.electron.app.emit('open-file', opened, join(folder.path, 'gone.car'));
  expect(opened.prevented).toBe(true);
  await expect.poll(said, soon).toContain('“gone.car” cannot be opened');

  const file = join(folder.path, 'data', 'node.json');
  expect(existsSync(file)).toBe(true);
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
  // The node has removed it as the last of its work.
  expect(existsSync(file)).toBe(false);
  expect(processes.at(-1)?.exitCode).toBe(0);
});

test('where the node cannot run, its own words are shown, with the ways out', async () => {
  await using holder = await startNode({ data: join(folder.path, 'data') });
  expect(holder.url).toContain('127.0.0.1');
  await start();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
  const message = shell.told.messages.find(({ type }) => type === 'error');
  expect(message?.detail).toContain('Another process uses the data folder');
  // The environment names the folder, and would go on to.
  expect(message?.buttons).toEqual(['Try again', 'Quit']);
  expect(windows()).toEqual([]);
});

test('where the node cannot run on the usual folder, another one is offered', async () => {
  vi.stubEnv('ARCHEION_DATA', '');
  vi.stubEnv('XDG_DATA_HOME', join(folder.path, 'usual'));
  await using holder = await startNode({ data: join(folder.path, 'usual', 'archeion') });
  expect(holder.url).toContain('127.0.0.1');
  shell.told.chosen = [join(folder.path, 'chosen')];
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  expect(shell.told.messages.find(({ type }) => type === 'error')?.buttons).toEqual([
    'Try again',
    'Another data folder…',
    'Quit',
  ]);
  expect(existsSync(join(folder.path, 'chosen', 'node.json'))).toBe(true);
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
});

test('a node that was given up on and is tried again comes at the same address, in the same window', async () => {
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  const [window] = windows();
  const url = cookies()[0]?.url;
  const { fork } = shell.told;
  // It ends as soon as it begins, until it is given up.
  let failing = 5;
  shell.told.fork = (path, args, options) => {
    if (failing-- <= 0) return fork(path, args, options);
    const child = new shell.Child(path, args, options);
    setImmediate(() => child.emit('exit', 1));
    return child;
  };
  shell.told.press['The node does not run'] = 0;
  if (window) window.minimized = true;
  processes[0]?.kill('SIGKILL');
  await expect.poll(() => cookies().length, { timeout: 60_000, interval: 100 }).toBe(2);
  expect(said()).toContain('The node does not run');
  expect(cookies()[1]?.url).toBe(url);
  expect(windows()).toEqual([window]);
  expect([window?.loaded.length, window?.destroyed, window?.done]).toEqual([1, false, []]);
  expect(await whoami(1)).toBe(200);
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
}, 90_000);

test('another data folder is opened by a node of its own, and remembered; the usual one is left alone', async () => {
  vi.stubEnv('ARCHEION_DATA', '');
  vi.stubEnv('XDG_DATA_HOME', join(folder.path, 'usual'));
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  const [first] = windows();
  const chosen = join(folder.path, 'chosen');
  shell.told.chosen = [chosen];
  const item = () =>
    shell.told.menu.flatMap(({ submenu }) => submenu ?? []).find(({ label }) => label === 'Data Folder…');
  shell.told.press['Open the data folder'] = 1;
  item()?.click?.();
  await expect.poll(said, soon).toContain(`Open the data folder ${chosen}?`);
  expect(windows()).toHaveLength(1);
  shell.told.press['Open the data folder'] = 0;
  item()?.click?.();
  await expect.poll(windows, soon).toHaveLength(2);
  expect(first?.destroyed).toBe(true);
  expect(existsSync(join(chosen, 'node.json'))).toBe(true);
  const kept = JSON.parse(readFileSync(settingsFile(), 'utf8'));
  expect(kept.data).toBe(chosen);
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
});

test('the second instance leaves everything to the first', async () => {
  shell.electron.app.locked = false;
  mkdirSync(dirname(settingsFile()));
  writeFileSync(settingsFile(), 'not yet whole');
  await start();
  expect(shell.electron.app.exits).toEqual([0]);
  expect(processes).toEqual([]);
  expect(readdirSync(dirname(settingsFile()))).toEqual(['desktop.json']);
});

test('settings that cannot be read now are left alone, and nothing is started without them', async () => {
  mkdirSync(settingsFile(), { recursive: true });
  await start();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([1]);
  expect(shell.told.errors.at(-1)).toMatch(/^Archeion could not start\..*EISDIR/s);
  expect(processes).toEqual([]);
});

test('says at each start that keys cannot be sealed where the key cannot be kept, and nothing of a keyring', async () => {
  mkdirSync(`${settingsFile()}.new`, { recursive: true });
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  expect(said()).toEqual(['Keys of remotes cannot be sealed this time.']);
  expect(shell.told.children[0]?.options.env).not.toHaveProperty('ARCHEION_SEAL_KEY');
  await expect.poll(() => JSON.stringify(shell.told.trays[0]?.menu), soon).toContain('cannot be sealed this time');
  rmdirSync(`${settingsFile()}.new`);
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
  expect(JSON.parse(readFileSync(settingsFile(), 'utf8')).warned).toBe(false);
});

test('says that keys of remotes are not encrypted where there is no keyring, once', async () => {
  shell.told.keyring.available = false;
  await start();
  await expect.poll(windows, soon).toHaveLength(1);
  expect(said().filter((message) => message.startsWith('This system has no keyring'))).toHaveLength(1);
  expect(shell.told.children[0]?.options.env).not.toHaveProperty('ARCHEION_SEAL_KEY');
  await expect.poll(() => JSON.stringify(shell.told.trays[0]?.menu), soon).toContain('This system has no keyring');
  shell.electron.app.quit();
  await expect.poll(() => shell.electron.app.exits, soon).toEqual([0]);
  const kept = JSON.parse(readFileSync(settingsFile(), 'utf8'));
  expect(kept.warned).toBe(true);
});
