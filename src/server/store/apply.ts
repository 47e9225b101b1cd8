import { decodeManifest } from '../blocks/encode.ts';
import { StorageError } from '../errors.ts';
import { circlesOf, placingsOf } from '../model/folder-rules.ts';
import { lenientManifest } from '../model/lenient.ts';
import { collectionsOf, type Manifest } from '../model/manifest.ts';
import { applyAdditiveRow, type QueuedRow, queueAdditive } from './additive-rows.ts';
import { listedFork } from './archive/archive-forks.ts';
import { applyArchiveRow, endBroughtFork } from './archive/archive-rows.ts';
import { blockBytes, findBlock, putBlock, storedManifest } from './blocks.ts';
import type { Change, Commit, Outcome, Row } from './commit.ts';
import { isDatabaseError, type Reader, type Writer } from './connection.ts';
import { applyUploadRow } from './content/uploads.ts';
import { ensureEntityKey, entityKey, nextEntityKey } from './entity-keys.ts';
import { FolderTree } from './folders.ts';
import { applyImportRow } from './imports/import-rows.ts';
import { applyJobRow } from './jobs/job-rows.ts';
import { currentJson, project } from './projection.ts';
import { applySyncRow } from './remotes/apply-sync.ts';
import { notePending } from './remotes/pending.ts';
import { tipAt } from './remotes/remotes.ts';
import { readSegment, type SegmentBlock } from './segment.ts';
import { lastLive } from './versions.ts';

/** An entity's row as far as a commit is compared with it. */
interface TipRow {
  key: number;
  tip: number | null;
  cid: string | null;
}

/** One change with all that its writes need, so that these meet no error but the database's own. */
interface Step {
  change: Change;
  standing: TipRow | undefined;
  before: Manifest | null;
  segment: SegmentBlock[];
  /** The new tip's block where it was stored before; null where it is the segment's last. */
  stored: number | null;
  manifest: Manifest;
  json: string | null;
  /** See Current. */
  collection: string | null | undefined;
}

/**
 * Applies one commit inside the caller's transaction: all checks first, then the writes, so that neither a conflict nor
 * a malformed commit needs an undo. Deterministic over the stored state. Throws only where the database itself fails;
 * the caller then rolls back.
 */
export function applyCommit(db: Writer, commit: Commit): Outcome {
  const standings: (TipRow | undefined)[] = [];
  for (const { id, expect } of commit.changes) {
    const standing = standingOf(db, id);
    const actual = standing?.cid ?? null;
    if (actual !== expect) return { committed: false, id, expected: expect, actual };
    standings.push(standing);
  }
  for (const { id, tip, at } of commit.preconditions) {
    const actual = at === undefined ? (standingOf(db, id)?.cid ?? null) : tipAt(db, at, id);
    if (actual !== tip) return { committed: false, id, expected: tip, actual };
  }
  for (const row of commit.rows) {
    if (row.kind !== 'car_conflict') continue;
    // Listed meanwhile, say because the remote that had it was removed: nobody else may have it.
    const actual = listedFork(db, row.id);
    if (actual !== row.listed) return { committed: false, id: row.id, expected: row.listed, actual };
  }
  const steps: Step[] = [];
  for (const [i, change] of commit.changes.entries()) {
    const step = prepare(db, change, standings[i]);
    if (typeof step === 'string')
      return { committed: false, id: change.id, expected: change.expect, actual: change.expect, refused: step };
    steps.push(step);
  }
  if (makesCircle(db, steps)) return { committed: false, id: '', expected: null, actual: null };
  const moves: number[] = [];
  for (const step of steps) moves.push(move(db, commit, step, moves[0]));
  const queued: number[] = [];
  for (const row of commit.rows)
    if (row.kind === 'additive') queued.push(queueAdditive(db, row, commit.time));
    else applyRow(db, row, commit.time);
  return { committed: true, moves, ...(queued.length > 0 && { queued }) };
}

/**
 * Looked at again here, since a link that somebody else has written meanwhile leaves the folders above as they were; and so
 * does one of the same commit.
 */
function makesCircle(db: Reader, steps: Step[]): boolean {
  const placed = steps.filter(({ change }) => change.placed);
  if (placed.length === 0) return false;
  const together = placed.length > 1 ? placed.flatMap(({ before, manifest }) => placingsOf(before, manifest)) : [];
  const tree = new FolderTree(db, together);
  return placed.some(({ before, manifest }) => circlesOf(before, manifest, tree).length > 0);
}

function standingOf(db: Reader, id: string): TipRow | undefined {
  return db.get<TipRow>('SELECT key, tip, cid FROM entity WHERE id = ?', id);
}

/** Reads all that a change needs; text says why it can never be written. */
function prepare(db: Reader, change: Change, standing: TipRow | undefined): Step | string {
  try {
    const old = standing?.tip ?? null;
    const before = old === null ? null : storedManifest(blockBytes(db, old));
    const segment = readSegment(change);
    const last = change.blocks.at(-1)?.cid === change.tip ? segment.at(-1) : undefined;
    const found = last ? undefined : findBlock(db, change.tip);
    if (!last && (!found || found.entity !== standing?.key)) return `the tip ${change.tip} is not stored`;
    const stored = found?.key ?? null;
    const written = last?.manifest ?? decodeManifest(blockBytes(db, stored ?? 0));
    const manifest = lenientManifest(written);
    const json = currentJson(change.tip, written);
    const collection = collectionOf(db, change, before, stored === null ? segment : null, manifest);
    return { change, standing, before, segment, stored, manifest, json, collection };
  } catch (error) {
    if (isDatabaseError(error)) throw error;
    return error instanceof StorageError ? error.reason : error instanceof Error ? error.message : String(error);
  }
}

/** A deleted entity stays in the collection of its last live version (decisions.md, Permissions). `segment`: what comes new. */
function collectionOf(
  db: Reader,
  change: Change,
  before: Manifest | null,
  segment: SegmentBlock[] | null,
  manifest: Manifest,
): string | null | undefined {
  if (manifest.deleted !== true) return collectionsOf(manifest)[0] ?? null;
  const versions = segment?.map((block) => block.manifest) ?? [manifest];
  const live = versions.findLast((version) => version.deleted !== true);
  if (live) return collectionsOf(live)[0] ?? null;
  const oldest = versions[0] as Manifest;
  if (before && oldest.prev === change.expect) return before.deleted ? undefined : (collectionsOf(before)[0] ?? null);
  const earlier = lastLive(db, oldest)?.manifest;
  return earlier && (collectionsOf(earlier)[0] ?? null);
}

function move(db: Writer, commit: Commit, step: Step, first: number | undefined): number {
  const { change, standing, before, manifest, json, collection } = step;
  if (collection != null) ensureEntityKey(db, collection);
  // An earlier change of the same commit, or its own collection, may have made this id a stub.
  const made = first === undefined && collection !== change.id ? undefined : entityKey(db, change.id);
  const known = standing?.key ?? made;
  const key = known ?? nextEntityKey(db);
  const old = standing?.tip ?? null;
  // Every block is of an entity that has a row, so what has none yet has no block.
  const isNew = known === undefined;
  let last = old;
  let lastCid = standing?.cid ?? null;
  for (const [i, { cid, bytes, manifest }] of step.segment.entries()) {
    // By name: a block of another node may have members of any name.
    const { ver, prev } = manifest;
    last = putBlock(db, { cid, bytes, ver, prev }, key, last, { isNew, follows: prev === lastCid });
    lastCid = change.blocks[i]?.cid ?? null;
  }
  const tip = step.stored ?? (last as number);
  project(db, { key, isNew, tip, cid: change.tip, manifest, json, collection }, before);
  const isBySync = commit.origin.startsWith('remote:');
  if (isBySync && old !== null) endBroughtFork(db, key, change.tip);
  if (!commit.rows.some((row) => row.kind === 'remote_tip' && row.id === change.id))
    notePending(db, key, !isNew && !isBySync);
  return db.insert(
    'INSERT INTO moves (entity, old_tip, new_tip, pi, cid, ver, first, origin, time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    key,
    old,
    tip,
    change.id,
    change.tip,
    manifest.ver,
    first ?? null,
    commit.origin,
    commit.time,
  );
}

function applyRow(db: Writer, row: Exclude<Row, QueuedRow>, time: number): void {
  switch (row.kind) {
    case 'import_source':
    case 'import_tip':
    case 'archive_made':
    case 'import_run':
      applyImportRow(db, row);
      return;
    case 'feed_floor':
      db.run(
        "INSERT INTO meta (name, value) VALUES ('feed_floor', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        String(row.move),
      );
      return;
    case 'task':
      if (row.task === null) db.run('DELETE FROM task WHERE id = ?', row.id);
      else
        db.run(
          'INSERT OR REPLACE INTO task (id, kind, state) VALUES (?, ?, ?)',
          row.id,
          row.task.kind,
          JSON.stringify(row.task.state),
        );
      return;
    case 'additive_ended':
    case 'additive_pruned':
      applyAdditiveRow(db, row, time);
      return;
    case 'upload':
    case 'upload_step':
    case 'uploads_expired':
      applyUploadRow(db, row);
      return;
    case 'job':
    case 'job_sending':
    case 'job_told':
    case 'job_grant':
    case 'job_batch':
    case 'job_batch_step':
    case 'job_prune':
      applyJobRow(db, row);
      return;
    case 'versions':
    case 'car_conflict':
    case 'car_decided':
      applyArchiveRow(db, row, time);
      return;
    default:
      applySyncRow(db, row, time);
  }
}
