import { StorageError } from '../errors.ts';
import type { LeafRow } from '../store/attest-log.ts';
import { attestedMove } from '../store/attested-moves.ts';
import type { Reader } from '../store/connection.ts';
import { hashOfLeaf, type Leaf, leafOf } from './leaf.ts';
import { damagedLog } from './log-subtrees.ts';
import { equal } from './merkle.ts';

/** What an entry of the log says, made again from its move. @throws StorageError where the move is not what was attested */
export function attestedLeaf(db: Reader, { seq, hash }: Pick<LeafRow, 'seq' | 'hash'>): Leaf {
  const move = attestedMove(db, seq);
  const leaf = move && leafOf(move);
  if (!leaf || !equal(hashOfLeaf(leaf), hash)) throw new StorageError(damagedLog);
  return leaf;
}
