import type { CID } from 'multiformats/cid';

/** The largest dag-cbor block that is read or written (decisions.md, CAR). */
export const maxNodeBytes = 32 * 1024 * 1024;

export const dagCborCode = 0x71;
export const rawCode = 0x55;
export const sha256Code = 0x12;
/** The binary length of the CIDs in our archives: version 1, dag-cbor or raw, sha2-256. */
export const cidLength = 36;

/** The SHA-256 in a binary CID of our archives. */
export function digestOf(cid: CID): Uint8Array {
  return cid.multihash.digest;
}

/** Whether a CID is one that an archive can hold: version 1, of the given codec, sha2-256. */
export function isArchiveCid(cid: CID, codec: number): boolean {
  return cid.version === 1 && cid.code === codec && cid.multihash.code === sha256Code && cid.bytes.length === cidLength;
}

/** An unsigned varint (LEB128), up to 2^53-1. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
