import type { History } from '../blocks/archive-tree.ts';
import { cidText } from '../blocks/cid.ts';
import { type Block, decodeManifest } from '../blocks/encode.ts';
import { wireManifest } from '../model/wire-manifest.ts';
import { blockBefore } from './archive-reads.ts';
import { blockBytes, blockCidText } from './blocks.ts';
import type { Reader } from './connection.ts';

/** A page of blocks ends at this many bytes or after this many milliseconds, so that no read lives long. */
const pageBytes = 1024 * 1024;
const pageMs = 30;

/** Whose versions are wanted: the tip's block key, and a version up to which they are had already. */
export interface WantedChain {
  tip: number;
  after: string | null;
}

/** `blocks`: CIDs and bytes (see unpacked). `lines`: one wire manifest a line, a tombstone's with `deleted`. */
export type ChainForm = 'blocks' | 'lines';

class PageEnd {
  readonly #until = performance.now() + pageMs;
  #bytes = 0;

  add(bytes: number): boolean {
    this.#bytes += bytes;
    return this.#bytes > pageBytes || performance.now() > this.#until;
  }
}

/**
 * The chains of as many of the first wanted tips as fit in a page, each oldest first: `groups` has the number of
 * versions of each. No group at all: the first chain alone is longer than a page (see walkPage, blocksPage).
 */
export function chainsPage(
  db: Reader,
  { wanted, history, form }: { wanted: WantedChain[]; history: History; form: ChainForm },
): Uint8Array {
  const end = new PageEnd();
  const chains: Block[][] = [];
  for (const { tip, after } of wanted) {
    const chain = chainWithin(db, tip, history === 'tip' ? 1 : Number.POSITIVE_INFINITY, after, end);
    if (!chain) break;
    chains.push(chain);
  }
  return packed(
    chains.map((chain) => chain.length),
    chains.flat(),
    form,
  );
}

function chainWithin(db: Reader, tip: number, limit: number, after: string | null, end: PageEnd): Block[] | null {
  const blocks: Block[] = [];
  for (let key: number | null = tip; key !== null; ) {
    const bytes = blockBytes(db, key);
    blocks.push({ cid: blockCidText(db, key), bytes });
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
  const blocks: Block[] = [];
  for (const key of keys) {
    const bytes = blockBytes(db, key);
    blocks.push({ cid: blockCidText(db, key), bytes });
    if (end.add(bytes.length)) break;
  }
  return packed([blocks.length], blocks, form);
}

/** A line of JSON that says what follows, then the blocks' bytes or the lines of text. */
function packed(groups: number[], blocks: Block[], form: ChainForm): Uint8Array {
  if (form === 'lines') {
    const lines = blocks.map(({ cid, bytes }) => `${lineOf(cid, bytes)}\n`);
    return Buffer.from(`${JSON.stringify({ groups, blocks: [] })}\n${lines.join('')}`);
  }
  const head = JSON.stringify({ groups, blocks: blocks.map(({ cid, bytes }) => [cid, bytes.length]) });
  return Buffer.concat([Buffer.from(`${head}\n`), ...blocks.map(({ bytes }) => bytes)]);
}

function lineOf(cid: string, bytes: Uint8Array): string {
  const manifest = decodeManifest(bytes);
  return JSON.stringify({ ...wireManifest(cid, manifest), ...(manifest.deleted && { deleted: true }) });
}

/** A page as chainsPage and blocksPage give it: groups of blocks, or for `lines` their text behind the head. */
export function unpacked(page: Uint8Array): { groups: number[]; blocks: Block[]; rest: Uint8Array } {
  const headEnd = page.indexOf(10);
  const head = JSON.parse(Buffer.from(page.buffer, page.byteOffset, headEnd).toString()) as {
    groups: number[];
    blocks: [string, number][];
  };
  let at = headEnd + 1;
  const blocks = head.blocks.map(([cid, length]) => {
    const bytes = page.subarray(at, at + length);
    at += length;
    return { cid, bytes };
  });
  return { groups: head.groups, blocks, rest: page.subarray(at) };
}
