/** What could not be taken over is asked for again: when (epoch milliseconds), and how often it was. */
export const troublesAgain = `
  ALTER TABLE remote_entity ADD COLUMN again INTEGER;
  ALTER TABLE remote_entity ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;
  UPDATE remote_entity SET again = 0 WHERE trouble IN ('missing', 'mismatch', 'unverifiable', 'incomplete');
  CREATE INDEX remote_entity_again ON remote_entity (remote, again) WHERE again IS NOT NULL;
`;
