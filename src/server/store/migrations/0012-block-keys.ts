import type Database from 'better-sqlite3';
import { cidTail } from '../block-keys.ts';

/** Blocks are found by a part of their CID, in a table with little to write (block-keys.ts), and no longer by an index of it. */
export function blockKeys(db: Database.Database): void {
  db.function('cid_tail', { deterministic: true }, (cid: unknown) => (cid instanceof Uint8Array ? cidTail(cid) : 0));
  db.exec(`
    CREATE TABLE block_next (
      key INTEGER PRIMARY KEY,
      cid BLOB NOT NULL,
      entity INTEGER NOT NULL,
      ver INTEGER NOT NULL,
      size INTEGER NOT NULL,
      enc INTEGER NOT NULL,               -- 0 plain, 1 zstd, 2 zstd with block base as dictionary
      base INTEGER,
      bytes BLOB NOT NULL
    ) STRICT;
    INSERT INTO block_next SELECT key, cid, entity, ver, size, enc, base, bytes FROM block ORDER BY key;
    DROP TABLE block;
    ALTER TABLE block_next RENAME TO block;
    CREATE INDEX block_entity ON block (entity, ver);
    CREATE TABLE block_cid (tail INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (tail, block)) STRICT, WITHOUT ROWID;
    CREATE TABLE block_cid_recent (tail INTEGER NOT NULL, block INTEGER NOT NULL, PRIMARY KEY (tail, block)) STRICT, WITHOUT ROWID;
    INSERT INTO block_cid SELECT cid_tail(cid) AS tail, key FROM block ORDER BY tail, key;
  `);
}
