import { keyIdOf } from '../model/node-key.ts';
import {
  countHeads,
  countNodes,
  headsBetween,
  leafBySeq,
  logSize,
  newestHead,
  subtreeHash,
} from '../store/attest-log.ts';
import { type AttestedMove, movesToAttest } from '../store/attested-moves.ts';
import type { Connection } from '../store/connection.ts';
import { lastMove } from '../store/events.ts';
import { isSignedHead, signedHead } from './head.ts';
import { hashOfLeaf, leafOf } from './leaf.ts';
import { emptyRoot, equal, GrowingTree } from './merkle.ts';

/** Where a check of the log stands: the tree made again from the moves so far, as its complete subtrees without sibling. */
export interface CheckState {
  /** How many leaves have been made again. */
  at: number;
  /** How many there are to be, as it was when the check began. */
  size: number;
  peaks: [level: number, hash: Uint8Array][];
}

/** What a page of a check found. `state` is what to go on with, null where all has been looked at. */
export interface CheckedSlice {
  state: CheckState | null;
  size: number;
  /** How many moves there are. */
  moves: number;
  problems: string[];
  /** How many heads were checked. */
  heads: number;
}

const pageMs = 200;
const pageMoves = 1000;
/** A log of other moves differs in every leaf; a page says so often enough. */
const maxProblems = 100;

/**
 * A page of the check of the whole log: the tree is made again from the moves, without using what is kept of it; every
 * kept hash is compared with it, and each kept head must have the root that the tree then has, and a good signature.
 */
export function checkSlice(main: Connection, log: Connection, state: CheckState | null): CheckedSlice {
  const until = performance.now() + pageMs;
  const size = state?.size ?? logSize(log);
  const peaks = new Map(state?.peaks.map(([level, hash]) => [level, hash]));
  const tree = new GrowingTree(state?.at ?? 0, (level) => peaks.get(level) ?? new Uint8Array(32));
  const found: CheckedSlice = { state: null, size, moves: main.snapshot(lastMove), problems: [], heads: 0 };
  const wrong = (message: string) => {
    if (found.problems.length < maxProblems) found.problems.push(message);
  };
  let more = tree.size < size;
  while (more && performance.now() < until) {
    const wanted = Math.min(pageMoves, size - tree.size);
    const moves = main.snapshot((db) => movesToAttest(db, tree.size, wanted));
    log.snapshot(() => {
      const heads = headsBetween(log, tree.size, tree.size + moves.length);
      for (const move of moves) {
        const hash = hashOfLeaf(leafOf(move));
        compareNodes(log, tree.append(hash), hash, move, wrong);
        while (heads[0]?.size === tree.size) {
          found.heads++;
          const head = heads.shift();
          if (head) checkHead(head, tree, wrong);
        }
      }
    });
    if (moves.length < wanted) {
      wrong(`The log has ${size} leaves, and move ${tree.size + 1} is missing.`);
      return found;
    }
    more = tree.size < size;
  }
  if (more) found.state = { at: tree.size, size, peaks: tree.peaks() };
  else checkEnd(main, log, wrong);
  return found;
}

type Wrong = (message: string) => void;

function compareNodes(
  log: Connection,
  [, ...nodes]: ReturnType<GrowingTree['append']>,
  hash: Uint8Array,
  move: AttestedMove,
  wrong: Wrong,
): void {
  const leaf = leafBySeq(log, move.seq);
  if (!leaf) wrong(`Move ${move.seq} is missing from the log.`);
  else if (!equal(leaf.hash, hash)) wrong(`Move ${move.seq} is not what was attested: its leaf in the log differs.`);
  else if (leaf.entity !== move.entity || leaf.ver !== move.ver)
    wrong(`Leaf ${move.seq} of the log stands under another version.`);
  for (const { level, index, hash } of nodes) {
    const kept = subtreeHash(log, level, index);
    if (!kept || !equal(kept, hash))
      wrong(`The log's node of level ${level} above leaf ${move.seq} ${kept ? 'is wrong' : 'is missing'}.`);
  }
}

function checkHead(head: ReturnType<typeof headsBetween>[number], tree: GrowingTree, wrong: Wrong): void {
  const name = `The kept head of ${head.size} leaves`;
  if (!head.public_key) wrong(`${name} is by the key ${head.key_id}, which is not kept.`);
  else if (keyIdOf(head.public_key) !== head.key_id || !isSignedHead(signedHead(head), head.public_key))
    wrong(`${name} has a wrong signature.`);
  if (!equal(head.root, tree.root())) wrong(`${name} has another root than the first ${head.size} moves give.`);
}

function checkEnd(main: Connection, log: Connection, wrong: Wrong): void {
  log.snapshot(() => {
    const size = logSize(log);
    for (const head of headsBetween(log, size, Number.MAX_SAFE_INTEGER))
      wrong(`A head of ${head.size} leaves is kept, and the log has only ${size}.`);
    for (const head of headsBetween(log, Number.MIN_SAFE_INTEGER, 0)) wrong(`A head of ${head.size} leaves is kept.`);
    const { kept, last, less } = countHeads(log);
    if (kept !== last)
      wrong(`${kept} heads are kept, and the last one's number is ${last}: some were removed or added.`);
    const newest = newestHead(log)?.size ?? 0;
    // Leaves without a head are only there where moves remain: the one that takes up the last move signs.
    if (newest < size && main.snapshot(lastMove) === size)
      wrong(
        `The log has taken up all ${size} moves, and the newest head that is kept is of ${newest}: later ones were removed.`,
      );
    if (less > 0) wrong(`Kept heads stand in another order than they were signed in.`);
    const wanted = size - new GrowingTree(size, () => emptyRoot).peaks().length;
    const nodes = countNodes(log);
    if (nodes !== wanted) wrong(`The log has ${nodes} nodes above ${size} leaves, not ${wanted}.`);
  });
}
