import { ulid } from 'ulid';

/** An entity's id of either network, as a part of a regular expression (interface.md, Entity ID format). */
export const entityIdForm = '(?:II[0-9A-HJKMNP-TV-Z]{24}|[0-9A-HJKMNP-TV-Z]{26})';

const whole = new RegExp(`^${entityIdForm}$`);

export function isEntityId(text: string): boolean {
  return whole.test(text);
}

/**
 * An id for what is about to be made: asked for again with it, after an answer that was lost, it is not made twice. As the
 * node's own: a ULID, on the test network `II` and its end.
 */
export function newEntityId(network: 'main' | 'test'): string {
  const id = ulid();
  return network === 'test' ? `II${id.slice(2)}` : id;
}
