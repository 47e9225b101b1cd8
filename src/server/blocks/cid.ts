import { CID } from 'multiformats/cid';
import { base32Bytes, base32Text } from './base32.ts';
import { codecOf } from './car-format.ts';

/** How long the text is of a CIDv1 with SHA-256 in base32. */
const textLength = 59;

/** The binary form of a CID's text, as the store keeps it. Throws on text that is no CID. */
export function cidBytes(text: string): Uint8Array {
  const bytes = text.length === textLength && text[0] === 'b' ? base32Bytes(text, 1) : null;
  return bytes && codecOf(bytes) !== null ? bytes : CID.parse(text).bytes;
}

/** The base32 text of a binary CID. */
export function cidText(bytes: Uint8Array): string {
  return codecOf(bytes) !== null ? `b${base32Text(bytes)}` : CID.decode(bytes).toString();
}

/** The text of the CIDv1 with a codec (one byte) and a SHA-256. */
export function digestCid(codec: number, digest: Uint8Array): string {
  const bytes = new Uint8Array(36);
  bytes.set([1, codec, 0x12, 32]);
  bytes.set(digest, 4);
  return `b${base32Text(bytes)}`;
}

/** Whether text is a CIDv1 in base32, the only form that this node writes. */
export function isCid(text: string): boolean {
  try {
    return CID.parse(text).toString() === text;
  } catch {
    return false;
  }
}

/** Whether text is the CID of file content as this node writes it: CIDv1, raw, sha2-256, base32. */
export function isContentCid(text: string): boolean {
  return /^bafkrei[a-z2-7]{52}$/.test(text) && isCid(text);
}
