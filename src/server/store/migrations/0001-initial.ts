/**
 * The first schema of a network's database. Keys (`key`, `entity`, `tip`, ...) are integers that only the store knows;
 * times are ISO text as the manifests have them, except `moves.time` (epoch milliseconds of recording).
 */
export const initial = /* sql */ `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- An entity's current state. A row without tip is a stub: an id that a relationship or a feed names and that is not here.
CREATE TABLE entity (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tip INTEGER,
  type TEXT,
  label TEXT,
  ver INTEGER,
  collection INTEGER,                 -- the first collection; a deleted entity keeps its last one
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at TEXT,
  updated_at TEXT,
  json TEXT                           -- the wire JSON of the current version; null when deleted
) STRICT;
CREATE INDEX entity_type ON entity (type, created_at) WHERE type IN ('collection', 'user', 'agent', 'klados', 'rhiza');

-- Every version ever stored, by CID. enc: 0 plain, 1 zstd, 2 zstd with block base as dictionary; size is of the plain bytes.
CREATE TABLE block (
  key INTEGER PRIMARY KEY,
  cid BLOB NOT NULL UNIQUE,
  entity INTEGER NOT NULL,
  ver INTEGER NOT NULL,
  size INTEGER NOT NULL,
  enc INTEGER NOT NULL,
  base INTEGER,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX block_entity ON block (entity, ver);

CREATE TABLE predicate (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

-- The relationships of current versions, for reading them from the peer's side.
CREATE TABLE edge (
  source INTEGER NOT NULL,
  predicate INTEGER NOT NULL,
  peer INTEGER NOT NULL,
  PRIMARY KEY (source, predicate, peer)
) STRICT, WITHOUT ROWID;
CREATE INDEX edge_peer ON edge (peer, predicate, source);

-- The live entities of each collection in the order in which listings give them.
CREATE TABLE listing (
  collection INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (collection, created_at DESC, id)
) STRICT, WITHOUT ROWID;

-- One row each time a tip moves; never pruned. first is the id of the first move of the same commit, null on that one.
CREATE TABLE moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity INTEGER NOT NULL,
  old_tip INTEGER,
  new_tip INTEGER NOT NULL,
  first INTEGER,
  origin TEXT NOT NULL,
  time INTEGER NOT NULL
) STRICT;

-- Where imported entities came from: the digest of the source record and the version that it became.
CREATE TABLE import_source (entity INTEGER PRIMARY KEY, digest TEXT NOT NULL, tip INTEGER NOT NULL) STRICT;
`;
