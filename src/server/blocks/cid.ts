import { CID } from 'multiformats/cid';

/** The binary form of a CID's text, as the store keeps it. Throws on text that is no CID. */
export function cidBytes(text: string): Uint8Array {
  return CID.parse(text).bytes;
}

/** The base32 text of a binary CID. */
export function cidText(bytes: Uint8Array): string {
  return CID.decode(bytes).toString();
}

/** Whether text is a CIDv1 in base32, the only form that this node writes. */
export function isCid(text: string): boolean {
  try {
    return CID.parse(text).toString() === text;
  } catch {
    return false;
  }
}
