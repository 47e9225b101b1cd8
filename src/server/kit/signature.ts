import { isSigned } from '../model/node-key.ts';

/** Signatures are good for 5 minutes, and for clocks that are a minute apart (processors.md, 2.2). */
const maxAgeSeconds = 300;
const maxAheadSeconds = 60;

/** Said of a signature by another key, or of other bytes. */
export const mismatch = 'The signature does not match.';

/**
 * What is wrong with the signature of a request, or null where it is the node's.
 * @param header the text of `X-Arke-Signature`: `t=<unix seconds>,v1=<base64 of 64 bytes>`
 * @param body the bytes as they came, before anything is parsed
 * @param publicKey the 32 bytes of the node's Ed25519 key
 * @param now epoch milliseconds
 */
export function signatureIssue(
  header: string | undefined,
  body: Uint8Array,
  publicKey: Uint8Array,
  now: number,
): string | null {
  if (header === undefined || header === '') return 'The request is not signed.';
  const parts = new Map(header.split(',').map((part) => split(part.trim())));
  const t = parts.get('t') ?? '';
  const v1 = parts.get('v1') ?? '';
  if (!/^\d{1,12}$/.test(t) || !/^[A-Za-z0-9+/]{86}==$/.test(v1)) return 'The signature has an unknown form.';
  const age = Math.floor(now / 1000) - Number(t);
  if (age > maxAgeSeconds) return 'The signature is too old.';
  if (age < -maxAheadSeconds) return 'The signature is from the future: compare the clocks.';
  const signed = Buffer.concat([Buffer.from(`${t}.`), body]);
  return isSigned(publicKey, signed, Buffer.from(v1, 'base64')) ? null : mismatch;
}

function split(part: string): [string, string] {
  const at = part.indexOf('=');
  return at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
}
