import type { Commit, Row } from '../store/commit.ts';
import type { Apart } from '../store/remotes/sync-rows.ts';
import type { Loaded } from './entity.ts';
import type { Chain } from './manifests.ts';
import type { EntityState } from './state.ts';

/** Who writes what sync decided, and when (epoch milliseconds). */
export interface Authority {
  remote: string;
  time: number;
  /** Whether both keep to their own versions, which say the same. */
  apart?: Apart | null;
  /** The remote was reset. */
  reset?: boolean;
  /** The remote's version is what it made of the one here. */
  answers?: boolean;
}

/**
 * The commit that takes the store from one state of an entity to the next: the tip moves together with what is known of the
 * remote, or neither (SPEC.md, S3).
 * @param event the feed id that told, null where a push did
 */
export function commitBetween(
  loaded: Loaded,
  next: EntityState,
  chain: Chain,
  event: number | null,
  { remote, time, apart = null, reset = false, answers = false }: Authority,
): Commit {
  const { state, known } = loaded;
  const { id } = chain.head;
  const origin = `remote:${remote}`;
  const moves = next.local !== null && next.local.cid !== (state.local?.cid ?? null);
  const rows: Row[] = [
    {
      kind: 'remote_tip',
      remote,
      id,
      event,
      theirs: next.theirs?.cid ?? chain.cid,
      twin: next.twin,
      blocks: moves ? [] : chain.blocks,
      mirrored: state.local === null,
      apart,
      reset,
      isConflict: next.standing === 'conflict',
    },
    ...keptRows(remote, id, next, known),
  ];
  const expect = state.local?.cid ?? null;
  // What an import left is no edited thing because a remote says it by a version of its own.
  if (moves && expect !== null && (answers || next.local?.content === state.local?.content))
    rows.push({ kind: 'import_tip', id, from: expect, to: chain.cid });
  if (!moves) return { changes: [], preconditions: [{ id, tip: expect }], rows, origin, time };
  return { changes: [{ id, expect, tip: chain.cid, blocks: chain.blocks }], preconditions: [], rows, origin, time };
}

/** What a known tip ends for an entity, unless it still stands. */
function keptRows(remote: string, id: string, next: EntityState, { refusal, theirs }: Loaded['known']): Row[] {
  if (next.standing === 'conflict' && next.local && next.theirs)
    return [{ kind: 'sync_conflict', remote, id, base: next.base, ours: next.local.cid, theirs: next.theirs.cid }];
  // The remote had it already, so only bytes were refused; what it has since is refused no more.
  const bytes = refusal !== null && refusal.tip === theirs && theirs === next.local?.cid && theirs === next.theirs?.cid;
  if ((next.standing === 'refused' || bytes) && refusal)
    return [{ kind: 'push_refusal', remote, id, ...refusal, request: true }];
  return [];
}
