import { chown, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillWhole, isUnfinished, realPlace, whyNotFillable } from '../../src/server/store/whole-folder.ts';
import { temporaryFolder } from '../helpers/node.ts';

const partial = '01234567-89ab-4cde-8fff-0123456789ab.partial';

/** Fills a folder as a restore does. */
async function fill(folder: string): Promise<string> {
  await mkdir(join(folder, 'main'));
  await writeFile(join(folder, 'main', 'archeion.db'), 'moves');
  await writeFile(join(folder, 'identity.db'), 'accounts');
  return 'filled';
}

test('a folder that is there is filled where it is, as a mount has to be', async () => {
  await using folder = await temporaryFolder();
  const target = join(folder.path, 'data');
  await mkdir(join(target, 'lost+found'), { recursive: true });
  await writeFile(join(target, '.DS_Store'), 'of the Finder');
  const { ino } = await stat(target);
  expect(await whyNotFillable(target)).toBeNull();
  expect(await fillWhole(target, 'identity.db', fill)).toBe('filled');
  expect((await stat(target)).ino).toBe(ino);
  expect((await readdir(target)).sort()).toEqual(['.DS_Store', 'identity.db', 'lost+found', 'main']);
  expect(await readFile(join(target, 'main', 'archeion.db'), 'utf8')).toBe('moves');
  expect(await readdir(folder.path)).toEqual(['data']);
  expect(await whyNotFillable(target)).toMatch(/is not empty/);
});

test('links on the way to a folder are followed, and one that leads nowhere is named', async () => {
  await using folder = await temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  await mkdir(at('private'));
  await symlink('private', at('link'));
  await symlink('nothing', at('dead'));
  const real = await realPlace(at('private'));
  expect(await realPlace(at('link'))).toBe(real);
  expect(await realPlace(join(at('link'), 'new', 'data'))).toBe(join(real, 'new', 'data'));
  await expect(realPlace(at('dead'))).rejects.toMatchObject({
    reason: `${at('dead')} is a link to what is not there.`,
  });
  await fillWhole(await realPlace(at('link')), 'identity.db', fill);
  expect((await lstat(at('link'))).isSymbolicLink()).toBe(true);
  expect((await readdir(at('private'))).sort()).toEqual(['identity.db', 'main']);
});

test('what fails leaves the folder as it was, and overwrites nothing', async () => {
  await using folder = await temporaryFolder();
  for (const name of ['new', 'empty']) {
    const target = join(folder.path, name);
    if (name === 'empty') await mkdir(target);
    const failing = fillWhole(target, 'identity.db', async (inside) => {
      await fill(inside);
      throw new Error('the disk is full');
    });
    await expect(failing).rejects.toThrow('the disk is full');
  }
  const target = join(folder.path, 'empty');
  expect([await readdir(folder.path), await readdir(target)]).toEqual([['empty'], []]);
  const late = fillWhole(target, 'identity.db', async (inside) => {
    await fill(inside);
    await writeFile(join(target, 'identity.db'), 'of another');
  });
  await expect(late).rejects.toMatchObject({ reason: expect.stringMatching(/identity\.db meanwhile/) });
  expect(await readdir(target)).toEqual(['identity.db']);
  expect(await readFile(join(target, 'identity.db'), 'utf8')).toBe('of another');
});

test.each([
  { code: 'ENOSPC' },
  { code: 'SQLITE_FULL' },
  { code: 'Unknown system error', errno: -constants.errno.EDQUOT },
])('where there is no room (%j) it is said where', async (cause) => {
  await using folder = await temporaryFolder();
  const target = join(folder.path, 'copy');
  const failing = fillWhole(target, 'identity.db', () => Promise.reject(Object.assign(new Error('no room'), cause)));
  await expect(failing).rejects.toMatchObject({
    code: 'STORAGE_FULL',
    reason: expect.stringContaining(`not enough room on the disk of ${target}`),
  });
});

test('what was interrupted is known by what has not been moved yet', async () => {
  await using folder = await temporaryFolder();
  const at = (...names: string[]) => join(folder.path, ...names);
  await mkdir(at(partial));
  expect(isUnfinished(folder.path)).toBe(false);
  await fill(at(partial));
  expect(isUnfinished(folder.path)).toBe(true);
  expect(await whyNotFillable(folder.path)).toMatch(/^has what an interrupted backup or restore has left/);
  expect(isUnfinished(at('nowhere'))).toBe(false);
});

test.runIf(process.getuid?.() === 0)(
  'what the administrator fills in belongs to whom the folder belongs to',
  async () => {
    await using folder = await temporaryFolder();
    const target = join(folder.path, 'data');
    await mkdir(target);
    await chown(target, 12345, 12346);
    await fillWhole(target, 'identity.db', fill);
    for (const name of ['main', join('main', 'archeion.db'), 'identity.db'])
      expect(await stat(join(target, name))).toMatchObject({ uid: 12345, gid: 12346 });
  },
);
