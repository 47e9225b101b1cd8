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
CREATE INDEX entity_type ON entity (type, created_at) WHERE type IN ('collection', 'user', 'agent', 'klados', 'rhiza');
CREATE INDEX entity_deleted_in ON entity (collection, updated_at) WHERE deleted = 1;

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

-- Versions with which a history starts here although they are not the first: the CID of the one before, which is not here.
CREATE TABLE partial (block INTEGER PRIMARY KEY, entity INTEGER NOT NULL, missing BLOB NOT NULL) STRICT;
CREATE INDEX partial_entity ON partial (entity);
CREATE INDEX partial_missing ON partial (missing);

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
CREATE INDEX moves_entity ON moves (entity);

-- Work of several commits that is not finished: a restart goes on with it. state is JSON.
CREATE TABLE task (id TEXT PRIMARY KEY, kind TEXT NOT NULL, state TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- Where imported entities came from: the digest of the source record and the version that it became.
CREATE TABLE import_source (entity INTEGER PRIMARY KEY, digest TEXT NOT NULL, tip INTEGER NOT NULL) STRICT;

-- The nodes and services that this one mirrors and pushes to. secret is the key for it; direction is both, pull or push.
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
) STRICT;
-- What the last run with a remote came to. report is JSON; level: when all that its feed held then had been dealt with.
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
-- The only collections that are synced with a remote; without any, all are.
CREATE TABLE remote_collection (
  remote INTEGER NOT NULL,
  collection INTEGER NOT NULL,
  PRIMARY KEY (remote, collection)
) STRICT, WITHOUT ROWID;
-- Intervals of feed ids that have been dealt with; cid is what the last of them names. lost: gone before they were seen;
-- swept: everything was compared since, tip by tip.
CREATE TABLE remote_seen (
  remote INTEGER NOT NULL,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  cid TEXT,
  lost INTEGER NOT NULL DEFAULT 0,
  swept INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (remote, first)
) STRICT, WITHOUT ROWID;
-- What is known of an entity at a remote. event is the newest feed id that was dealt with, theirs the block of its tip
-- there, twin the version here with that content; trouble says why it could not be read.
CREATE TABLE remote_entity (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  event INTEGER NOT NULL,
  theirs INTEGER,
  twin INTEGER,
  trouble TEXT,
  evidence TEXT,
  PRIMARY KEY (entity, remote)
) STRICT, WITHOUT ROWID;
CREATE INDEX remote_entity_trouble ON remote_entity (remote, trouble) WHERE trouble IS NOT NULL;
-- Entities whose tip here differs from theirs: a cache of that comparison, made anew at any time.
CREATE TABLE push_pending (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;
-- A request that was about to be sent: the version here, the tip that it expects there, the hash of the content it makes.
CREATE TABLE push_intent (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip TEXT NOT NULL,
  expect TEXT,
  content TEXT NOT NULL,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;
-- Versions that a remote refused, with its words.
CREATE TABLE push_refusal (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip TEXT NOT NULL,
  status INTEGER NOT NULL,
  words TEXT NOT NULL,
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;
-- Edits on both sides: the CIDs of their last common version, of ours and of theirs, as they were when it was found.
-- remote 0: theirs came in an archive.
CREATE TABLE sync_conflict (
  remote INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  base TEXT,
  ours TEXT NOT NULL,
  theirs TEXT NOT NULL,
  time INTEGER NOT NULL,              -- epoch milliseconds
  PRIMARY KEY (remote, entity)
) STRICT, WITHOUT ROWID;
-- The folded labels (model/label-fold.ts) of each collection's live entities, if they have one. In the order of the
-- entities: 100,000 are looked through in a few ms, while in the order of the labels each new entity would write a page of its own.
CREATE TABLE label (
  collection INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  folded TEXT NOT NULL,
  PRIMARY KEY (collection, entity)
) STRICT, WITHOUT ROWID;

-- Additive updates: what waits has no expires. actor, body and summary are JSON; body is emptied when the update has been
-- applied or has failed, and the row goes at expires. Times are epoch milliseconds.
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
CREATE INDEX additive_next ON additive (key) WHERE expires IS NULL;
CREATE INDEX additive_waiting ON additive (entity, actor) WHERE expires IS NULL;
CREATE INDEX additive_failed ON additive (entity) WHERE error IS NOT NULL;
CREATE INDEX additive_expires ON additive (expires) WHERE expires IS NOT NULL;
-- Which entities have a version, however old, that names which content: by the content's CID, whether or not its bytes are
-- here.
CREATE TABLE content (cid BLOB NOT NULL, entity INTEGER NOT NULL, PRIMARY KEY (cid, entity)) STRICT, WITHOUT ROWID;
-- Addresses that take bytes for an entity (an id). token: the SHA-256 of what stands in the address; cid: what the bytes
-- must be, null for any; file_key: the key of the file version that they are for; received: the CID of what has come.
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
CREATE INDEX content_entity ON content (entity);
-- What is known of content that an entity names at a remote: there, sending (evidence: the address that takes it), or why
-- its bytes could not be had. again: when it is asked for again (epoch milliseconds); tries: how often it was.
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
-- What was asked of processors, and how far each request has come (model/job-state.ts). Entities by their ids; run: the job
-- or the batch with which it all began; parent: the job that handed on to it; retries: the failed job that it repeats;
-- handoff: a digest of what was handed on, so that a call that is made twice is one job. Times are epoch milliseconds.
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
CREATE INDEX job_run ON job (run, key);
CREATE INDEX job_place ON job (collection, processor, expires);
CREATE INDEX job_end ON job (expires);
CREATE INDEX job_state ON job (state, key, processor) WHERE state IN ('queued', 'sent', 'accepted');
CREATE INDEX job_handoff ON job (handoff) WHERE handoff IS NOT NULL;
CREATE INDEX job_retries ON job (retries) WHERE retries IS NOT NULL;
-- What a run's processors were granted, in its target collection and where its logs lie. actions is JSON.
CREATE TABLE job_grant (
  run TEXT NOT NULL,
  processor TEXT NOT NULL,
  actions TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (run, processor)
) STRICT, WITHOUT ROWID;
CREATE INDEX job_grant_processor ON job_grant (processor, expires);
-- Invocations that were asked for together and become jobs one by one; next: how many have. body is JSON.
CREATE TABLE job_batch (
  id TEXT PRIMARY KEY,
  next INTEGER NOT NULL,
  total INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX job_batch_open ON job_batch (id) WHERE next < total;
-- What the current versions of logs (type klados_log) say (model/job-log.ts), of a deleted one the last that was not. author:
-- who wrote version 1, or else the first that came here.
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
-- What happened between this node and its remotes, the newest 20,000 entries; remote: its name then; detail: JSON or text.
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

-- Imports. made: whether it made the collection, whose id this is; an archive brings its own. files and counts are JSON.
CREATE TABLE import_run (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  collection TEXT,
  made INTEGER NOT NULL,
  started INTEGER NOT NULL,
  files TEXT NOT NULL,
  counts TEXT NOT NULL
) STRICT;
-- What each of them brought into being, and the version that it left.
CREATE TABLE import_made (
  run INTEGER NOT NULL,
  entity INTEGER NOT NULL,
  tip INTEGER NOT NULL,
  PRIMARY KEY (run, entity)
) STRICT, WITHOUT ROWID;

-- Few are in these, and those that are in none are live: counting them reads no wide rows.
CREATE INDEX entity_deleted ON entity (tip) WHERE deleted = 1;
CREATE INDEX entity_unknown ON entity (deleted) WHERE tip IS NULL;
`;
