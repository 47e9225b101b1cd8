import type { Intent } from './state.ts';

/** What a run has done so far. */
export interface Report {
  /** Events looked at, of those that were new. */
  events: number;
  /** Entities and versions taken over. */
  entities: number;
  versions: number;
  /** Pushed, by what was done. */
  created: number;
  updated: number;
  deleted: number;
  restored: number;
  /** What the remote did not take. */
  refused: number;
  /** Changed on both sides in different places. */
  merged: number;
  /** New conflicts. */
  conflicts: number;
  /** File content that came, in files and bytes, and of how many files it could not be had. */
  content: { files: number; bytes: number; missing: number };
  /** File content that went there. */
  sent: { files: number; bytes: number };
  /** What the remote names and could not be taken over, and was not known for it. */
  troubles: number;
  /** Feed ids that were gone before they were seen. */
  lost: { first: number; last: number } | null;
  /** Everything was compared, tip by tip. */
  swept: boolean;
  /** The remote does not list its collections: of those that nobody here knows nothing was compared. */
  uncatalogued: boolean;
  /** The newest event of its feed when the run began; null where it was not asked. */
  head: number | null;
  /** Why the run stopped early; null where it did not. */
  stopped: string | null;
  /** The same for whoever says it in other words. */
  stop: Stop | null;
}

/**
 * Why somebody has to look before a run goes on: another node is there (`other`), it is not what it was (`reset`), or
 * `count` of `of` entities would go here (`deletions`) or change there (`changes`).
 */
export type Stop = { kind: 'other' | 'reset' } | { kind: 'deletions' | 'changes'; count: number; of: number };

export function emptyReport(): Report {
  return {
    ...{ events: 0, entities: 0, versions: 0, created: 0, updated: 0, deleted: 0, restored: 0 },
    ...{ content: { files: 0, bytes: 0, missing: 0 }, sent: { files: 0, bytes: 0 } },
    ...{
      refused: 0,
      merged: 0,
      conflicts: 0,
      troubles: 0,
      lost: null,
      swept: false,
      uncatalogued: false,
      head: null,
      stopped: null,
      stop: null,
    },
  };
}

/** Whether a run had anything to do. */
export function isActive({
  lost,
  swept,
  uncatalogued: _uncatalogued,
  head: _head,
  stopped,
  stop: _stop,
  content,
  sent,
  ...counts
}: Report): boolean {
  const moved = [...Object.values(counts), content.bytes, content.files, sent.files, sent.bytes];
  return lost !== null || swept || stopped !== null || moved.some((n) => n > 0);
}

/** How many entities a run has brought there so far. */
export function pushedSoFar({ created, updated, deleted, restored }: Report): number {
  return created + updated + deleted + restored;
}

export function countPushed(report: Report, intent: Intent): void {
  if (intent === 'create') report.created++;
  if (intent === 'update') report.updated++;
  if (intent === 'delete') report.deleted++;
  if (intent === 'restore') report.restored++;
}
