import * as dagCbor from '@ipld/dag-cbor';
import type { ArchiveEntry } from './archive-tree.ts';
import { itemHead } from './cbor-items.ts';
import { cidBytes } from './cid.ts';

const [idName, tipName, verName, startName, contentName] = ['id', 'tip', 'ver', 'start', 'content'].map((name) =>
  dagCbor.encode(name),
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];

/**
 * An entry of a shard as dag-cbor: the same bytes as the library gives for `{id, tip, ver, start?, content}`, whose
 * members stand here in that order. Every entry of a network is encoded twice in an export, so it is done by hand.
 */
export function encodeEntry({ id, tip, ver, content, start, link }: ArchiveEntry): Uint8Array {
  const parts = [
    itemHead(5, start === undefined ? 4 : 5),
    idName,
    dagCbor.encode(id),
    tipName,
    ...linkParts(link ?? cidBytes(tip)),
    verName,
    dagCbor.encode(ver),
  ];
  if (start !== undefined) parts.push(startName, ...linkParts(cidBytes(start)));
  parts.push(contentName, itemHead(4, content.length));
  for (const cid of content) parts.push(...linkParts(cidBytes(cid)));
  return Buffer.concat(parts);
}

/** Tag 42 around the binary CID behind a zero byte (the dag-cbor specification, Links). */
function linkParts(cid: Uint8Array): [Uint8Array, Uint8Array, Uint8Array, Uint8Array] {
  return [linkTag, itemHead(2, cid.length + 1), zero, cid];
}

const linkTag = Uint8Array.of(0xd8, 42);
const zero = Uint8Array.of(0);
