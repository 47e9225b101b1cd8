import { StorageError } from '../errors.ts';
import { addHead, addLeaf, addNode, leafBySeq, logged, logSize, newestHead } from '../store/attest-log.ts';
import { attestedMove, movesToAttest } from '../store/attested-moves.ts';
import type { Connection } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import { type Signer, signHead } from './head.ts';
import { hashOfLeaf, leafOf } from './leaf.ts';
import { damagedLog, subtreesOf } from './log-subtrees.ts';
import { equal, GrowingTree } from './merkle.ts';

/** One slice of the log's way after the moves. */
export interface Slice {
  signer: Signer;
  /** What the head says of its time, epoch milliseconds. */
  time: number;
  /** Sign what there is at the end, also where moves remain. */
  sign: boolean;
  /** How long it may last, in milliseconds; it is on disk as a whole when it ends. */
  ms: number;
}

/** Where the log stands after a slice. */
export interface Advanced {
  size: number;
  /** Of the newest head. */
  signed: number;
  /** Whether moves remain. */
  behind: boolean;
}

const pageMoves = 1000;

/**
 * Takes up the moves that the log lacks when it begins, as far as a slice goes, and signs a head where it has come so far;
 * what comes meanwhile is taken up with the next head. The cursor is the number of leaves, in the same transaction as
 * these, so that it may end at any time and nothing is taken up twice.
 * @throws StorageError where the log is of other moves than these
 */
export function advance(main: Connection, log: Connection, { signer, time, sign, ms }: Slice): Advanced {
  const until = performance.now() + ms;
  return logged(log, () => {
    const subtrees = subtreesOf(log);
    const tree = new GrowingTree(logSize(log), subtrees);
    const last = main.snapshot((db) => {
      const taken = attestedMove(db, tree.size);
      const kept = leafBySeq(log, tree.size);
      if (kept && !(taken && equal(kept.hash, hashOfLeaf(leafOf(taken))))) throw new StorageError(damagedLog);
      return lastMove(db);
    });
    while (tree.size < last && performance.now() < until) {
      const moves = main.snapshot((db) => movesToAttest(db, tree.size, Math.min(pageMoves, last - tree.size)));
      // A move that is missing would stop the log for good.
      if (moves.length === 0) throw new StorageError(damagedLog);
      for (const move of moves) {
        const hash = hashOfLeaf(leafOf(move));
        const [, ...nodes] = tree.append(hash);
        addLeaf(log, { seq: move.seq, hash, entity: move.entity, ver: move.ver });
        for (const node of nodes) addNode(log, node.level, node.index, node.hash);
      }
    }
    const behind = tree.size < last;
    const before = newestHead(log);
    const own = before?.instance === signer.instance && before.key_id === signer.key.id;
    const signs = (sign || !behind) && tree.size > 0 && (!own || before.size < tree.size);
    if (signs) addHead(log, signHead(signer, tree.size, tree.root(), time), signer.key.publicKey);
    return { size: tree.size, signed: signs ? tree.size : (before?.size ?? 0), behind };
  });
}
