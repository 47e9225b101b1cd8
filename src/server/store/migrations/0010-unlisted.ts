/** Listings of a remote that could not be read: `collection` is whose members, or '' for the collections of the key's user. */
export const unlistedCollections = `CREATE TABLE remote_unlisted (
  remote INTEGER NOT NULL,
  collection TEXT NOT NULL,
  words TEXT NOT NULL,
  again INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  PRIMARY KEY (remote, collection)
) STRICT, WITHOUT ROWID`;
