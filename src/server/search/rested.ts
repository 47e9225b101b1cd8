import type { Reader, Writer } from '../store/connection.ts';
import { lastMove, movedCid } from '../store/events.ts';
import { readIndexMeta, setMeta } from '../store/search/search-index.ts';
import type { IndexStand } from './index-slice.ts';
import { readUnread } from './unread.ts';

/** Notes that nothing is left to do for an embedder. */
export function noteRest(index: Writer, { cursor, serving }: IndexStand, embedder: string): void {
  setMeta(index, 'rested', String(cursor));
  setMeta(index, 'embedder', embedder);
  setMeta(index, 'serving', serving ?? '');
}

/**
 * Where an index stood when nothing was left to do, if nothing has come since; null where a thread has to look. So a node
 * on which nothing happens starts no thread.
 */
export function restedStand(db: Reader, file: string, embedder: string): IndexStand | null {
  const meta = readIndexMeta(file);
  const last = lastMove(db);
  if (meta?.get('rested') !== String(last) || meta.get('cursor') !== String(last)) return null;
  if (meta.get('embedder') !== embedder || (movedCid(db, last) ?? '') !== (meta.get('anchor') ?? '')) return null;
  const serving = meta.get('serving') || null;
  return { cursor: last, last, behind: false, learning: false, serving, unread: readUnread(meta.get('unread')) };
}
