import type { History } from '../../blocks/archive-tree.ts';
import type { ArchiveBlock } from '../../blocks/archive-writer.ts';
import { cidText } from '../../blocks/cid.ts';
import { decodeManifest } from '../../blocks/encode.ts';
import { wireManifest } from '../../model/wire-manifest.ts';
import { blockBytes, blockWithCid } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { blockBefore } from './archive-reads.ts';

/** A page of blocks ends at this many bytes or after this many milliseconds, so that no read lives long. */
const pageBytes = 1024 * 1024;
const pageMs = 30;

/** `blocks`: CIDs and bytes (see unpacked). `lines`: one wire manifest a line, a tombstone's with `deleted`. */
export type ChainForm = 'blocks' | 'lines';

/** When a page of blocks is full. */
export class PageEnd {
  readonly #until = performance.now() + pageMs;
  #bytes = 0;
  #full = false;

  add(bytes: number): boolean {
    this.#bytes += bytes;
    this.#full = this.#bytes > pageBytes || performance.now() > this.#until;
    return this.#full;
  }

  /** What the last `add` said. */
  get full(): boolean {
    return this.#full;
  }
}

export interface ChainsQuery {
  /** Block keys of the tips whose chains are wanted. */
  tips: Float64Array;
  /** A version of the first chain up to which it is had already. */
  after: string | null;
  history: History;
  form: ChainForm;
}

/**
 * The chains of as many of the first wanted tips as fit in a page, each oldest first: `groups` has the number of
 * versions of each. No group at all: the first chain alone is longer than a page (see walkPage, blocksPage).
 */
export function chainsPage(db: Reader, { tips, after, history, form }: ChainsQuery): Uint8Array {
  const end = new PageEnd();
  const chains: ArchiveBlock[][] = [];
  for (const [i, tip] of tips.entries()) {
    if (end.full) break;
    const chain = chainWithin(db, tip, history === 'tip' ? 1 : Number.POSITIVE_INFINITY, i === 0 ? after : null, end);
    if (!chain) break;
    chains.push(chain);
  }
  return packed(
    chains.map((chain) => chain.length),
    chains.flat(),
    form,
  );
}

function chainWithin(
  db: Reader,
  tip: number,
  limit: number,
  after: string | null,
  end: PageEnd,
): ArchiveBlock[] | null {
  const blocks: ArchiveBlock[] = [];
  for (let key: number | null = tip; key !== null; ) {
    const { cid, bytes } = blockWithCid(db, key);
    blocks.push({ cid, bytes });
    const before = blocks.length < limit ? blockBefore(db, bytes) : null;
    key = before === null || cidText(before.cid) === after ? null : before.key;
    if (end.add(bytes.length) && key !== null) return null;
  }
  return blocks.reverse();
}

/** A stretch of a long chain's block keys, newest first; `next` goes into `from`, null at its end. */
export function walkPage(
  db: Reader,
  { from, after }: { from: number; after: string | null },
): { keys: number[]; next: number | null } {
  const end = new PageEnd();
  const keys: number[] = [];
  for (let key = from; ; ) {
    const bytes = blockBytes(db, key);
    keys.push(key);
    const before = blockBefore(db, bytes);
    if (before === null || cidText(before.cid) === after) return { keys, next: null };
    if (end.add(0)) return { keys, next: before.key };
    key = before.key;
  }
}

/** The first of the wanted blocks that fit in a page, at least one; one group. */
export function blocksPage(db: Reader, { keys, form }: { keys: number[]; form: ChainForm }): Uint8Array {
  const end = new PageEnd();
  const blocks: ArchiveBlock[] = [];
  for (const key of keys) {
    const block = blockWithCid(db, key);
    blocks.push(block);
    if (end.add(block.bytes.length)) break;
  }
  return packed([blocks.length], blocks, form);
}

/**
 * Numbers of 32 bits: how many groups and blocks there are, the blocks of each group, the length of each block's CID and
 * bytes; then these, or the lines of text.
 */
function packed(groups: number[], blocks: ArchiveBlock[], form: ChainForm): Uint8Array {
  if (form === 'lines') {
    const lines = blocks.map(({ cid, bytes }) => `${lineOf(cidText(cid), bytes)}\n`);
    return joined([numbers([groups.length, 0, ...groups]), Buffer.from(lines.join(''))]);
  }
  const lengths = blocks.flatMap(({ cid, bytes }) => [cid.length, bytes.length]);
  const parts = [numbers([groups.length, blocks.length, ...groups, ...lengths])];
  for (const { cid, bytes } of blocks) parts.push(cid, bytes);
  return joined(parts);
}

/** Memory of its own, since a message takes along all that is behind a view, and numbers must stand at their places. */
function joined(parts: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function numbers(values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

function lineOf(cid: string, bytes: Uint8Array): string {
  const manifest = decodeManifest(bytes);
  return JSON.stringify({ ...wireManifest(cid, manifest), ...(manifest.deleted === true && { deleted: true }) });
}

/** A page as chainsPage and blocksPage give it: groups of blocks, or for `lines` their text. The parts share its memory. */
export function unpacked(page: Uint8Array): { groups: ArchiveBlock[][]; sizes: number[]; rest: Uint8Array } {
  const [groupCount = 0, blockCount = 0] = new Uint32Array(page.buffer, page.byteOffset, 2);
  const head = new Uint32Array(page.buffer, page.byteOffset, 2 + groupCount + 2 * blockCount);
  const sizes = Array.from(head.subarray(2, 2 + groupCount));
  let length = 2 + groupCount;
  let at = head.byteLength;
  const part = () => {
    const from = at;
    at += head[length++] as number;
    return page.subarray(from, at);
  };
  const groups =
    blockCount === 0 ? [] : sizes.map((size) => Array.from({ length: size }, () => ({ cid: part(), bytes: part() })));
  return { groups, sizes, rest: page.subarray(at) };
}
