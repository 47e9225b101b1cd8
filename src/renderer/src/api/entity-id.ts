import { ulid } from 'ulid';

/**
 * An id for what is about to be made: asked for again with it, after an answer that was lost, it is not made twice. As the
 * node's own: a ULID, on the test network `II` and its end.
 */
export function newEntityId(network: 'main' | 'test'): string {
  const id = ulid();
  return network === 'test' ? `II${id.slice(2)}` : id;
}
