import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { page, root } from './pages.ts';
import { walkThrough } from './walk-through.ts';

walkThrough('docs/operations.md');

it('lists every setting, and no other', () => {
  const named = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = '']) => name));
  const table = page('docs/operations.md').text.replaceAll('`_', '`ARCHEION_JWT_');
  const listed = named(table, /`(ARCHEION_[A-Z_]+)`/g);
  const known = named(readFileSync(`${root}src/server/config.ts`, 'utf8'), /^ {2}(ARCHEION_[A-Z_]+):/gm);
  expect([...known].filter((name) => !listed.has(name))).toEqual([]);
  expect([...listed].filter((name) => !known.has(name))).toEqual([]);
});
