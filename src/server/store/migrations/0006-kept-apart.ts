/**
 * `apart`: the remote says the same as `twin` by another version, and did not take that one; 1. So it is left at that while
 * another remote has `twin`.
 */
export const keptApart = 'ALTER TABLE remote_entity ADD COLUMN apart INTEGER NOT NULL DEFAULT 0';
