import { hash } from 'node:crypto';

/** Whom a key acts for: a user, a service account, or a processor. */
export type KeyKind = 'user' | 'service' | 'agent' | 'klados';

/** How many leading characters of a key are stored and shown (decisions.md, Identity and authorship). */
export const keyPrefixLength = 12;
/** An Authorization header with more is refused before anything is parsed. */
const maxCredentialLength = 8192;

/** Accounts made by this node itself carry this issuer; no JWT may. */
export const localIssuer = 'archeion';

const keyPattern = /^(?:uk_[0-9a-f]{32}|ak_[0-9a-f]{64})$/;
const prefixPattern = /^.{4,12}$/su;
const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const headerPattern = /^(bearer|apikey) +([\x21-\x7e]+)$/i;

/** How many random bytes a key is made of. */
export function keyEntropy(kind: KeyKind): number {
  return kind === 'user' || kind === 'service' ? 16 : 32;
}

/** A key's text: `uk_` and 32 hex characters for users and services, `ak_` and 64 for processors (interface.md, Authentication). */
export function formatKey(kind: KeyKind, random: Uint8Array): string {
  const scheme = kind === 'user' || kind === 'service' ? 'uk_' : 'ak_';
  return scheme + Buffer.from(random).toString('hex');
}

export function isApiKey(text: string): boolean {
  return keyPattern.test(text);
}

/** Whether text may name a key to revoke: 4 to 12 characters. */
export function isKeyPrefix(text: string): boolean {
  return prefixPattern.test(text);
}

/** What is stored of a key, in hexadecimal. */
export function keyDigest(key: string): string {
  return hash('sha256', key, 'hex');
}

export type Presented = { scheme: 'none' } | { scheme: 'key' | 'jwt'; text: string } | { scheme: 'invalid' };

/**
 * What an Authorization header presents. An API key under Bearer, a scheme other than ApiKey and Bearer, and an
 * empty or oversized header are invalid; only a missing header is none.
 */
export function presented(authorization: string | undefined): Presented {
  if (authorization === undefined) return { scheme: 'none' };
  if (authorization.length > maxCredentialLength) return { scheme: 'invalid' };
  const match = headerPattern.exec(authorization);
  const text = match?.[2];
  if (match === null || text === undefined) return { scheme: 'invalid' };
  if (match[1]?.toLowerCase() === 'apikey') return isApiKey(text) ? { scheme: 'key', text } : { scheme: 'invalid' };
  return jwtPattern.test(text) ? { scheme: 'jwt', text } : { scheme: 'invalid' };
}
