const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * An id for what is about to be made: asked for again with it, after an answer that was lost, it is not made twice. As the
 * node's own: a ULID, on the test network `II` and its end.
 */
export function newEntityId(network: 'main' | 'test'): string {
  let text = '';
  for (let rest = Date.now(); text.length < 10; rest = Math.floor(rest / 32)) text = digits[rest % 32] + text;
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) text += digits[byte % 32];
  return network === 'test' ? `II${text.slice(2)}` : text;
}
