import { type Block, decodeManifest } from '../../blocks/encode.ts';
import { collectionsOf } from '../../model/manifest.ts';
import { blockBytes, putBlocks } from '../blocks.ts';
import type { Writer } from '../connection.ts';
import { ensureEntityKey } from '../entity-keys.ts';
import { noteSync } from '../remotes/sync-log.ts';
import { lastLive } from '../versions.ts';
import { archiveName, archiveRemote, forksOf, type ListedFork } from './archive-forks.ts';
import { descends } from './archive-reads.ts';

/** What an import of an archive keeps, in the commit that it belongs to. */
export type ArchiveRow =
  /** Verified versions of an entity that are kept without moving its tip, oldest first. */
  | { kind: 'versions'; id: string; blocks: Block[] }
  /**
   * An archive's tip that does not descend from ours, or that it follows; `theirs` null: there is no such fork any more. `listed`
   * is the fork that it takes the place of, null for none; where another one is listed by then, the commit is late.
   */
  | { kind: 'car_conflict'; id: string; ours: string; theirs: string | null; listed: string | null }
  /** Somebody has decided about a version that is listed without a remote. */
  | { kind: 'car_decided'; id: string; theirs: string };

export function applyArchiveRow(db: Writer, row: ArchiveRow, time: number): void {
  switch (row.kind) {
    case 'versions': {
      const entity = ensureEntityKey(db, row.id);
      putBlocks(db, entity, row.blocks);
      placeDeleted(db, entity);
      return;
    }
    case 'car_conflict': {
      const entity = ensureEntityKey(db, row.id);
      db.run('DELETE FROM sync_conflict WHERE remote = ? AND entity = ?', archiveRemote, entity);
      if (row.theirs !== null) putFork(db, { ...row, remote: archiveRemote, entity, theirs: row.theirs }, time);
      return;
    }
    case 'car_decided':
      dropSameFork(db, ensureEntityKey(db, row.id), row.theirs);
  }
}

interface NewFork extends ListedFork {
  entity: number;
  id: string;
  ours: string;
}

function putFork(db: Writer, { remote, entity, id, ours, theirs }: NewFork, time: number): void {
  dropSameFork(db, entity, theirs);
  db.run(
    'INSERT OR REPLACE INTO sync_conflict (remote, entity, base, ours, theirs, time) VALUES (?, ?, NULL, ?, ?, ?)',
    ...[remote, entity, ours, theirs, time],
  );
  noteSync(db, { time, remote: archiveName, kind: 'conflict', id, detail: theirs });
}

/** Further back than this is not looked on the writer's thread; such a fork stays until somebody decides it. */
const nearVersions = 32;
/** Of a remote that was set back, and of few entities, further. */
const mostVersions = 1000;

/** What an archive forked off is a fork no more where a sync has brought it in: the new tip descends from it. */
export function endBroughtFork(db: Writer, entity: number, tip: string): void {
  for (const { remote, theirs } of forksOf(db, entity))
    if (descends(db, { from: tip, to: theirs, steps: nearVersions }))
      db.run('DELETE FROM sync_conflict WHERE remote = ? AND entity = ?', remote, entity);
}

/** What a remote says by now, where it has the entity; `reset`: it may have forgotten what it said before. */
interface SaidNow {
  theirs: string;
  reset: boolean;
}

/**
 * The other side of a conflict that the remote has forgotten, since it was set back, is listed as what an archive brought: nobody
 * else may have it. So it is where the remote is removed, and may never come again.
 * @param now null where the remote has forgotten the whole entity, or is forgotten itself
 */
export function keepForgotten(db: Writer, remote: number, entity: number, now: SaidNow | null, time: number): void {
  const sql = 'SELECT theirs FROM sync_conflict WHERE remote = ? AND entity = ?';
  const theirs = db.get<{ theirs: string }>(sql, remote, entity)?.theirs;
  if (theirs === undefined) return;
  const isIn = (from: string | undefined, to: string) =>
    from !== undefined && descends(db, { from, to, steps: mostVersions });
  if (now && (now.reset ? isIn(now.theirs, theirs) : now.theirs === theirs || !isIn(theirs, now.theirs))) return;
  const here = db.get<{ id: string; cid: string | null }>('SELECT id, cid FROM entity WHERE key = ?', entity);
  if (!here?.cid || isIn(here.cid, theirs)) return;
  const listed = forksOf(db, entity);
  if (listed.some((fork) => isIn(fork.theirs, theirs))) return;
  const below = listed.find((fork) => isIn(theirs, fork.theirs))?.remote;
  const next = listed.reduce((least, fork) => Math.min(least, fork.remote - 1), archiveRemote);
  putFork(db, { remote: below ?? next, entity, id: here.id, ours: here.cid, theirs }, time);
}

/** What a remote has as its side of a conflict is listed once, under the remote. */
export function dropSameFork(db: Writer, entity: number, theirs: string): void {
  for (const fork of forksOf(db, entity))
    if (fork.theirs === theirs)
      db.run('DELETE FROM sync_conflict WHERE remote = ? AND entity = ?', fork.remote, entity);
}

/** A deleted entity lies in the collection of its last live version; that version may have come only now. */
function placeDeleted(db: Writer, entity: number): void {
  const row = db.get<{ tip: number }>(
    'SELECT tip FROM entity WHERE key = ? AND deleted = 1 AND collection IS NULL AND tip IS NOT NULL',
    entity,
  );
  const live = row && lastLive(db, decodeManifest(blockBytes(db, row.tip)))?.manifest;
  const first = live && collectionsOf(live)[0];
  if (first !== undefined) db.run('UPDATE entity SET collection = ? WHERE key = ?', ensureEntityKey(db, first), entity);
}
