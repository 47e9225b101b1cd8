import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { itemHead } from './cbor-items.ts';

/**
 * dag-cbor of a value in which a plain map looks like a link to the encoder: one whose `/` equals its `bytes`, which it
 * takes for a CID of another library and cannot encode. Slower, so only for values that it refused. The same bytes as
 * `dagCbor.encode` gives for every other value.
 */
export function encodePlain(value: unknown): Uint8Array {
  if (Array.isArray(value)) return Buffer.concat([itemHead(4, value.length), ...value.map(encodePlain)]);
  if (typeof value !== 'object' || value === null || value instanceof CID || value instanceof Uint8Array)
    return dagCbor.encode(value);
  const members = Object.entries(value).map(([name, member]) => [dagCbor.encode(name), encodePlain(member)] as const);
  members.sort(([a], [b]) => a.length - b.length || Buffer.compare(a, b));
  return Buffer.concat([itemHead(5, members.length), ...members.flat()]);
}
