import { CID } from 'multiformats/cid';
import { codecOf, digestOf } from './car-format.ts';
import { sha256 } from './sha256.ts';

/** What a check of bytes against a CID gives: `unsupported` where the CID's hash is not SHA-256, so that nothing can be said. */
export type Verdict = 'match' | 'mismatch' | 'unsupported';

/** Re-hashes bytes that came from outside. A CID that cannot be parsed is `unsupported`. */
export function verifyBlock(cid: string | CID, bytes: Uint8Array): Verdict {
  let parsed: CID;
  try {
    parsed = typeof cid === 'string' ? CID.parse(cid) : cid;
  } catch {
    return 'unsupported';
  }
  if (parsed.multihash.code !== 0x12) return 'unsupported';
  return sha256(bytes).equals(parsed.multihash.digest) ? 'match' : 'mismatch';
}

/** The same for a binary CID: those of our own kinds need not be parsed. */
export function verifyBinary(cid: Uint8Array, bytes: Uint8Array): Verdict {
  if (codecOf(cid) !== null) return sha256(bytes).equals(digestOf(cid)) ? 'match' : 'mismatch';
  try {
    return verifyBlock(CID.decode(cid), bytes);
  } catch {
    return 'unsupported';
  }
}
