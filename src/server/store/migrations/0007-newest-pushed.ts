/** `newest`: of a remote that is only pushed to, the block that it came to have last; while it has that one it was not set back. */
export const newestPushed = `
  ALTER TABLE remote ADD COLUMN newest INTEGER;
  UPDATE remote SET newest = (SELECT max(theirs) FROM remote_entity k WHERE k.remote = remote.key) WHERE direction = 'push';
`;
