import { existsSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder, makeMissingNow } from '../../src/server/blocks/durable-folder.ts';
import { temporaryFolder } from '../helpers/node.ts';

test('a folder is made with those above it, for its owner alone, and found again', async () => {
  await using place = await temporaryFolder();
  const path = join(place.path, 'a', 'b', 'c');
  expect(makeMissingNow(path)).toBe(join(place.path, 'a'));
  expect(makeMissingNow(path)).toBeUndefined();
  expect(makeMissingNow(join(path, 'd'))).toBe(join(path, 'd'));
  await makeFolder(join(path, 'e', 'f'), place.path);
  expect(statSync(join(path, 'e', 'f')).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', async () => {
  await using place = await temporaryFolder();
  const file = join(place.path, 'file');
  await writeFile(file, '');
  expect(() => makeMissingNow(file)).toThrow('EEXIST');
  expect(() => makeMissingNow(join(file, 'a', 'b'))).toThrow('ENOTDIR');
});

test.runIf(platform() === 'linux' && existsSync('/proc/self'))('where nothing can be made it ends, too', () => {
  expect(() => makeMissingNow('/proc/nowhere')).toThrow('ENOENT');
  expect(() => makeMissingNow('/proc/nowhere/at/all')).toThrow('ENOENT');
});
