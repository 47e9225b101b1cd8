/**
 * What an entity once was to a remote that does not have it (any more). `forgotten`: the remote had it and lost it, so that it
 * goes there again, and to no other. `elsewhere`: another remote that has been removed had it, so that it does not go to this
 * one unasked.
 */
export const remoteMarks = `
CREATE TABLE remote_mark (
  entity INTEGER NOT NULL,
  remote INTEGER NOT NULL,
  mark TEXT NOT NULL CHECK (mark IN ('forgotten', 'elsewhere')),
  PRIMARY KEY (entity, remote)
) STRICT, WITHOUT ROWID;
CREATE INDEX remote_mark_remote ON remote_mark (remote);
`;
