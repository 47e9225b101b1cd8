import { hash } from 'node:crypto';
import * as dagCbor from '@ipld/dag-cbor';
import { CID } from 'multiformats/cid';
import { Pace, turn } from '../loop/pace.ts';
import type { Network } from '../model/ids.ts';
import { type ArchiveEntry, writeEntry } from './archive-entry.ts';
import { itemHead } from './cbor-items.ts';
import { CborWriter } from './cbor-writer.ts';
import { cidBytes } from './cid.ts';
import { type Block, blockCid } from './encode.ts';

/**
 * The tree of an archive (decisions.md, CAR). Every block is dag-cbor:
 *
 *     root   {schema, network, history, scope, entities, shards: [{first, shard}]}
 *     shard  {entries: [{id, tip, ver, content, start?}]}
 *     delta  {schema, root, since, shards, last}
 *
 * Nothing in root and shards differs between equal states. An incremental archive is a CAR with a second root, the delta
 * block: so the root's identity stays that of the full state, and yet what the file leaves out is hashed too.
 */
export const archiveSchema = 'archeion/archive@v1';
export const deltaSchema = 'archeion/delta@v1';

/** `all`: every version of each entity; `tip`: the newest alone. */
export type History = 'all' | 'tip';
/** What was chosen for the archive. */
export type Scope =
  | { kind: 'all' }
  | { kind: 'collection'; id: string }
  | { kind: 'entity'; id: string }
  /** These entities. The root says no more than that: the shards name them. */
  | { kind: 'selection'; ids: string[] };

export interface ArchiveHead {
  network: Network;
  history: History;
  scope: Scope;
}

export interface ShardLink {
  /** The id of the shard's first entry. */
  first: string;
  cid: string;
}

export interface ArchiveRoot extends ArchiveHead {
  /** How many entities the shards hold together. */
  entities: number;
  shards: ShardLink[];
}

export interface ArchiveDelta {
  root: string;
  /** The root of the earlier archive, whose blocks this one leaves out. */
  since: string;
  /** The shards that are in this file. */
  shards: string[];
  /** The tip of the last changed entity, which ends the file; null where none changed. */
  last: string | null;
}

export interface Shard extends ShardLink {
  bytes: Uint8Array;
  entries: ArchiveEntry[];
}

export const maxShardEntries = 4096;
/** Links to content in one shard; an entry that would go beyond begins the next one. It keeps a shard under 8 MB. */
export const maxShardContent = 100_000;

/** Whether a shard ends after an id: its SHA-256 begins with nine zero bits. */
export function endsShard(id: string): boolean {
  const digest = hash('sha256', id, 'buffer');
  return digest[0] === 0 && (digest[1] as number) < 0x80;
}

/**
 * Cuts entries, which come in id order, into shards. Where a shard ends depends on the ids around it alone, so that a
 * small change touches one shard. Holds one shard at a time. Throws where ids do not ascend or a CID is none.
 */
export async function* shardsOf(
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): AsyncGenerator<Shard, void, undefined> {
  const pace = new Pace();
  const cutter = new Cutter();
  // What comes at once is not awaited one by one.
  if (Symbol.iterator in entries)
    for (const entry of entries) {
      yield* cutter.add(entry);
      if (pace.step(0)) await turn();
    }
  else
    for await (const entry of entries) {
      yield* cutter.add(entry);
      if (pace.step(0)) await turn();
    }
  yield* cutter.end();
}

class Cutter {
  #shard = new OpenShard();
  #before = '';

  /** Takes an entry in and gives the shards that end with it. */
  *add(entry: ArchiveEntry): Generator<Shard, void, undefined> {
    if (entry.id <= this.#before)
      throw new RangeError(`entries must come in id order: ${entry.id} after ${this.#before}`);
    this.#before = entry.id;
    if (this.#shard.links + entry.content.length > maxShardContent) yield* this.end();
    this.#shard.add(entry);
    if (this.#shard.entries.length === maxShardEntries || endsShard(entry.id)) yield* this.end();
  }

  *end(): Generator<Shard, void, undefined> {
    if (this.#shard.entries.length === 0) return;
    const shard = this.#shard.close();
    this.#shard = new OpenShard();
    yield shard;
  }
}

/** A shard that is being filled; each entry is encoded when it comes, so that closing is only joining. */
class OpenShard {
  readonly entries: ArchiveEntry[] = [];
  links = 0;
  readonly #items = new CborWriter();

  add(entry: ArchiveEntry): void {
    if (entry.content.length > maxShardContent) throw new RangeError(`${entry.id} has too many blocks of content`);
    writeEntry(this.#items, entry);
    this.entries.push(entry);
    this.links += entry.content.length;
  }

  close(): Shard {
    const head = [itemHead(5, 1), dagCbor.encode('entries'), itemHead(4, this.entries.length)];
    const bytes = Buffer.concat([...head, this.#items.bytes()]);
    const [first] = this.entries as [ArchiveEntry, ...ArchiveEntry[]];
    return { first: first.id, cid: blockCid(bytes), bytes, entries: this.entries };
  }
}

/** The block of an archive's root. */
export function encodeRoot(root: ArchiveRoot): Block {
  const { network, history, entities } = root;
  const scope = root.scope.kind === 'selection' ? { kind: root.scope.kind } : root.scope;
  const shards = root.shards.map(({ first, cid }) => ({ first, shard: link(cid) }));
  return block({ schema: archiveSchema, network, history, scope, entities, shards });
}

/** The block of an incremental archive's second root. */
export function encodeDelta(delta: ArchiveDelta): Block {
  return block({
    schema: deltaSchema,
    root: link(delta.root),
    since: link(delta.since),
    shards: delta.shards.map((cid) => link(cid)),
    last: delta.last === null ? null : link(delta.last),
  });
}

function link(cid: string): CID {
  return CID.decode(cidBytes(cid));
}

function block(value: unknown): Block {
  const bytes = dagCbor.encode(value);
  return { cid: blockCid(bytes), bytes };
}

/** The root of a state without writing it: two nodes compare this, then `shards`, and so find what differs. */
export async function rootOf(
  head: ArchiveHead,
  entries: Iterable<ArchiveEntry> | AsyncIterable<ArchiveEntry>,
): Promise<{ cid: string; root: ArchiveRoot }> {
  const root: ArchiveRoot = { ...head, entities: 0, shards: [] };
  for await (const { first, cid, entries: held } of shardsOf(entries)) {
    root.shards.push({ first, cid });
    root.entities += held.length;
  }
  return { cid: encodeRoot(root).cid, root };
}
