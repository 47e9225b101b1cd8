import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readConfig, UsageError } from '../../src/server/config.ts';
import { networkDrive, openDataFolder, syncedBy } from '../../src/server/data-folder.ts';
import { StorageError, UnavailableError } from '../../src/server/errors.ts';
import { openLog } from '../../src/server/log.ts';
import { readNodeFile } from '../../src/server/node-file.ts';
import { lockFolder } from '../../src/server/store/lock.ts';
import { migrations } from '../../src/server/store/migrations/migrate.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { setBack } from '../helpers/earlier-schema.ts';
import { send, startNode, temporaryFolder } from '../helpers/node.ts';
import { writers } from '../helpers/store.ts';

describe('settings', () => {
  const read = (env: Record<string, string>, flags = {}) => readConfig(env, flags, '/data').config;

  test('the usual ones', () => {
    expect(read({})).toMatchObject({
      data: '/data',
      host: '127.0.0.1',
      port: 4747,
      service: 'arke',
      network: 'main',
      allowedHosts: [],
    });
  });

  test('options win over the environment, an empty variable is none', () => {
    const env = { ARCHEION_PORT: '1', ARCHEION_DATA: '/env', ARCHEION_SERVICE: '', OTHER: 'x' };
    expect(read(env, { port: '2', network: 'test' })).toMatchObject({
      port: 2,
      data: '/env',
      service: 'arke',
      network: 'test',
    });
    expect(read(env, { data: '/flag' })).toMatchObject({ port: 1, data: '/flag' });
  });

  test('the public address is an allowed host', () => {
    const config = read({
      ARCHEION_PUBLIC_URL: 'https://node.example/',
      ARCHEION_ALLOWED_HOSTS: 'A.example:81, b.example',
    });
    expect(config).toMatchObject({
      publicUrl: 'https://node.example',
      allowedHosts: ['a.example:81', 'b.example', 'node.example'],
    });
  });

  test.each(['[::1]', '::1'])('the host %s is of this machine alone', (host) => {
    expect(read({}, { host }).host).toBe('::1');
    expect(read({ ARCHEION_HOST: host }).host).toBe('::1');
  });

  test('a name in brackets is no address', () => {
    expect(() => read({}, { host: '[127.0.0.1]' })).toThrow(/set ARCHEION_ALLOWED_HOSTS/);
  });

  test('secrets are kept apart', () => {
    const { config, secrets } = readConfig(
      { ARCHEION_JWT_SECRET: 'hidden', ARCHEION_ALPHA_SECRET: 'also', ARCHEION_CHAT_KEY: 'third' },
      {},
      '/data',
    );
    expect(JSON.stringify(config)).not.toMatch(/hidden|also|third/);
    expect(secrets).toMatchObject({ jwt: { secret: 'hidden' }, alpha: 'also', chat: 'third' });
  });

  test.each<[Record<string, string>, Record<string, string>, RegExp]>([
    [{}, { port: 'x' }, /^--port: must be a number from 0 to 65535\.$/],
    [{ ARCHEION_PORT: '70000' }, {}, /^ARCHEION_PORT: must be a number/],
    [{ ARCHEION_SERVICE: 'A b' }, {}, /^ARCHEION_SERVICE: /],
    [{ ARCHEION_ALLOWED_HOSTS: 'http://x' }, {}, /^ARCHEION_ALLOWED_HOSTS: /],
    [{ ARCHEION_PUBLIC_URL: 'ftp://x' }, {}, /^ARCHEION_PUBLIC_URL: /],
    [{ ARCHEION_PUBLIC_URL: 'node.example' }, {}, /^ARCHEION_PUBLIC_URL: must be an address that begins with http/],
    [{ ARCHEION_PUBLIC_URL: 'https://node.example/?' }, {}, /^ARCHEION_PUBLIC_URL: must have no \? and no #/],
    [{ ARCHEION_PUBLIC_URL: 'https://node.example#a' }, {}, /^ARCHEION_PUBLIC_URL: must have no \? and no #/],
    [{}, { network: 'moon' }, /^--network: /],
    [{}, { host: '0.0.0.0' }, /set ARCHEION_ALLOWED_HOSTS/],
    [{ ARCHEION_HOST: '127.evil.example' }, {}, /set ARCHEION_ALLOWED_HOSTS/],
  ])('%j %j is refused', (env, flags, message) => {
    expect(() => read(env, flags)).toThrow(UsageError);
    expect(() => read(env, flags)).toThrow(message);
  });
});

describe('the data folder', () => {
  test('is made for its owner alone', async () => {
    await using folder = await temporaryFolder();
    const data = await openDataFolder(join(folder.path, 'deep', 'data'));
    expect((await stat(data)).mode & 0o777).toBe(0o700);
  });

  test('a file in its place is a clear error', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'file'), '');
    await expect(openDataFolder(join(folder.path, 'file'))).rejects.toThrow(/cannot be used .*--data/);
  });

  test('one that the lock cannot be made in is a clear error', async () => {
    await using folder = await temporaryFolder();
    expect(() => lockFolder(join(folder.path, 'missing'))).toThrow(StorageError);
  });

  test('network drives and synced folders are known', () => {
    expect(networkDrive(0x6969)).toBe('NFS');
    expect(networkDrive(0xff534d42)).toBe('CIFS');
    expect(networkDrive(0xff534d42 | 0)).toBe('CIFS');
    expect(networkDrive(0x01021997)).toBeNull();
    expect(networkDrive(0xef53)).toBeNull();
    expect(syncedBy('/home/a/Dropbox/data')).toBe('Dropbox');
    expect(syncedBy('/Users/a/Library/Mobile Documents/x')).toBe('Mobile Documents');
    expect(syncedBy('C:\\Users\\a\\OneDrive - Work\\x')).toBe('OneDrive');
    expect(syncedBy('/Users/a/Library/CloudStorage/GoogleDrive-a@b/x')).toBe('CloudStorage');
    expect(syncedBy('/home/a/My Drive/archeion')).toBeNull();
  });

  test('a synced one is warned about', async () => {
    await using folder = await temporaryFolder();
    await using node = await startNode({ data: join(folder.path, 'Dropbox', 'archeion') });
    expect(node.logged.join('')).toContain('Dropbox copies');
  });
});

describe('starting and stopping', () => {
  test('node.json says where a node runs, and goes with it; its id stays', async () => {
    await using folder = await temporaryFolder();
    const node = await startNode({ data: folder.path, pid: 42 });
    const file = await readNodeFile(folder.path);
    expect(file).toEqual({ url: node.url, pid: 42, instance: node.ctx.instance, version: node.ctx.version });
    expect((await stat(join(folder.path, 'node.json'))).mode & 0o777).toBe(0o600);
    await node[Symbol.asyncDispose]();
    expect(await readNodeFile(folder.path)).toBeNull();
    await expect(send(node.url, '/health')).rejects.toThrow('ECONNREFUSED');
    await using again = await startNode({ data: folder.path });
    expect(again.ctx.instance).toBe(node.ctx.instance);
  });

  test('one that cannot be taken away, as on a disk that is read-only by now, keeps no node from closing', async () => {
    await using folder = await temporaryFolder();
    const node = await startNode({ data: folder.path });
    await rm(join(folder.path, 'node.json'));
    await mkdir(join(folder.path, 'node.json'));
    await node[Symbol.asyncDispose]();
    await expect(send(node.url, '/health')).rejects.toThrow('ECONNREFUSED');
  });

  test('a damaged node.json is nobody', async () => {
    await using folder = await temporaryFolder();
    await writeFile(join(folder.path, 'node.json'), '{"url":');
    expect(await readNodeFile(folder.path)).toBeNull();
  });

  test('a second node on one folder is a clear error, and leaves the first one be', async () => {
    await using node = await startNode();
    await expect(startNode({ data: node.data })).rejects.toThrow(UnavailableError);
    await expect(startNode({ data: node.data })).rejects.toThrow(/Another process uses the data folder .*--data/);
    expect(await node.fetch('/health')).toMatchObject({ status: 200 });
    expect(await readNodeFile(node.data)).toMatchObject({ url: node.url });
  });

  test('nor does one start where somebody has deleted the lock of a node that runs', async () => {
    await using node = await startNode();
    await rm(join(node.data, 'lock.db'));
    const refused = startNode({ data: node.data });
    await expect(refused).rejects.toThrow(UnavailableError);
    await expect(refused).rejects.toThrow(`its node runs at ${node.url}, and its lock.db was deleted`);
    expect(await readNodeFile(node.data)).toMatchObject({ url: node.url });
  });

  test('nor where that one hangs, as long as its process is there', async () => {
    await using folder = await temporaryFolder();
    await using hung = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(hung, 'listening');
    const { port } = hung.address() as AddressInfo;
    const [url, instance] = [`http://127.0.0.1:${port}`, '01234567-89ab-4cde-8fff-0123456789ab'];
    await writeFile(join(folder.path, 'node.json'), JSON.stringify({ url, pid: 42, instance, version: '0.0.0' }));
    const isRunning = (pid: number) => pid === 42;
    await expect(startNode({ data: folder.path, isRunning })).rejects.toThrow(`its node runs at ${url}`);
    await using node = await startNode({ data: folder.path, isRunning: () => false });
    expect(await readNodeFile(folder.path)).toMatchObject({ url: node.url });
    hung.closeAllConnections();
  });

  test('an id that cannot be read is not replaced by another', async () => {
    await using folder = await temporaryFolder();
    // A link to itself can be read as little as a bad sector, and be replaced as well.
    await symlink('instance.json', join(folder.path, 'instance.json'));
    await expect(startNode({ data: folder.path })).rejects.toThrow(/instance\.json cannot be read \(ELOOP/);
    expect((await lstat(join(folder.path, 'instance.json'))).isSymbolicLink()).toBe(true);
  });

  test.each(['', '{"instance": "0123"}'])('nor is one that is damaged (%s)', async (damaged) => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'instance.json');
    await writeFile(path, damaged);
    await expect(startNode({ data: folder.path })).rejects.toThrow(/instance\.json is damaged: put the file back/);
    expect(await readFile(path, 'utf8')).toBe(damaged);
  });

  test.skipIf(!existsSync('/dev/full'))('a disk that is full keeps no node from being read', async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'node.json.new');
    await (await startNode({ data: folder.path }))[Symbol.asyncDispose]();
    await symlink('/dev/full', path);
    {
      await using node = await startNode({ data: folder.path });
      expect((await node.fetch('/health')).status).toBe(200);
      expect(node.logged.join('')).toContain(
        'the disk is full: until there is room other commands do not find this node',
      );
      expect(await readNodeFile(folder.path)).toBeNull();
      await rm(path, { force: true });
      await vi.waitFor(async () => expect(await readNodeFile(folder.path)).toMatchObject({ url: node.url }), 15_000);
    }
    expect(await readNodeFile(folder.path)).toBeNull();
    // What could not be written is not in the way later.
    await using again = await startNode({ data: folder.path });
    expect(await readNodeFile(folder.path)).toMatchObject({ url: again.url });
  });

  test('the lock goes when it is let go of', async () => {
    await using folder = await temporaryFolder();
    const first = lockFolder(folder.path);
    expect(() => lockFolder(folder.path)).toThrow(UnavailableError);
    first[Symbol.dispose]();
    using _second = lockFolder(folder.path);
  });

  test('a busy port names the way out, and leaves the folder free', async () => {
    await using folder = await temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const start = () => startNode({ data: folder.path, env: { ARCHEION_PORT: String(port) } });
    await expect(start()).rejects.toThrow(new RegExp(`The port ${port} is in use: .*--port 0`));
    expect(await readNodeFile(folder.path)).toBeNull();
    await new Promise((resolve) => other.close(resolve));
    await using node = await start();
    expect(node.url).toBe(`http://127.0.0.1:${port}`);
  });

  test('a request that runs is answered before the node stops', async () => {
    const reached = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const node = await startNode({
      extend: (app) =>
        app.get('/slow', async (_request, response) => {
          reached.resolve();
          await answer.promise;
          response.json({ done: true });
        }),
    });
    const asked = node.fetch('/slow');
    await reached.promise;
    const stopped = node[Symbol.asyncDispose]();
    answer.resolve();
    expect(await asked).toMatchObject({ status: 200, body: { done: true } });
    await stopped;
  });
});

test('the log hides credentials', () => {
  const lines: string[] = [];
  const log = openLog('info', { write: (line) => void lines.push(line) });
  log.child({ name: 'http' }).info(
    {
      headers: { authorization: 'ApiKey uk_1', cookie: 's=1', host: 'h' },
      request: { headers: { authorization: 'uk_2' } },
    },
    'x',
  );
  expect(lines.join('')).not.toMatch(/uk_1|uk_2|s=1/);
  expect(lines.join('')).toContain('"host":"h"');
});

test.each(writers)(
  '(writer: %s) a start that brings a database up to date says so first, since it may take minutes, and how far it is',
  async (writer) => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, 'data');
    const told = async () => {
      await using node = await startNode({ data, writer });
      const of = (words: string) => node.logged.filter((line) => line.includes(words));
      const steps = of('a step of bringing the database up to date begins').map((line) => JSON.parse(line));
      return [of('the database is brought up to date').length, ...steps.map(({ step, of }) => `${step} of ${of}`)];
    };
    expect(await told()).toEqual([0]);
    setBack(databaseFile(data, 'main'), 11);
    const steps = migrations.slice(11).map((_step, at) => `${12 + at} of ${migrations.length}`);
    expect(await told()).toEqual([1, ...steps]);
    expect(await told()).toEqual([0]);
  },
);
