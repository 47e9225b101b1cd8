import { createHash } from 'node:crypto';

export type Network = 'main' | 'test';
export const networks: readonly Network[] = ['main', 'test'];

/** interface.md, Entity ID format. */
export const entityIdPattern = /^(?:II[0-9A-HJKMNP-TV-Z]{24}|[FC][0-9A-HJKMNP-TV-Z]{25}|[0-9A-HJKMNP-TV-Z]{26})$/;

export function isEntityId(text: string): boolean {
  return entityIdPattern.test(text);
}

/** The network that an id belongs to: test ids begin with `II` (interface.md, Authentication 5). */
export function networkOf(id: string): Network {
  return id.startsWith('II') ? 'test' : 'main';
}

/** A main-network id as it stands on `network`: on test, `II` and its last 24 characters (wire-contract.md 1.4). */
export function idOn(network: Network, mainId: string): string {
  return network === 'test' ? `II${mainId.slice(2)}` : mainId;
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * An id that the same parts always give (registered users, imported records): the first 128 bits of the SHA-256 of
 * the parts, each preceded by its length, in Crockford base32.
 */
export function derivedId(network: Network, ...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:${part}`);
  let bits = BigInt(`0x${hash.digest('hex').slice(0, 32)}`);
  let text = '';
  for (let i = 0; i < 26; i++) {
    text = crockford[Number(bits & 31n)] + text;
    bits >>= 5n;
  }
  return idOn(network, text);
}
