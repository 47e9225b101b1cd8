import { Pace, turn } from '../loop/pace.ts';
import type { ArchiveEntry } from './archive-entry.ts';
import type { Archive } from './archive-reader.ts';
import { DamagedArchiveError } from './damaged-archive-error.ts';
import { type ManifestHead, manifestHead } from './manifest-head.ts';

/** Whether the receiver has a block (a version or content) already. */
export type Known = (cid: string) => boolean | Promise<boolean>;

/** What an archive brings of one entity. */
export interface Chain {
  entry: ArchiveEntry;
  /** The versions that the receiver lacks, oldest first; the last is the entry's tip. Empty where it has the tip. */
  versions: string[];
  /** The version that the first of these follows (of an empty chain: the tip); null where the first is version 1. */
  base: string | null;
  /** Whether the receiver has `base`. Where it has not, the history starts with the first of `versions`. */
  baseKnown: boolean;
  /** The content that the archive brings. */
  content: string[];
}

/**
 * Every entity of an archive in id order, its chain walked from the tip back through `prev` to a version that the
 * receiver knows, or to version 1. Throws DamagedArchiveError where a block that must be there is neither in the file
 * nor known (an incremental archive without the earlier one is no damaged one), where a manifest is of another id or out of order, and where a file was cut off.
 */
export async function* walkArchive(
  archive: Archive,
  known: Known = () => false,
): AsyncGenerator<Chain, void, undefined> {
  const { delta } = archive;
  const shards = new Set(archive.root.shards.map(({ cid }) => cid));
  for (const cid of delta?.shards ?? [])
    if (!shards.has(cid)) throw new DamagedArchiveError('Its two roots do not belong together.', 0);
  if (delta?.last && !archive.has(delta.last))
    throw new DamagedArchiveError('The file ends before its last version.', archive.offset);
  const pace = new Pace();
  let entities = 0;
  for await (const { offset, entries } of archive.shards())
    for (const entry of entries) {
      entities++;
      const chain = await chainOf(archive, entry, offset, known);
      yield { ...chain, content: await contentOf(archive, entry, offset, known) };
      if (pace.step(0)) await turn();
    }
  if (delta ? entities > archive.root.entities : entities !== archive.root.entities)
    throw new DamagedArchiveError('The root counts other entities than its shards hold.', archive.offset);
}

async function chainOf(
  archive: Archive,
  entry: ArchiveEntry,
  at: number,
  known: Known,
): Promise<Omit<Chain, 'content'>> {
  const versions: string[] = [];
  let cid: string | null = entry.tip;
  let next: Pick<ManifestHead, 'ver'> = { ver: entry.ver + 1 };
  let from = at;
  while (cid !== null) {
    if (await known(cid)) return { entry, versions: versions.reverse(), base: cid, baseKnown: true };
    const block = await archive.block(cid);
    if (!block) {
      if (!mayStart(archive, entry, versions)) throw missing(archive, `Version ${cid} of ${entry.id}`, from);
      break;
    }
    from = block.offset;
    const head = readHead(cid, block.bytes, from);
    if (head.id !== entry.id) throw new DamagedArchiveError(`Version ${cid} of ${entry.id} is of another id.`, from);
    if (versions.length === 0 ? head.ver !== entry.ver : head.ver >= next.ver)
      throw new DamagedArchiveError(`Version ${cid} of ${entry.id} does not have the number of its place.`, from);
    versions.push(cid);
    next = head;
    cid = head.prev;
  }
  return { entry, versions: versions.reverse(), base: cid, baseKnown: false };
}

/** Of an incremental archive, what the earlier one has. */
function missing({ delta }: Archive, what: string, at: number): DamagedArchiveError {
  if (!delta) return new DamagedArchiveError(`${what} is missing.`, at);
  const reason = `It holds only what came after an earlier archive (root ${delta.since}): import that one first.`;
  return new DamagedArchiveError(reason, at, true);
}

/** Whether a history may begin with the oldest version found: in an archive of tips, and where the entry says so. */
function mayStart(archive: Archive, entry: ArchiveEntry, versions: string[]): boolean {
  const oldest = versions.at(-1);
  return oldest !== undefined && (archive.root.history === 'tip' || entry.start === oldest);
}

function readHead(cid: string, bytes: Uint8Array, at: number): ManifestHead {
  try {
    return manifestHead(bytes);
  } catch (error) {
    throw new DamagedArchiveError(`Version ${cid} cannot be read: ${(error as Error).message}.`, at);
  }
}

async function contentOf(archive: Archive, entry: ArchiveEntry, at: number, known: Known): Promise<string[]> {
  const brought: string[] = [];
  for (const cid of entry.content) {
    if (archive.has(cid)) brought.push(cid);
    else if (!(await known(cid))) throw missing(archive, `Content ${cid} of ${entry.id}`, at);
  }
  return brought;
}
