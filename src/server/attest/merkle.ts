import { sha256 } from '../blocks/sha256.ts';

// RFC 6962, section 2.1 (and RFC 9162, which has the checks as algorithms): SHA-256, a leaf is hashed behind 0x00, a
// node behind 0x01. Leaves are numbered from 0; D[from:to] is the range with `from` and without `to`.

/** The hash of a complete subtree: `level` 0 are leaves, its leaves are those from `index * 2^level` on. */
export type Subtrees = (level: number, index: number) => Uint8Array;

const leafPrefix = Uint8Array.of(0);
const nodePrefix = 1;

export function leafHash(data: Uint8Array): Uint8Array {
  return sha256(Buffer.concat([leafPrefix, data]));
}

function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = Buffer.allocUnsafe(1 + left.length + right.length);
  both[0] = nodePrefix;
  both.set(left, 1);
  both.set(right, 1 + left.length);
  return sha256(both);
}

/** The root of a tree without leaves. */
export const emptyRoot: Uint8Array = sha256(new Uint8Array(0));

/** The largest power of two below `n`, which is at least 2. */
function split(n: number): number {
  let k = 1;
  while (k * 2 < n) k *= 2;
  return k;
}

/** The level of a complete subtree of `n` leaves; -1 where `n` is no power of two. */
function levelOf(n: number): number {
  let level = 0;
  for (let k = 1; k < n; k *= 2) level++;
  return 2 ** level === n ? level : -1;
}

/** MTH(D[from:to]); `from` is where a subtree of that size may begin. */
function rangeHash(subtrees: Subtrees, from: number, to: number): Uint8Array {
  const level = levelOf(to - from);
  if (level >= 0) return subtrees(level, from / (to - from));
  const middle = from + split(to - from);
  return nodeHash(rangeHash(subtrees, from, middle), rangeHash(subtrees, middle, to));
}

/** The root of the first `size` leaves. */
export function rootOf(subtrees: Subtrees, size: number): Uint8Array {
  return size === 0 ? emptyRoot : rangeHash(subtrees, 0, size);
}

/** PATH(index, D[0:size]): what leads from a leaf to the root, beginning at the leaf. */
export function inclusionPath(subtrees: Subtrees, index: number, size: number): Uint8Array[] {
  const path: Uint8Array[] = [];
  for (let from = 0, to = size; to - from > 1; ) {
    const middle = from + split(to - from);
    if (index < middle) {
      path.push(rangeHash(subtrees, middle, to));
      to = middle;
    } else {
      path.push(rangeHash(subtrees, from, middle));
      from = middle;
    }
  }
  return path.reverse();
}

/** PROOF(from, D[0:to]): what shows that the tree of the first `from` leaves (at least 1) is the beginning of the one of `to`. */
export function consistencyPath(subtrees: Subtrees, from: number, to: number): Uint8Array[] {
  const path: Uint8Array[] = [];
  let [start, end] = [0, to];
  while (end !== from) {
    const middle = start + split(end - start);
    if (from <= middle) {
      path.push(rangeHash(subtrees, middle, end));
      end = middle;
    } else {
      path.push(rangeHash(subtrees, start, middle));
      start = middle;
    }
  }
  if (start > 0) path.push(rangeHash(subtrees, start, end));
  return path.reverse();
}

/** The root that a leaf's hash and its path lead to (RFC 9162, 2.1.3.2); null where they cannot be of such a tree. */
export function rootOfInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | null {
  if (index >= size) return null;
  let [at, last, root] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      root = nodeHash(sibling, root);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else root = nodeHash(root, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? root : null;
}

/** A tree as its size and root. */
export interface TreeHead {
  size: number;
  root: Uint8Array;
}

/** Whether the path shows that `older` is the beginning of `newer` (RFC 9162, 2.1.4.2). */
export function isConsistent(older: TreeHead, newer: TreeHead, path: readonly Uint8Array[]): boolean {
  if (older.size < 1 || older.size > newer.size) return false;
  if (older.size === newer.size) return path.length === 0 && equal(older.root, newer.root);
  // The path leaves out its first hash where the older tree is a complete subtree: it is that tree's root.
  const [seed, ...rest] = levelOf(older.size) >= 0 ? [older.root, ...path] : path;
  if (!seed) return false;
  let [at, last] = [older.size - 1, newer.size - 1];
  while (at % 2 === 1) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  let [before, after] = [seed, seed];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      before = nodeHash(sibling, before);
      after = nodeHash(sibling, after);
      while (at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)];
    } else after = nodeHash(after, sibling);
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 && equal(before, older.root) && equal(after, newer.root);
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

/** A complete subtree that has come to be. */
export interface Grown {
  level: number;
  index: number;
  hash: Uint8Array;
}

/**
 * A tree that grows leaf by leaf and remembers only what later leaves need: the complete subtrees that have no sibling
 * yet, `peaks[level]` being the one of that level.
 */
export class GrowingTree {
  size: number;
  readonly #peaks: Uint8Array[] = [];

  /** Goes on with a tree of `size` leaves. */
  constructor(size: number, subtrees: Subtrees) {
    this.size = size;
    let from = 0;
    for (let level = 52; level >= 0; level--) {
      const width = 2 ** level;
      if (size - from < width) continue;
      this.#peaks[level] = subtrees(level, from / width);
      from += width;
    }
  }

  /** Adds a leaf's hash; gives the leaf and the subtrees that it completes, lower levels first. */
  append(leaf: Uint8Array): Grown[] {
    const grown: Grown[] = [{ level: 0, index: this.size, hash: leaf }];
    let [level, index, top] = [0, this.size, leaf];
    for (; index % 2 === 1; level++) {
      index = (index - 1) / 2;
      top = nodeHash(this.#peaks[level] as Uint8Array, top);
      grown.push({ level: level + 1, index, hash: top });
    }
    this.#peaks[level] = top;
    this.size++;
    return grown;
  }

  /** What it takes to go on with it elsewhere. */
  peaks(): [level: number, hash: Uint8Array][] {
    return this.#peaks.flatMap((hash, level): [number, Uint8Array][] =>
      Math.floor(this.size / 2 ** level) % 2 === 1 ? [[level, hash]] : [],
    );
  }

  root(): Uint8Array {
    let root: Uint8Array | null = null;
    for (let [level, rest] = [0, this.size]; rest > 0; level++, rest = Math.floor(rest / 2)) {
      if (rest % 2 === 0) continue;
      const peak = this.#peaks[level] as Uint8Array;
      root = root === null ? peak : nodeHash(peak, root);
    }
    return root ?? emptyRoot;
  }
}
