import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DigestTable } from '../../src/server/blocks/digest-table.ts';

test('a digest table keeps what was added first, also where digests collide and where one is all zeros', () => {
  const table = new DigestTable();
  const digests = Array.from({ length: 20_000 }, (_, i) => hash('sha256', `${i}`, 'buffer'));
  const alike = Array.from({ length: 300 }, (_, i) => Buffer.concat([Buffer.alloc(30), Buffer.from([i >> 8, i])]));
  const all = [...digests, ...alike];
  for (const [i, digest] of all.entries()) expect(table.add(digest, i, i * 2 ** 30)).toBe(true);
  for (const digest of all) expect(table.add(digest, -1, -1)).toBe(false);
  expect(table.size).toBe(all.length);
  for (const [i, digest] of all.entries()) expect(table.get(digest)).toEqual([i, i * 2 ** 30]);
  expect(table.get(hash('sha256', 'other', 'buffer'))).toBeUndefined();
  expect(new DigestTable().has(Buffer.alloc(32))).toBe(false);
});
