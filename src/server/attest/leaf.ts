import type { AttestedMove } from '../store/attested-moves.ts';
import { canonicalJson } from './canonical-json.ts';
import { leafHash } from './merkle.ts';

/**
 * What the log says of one move of a tip. Whether the public may view the entity is not among it: that may change, and a
 * leaf must be made again from its move alone.
 */
export interface Leaf {
  /** The number of the move, from 1, the same as the event's in the feed; the leaf's index in the tree is one less. */
  seq: number;
  /** The entity. */
  pi: string;
  /** The version that became the tip. */
  ver: number;
  cid: string;
  /** `C` where the entity had no tip here before. */
  op: 'C' | 'U';
  /** The tip before; null with `C`. */
  prev_cid: string | null;
  /** When it was recorded here, epoch milliseconds. */
  ts: number;
}

export function leafOf({ seq, pi, ver, cid, prev_cid, ts }: AttestedMove): Leaf {
  return { seq, pi, ver, cid, op: prev_cid === null ? 'C' : 'U', prev_cid, ts };
}

/** The leaf's hash in the tree: RFC 6962 over its canonical JSON. */
export function hashOfLeaf({ seq, pi, ver, cid, op, prev_cid, ts }: Leaf): Uint8Array {
  return leafHash(canonicalJson({ cid, op, pi, prev_cid, seq, ts, ver }));
}

/** A hash as text: base64url, 43 characters. Of a leaf it is the `tx` of its attestation. */
export function hashText(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url');
}

/** The hash that such a text stands for, null where it is none. */
export function hashBytes(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 32 && bytes.toString('base64url') === text ? bytes : null;
}
