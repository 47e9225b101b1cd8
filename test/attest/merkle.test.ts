import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyPath,
  emptyRoot,
  equal,
  GrowingTree,
  inclusionPath,
  isConsistent,
  leafHash,
  rootOf,
  rootOfInclusion,
  type Subtrees,
} from '../../src/server/attest/merkle.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

// The test vectors of the reference implementation (google/certificate-transparency, merkle_tree_test.cc).
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

// RFC 6962, 2.1, word for word.
const sha = (...parts: (Uint8Array | number[])[]): Uint8Array => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(Uint8Array.from(part));
  return hash.digest();
};
const k = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);
function mth(d: Uint8Array[]): Uint8Array {
  if (d.length === 0) return sha();
  if (d.length === 1) return sha([0], d[0] as Uint8Array);
  return sha([1], mth(d.slice(0, k(d.length))), mth(d.slice(k(d.length))));
}
function path(m: number, d: Uint8Array[]): Uint8Array[] {
  if (d.length === 1) return [];
  const half = k(d.length);
  return m < half
    ? [...path(m, d.slice(0, half)), mth(d.slice(half))]
    : [...path(m - half, d.slice(half)), mth(d.slice(0, half))];
}
function subproof(m: number, d: Uint8Array[], whole: boolean): Uint8Array[] {
  if (m === d.length) return whole ? [] : [mth(d)];
  const half = k(d.length);
  return m <= half
    ? [...subproof(m, d.slice(0, half), whole), mth(d.slice(half))]
    : [...subproof(m - half, d.slice(half), false), mth(d.slice(0, half))];
}

/** The complete subtrees of a tree that was grown leaf by leaf; asking for another one fails. */
function grow(data: Uint8Array[]): { subtrees: Subtrees; tree: GrowingTree } {
  const kept = new Map<string, Uint8Array>();
  const subtrees: Subtrees = (level, index) => {
    const found = kept.get(`${level} ${index}`);
    if (!found) throw new Error(`no subtree ${level} ${index}`);
    return found;
  };
  let tree = new GrowingTree(0, subtrees);
  for (const [i, one] of data.entries()) {
    // As after a restart, now and then.
    if (i % 5 === 0) tree = new GrowingTree(i, subtrees);
    for (const { level, index, hash } of tree.append(leafHash(one))) kept.set(`${level} ${index}`, hash);
  }
  return { subtrees, tree };
}

describe('the reference vectors', () => {
  const data = inputs.map((text) => Buffer.from(text, 'hex'));
  it.each(roots.map((root, i) => [i + 1, root] as const))('the root of %i leaves', (size, root) => {
    expect(hex(rootOf(grow(data).subtrees, size))).toBe(root);
  });

  it('the empty tree', () => {
    expect(hex(emptyRoot)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(rootOf(grow([]).subtrees, 0)).toEqual(emptyRoot);
  });

  it('inclusion', () => {
    const { subtrees } = grow(data);
    expect(inclusionPath(subtrees, 0, 1)).toEqual([]);
    expect(inclusionPath(subtrees, 0, 8).map(hex)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(inclusionPath(subtrees, 2, 3).map(hex)).toEqual([
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    ]);
  });

  it('consistency', () => {
    const { subtrees } = grow(data);
    expect(consistencyPath(subtrees, 1, 1)).toEqual([]);
    expect(consistencyPath(subtrees, 1, 8).map(hex)).toEqual([
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ]);
    expect(consistencyPath(subtrees, 6, 8).map(hex)).toEqual([
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ]);
  });
});

const leaves = fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 70 });
/** A tree and two sizes of it, the smaller first. */
const sizes = leaves.chain((data) =>
  fc
    .tuple(fc.integer({ min: 1, max: data.length }), fc.integer({ min: 1, max: data.length }))
    .map(([a, b]) => ({ data, from: Math.min(a, b), to: Math.max(a, b) })),
);

function changed(hashes: readonly Uint8Array[], at: number): Uint8Array[] {
  return hashes.map((hash, i) => (i === at ? flipped(hash) : hash));
}

function flipped(hash: Uint8Array): Uint8Array {
  return Uint8Array.from(hash, (byte, i) => (i === 0 ? byte ^ 1 : byte));
}

describe('any tree', () => {
  it('has the roots and proofs of the definition', () => {
    fc.assert(
      fc.property(sizes, ({ data, from, to }) => {
        const { subtrees, tree } = grow(data);
        expect(tree.root()).toEqual(mth(data));
        expect(rootOf(subtrees, to)).toEqual(mth(data.slice(0, to)));
        expect(inclusionPath(subtrees, from - 1, to)).toEqual(path(from - 1, data.slice(0, to)));
        expect(consistencyPath(subtrees, from, to)).toEqual(subproof(from, data.slice(0, to), true));
      }),
    );
  });

  it('lets its proofs through, and nothing else', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), ({ data, from, to }, n) => {
        const { subtrees } = grow(data);
        const [older, newer] = [from, to].map((size) => ({ size, root: rootOf(subtrees, size) }));
        if (!older || !newer) return;
        const leaf = leafHash(data[from - 1] as Uint8Array);
        const up = inclusionPath(subtrees, from - 1, to);
        expect(rootOfInclusion(leaf, from - 1, to, up)).toEqual(newer.root);
        expect(rootOfInclusion(leaf, from - 1, to, [...up, leaf])).toBeNull();
        expect(rootOfInclusion(leaf, to, to, up)).toBeNull();
        const wrongLeaf = rootOfInclusion(flipped(leaf), from - 1, to, up);
        expect(wrongLeaf && equal(wrongLeaf, newer.root)).toBe(false);

        const across = consistencyPath(subtrees, from, to);
        expect(isConsistent(older, newer, across)).toBe(true);
        expect(isConsistent(older, newer, [...across, leaf])).toBe(false);
        expect(isConsistent({ ...older, root: flipped(older.root) }, newer, across)).toBe(false);
        expect(isConsistent(older, { ...newer, root: flipped(newer.root) }, across)).toBe(false);
        if (from < to) expect(isConsistent(newer, older, across)).toBe(false);
        if (up.length > 0) {
          const other = rootOfInclusion(leaf, from - 1, to, changed(up, n % up.length));
          expect(other && equal(other, newer.root)).toBe(false);
          expect(rootOfInclusion(leaf, from - 1, to, up.slice(1))).not.toEqual(newer.root);
        }
        if (across.length > 0) {
          expect(isConsistent(older, newer, changed(across, n % across.length))).toBe(false);
          expect(isConsistent(older, newer, across.slice(1))).toBe(false);
        }
      }),
    );
  });
});
