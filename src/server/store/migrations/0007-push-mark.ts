/**
 * `mark`, `mark_cid`: the newest event of a remote's feed after the last push; while the feed has that
 * one, the remote was not set back.
 */
export const pushMark = 'ALTER TABLE remote ADD COLUMN mark INTEGER; ALTER TABLE remote ADD COLUMN mark_cid TEXT';
