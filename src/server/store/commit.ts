import type { Block } from '../blocks/encode.ts';
import type { Json } from '../model/manifest.ts';
import type { AdditiveRow } from './additive-rows.ts';
import type { ArchiveRow } from './archive/archive-rows.ts';
import type { UploadRow } from './content/uploads.ts';
import type { ImportRow } from './imports/import-rows.ts';
import type { JobRow } from './jobs/job-rows.ts';
import type { SyncRow } from './remotes/sync-rows.ts';

/** One entity's move to another tip. */
export interface Change {
  id: string;
  /** The tip that the change was made from; null where the entity must not exist here yet (a stub does not count). */
  expect: string | null;
  /** The new tip: the last of `blocks`, or a version stored before (a return to an earlier version). */
  tip: string;
  /** A chain segment, oldest first: one block for a local edit, many for a mirrored chain; the tip moves once. */
  blocks: Block[];
  /** Links between folders are new in it: none may come to stand below itself by what others have written meanwhile. */
  placed?: boolean;
}

/**
 * An entity that the decision read and that must not have moved; `tip` null: it must not exist. With `at` the tip is that which
 * the remote of this name is known to have.
 */
export interface Precondition {
  id: string;
  tip: string | null;
  at?: string;
}

/** The other durable facts that belong to the same moment as the changes. */
export type Row =
  | ImportRow
  /** Moves up to this one have left the feed. */
  | { kind: 'feed_floor'; move: number }
  /** Work of several commits that a restart has to finish: what is left to do, or null when it is done. */
  | { kind: 'task'; id: string; task: { kind: string; state: Json } | null }
  | AdditiveRow
  | JobRow
  | UploadRow
  | ArchiveRow
  | SyncRow;

/**
 * What the writer applies: all of it or nothing, deterministic over the stored state (no clock, no randomness and no
 * permission in it), at most 1,000 versions (architecture.md, section 2).
 */
export interface Commit {
  changes: Change[];
  preconditions: Precondition[];
  rows: Row[];
  /**
   * Who moved the tips: `local`, `import`, `car`, `remote:<name>` for what was pulled, or `from:<account>/<node>` for what was pushed
   * to here (verify knows no others).
   */
  origin: string;
  /** When it was recorded, epoch milliseconds. */
  time: number;
}

/**
 * What became of one commit. `queued` are the numbers of its additive updates, in order. A conflict changed nothing; `actual` is the
 * entity's tip here, null where it has none, or the fork that is listed of it (archive-rows.ts). Where `id` is empty, a folder
 * would stand below itself by now.
 * `refused` says why a commit can never be applied, whatever the tips are: it is malformed, not late.
 */
export type Outcome =
  | { committed: true; moves: number[]; queued?: number[] }
  | { committed: false; id: string; expected: string | null; actual: string | null; refused?: string };

export const maxVersionsPerCommit = 1000;

/**
 * How many blocks a commit brings, those of its rows too, and their bytes together; without a list of them, since each commit is
 * asked several times.
 */
export function blocksTotal({ changes, rows }: Commit): { count: number; bytes: number } {
  const total = { count: 0, bytes: 0 };
  for (const { blocks } of changes) add(total, blocks);
  for (const row of rows) if ('blocks' in row) add(total, row.blocks);
  return total;
}

function add(total: { count: number; bytes: number }, blocks: readonly Block[]): void {
  total.count += blocks.length;
  for (const { bytes } of blocks) total.bytes += bytes.length;
}
