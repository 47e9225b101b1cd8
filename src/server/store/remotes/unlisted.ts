import type { Reader, Writer } from '../connection.ts';
import { dueArguments, isDueIn, nextAsk } from './next-ask.ts';
import type { Remote } from './remotes.ts';

/** A listing of a remote that could not be read: what a collection holds, or which collections the key's user has a role in. */
export interface Unlisted {
  /** Null for the collections of the key's user. */
  collection: string | null;
  /** What the remote said, or why that is no listing. */
  words: string;
}

interface Row {
  collection: string;
  words: string;
}

/** Notes that a listing could not be read; it is asked for again ever less often. `time` is in epoch milliseconds. */
export function putUnlisted(db: Writer, remote: number, { collection, words }: Unlisted, time: number): void {
  const place = collection ?? '';
  const sql = 'SELECT tries FROM remote_unlisted WHERE remote = ? AND collection = ?';
  const tries = db.get<{ tries: number }>(sql, remote, place)?.tries ?? 0;
  db.run(
    'INSERT OR REPLACE INTO remote_unlisted (remote, collection, words, again, tries) VALUES (?, ?, ?, ?, ?)',
    ...[remote, place, words, nextAsk(time, tries), tries + 1],
  );
}

/** A collection may list more than before: it is read at once, and its listing has not failed for that. */
export function listAnew(db: Writer, remote: number, collection: string, time: number): void {
  db.run(
    `INSERT INTO remote_unlisted (remote, collection, words, again, tries) VALUES (?, ?, '', ?, 0)
       ON CONFLICT (remote, collection) DO UPDATE SET again = excluded.again`,
    ...[remote, collection, time],
  );
}

/** A listing was read, or is none of what is wanted any more. */
export function dropUnlisted(db: Writer, remote: number, collection: string | null): void {
  db.run('DELETE FROM remote_unlisted WHERE remote = ? AND collection = ?', remote, collection ?? '');
}

export function isUnlisted(db: Reader, remote: number, collection: string | null): boolean {
  const sql = 'SELECT 1 FROM remote_unlisted WHERE remote = ? AND collection = ?';
  return db.get(sql, remote, collection ?? '') !== undefined;
}

/** The listings that could not be read, by collection, at most `limit`; none of a remote that is only pushed to is asked for. */
export function listUnlisted(
  db: Reader,
  { key, direction }: Pick<Remote, 'key' | 'direction'>,
  limit: number,
): Unlisted[] {
  if (direction === 'push') return [];
  const sql =
    'SELECT collection, words FROM remote_unlisted WHERE remote = ? AND tries > 0 ORDER BY collection LIMIT ?';
  return db.all<Row>(sql, key, limit).map(unlistedOf);
}

/** Those that are to be asked for again by `now` (epoch milliseconds), those first that were tried the fewest times. */
export function dueUnlisted(db: Reader, remote: number, { now, limit }: { now: number; limit: number }): Unlisted[] {
  const sql = `SELECT collection, words FROM remote_unlisted WHERE remote = ? AND ${isDueIn('again')}
    ORDER BY tries, again LIMIT ?`;
  return db.all<Row>(sql, remote, ...dueArguments(now), limit).map(unlistedOf);
}

function unlistedOf({ collection, words }: Row): Unlisted {
  return { collection: collection === '' ? null : collection, words };
}
