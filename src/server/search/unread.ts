import type { Connection, Reader } from '../store/connection.ts';
import { ownMeta, setMeta } from '../store/search/search-index.ts';

/** An entity of whose texts the index could make nothing, so that it is found by its label alone. */
export interface Unread {
  id: string;
  /** What the error said. */
  reason: string;
}

/** So many are named. */
const most = 20;
const longestReason = 500;

/** Those that an index holds by their labels alone, from its own connection; of very many some. */
export function unreadOf(index: Reader): Unread[] {
  return readUnread(ownMeta(index, 'unread'));
}

/** As the index notes them. */
export function readUnread(noted: string | undefined): Unread[] {
  return JSON.parse(noted ?? '[]') as Unread[];
}

/** Notes with what error an entity's texts were read; null where there was none, or where it is gone. */
export function noteUnread(index: Connection, id: string, error: Error | null): void {
  const known = unreadOf(index);
  const others = known.filter((one) => one.id !== id);
  if (!error && others.length === known.length) return;
  if (error) others.push({ id, reason: `${error.name}: ${error.message}`.slice(0, longestReason) });
  setMeta(index, 'unread', JSON.stringify(others.slice(0, most)));
}
