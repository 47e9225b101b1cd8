import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { temporaryFolder } from '../helpers/node.ts';

vi.mock('electron', async () => (await import('./electron.ts')).electron);

const { openSettings, sealKey } = await import('../../src/main/settings.ts');
const { told } = await import('./electron.ts');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let path: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  path = join(folder.path, 'shell', 'desktop.json');
  Object.assign(told.keyring, { available: true, backend: 'gnome_libsecret', stale: false, broken: false });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder[Symbol.asyncDispose]();
});

const unset = { data: null, window: null, sealed: null, warned: false };
const placed = { bounds: { x: -5, y: 0, width: 800, height: 600 }, maximized: true };

describe('what the shell remembers', () => {
  test('is there at the next start, for the user alone', () => {
    const settings = openSettings(path);
    expect(settings.current).toEqual(unset);
    settings.update({ data: '/archive', window: placed });
    expect(openSettings(path).current).toEqual({ ...unset, data: '/archive', window: placed });
    expect(statSync(path).mode & 0o077).toBe(0);
  });

  test.each([
    '{"data":7,"window":{"bounds":null,"maximized":true},"sealed":{},"warned":"yes"}',
    '{"data":"relative","window":{"bounds":{"x":0,"y":0,"width":1e400,"height":1},"maximized":true}}',
    '{"window":{"bounds":{"x":0.5,"y":0,"width":1,"height":1},"maximized":true}}',
  ])('counts as not set where it cannot be used: %s', (text) => {
    openSettings(path).update({});
    writeFileSync(path, text);
    expect(openSettings(path).current).toEqual(unset);
  });

  test.each(['no JSON', 'null', '[]', ''])(
    'is kept aside where it cannot be read, not written over: %s',
    async (text) => {
      openSettings(path).update({});
      writeFileSync(path, text);
      const settings = openSettings(path);
      expect(settings.current).toEqual(unset);
      expect(settings.aside).toMatch(/desktop\.json\.\d+$/);
      await sealKey(settings, 'linux');
      expect(readFileSync(settings.aside ?? '', 'utf8')).toBe(text);
      expect(openSettings(path)).toMatchObject({ current: settings.current, aside: null });
      expect(readdirSync(join(folder.path, 'shell'))).toHaveLength(2);
    },
  );

  test('is neither moved nor written over where it cannot be read now', () => {
    mkdirSync(path, { recursive: true });
    expect(() => openSettings(path)).toThrow('EISDIR');
    expect(readdirSync(join(folder.path, 'shell'))).toEqual(['desktop.json']);
  });

  test('does not keep the shell from running where it cannot be written', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const settings = openSettings(path);
    writeFileSync(join(folder.path, 'shell'), '');
    expect(settings.update({ data: '/archive' })).toBe(false);
    expect(settings.current.data).toBe('/archive');
    expect(log).toHaveBeenCalledOnce();
  });
});

describe('the key that seals', () => {
  test('is made once and kept encrypted', async () => {
    const { key } = await sealKey(openSettings(path), 'linux');
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    expect(await sealKey(openSettings(path), 'linux')).toEqual({ key, lack: null });
  });

  test('is not used before it is kept', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const settings = openSettings(path);
    writeFileSync(join(folder.path, 'shell'), '');
    expect(await sealKey(settings, 'linux')).toEqual({ key: null, lack: 'sealFailed' });
    rmSync(join(folder.path, 'shell'));
    const { key } = await sealKey(openSettings(path), 'linux');
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(await sealKey(openSettings(path), 'linux')).toEqual({ key, lack: null });
  });

  test('is encrypted anew when the keyring asks for that', async () => {
    const settings = openSettings(path);
    const { key } = await sealKey(settings, 'darwin');
    told.keyring.stale = true;
    const write = vi.spyOn(settings, 'update');
    expect(await sealKey(settings, 'darwin')).toEqual({ key, lack: null });
    expect(write).toHaveBeenCalledOnce();
  });

  test('is none where there is no keyring, or one that anybody could undo', async () => {
    const settings = openSettings(path);
    told.keyring.backend = 'basic_text';
    expect(await sealKey(settings, 'linux')).toEqual({ key: null, lack: 'unsealed' });
    told.keyring.backend = 'unknown';
    expect(await sealKey(settings, 'linux')).toEqual({ key: null, lack: 'unsealed' });
    told.keyring.available = false;
    expect(await sealKey(settings, 'win32')).toEqual({ key: null, lack: 'unsealed' });
    expect(settings.current.sealed).toBeNull();
  });

  test('is none while the keyring is locked, and the same afterwards', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const settings = openSettings(path);
    const { key } = await sealKey(settings, 'linux');
    told.keyring.broken = true;
    expect(await sealKey(settings, 'linux')).toEqual({ key: null, lack: 'sealFailed' });
    told.keyring.broken = false;
    expect(await sealKey(settings, 'linux')).toEqual({ key, lack: null });
  });
});
