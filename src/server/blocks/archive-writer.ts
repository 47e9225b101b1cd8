import { CID } from 'multiformats/cid';
import { StorageError, ValidationError } from '../errors.ts';
import { Pace, turn } from '../loop/pace.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import {
  type ArchiveDelta,
  type ArchiveHead,
  type ArchiveRoot,
  encodeDelta,
  encodeRoot,
  type Shard,
  shardsOf,
} from './archive-tree.ts';
import { CarBuffer } from './car-buffer.ts';
import { codecOf, dagCborCode, digestOf, maxNodeBytes, rawCode } from './car-format.ts';
import { type ContentBytes, checkedContent } from './checked-content.ts';
import { cidBytes, cidText } from './cid.ts';
import { DigestTable } from './digest-table.ts';
import { sha256 } from './sha256.ts';
import { excessOf } from './version-size.ts';

type Stream<T> = Iterable<T> | AsyncIterable<T>;

/** A version with its CID in binary. */
export interface ArchiveBlock {
  cid: Uint8Array;
  bytes: Uint8Array;
}

/** Where an export takes its blocks from. What it answers must not change while the export runs. */
export interface ArchiveSource {
  head: ArchiveHead;
  /** Every entity in id order; asked twice, since a CAR names its root first. */
  entries(): Stream<ArchiveEntry>;
  /**
   * History `all`: the chain of the entry's tip, oldest first, and of it only what comes after `after` where that is on
   * the chain. History `tip`: the tip's block.
   */
  versions(entry: ArchiveEntry, after: string | null): Stream<ArchiveBlock>;
  /** The bytes of a block that an entry's `content` names. */
  content(cid: string): ContentBytes | Promise<ContentBytes>;
}

/** An archive that the receiver has already: what its root reaches is left out. An opened Archive is one. */
export interface EarlierArchive {
  cid: string;
  root: ArchiveRoot;
  /** Its entries in id order, as far as they are known; asked twice or more. */
  entries(): AsyncIterable<ArchiveEntry>;
}

interface Change {
  entry: ArchiveEntry;
  before: ArchiveEntry | undefined;
}

/**
 * Writes an archive as a CAR of version 1, in chunks of 256 kB: root, then each shard followed by its entities, each of
 * them content first and then versions, so that its tip comes last and a file that was cut off always lacks one that the
 * index names. Holds one shard and one block at a time. Throws StorageError where a block of the source is not its CID's,
 * ValidationError where `since` cannot serve.
 */
export async function* exportArchive(
  source: ArchiveSource,
  since?: EarlierArchive,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (since && (since.root.network !== source.head.network || since.root.history !== source.head.history))
    throw ValidationError.at(['since'], 'is an archive of another network or of another history');
  const plan = await planOf(source, since);
  const root = encodeRoot(plan.root);
  const delta = since && encodeDelta({ root: root.cid, since: since.cid, shards: plan.shards, last: plan.last });
  const heads = delta ? [root, delta] : [root];
  const writer = new Writer(source, await contentOf(since));
  writer.buffer.header(heads.map(({ cid }) => CID.parse(cid)));
  for (const { cid, bytes } of heads) writer.node(cidBytes(cid), bytes);
  let index = 0;
  for await (const { shard, changes } of steps(source, since)) {
    if (plan.root.shards[index++]?.cid !== shard.cid) throw new StorageError('The entries changed during the export.');
    if (changes) {
      writer.node(cidBytes(shard.cid), shard.bytes);
      for (const change of changes) {
        const rest = writer.entity(change);
        if (rest) yield* rest;
        yield* writer.chunks();
        if (writer.isTime()) await turn();
      }
    }
    yield* writer.chunks();
  }
  if (index !== plan.root.shards.length) throw new StorageError('The entries changed during the export.');
  yield writer.buffer.rest();
}

/** The first pass: the root, and for an incremental archive what the file will hold. */
async function planOf(
  source: ArchiveSource,
  since: EarlierArchive | undefined,
): Promise<{ root: ArchiveRoot } & Pick<ArchiveDelta, 'shards' | 'last'>> {
  const root: ArchiveRoot = { ...source.head, entities: 0, shards: [] };
  const written: string[] = [];
  let last: string | null = null;
  for await (const { shard, changes } of steps(source, since)) {
    root.shards.push({ first: shard.first, cid: shard.cid });
    root.entities += shard.entries.length;
    if (changes) written.push(shard.cid);
    last = changes?.at(-1)?.entry.tip ?? last;
  }
  return { root, shards: written, last };
}

/** Each shard with what changed in it; no changes at all where the earlier archive has the shard. */
async function* steps(
  source: ArchiveSource,
  since: EarlierArchive | undefined,
): AsyncGenerator<{ shard: Shard; changes: Change[] | undefined }, void, undefined> {
  const known = new Set(since?.root.shards.map(({ cid }) => cid));
  const earlier = new EarlierEntries(since);
  try {
    for await (const shard of shardsOf(source.entries())) {
      if (known.has(shard.cid)) {
        yield { shard, changes: undefined };
        continue;
      }
      const changes: Change[] = [];
      for (const entry of shard.entries) {
        const before = await earlier.find(entry.id);
        if (!before || !isSame(entry, before)) changes.push({ entry, before });
      }
      yield { shard, changes };
    }
  } finally {
    await earlier.close();
  }
}

function isSame(a: ArchiveEntry, b: ArchiveEntry): boolean {
  const sameContent = a.content.length === b.content.length && a.content.every((cid, i) => cid === b.content[i]);
  return a.tip === b.tip && a.ver === b.ver && a.start === b.start && sameContent;
}

/** The earlier archive's entries, walked beside the new ones. */
class EarlierEntries {
  private readonly source: AsyncIterator<ArchiveEntry> | undefined;
  private current: ArchiveEntry | undefined;
  private begun = false;

  constructor(since: EarlierArchive | undefined) {
    this.source = since?.entries()[Symbol.asyncIterator]();
  }

  async find(id: string): Promise<ArchiveEntry | undefined> {
    while (this.source && (!this.begun || (this.current && this.current.id < id))) {
      this.begun = true;
      const next = await this.source.next();
      this.current = next.done ? undefined : next.value;
    }
    return this.current?.id === id ? this.current : undefined;
  }

  async close(): Promise<void> {
    await this.source?.return?.();
  }
}

/** The content that the earlier archive reaches. */
async function contentOf(since: EarlierArchive | undefined): Promise<DigestTable> {
  const table = new DigestTable();
  if (since)
    for await (const { content } of since.entries())
      for (const cid of content) table.add(digestOf(cidBytes(cid)), 0, 0);
  return table;
}

function refused(cid: Uint8Array, why: string): StorageError {
  return new StorageError(`Block ${cidText(cid)} ${why}.`);
}

/** A version from before such versions were refused. */
function tooLarge(cid: Uint8Array, id: string, excess: string): StorageError {
  return new StorageError(
    `Version ${cidText(cid)} of ${id} ${excess}. Make a smaller version of it, or delete it, and export with the history "tip", which leaves earlier versions out; lines (ndjson) and a backup hold them all.`,
  );
}

class Writer {
  readonly buffer = new CarBuffer();
  private readonly source: ArchiveSource;
  /** Content that is in this file or in the earlier one; each is written once. */
  private readonly reached: DigestTable;
  private readonly pace = new Pace();
  private due = false;

  constructor(source: ArchiveSource, reached: DigestTable) {
    this.source = source;
    this.reached = reached;
  }

  node(cid: Uint8Array, bytes: Uint8Array): void {
    if (codecOf(cid) !== dagCborCode) throw refused(cid, 'is of a kind that no archive holds');
    if (!sha256(bytes).equals(digestOf(cid))) throw refused(cid, 'is stored with other bytes');
    if (bytes.length > maxNodeBytes) throw refused(cid, 'is larger than an archive may hold');
    this.buffer.block(cid, bytes);
  }

  *chunks(): Generator<Uint8Array, void, undefined> {
    for (let chunk = this.buffer.chunk(); chunk; chunk = this.buffer.chunk()) yield chunk;
  }

  /** Writes an entity where all of it is at hand, else gives what writes it while it comes. */
  entity({ entry, before }: Change): AsyncGenerator<Uint8Array, void, undefined> | null {
    // An earlier history that began elsewhere lacks versions of this one; so does one that ends in the same tip already.
    const continues = before && before.start === entry.start && before.tip !== entry.tip;
    const blocks = this.source.versions(entry, continues ? before.tip : null);
    if (entry.content.length > 0 || !(Symbol.iterator in blocks)) return this.streamed(entry, blocks);
    let last: ArchiveBlock | undefined;
    for (const block of blocks) last = this.version(block, entry);
    this.checkTip(entry, last);
    return null;
  }

  /** Whether the event loop should have a turn. */
  isTime(): boolean {
    const { due } = this;
    this.due = false;
    return due;
  }

  private version(block: ArchiveBlock, { id }: ArchiveEntry): ArchiveBlock {
    const excess = excessOf(block.bytes);
    if (excess !== null) throw tooLarge(block.cid, id, excess);
    this.node(block.cid, block.bytes);
    if (this.pace.step(block.bytes.length)) this.due = true;
    return block;
  }

  private checkTip(entry: ArchiveEntry, last: ArchiveBlock | undefined): void {
    if (!last || Buffer.compare(last.cid, entry.link ?? cidBytes(entry.tip)) !== 0)
      throw new StorageError(`The versions of ${entry.id} do not end with its tip.`);
  }

  private async *streamed(
    entry: ArchiveEntry,
    blocks: Stream<ArchiveBlock>,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    for (const cid of entry.content) yield* this.content(cid);
    let last: ArchiveBlock | undefined;
    for await (const block of blocks) {
      last = this.version(block, entry);
      yield* this.chunks();
      if (this.isTime()) await turn();
    }
    this.checkTip(entry, last);
  }

  private async *content(cid: string): AsyncGenerator<Uint8Array, void, undefined> {
    const link = cidBytes(cid);
    if (codecOf(link) !== rawCode) throw new StorageError(`Content ${cid} is of a kind that no archive holds.`);
    if (!this.reached.add(digestOf(link), 0, 0)) return;
    const content = await this.source.content(cid);
    this.buffer.begin(link, content.size);
    for await (const chunk of checkedContent(cid, content)) {
      this.buffer.add(chunk);
      if (this.pace.step(chunk.length)) await turn();
      yield* this.chunks();
    }
  }
}
