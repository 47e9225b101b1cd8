/** The largest dag-cbor block that is read or written (decisions.md, CAR). */
export const maxNodeBytes = 32 * 1024 * 1024;

export const dagCborCode = 0x71;
export const rawCode = 0x55;
const sha256Code = 0x12;
/** The binary length of the CIDs in our archives: version 1, dag-cbor or raw, sha2-256. */
export const cidLength = 36;

/** Which of our kinds of block a binary CID is of, dag-cbor or raw; null for a CID that no archive holds. */
export function codecOf(cid: Uint8Array): number | null {
  if (cid.length !== cidLength || cid[0] !== 1 || cid[2] !== sha256Code || cid[3] !== 32) return null;
  return cid[1] === dagCborCode || cid[1] === rawCode ? cid[1] : null;
}

/** The SHA-256 in a binary CID of such a block. */
export function digestOf(cid: Uint8Array): Uint8Array {
  return cid.subarray(4);
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
