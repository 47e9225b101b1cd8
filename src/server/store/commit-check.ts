import { isCid } from '../blocks/cid.ts';
import type { Block } from '../blocks/encode.ts';
import { blocksTotal, type Commit, maxVersionsPerCommit, type Row } from './commit.ts';

/** How many preconditions and rows a commit may have beside its versions. */
const maxFacts = 10_000;

/**
 * What is wrong with a commit by itself, whatever is stored; null for nothing. Cheap: blocks are not opened here, the
 * writer reads them before its first write.
 */
export function commitProblem(commit: Commit): string | null {
  const { changes, preconditions, rows, origin, time } = commit;
  if (
    !changes.every((change) => areBlocks(change.blocks)) ||
    !rows.every((row) => !('blocks' in row) || areBlocks(row.blocks))
  )
    return 'it has a block without CID or bytes';
  const versions = Math.max(blocksTotal(commit).count, changes.length);
  if (versions > maxVersionsPerCommit)
    return `it has ${versions} versions; at most ${maxVersionsPerCommit} fit in one commit`;
  if (preconditions.length > maxFacts || rows.length > maxFacts)
    return `it has more than ${maxFacts} preconditions or rows`;
  if (typeof origin !== 'string' || origin === '') return 'it has no origin';
  if (!Number.isSafeInteger(time) || time < 0) return 'its time is no time';
  return changesProblem(commit) ?? rows.map(rowProblem).find((problem) => problem !== null) ?? null;
}

function areBlocks(blocks: readonly Block[]): boolean {
  return blocks.every(({ cid, bytes }) => typeof cid === 'string' && bytes instanceof Uint8Array);
}

function changesProblem({ changes, preconditions }: Commit): string | null {
  const ids = new Set<string>();
  for (const { id, expect, tip } of changes) {
    if (typeof id !== 'string' || id === '') return 'a change names no entity';
    if (ids.has(id)) return `it changes ${id} twice`;
    ids.add(id);
    if (!isTip(expect) || typeof tip !== 'string') return `the change of ${id} has no tip`;
  }
  return preconditions.every(({ id, tip }) => typeof id === 'string' && isTip(tip))
    ? null
    : 'a precondition has no tip';
}

function isTip(tip: unknown): boolean {
  return tip === null || typeof tip === 'string';
}

function rowProblem(row: Row): string | null {
  switch (row.kind) {
    case 'import_source':
      return isCid(row.cid) ? null : `the source of ${row.id} names no version`;
    case 'feed_floor':
      return Number.isSafeInteger(row.move) && row.move >= 0 ? null : 'the floor of the feed is no move';
    default:
      return null;
  }
}
