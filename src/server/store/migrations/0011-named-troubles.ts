/**
 * `named`: an event has named the version at which the remote failed, or which it did not show (`trouble`); a tip from before that
 * is then no answer.
 */
export const namedTroubles = 'ALTER TABLE remote_entity ADD COLUMN named INTEGER NOT NULL DEFAULT 0';
