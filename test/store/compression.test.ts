import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { findVersion } from '../../src/server/store/versions.ts';
import { change, commit, first, idOf, next, openStore, step, type Version } from '../helpers/store.ts';

/** A folder with children under ids that do not compress by themselves. */
function children(count: number): [string, string][] {
  return Array.from({ length: count }, (_, n) => ['contains', randomBytes(13).toString('hex') + n]);
}

async function history(from: Version, versions: number): Promise<Version[]> {
  const all = [from];
  for (let i = 1; i < versions; i++) {
    const before = all[i - 1] as Version;
    const pairs = before.manifest.relationships.map(({ predicate, peer }): [string, string] => [predicate, peer]);
    all.push(next(before, { relationships: [...pairs, ...children(1)] }));
  }
  return all;
}

test('the history of a large folder grows by little, and every version comes back byte for byte', async () => {
  await using opened = await openStore('here');
  const versions = await history(first(idOf(1), { type: 'folder', relationships: children(2000) }), 40);
  const plain = versions[0]?.bytes.length ?? 0;
  expect(plain).toBeGreaterThan(100_000);
  // One by one as edits come, then as one segment as a mirrored chain comes.
  await opened.store.submit(versions.slice(0, 20).map((it, i) => step(versions[i - 1] ?? null, it)));
  await opened.store.submit([commit([change(versions[19] as Version, ...versions.slice(20))])]);
  const rows = opened.rows('SELECT ver, enc, base, size, length(bytes) AS kept FROM block ORDER BY ver') as {
    ver: number;
    enc: number;
    base: number | null;
    size: number;
    kept: number;
  }[];
  expect(rows).toHaveLength(40);
  for (const { ver, enc, base, size, kept } of rows) {
    expect(size).toBe(versions[ver - 1]?.bytes.length);
    const whole = ver === 1 || ver % 16 === 0;
    expect(enc, `version ${ver}`).toBe(whole ? 1 : 2);
    expect(base === null).toBe(whole);
    if (!whole) expect(kept, `version ${ver}`).toBeLessThan(size / 50);
  }
  opened.store.read((db) => {
    for (const { cid, bytes } of versions)
      expect(Buffer.compare(findVersion(db, cid)?.bytes ?? Buffer.of(), bytes)).toBe(0);
  });
});

test('small versions and those that do not compress are kept as they are', async () => {
  await using opened = await openStore('here');
  const noise = (bytes: number) => ({ properties: { noise: randomBytes(bytes).toString('latin1') } });
  const a = first(idOf(1), { properties: { text: 'x'.repeat(3000) } });
  const b = next(a, { properties: { text: 'x'.repeat(30_000) } });
  const c = next(b, noise(9000));
  const d = next(c, { properties: { text: 'short' } });
  await opened.store.submit([step(null, a, b, c, d)]);
  const rows = opened.rows('SELECT enc, size, length(bytes) AS kept FROM block ORDER BY ver') as {
    enc: number;
    size: number;
    kept: number;
  }[];
  expect(rows.map(({ enc }) => enc)).toEqual([0, 2, expect.any(Number), 0]);
  for (const { size, kept } of rows) expect(kept).toBeLessThanOrEqual(size);
  opened.store.read((db) => {
    for (const { cid, bytes } of [a, b, c, d]) expect(findVersion(db, cid)?.bytes).toEqual(Buffer.from(bytes));
  });
});

test('a version is stored once, whoever brings it', async () => {
  await using opened = await openStore('here');
  const a = first(idOf(1));
  await opened.store.submit([step(null, a), commit([change(a, a)]), step(a, next(a))]);
  expect(opened.rows('SELECT count(*) AS n FROM block')).toEqual([{ n: 2 }]);
});
