/** `mark`, `mark_cid`: the newest event of a remote's feed after a push; while the feed has that one, it was not set back. */
export const pushMark = 'ALTER TABLE remote ADD COLUMN mark INTEGER; ALTER TABLE remote ADD COLUMN mark_cid TEXT';
