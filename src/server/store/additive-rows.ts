import type { Writer } from './connection.ts';
import { ensureEntityKey } from './entity-keys.ts';

/** An additive update that is to wait; its number is in the commit's outcome. `actor`, `summary` and `body` are JSON. */
export interface QueuedRow {
  kind: 'additive';
  /** The entity's id. */
  id: string;
  actor: string;
  summary: string;
  body: string;
}

/** What is kept of additive updates, in the commit that it belongs to. */
export type AdditiveRow =
  | QueuedRow
  /** They have been applied by this commit, or have failed for `error`; from `expires` on (epoch milliseconds) they may go. */
  | { kind: 'additive_ended'; keys: number[]; attempts: number; error: string | null; expires: number }
  /** At most `most` of those that may go at the commit's time are gone. */
  | { kind: 'additive_pruned'; most: number };

/** Gives the update's number. */
export function queueAdditive(db: Writer, { id, actor, summary, body }: QueuedRow, time: number): number {
  return db.insert(
    'INSERT INTO additive (entity, actor, queued, summary, body) VALUES (?, ?, ?, ?, ?)',
    ensureEntityKey(db, id),
    actor,
    time,
    summary,
    body,
  );
}

export function applyAdditiveRow(db: Writer, row: Exclude<AdditiveRow, QueuedRow>, time: number): void {
  if (row.kind === 'additive_pruned') {
    db.run(
      'DELETE FROM additive WHERE key IN (SELECT key FROM additive WHERE expires <= ? ORDER BY expires LIMIT ?)',
      time,
      row.most,
    );
    return;
  }
  for (const key of row.keys)
    db.run(
      "UPDATE additive SET expires = ?, attempts = ?, error = ?, body = '' WHERE key = ? AND expires IS NULL",
      row.expires,
      row.attempts,
      row.error,
      key,
    );
}
