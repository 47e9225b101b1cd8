import { cidBytes } from '../blocks/cid.ts';
import { decodeManifest } from '../blocks/encode.ts';
import type { Manifest } from '../model/manifest.ts';
import { blockBytes, blockCidText, findBlock, putBlock } from './blocks.ts';
import type { Change, Commit, Outcome, Row } from './commit.ts';
import type { Reader, Writer } from './connection.ts';
import { entityKey } from './entity-keys.ts';
import { project } from './projection.ts';

interface Standing {
  key: number;
  tip: number | null;
  cid: string | null;
}

/**
 * Applies one commit inside the caller's transaction: all checks first, then the writes, so that a conflict needs no
 * undo. Deterministic over the stored state. Throws only where the store itself fails; the caller then rolls back.
 */
export function applyCommit(db: Writer, commit: Commit): Outcome {
  const standings: (Standing | undefined)[] = [];
  for (const { id, expect } of commit.changes) {
    const standing = standingOf(db, id);
    const actual = standing?.cid ?? null;
    if (actual !== expect) return { committed: false, id, expected: expect, actual };
    standings.push(standing);
  }
  for (const { id, tip } of commit.guards) {
    const actual = standingOf(db, id)?.cid ?? null;
    if (actual !== tip) return { committed: false, id, expected: tip, actual };
  }
  const moves: number[] = [];
  for (const [i, change] of commit.changes.entries()) moves.push(move(db, commit, change, standings[i], moves[0]));
  for (const row of commit.rows) applyRow(db, row);
  return { committed: true, moves };
}

function standingOf(db: Reader, id: string): Standing | undefined {
  const row = db.get<{ key: number; tip: number | null }>('SELECT key, tip FROM entity WHERE id = ?', id);
  return row && { ...row, cid: row.tip === null ? null : blockCidText(db, row.tip) };
}

function move(
  db: Writer,
  commit: Commit,
  change: Change,
  standing: Standing | undefined,
  first: number | undefined,
): number {
  const key = standing?.key ?? entityKey(db, change.id) ?? db.insert('INSERT INTO entity (id) VALUES (?)', change.id);
  const old = standing?.tip ?? null;
  const before = old === null ? null : decodeManifest(blockBytes(db, old));
  const { tip, manifest } = storeChain(db, change, key, old);
  project(db, { key, tip, cid: change.tip, manifest }, before);
  return db.insert(
    'INSERT INTO moves (entity, old_tip, new_tip, first, origin, time) VALUES (?, ?, ?, ?, ?, ?)',
    key,
    old,
    tip,
    first ?? null,
    commit.origin,
    commit.time,
  );
}

/** Stores the segment's blocks; gives the new tip's key and manifest. */
function storeChain(db: Writer, change: Change, key: number, old: number | null): { tip: number; manifest: Manifest } {
  let previous = old;
  let manifest: Manifest | null = null;
  for (const block of change.blocks) {
    manifest = decodeManifest(block.bytes);
    previous = putBlock(db, block, key, manifest.ver, previous);
  }
  if (change.blocks.at(-1)?.cid === change.tip && manifest && previous !== null) return { tip: previous, manifest };
  const stored = findBlock(db, change.tip);
  if (!stored || stored.entity !== key) throw new Error(`the tip ${change.tip} of ${change.id} is not stored`);
  return { tip: stored.key, manifest: decodeManifest(blockBytes(db, stored.key)) };
}

function applyRow(db: Writer, row: Row): void {
  switch (row.kind) {
    case 'import_source':
      db.run(
        `INSERT INTO import_source (entity, digest, tip)
           SELECT entity.key, ?, block.key FROM entity, block WHERE entity.id = ? AND block.cid = ?
           ON CONFLICT (entity) DO UPDATE SET digest = excluded.digest, tip = excluded.tip`,
        row.digest,
        row.id,
        cidBytes(row.cid),
      );
      return;
    case 'feed_floor':
      db.run("INSERT OR REPLACE INTO meta (name, value) VALUES ('feed_floor', ?)", String(row.move));
  }
}
