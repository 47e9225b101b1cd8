const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';
const values = new Int8Array(128).fill(-1);
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i;
const codes = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));

/** Lower-case base32 without padding (RFC 4648), as in the text of CIDs: the library's is ten times slower, and each block has one. */
export function base32Text(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let held = 0;
  let bits = 0;
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    held = ((held << 8) | (bytes[i] as number)) & 0xffff;
    for (bits += 8; bits >= 5; bits -= 5) text[length++] = codes[(held >> (bits - 5)) & 31] as number;
  }
  if (bits > 0) text[length] = codes[(held << (5 - bits)) & 31] as number;
  return text.toString('latin1');
}

/** The bytes that a base32 text stands for, from its letter `from` on; null where it is not the text of any. */
export function base32Bytes(text: string, from: number): Uint8Array | null {
  const bytes = new Uint8Array(Math.floor(((text.length - from) * 5) / 8));
  let held = 0;
  let bits = 0;
  let length = 0;
  for (let i = from; i < text.length; i++) {
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) return null;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[length++] = held >> bits;
  }
  return bits >= 5 || (held & ((1 << bits) - 1)) !== 0 ? null : bytes;
}
