/** CIDv1, raw, SHA-256 of 32 bytes (interface.md, Terms). */
const prefix = [0x01, 0x55, 0x12, 0x20];
const digits = 'abcdefghijklmnopqrstuvwxyz234567';

/** The CID that the node gives a file's bytes. All of them are in memory meanwhile. */
export async function cidOf(file: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return `b${base32([...prefix, ...new Uint8Array(digest)])}`;
}

/** Base32 of RFC 4648 in small letters, without padding. */
function base32(bytes: readonly number[]): string {
  let text = '';
  let [rest, count] = [0, 0];
  for (const byte of bytes) {
    rest = (rest << 8) | byte;
    for (count += 8; count >= 5; count -= 5) text += digits[(rest >> (count - 5)) & 31];
    rest &= (1 << count) - 1;
  }
  return count === 0 ? text : text + digits[(rest << (5 - count)) & 31];
}
