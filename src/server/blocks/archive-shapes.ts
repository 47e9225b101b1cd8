import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import type { ArchiveEntry } from './archive-entry.ts';
import {
  type ArchiveDelta,
  type ArchiveRoot,
  archiveSchema,
  deltaSchema,
  endsShard,
  maxShardContent,
  maxShardEntries,
  type Scope,
  type ShardLink,
} from './archive-tree.ts';
import { codecOf, dagCborCode, rawCode } from './car-format.ts';
import { countItems } from './cbor-items.ts';
import { cidText } from './cid.ts';
import { DamagedArchiveError } from './damaged-archive-error.ts';

type Fields = Record<string, unknown>;

/** The archive's root in a verified block that stands at `offset`. Throws DamagedArchiveError where it is none. */
export function decodeRoot(bytes: Uint8Array, offset: number): ArchiveRoot {
  const value = fields(decode(bytes, offset), 'The root', offset);
  const { network, history, entities } = value;
  const isRoot =
    value.schema === archiveSchema &&
    (network === 'main' || network === 'test') &&
    (history === 'all' || history === 'tip') &&
    isCount(entities) &&
    Array.isArray(value.shards);
  if (!isRoot) throw new DamagedArchiveError(`The root is not an ${archiveSchema}.`, offset);
  const shards = (value.shards as unknown[]).map((item): ShardLink => {
    const { first, shard } = fields(item, 'A shard of the root', offset);
    return { first: id(first, offset), cid: link(shard, dagCborCode, offset) };
  });
  for (let i = 1; i < shards.length; i++)
    if ((shards[i] as ShardLink).first <= (shards[i - 1] as ShardLink).first)
      throw new DamagedArchiveError('The shards of the root are not in id order.', offset);
  return { network, history, scope: readScope(value.scope, offset), entities, shards };
}

/** The second root of an incremental archive. */
export function decodeDelta(bytes: Uint8Array, offset: number): ArchiveDelta {
  const value = fields(decode(bytes, offset), 'The second root', offset);
  if (value.schema !== deltaSchema || !Array.isArray(value.shards))
    throw new DamagedArchiveError(`The second root is not an ${deltaSchema}.`, offset);
  return {
    root: link(value.root, dagCborCode, offset),
    since: link(value.since, dagCborCode, offset),
    shards: value.shards.map((cid) => link(cid, dagCborCode, offset)),
    last: value.last === null ? null : link(value.last, dagCborCode, offset),
  };
}

/**
 * The entries of a shard, whose place in the root is `links[index]`: in id order, beginning with the id that the root
 * says, and none after an id that ends a shard.
 */
export function decodeShard(bytes: Uint8Array, links: ShardLink[], index: number, offset: number): ArchiveEntry[] {
  const value = fields(decode(bytes, offset), 'A shard', offset);
  if (!Array.isArray(value.entries)) throw new DamagedArchiveError('A shard has no entries.', offset);
  const entries = value.entries.map((item) => readEntry(item, offset));
  const next = links[index + 1];
  if (!isWellCut(entries, links[index] as ShardLink, next))
    throw new DamagedArchiveError('A shard does not hold the entries that its place in the root asks for.', offset);
  return entries;
}

function isWellCut(entries: ArchiveEntry[], here: ShardLink, next: ShardLink | undefined): boolean {
  const last = entries.at(-1);
  if (!last || entries[0]?.id !== here.first || entries.length > maxShardEntries) return false;
  if (next && next.first <= last.id) return false;
  let links = last.content.length;
  for (let i = 0; i + 1 < entries.length; i++) {
    const entry = entries[i] as ArchiveEntry;
    if (entry.id >= (entries[i + 1] as ArchiveEntry).id || endsShard(entry.id)) return false;
    links += entry.content.length;
  }
  return links <= maxShardContent;
}

function readEntry(item: unknown, offset: number): ArchiveEntry {
  const { ver, content, ...value } = fields(item, 'An entry', offset);
  if (!isCount(ver) || !Array.isArray(content))
    throw new DamagedArchiveError('An entry has no version or no list of content.', offset);
  const entry: ArchiveEntry = {
    id: id(value.id, offset),
    tip: link(value.tip, dagCborCode, offset),
    ver,
    content: content.map((cid) => link(cid, rawCode, offset)),
  };
  return value.start === undefined ? entry : { ...entry, start: link(value.start, dagCborCode, offset) };
}

function readScope(value: unknown, offset: number): Scope {
  const scope = fields(value, 'The scope of the root', offset);
  if (scope.kind === 'all') return { kind: 'all' };
  if (scope.kind === 'selection') return { kind: 'selection', ids: [] };
  if (scope.kind === 'collection' || scope.kind === 'entity') return { kind: scope.kind, id: id(scope.id, offset) };
  throw new DamagedArchiveError('The scope of the root is unknown.', offset);
}

/** Decodes an index block. One of ours has no more than an item for every four bytes, and denser ones could fill the memory. */
function decode(bytes: Uint8Array, offset: number): unknown {
  try {
    if (countItems(bytes) <= 64 + bytes.length / 4) return dagCbor.decode(bytes);
  } catch (error) {
    throw new DamagedArchiveError(`A block of the index cannot be read: ${(error as Error).message}.`, offset);
  }
  throw new DamagedArchiveError('A block of the index is none.', offset);
}

function fields(value: unknown, what: string, offset: number): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof CID))
    return value as Fields;
  throw new DamagedArchiveError(`${what} is not a map.`, offset);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Ids are only bounded here; whether one is an entity's id of this network is the importer's question. */
function id(value: unknown, offset: number): string {
  if (typeof value === 'string' && /^[!-~]{1,64}$/.test(value)) return value;
  throw new DamagedArchiveError('An id is none.', offset);
}

function link(value: unknown, codec: number, offset: number): string {
  if (value instanceof CID && codecOf(value.bytes) === codec) return cidText(value.bytes);
  throw new DamagedArchiveError('A link of the index is not the CID of such a block.', offset);
}
