import type { FileHandle } from 'node:fs/promises';
import { Pace, turn } from '../loop/pace.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import { decodeDelta, decodeRoot, decodeShard } from './archive-shapes.ts';
import type { ArchiveDelta, ArchiveRoot } from './archive-tree.ts';
import { codecOf, dagCborCode, digestOf, rawCode } from './car-format.ts';
import { readCar } from './car-reader.ts';
import { cidBytes } from './cid.ts';
import { DamagedArchiveError } from './damaged-archive-error.ts';
import { DigestTable } from './digest-table.ts';
import type { Block } from './encode.ts';
import { sha256 } from './sha256.ts';
import { SpooledFile } from './spooled-file.ts';

/** What an archive's file holds, counted. */
export interface ArchiveCounts {
  nodes: number;
  contents: number;
  bytes: number;
}

/**
 * Reads a spooled archive once from its first byte to its last, verifies every block, and answers it opened. The file
 * must not change and the handle must stay open as long as the archive is used; closing it is the caller's part.
 * Memory: about 85 bytes a block. Throws DamagedArchiveError where the file is not a sound archive; that every entity is
 * whole is walkArchive's question.
 */
export async function openArchive(file: FileHandle): Promise<Archive> {
  const spooled = new SpooledFile(file);
  const nodes = new DigestTable();
  const contents = new DigestTable();
  const { roots, blocks } = await readCar(spooled.all());
  let bytes = 0;
  for await (const { kind, cid, offset, length } of blocks) {
    (kind === 'node' ? nodes : contents).add(digestOf(cid.bytes), offset, length);
    bytes += length;
  }
  const cids = roots.map((root) => root.toString());
  const store = new BlockFile(spooled, nodes, contents);
  const [rootCid, deltaCid] = cids;
  if (rootCid === undefined || cids.length > 2) throw new DamagedArchiveError('It does not have one or two roots.', 0);
  const rootBlock = await store.need(rootCid, 0);
  const root = decodeRoot(rootBlock.bytes, rootBlock.offset);
  let delta: ArchiveDelta | null = null;
  if (deltaCid !== undefined) {
    const block = await store.need(deltaCid, 0);
    delta = decodeDelta(block.bytes, block.offset);
    if (delta.root !== rootCid) throw new DamagedArchiveError('Its two roots do not belong together.', 0);
  }
  const counts = { nodes: nodes.size, contents: contents.size, bytes };
  return new Archive(store, { cid: rootCid, offset: rootBlock.offset, root, delta, counts });
}

/** A block of a file; its bytes begin at `offset`. */
export interface PlacedBlock extends Block {
  offset: number;
}

/** The blocks of a verified file, by CID. */
class BlockFile {
  private readonly file: SpooledFile;
  private readonly nodes: DigestTable;
  private readonly contents: DigestTable;

  constructor(file: SpooledFile, nodes: DigestTable, contents: DigestTable) {
    this.file = file;
    this.nodes = nodes;
    this.contents = contents;
  }

  async node(text: string): Promise<PlacedBlock | null> {
    const cid = cidBytes(text);
    const place = codecOf(cid) === dagCborCode && this.nodes.get(digestOf(cid));
    if (!place) return null;
    const bytes = await this.file.at(...place);
    if (!sha256(bytes).equals(digestOf(cid)))
      throw new DamagedArchiveError(`Block ${text} is no longer what it was when the file was first read.`, place[0]);
    return { cid: text, bytes, offset: place[0] };
  }

  /** A block that another one, standing at `from`, links to. */
  async need(cid: string, from: number): Promise<PlacedBlock> {
    const block = await this.node(cid);
    if (!block) throw new DamagedArchiveError(`Block ${cid} is missing.`, from);
    return block;
  }

  has(cid: string): boolean {
    const link = cidBytes(cid);
    const codec = codecOf(link);
    return codec !== null && (codec === rawCode ? this.contents : this.nodes).has(digestOf(link));
  }

  content(cid: string): { size: number; chunks: AsyncIterable<Uint8Array> } | null {
    const link = cidBytes(cid);
    const place = codecOf(link) === rawCode && this.contents.get(digestOf(link));
    return place ? { size: place[1], chunks: this.file.range(...place) } : null;
  }
}

interface ArchiveFacts {
  cid: string;
  offset: number;
  root: ArchiveRoot;
  delta: ArchiveDelta | null;
  counts: ArchiveCounts;
}

/** An opened archive: its index, and any of its blocks by CID. Serves as `since` of a later export. */
export class Archive {
  readonly cid: string;
  /** Where the root's bytes begin. */
  readonly offset: number;
  readonly root: ArchiveRoot;
  /** Of an incremental archive, what it leaves out; null for a full one. */
  readonly delta: ArchiveDelta | null;
  readonly counts: ArchiveCounts;
  private readonly store: BlockFile;

  constructor(store: BlockFile, facts: ArchiveFacts) {
    this.store = store;
    this.cid = facts.cid;
    this.offset = facts.offset;
    this.root = facts.root;
    this.delta = facts.delta;
    this.counts = facts.counts;
  }

  /** Whether the file holds a block, dag-cbor or raw. */
  has(cid: string): boolean {
    return this.store.has(cid);
  }

  /** A dag-cbor block, verified; null where the file does not hold it. */
  block(cid: string): Promise<PlacedBlock | null> {
    return this.store.node(cid);
  }

  /** A raw block's bytes as they stand in the file (verified when it was opened); null where the file does not hold it. */
  content(cid: string): { size: number; chunks: AsyncIterable<Uint8Array> } | null {
    return this.store.content(cid);
  }

  /**
   * The shards in id order, those of the earlier state (of an incremental archive) left out. Throws DamagedArchiveError
   * where one is missing or is not what its place in the root asks for.
   */
  async *shards(): AsyncGenerator<{ offset: number; entries: ArchiveEntry[] }, void, undefined> {
    const links = this.root.shards;
    const here = this.delta && new Set(this.delta.shards);
    for (const [index, link] of links.entries()) {
      if (here && !here.has(link.cid)) continue;
      const { bytes, offset } = await this.store.need(link.cid, this.offset);
      yield { offset, entries: decodeShard(bytes, links, index, offset) };
    }
  }

  /** The entries of `shards`, in id order. */
  async *entries(): AsyncGenerator<ArchiveEntry, void, undefined> {
    const pace = new Pace();
    for await (const { entries } of this.shards())
      for (const entry of entries) {
        yield entry;
        if (pace.step(0)) await turn();
      }
  }
}
