/** What a deletion says of properties and relationships stands in no index any more (projection.ts). */
export const deletedRows = `
  DELETE FROM edge WHERE source IN (SELECT key FROM entity WHERE deleted = 1);
  DELETE FROM listing WHERE entity IN (SELECT key FROM entity WHERE deleted = 1);
  DELETE FROM label WHERE entity IN (SELECT key FROM entity WHERE deleted = 1);
  UPDATE entity SET label = '' WHERE deleted = 1 AND label <> '';
`;
