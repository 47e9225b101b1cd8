import * as dagCbor from '@ipld/dag-cbor';
import type { CborWriter } from './cbor-writer.ts';
import { cidBytes } from './cid.ts';

/** One entity of an archive. CIDs are text. */
export interface ArchiveEntry {
  id: string;
  tip: string;
  ver: number;
  /** The raw blocks of file bytes that come with it, at most 100,000. */
  content: string[];
  /** Where the node that exports does not have the history back to version 1: its oldest version. */
  start?: string;
  /** `tip` in binary, where it is at hand: it spares the way through its text. */
  link?: Uint8Array;
}

const [idName, tipName, verName, startName, contentName] = ['id', 'tip', 'ver', 'start', 'content'].map((name) =>
  dagCbor.encode(name),
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];

/**
 * Writes an entry of a shard as dag-cbor: the same bytes as the library gives for `{id, tip, ver, start?, content}`, whose
 * members stand here in that order. Every entry of a network is encoded twice in an export, so it is done by hand.
 */
export function writeEntry(writer: CborWriter, entry: ArchiveEntry): void {
  const { id, ver, content, start, link } = entry;
  writer.head(5, start === undefined ? 4 : 5);
  writer.raw(idName);
  writer.text(id);
  writer.raw(tipName);
  // The text of the tip is made only when somebody asks for it.
  writer.link(link ?? cidBytes(entry.tip));
  writer.raw(verName);
  writer.number(ver);
  if (start !== undefined) {
    writer.raw(startName);
    writer.link(cidBytes(start));
  }
  writer.raw(contentName);
  writer.head(4, content.length);
  for (const cid of content) writer.link(cidBytes(cid));
}
