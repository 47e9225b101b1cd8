import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Locked {
  gypfile?: boolean;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>;
};

test('better-sqlite3 is installed with its own binaries, not built from source', () => {
  expect(packages['node_modules/better-sqlite3']?.gypfile, 'run `node build/lock-file.mjs`').toBe(false);
});

test('the linter can be installed on every system that it exists for', () => {
  const wanted = Object.keys(packages['node_modules/@biomejs/biome']?.optionalDependencies ?? {});
  expect(wanted).toContain('@biomejs/cli-win32-x64');
  expect(wanted.filter((name) => !packages[`node_modules/${name}`])).toEqual([]);
});
