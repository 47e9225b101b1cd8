import Database from 'better-sqlite3';

/** What takes each migration of a network's database back, by its number less one; the first one is not taken back. */
const undoing = [
  '',
  'ALTER TABLE moves DROP COLUMN pi; ALTER TABLE moves DROP COLUMN cid; ALTER TABLE moves DROP COLUMN ver',
  'DROP TABLE remote_mark',
  'ALTER TABLE import_run DROP COLUMN ended',
  `DROP INDEX remote_entity_again;
   ALTER TABLE remote_entity DROP COLUMN again; ALTER TABLE remote_entity DROP COLUMN tries`,
  'ALTER TABLE remote_entity DROP COLUMN apart',
  'ALTER TABLE remote DROP COLUMN mark; ALTER TABLE remote DROP COLUMN mark_cid',
  '',
  'ALTER TABLE push_intent DROP COLUMN answered',
  'DROP TABLE remote_unlisted',
  'ALTER TABLE remote_entity DROP COLUMN named',
  `CREATE TABLE block_before (key INTEGER PRIMARY KEY, cid BLOB NOT NULL UNIQUE, entity INTEGER NOT NULL, ver INTEGER NOT NULL,
     size INTEGER NOT NULL, enc INTEGER NOT NULL, base INTEGER, bytes BLOB NOT NULL) STRICT;
   INSERT INTO block_before SELECT * FROM block;
   DROP TABLE block;
   ALTER TABLE block_before RENAME TO block;
   CREATE INDEX block_entity ON block (entity, ver);
   DROP TABLE block_cid;
   DROP TABLE block_cid_recent`,
  '',
  '',
  '',
  '',
  'DROP INDEX job_parent',
  `DROP INDEX job_state;
   CREATE INDEX job_state ON job (state, key) WHERE state IN ('queued', 'sent', 'accepted')`,
];

/** Takes a database file back to what a program with an earlier schema version wrote. */
export function setBack(file: string, version: number): void {
  const db = new Database(file);
  try {
    for (const sql of undoing.slice(version).reverse()) db.exec(sql);
    db.pragma(`user_version = ${version}`);
  } finally {
    db.close();
  }
}
