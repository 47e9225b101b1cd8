import type { History } from '../../blocks/archive-tree.ts';
import { blockBefore } from '../archive/archive-reads.ts';
import { PageEnd } from '../archive/chain-reads.ts';
import { blockBytes } from '../blocks.ts';
import type { Reader } from '../connection.ts';
import { contentOfBlock } from './block-content.ts';

export interface ContentsQuery {
  /** Block keys of tips. */
  tips: number[];
  /** Where the walk of the first tip's chain goes on; null at its tip. */
  from: number | null;
  history: History;
  /** Versions before the tips with a later key are passed over, with what is before them. */
  newest?: number;
}

/**
 * The content that the chains of the first of some tips name, as many as fit in a page: a list for each. `next` not
 * null: the last list is not complete, and its chain goes on at that block.
 */
export function contentsPage(
  db: Reader,
  { tips, from, history, newest = Number.MAX_SAFE_INTEGER }: ContentsQuery,
): { contents: string[][]; next: number | null } {
  const end = new PageEnd();
  const contents: string[][] = [];
  for (const [i, tip] of tips.entries()) {
    const found = new Set<string>();
    contents.push([]);
    for (let key: number | null = i === 0 && from !== null ? from : tip; key !== null; ) {
      const bytes = blockBytes(db, key);
      for (const cid of contentOfBlock(bytes)) found.add(cid);
      contents[i] = [...found];
      const before = history === 'all' ? blockBefore(db, bytes) : null;
      key = before !== null && before.key <= newest ? before.key : null;
      if (end.add(bytes.length)) return { contents, next: key };
    }
  }
  return { contents, next: null };
}
