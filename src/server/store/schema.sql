-- The schema of a network's database as the migrations make it. Generated: after a change of a migration, run
--   npx vitest run test/store/schema.test.ts -u

CREATE TABLE additive (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  entity INTEGER NOT NULL,
  actor TEXT NOT NULL,
  queued INTEGER NOT NULL,
  expires INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  error TEXT,
  summary TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;

CREATE INDEX additive_entity ON additive (entity, key);

CREATE INDEX additive_expires ON additive (expires) WHERE expires IS NOT NULL;

CREATE INDEX additive_failed ON additive (entity) WHERE error IS NOT NULL;

CREATE INDEX additive_next ON additive (key) WHERE expires IS NULL;

CREATE INDEX additive_waiting ON additive (entity, actor) WHERE expires IS NULL;

CREATE TABLE "block" (
      key INTEGER PRIMARY KEY,
      cid BLOB NOT NULL,
      entity INTEGER NOT NULL,
      ver INTEGER NOT NULL,
      size INTEGER NOT NULL,
      enc INTEGER NOT NULL,               -- 0 plain, 1 zstd, 2 zstd with block base as dictionary
      base INTEGER,
      bytes BLOB NOT NULL
    ) STRICT;

CREATE INDEX block_entity ON block (entity, ver);

CREATE TABLE block_cid (tail INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (tail, block)) STRICT, WITHOUT ROWID;

CREATE TABLE block_cid_recent (tail INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (tail, block)) STRICT, WITHOUT ROWID;

CREATE TABLE content (cid BLOB NOT NULL, entity INTEGER NOT NULL, PRIMARY KEY (cid, entity)) STRICT, WITHOUT ROWID;

CREATE INDEX content_entity ON content (entity);

CREATE TABLE edge (
  source INTEGER NOT NULL,
  predicate INTEGER NOT NULL,
  peer INTEGER NOT NULL,
  PRIMARY KEY (source, predicate, peer)
) STRICT, WITHOUT ROWID;

CREATE INDEX edge_peer ON edge (peer, predicate, source);

CREATE TABLE entity (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  tip INTEGER,
  cid TEXT,                           -- the tip's CID
  type TEXT,
  label TEXT,
  ver INTEGER,
  collection INTEGER,                 -- the first collection; a deleted entity keeps its last one
  deleted INTEGER NOT NULL DEFAULT 0,
  created_at TEXT,
  updated_at TEXT,
  json TEXT,                          -- the wire JSON of the current version; null when deleted
  mirror INTEGER                      -- the remote that a mirrored collection came from
) STRICT;

CREATE INDEX entity_deleted ON entity (tip) WHERE deleted = 1;

CREATE INDEX entity_deleted_in ON entity (collection, updated_at) WHERE deleted = 1;

CREATE INDEX entity_type ON entity (type, created_at) WHERE type IN ('collection', 'user', 'agent', 'klados', 'rhiza');

CREATE INDEX entity_unknown ON entity (deleted) WHERE tip IS NULL;

CREATE TABLE import_made (
  run INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip INTEGER NOT NULL,
  PRIMARY KEY (run, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE import_run (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  collection TEXT,
  made INTEGER NOT NULL,
  started INTEGER NOT NULL,
  files TEXT NOT NULL,
  counts TEXT NOT NULL
, ended INTEGER) STRICT;

CREATE TABLE import_source (entity INTEGER PRIMARY KEY, digest TEXT NOT NULL, tip INTEGER NOT NULL) STRICT;

CREATE TABLE job (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  run TEXT NOT NULL,
  type TEXT NOT NULL,                 -- agent or klados
  processor TEXT NOT NULL,
  rhiza TEXT,                         -- of the first job of a workflow
  collection TEXT NOT NULL,           -- where its log lies
  target TEXT NOT NULL,               -- the collection that it works in
  parent TEXT,
  retries TEXT,
  handoff TEXT,
  asker TEXT NOT NULL,                -- JSON
  request TEXT NOT NULL,              -- what is sent, JSON
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT,
  retry_after INTEGER,
  created INTEGER NOT NULL,
  expires INTEGER NOT NULL
) STRICT;

CREATE INDEX job_end ON job (expires);

CREATE INDEX job_handoff ON job (handoff) WHERE handoff IS NOT NULL;

CREATE INDEX job_parent ON job (parent) WHERE parent IS NOT NULL;

CREATE INDEX job_place ON job (collection, processor, expires);

CREATE INDEX job_retries ON job (retries) WHERE retries IS NOT NULL;

CREATE INDEX job_run ON job (run, key);

CREATE INDEX job_state ON job (state, key, processor) WHERE state IN ('queued', 'sent', 'accepted');

CREATE TABLE job_batch (
  id TEXT PRIMARY KEY,
  next INTEGER NOT NULL,
  total INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX job_batch_open ON job_batch (id) WHERE next < total;

CREATE TABLE job_grant (
  run TEXT NOT NULL,
  processor TEXT NOT NULL,
  actions TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (run, processor)
) STRICT, WITHOUT ROWID;

CREATE INDEX job_grant_processor ON job_grant (processor, expires);

CREATE TABLE job_log (
  entity INTEGER PRIMARY KEY,
  job TEXT NOT NULL,
  klados TEXT NOT NULL,
  author TEXT NOT NULL,
  status TEXT NOT NULL,
  started TEXT,
  completed TEXT,
  code TEXT,
  message TEXT,
  retryable INTEGER,
  promised INTEGER NOT NULL
) STRICT;

CREATE INDEX job_log_job ON job_log (job);

CREATE TABLE label (
  collection INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  folded TEXT NOT NULL,
  PRIMARY KEY (collection, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE listing (
  collection INTEGER NOT NULL,
  created_at TEXT NOT NULL,
  id TEXT NOT NULL,
  type TEXT NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (collection, created_at DESC, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE moves (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  entity INTEGER NOT NULL,
  old_tip INTEGER,
  new_tip INTEGER NOT NULL,
  first INTEGER,
  origin TEXT NOT NULL,
  time INTEGER NOT NULL
, pi TEXT NOT NULL DEFAULT '', cid TEXT NOT NULL DEFAULT '', ver INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX moves_entity ON moves (entity);

CREATE TABLE partial (block INTEGER PRIMARY KEY, entity INTEGER NOT NULL, missing BLOB NOT NULL) STRICT;

CREATE INDEX partial_entity ON partial (entity);

CREATE INDEX partial_missing ON partial (missing);

CREATE TABLE predicate (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE push_intent (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip TEXT NOT NULL,
  expect TEXT,
  content TEXT NOT NULL, answered INTEGER,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE push_pending (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE push_refusal (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip TEXT NOT NULL,
  status INTEGER NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE remote (
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  url TEXT NOT NULL,
  secret TEXT,
  instance TEXT,                      -- its instance id where it is an Archeion node
  user_id TEXT,                       -- the user that the key is of, there
  direction TEXT NOT NULL,
  watch INTEGER NOT NULL DEFAULT 0,   -- the node syncs with it by itself
  max_kbps INTEGER,                   -- kilobits a second at most
  hours TEXT,                         -- hours of the day in which it is watched, as 22-6
  types TEXT,                         -- the types of entities that are mirrored, a JSON list; null: all
  content TEXT NOT NULL DEFAULT 'tips'  -- the file content that is mirrored: of current versions, or none
, mark INTEGER, mark_cid TEXT) STRICT;

CREATE TABLE remote_collection (
  remote INTEGER NOT NULL,
  collection INTEGER NOT NULL,
  PRIMARY KEY (remote, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE remote_content (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  cid BLOB NOT NULL,
  state TEXT NOT NULL,
  evidence TEXT,
  again INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (remote, entity, cid)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_content_open ON remote_content (remote, state) WHERE state NOT IN ('there', 'sending');

CREATE TABLE remote_entity (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  event INTEGER NOT NULL,
  theirs INTEGER,
  twin INTEGER,
  trouble TEXT,
  evidence TEXT, again INTEGER, tries INTEGER NOT NULL DEFAULT 0, apart INTEGER NOT NULL DEFAULT 0, named INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entity, remote)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_entity_again ON remote_entity (remote, again) WHERE again IS NOT NULL;

CREATE INDEX remote_entity_trouble ON remote_entity (remote, trouble) WHERE trouble IS NOT NULL;

CREATE TABLE remote_mark (
  entity INTEGER NOT NULL,
  remote INTEGER NOT NULL,
  mark TEXT NOT NULL CHECK (mark IN ('forgotten', 'elsewhere')),
  PRIMARY KEY (entity, remote)
) STRICT, WITHOUT ROWID;

CREATE INDEX remote_mark_remote ON remote_mark (remote);

CREATE TABLE remote_run (
  remote INTEGER PRIMARY KEY,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  report TEXT NOT NULL,
  error TEXT,
  head INTEGER,                       -- the newest event of its feed, as far as is known
  level INTEGER,
  held INTEGER,                       -- until when it wants to be left alone
  fault TEXT                          -- which kind of failure the error is
) STRICT;

CREATE TABLE remote_seen (
  remote INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  cid TEXT,
  lost INTEGER NOT NULL DEFAULT 0,
  swept INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (remote, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE remote_unlisted (
  remote INTEGER NOT NULL,
  collection TEXT NOT NULL,
  words TEXT NOT NULL,
  again INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  PRIMARY KEY (remote, collection)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_conflict (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  base TEXT,
  ours TEXT NOT NULL,
  theirs TEXT NOT NULL,
  time INTEGER NOT NULL,              -- epoch milliseconds
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;

CREATE TABLE sync_log (
  seq INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,              -- epoch milliseconds
  remote TEXT NOT NULL,
  kind TEXT NOT NULL,
  entity INTEGER,
  detail TEXT
) STRICT;

CREATE INDEX sync_log_entity ON sync_log (entity, seq) WHERE entity IS NOT NULL;

CREATE INDEX sync_log_remote ON sync_log (remote, seq);

CREATE TABLE task (id TEXT PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE upload (
  token TEXT PRIMARY KEY,
  entity TEXT NOT NULL,
  cid TEXT,
  file_key TEXT,
  type TEXT NOT NULL,
  size INTEGER NOT NULL,
  expires INTEGER NOT NULL,           -- epoch milliseconds
  come INTEGER NOT NULL DEFAULT 0,    -- bytes that are on the disk
  received TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_entity ON upload (entity) WHERE received IS NOT NULL;
