import { open } from 'node:fs/promises';
import { type Archive, openArchive } from '../../blocks/archive-reader.ts';
import { type Chain, type Known, walkArchive } from '../../blocks/archive-walk.ts';
import { countItems } from '../../blocks/cbor-items.ts';
import { isContentCid } from '../../blocks/cid.ts';
import { DamagedArchiveError } from '../../blocks/damaged-archive-error.ts';
import { decodeManifest } from '../../blocks/encode.ts';
import { FileStore } from '../../blocks/file-store.ts';
import { maxVersionItems } from '../../blocks/version-size.ts';
import { isEntityId, type Network, networkOf } from '../../model/ids.ts';
import { findBlock } from '../blocks.ts';
import { type Connection, openReader, type Reader } from '../connection.ts';
import type { Progress } from '../progress.ts';
import { currentJson } from '../projection.ts';
import { manifestProblem } from '../segment.ts';
import { type Accompanying, ArchiveContents } from './archive-contents.ts';

/** What an archive brings to this node, counted. */
export interface ArchiveFacts {
  root: string;
  entities: number;
  versions: number;
  content: number;
  bytes: number;
  /** Content that its versions name, that did not come with it and is not here. */
  missing_files: number;
  /** The path of a file beside it that holds bytes which no version names; null for none. */
  unnamed: string | null;
}

export interface ArchiveCheckOrder {
  file: string;
  database: string;
  /** Which file it is that its store has open (file-identity.ts). */
  fileId: string | null;
  /** The folder of kept files. */
  files: string;
  network: Network;
  beside: Accompanying;
}

const progressEvery = 2000;

/**
 * What needs not come with an archive: content that is kept here, and a version that is stored where its history is whole here or
 * the archive cannot add to it.
 */
export function knownWith(db: Reader, archive: Archive, files: FileStore): Known {
  return async (cid) => {
    if (isContentCid(cid)) return (await files.size(cid)) !== undefined;
    const block = findBlock(db, cid);
    if (block === undefined) return false;
    return !archive.has(cid) || db.get('SELECT 1 FROM partial WHERE entity = ? LIMIT 1', block.entity) === undefined;
  };
}

/**
 * Verifies an archive whole against what is stored: every block, every chain, every manifest as one that can be applied.
 * @throws DamagedArchiveError with the place, ValidationError for an archive of the other network
 */
export async function checkCar(
  { file, database, fileId, files: folder, network, beside }: ArchiveCheckOrder,
  report: (progress: Progress) => void,
): Promise<ArchiveFacts> {
  const db = openReader(database, fileId);
  const handle = await open(file, 'r').catch((error: unknown) => {
    db.close();
    throw error;
  });
  try {
    const archive = await openArchive(handle);
    if (archive.root.network !== network)
      throw new DamagedArchiveError(`It is of the ${archive.root.network} network, not of ${network}.`, archive.offset);
    const facts: ArchiveFacts = {
      root: archive.cid,
      entities: 0,
      versions: 0,
      content: 0,
      bytes: archive.counts.bytes,
      missing_files: 0,
      unnamed: null,
    };
    const files = new FileStore(folder);
    const contents = new ArchiveContents({ db, archive, files, beside });
    for await (const chain of walkArchive(archive, knownWith(db, archive, files))) {
      await checkChain(db, archive, chain, { network, contents });
      await contents.addKnown(chain);
      facts.entities++;
      facts.versions += chain.versions.length;
      facts.content += chain.content.length;
      if (facts.entities % progressEvery === 0)
        report({ step: 'checked', done: facts.entities, total: archive.root.entities });
    }
    facts.missing_files = contents.missing;
    facts.unnamed = contents.unnamed;
    return facts;
  } finally {
    db.close();
    await handle.close();
  }
}

/** What an operator's own restore keeps to: ids and types never change along a chain, versions are numbered one by one. */
async function checkChain(
  db: Connection,
  archive: Archive,
  chain: Chain,
  { network, contents }: { network: Network; contents: ArchiveContents },
): Promise<void> {
  const { id } = chain.entry;
  if (!isEntityId(id) || networkOf(id) !== network)
    throw new DamagedArchiveError(`${id} is not an entity's id of the ${network} network.`, archive.offset);
  const stored = db.get<{ type: string | null }>('SELECT type FROM entity WHERE id = ?', id);
  let type = stored?.type ?? null;
  let ver = chain.baseKnown ? storedVersion(db, id, chain.base, archive.offset) : null;
  for (const cid of chain.versions) {
    const block = await archive.block(cid);
    if (!block) throw new DamagedArchiveError(`Version ${cid} of ${id} is missing.`, archive.offset);
    const refuse = (reason: string) => new DamagedArchiveError(`Version ${cid} of ${id}: ${reason}.`, block.offset);
    const manifest = readManifest(block.bytes, refuse);
    const problem = manifestProblem(manifest, id) ?? jsonProblem(cid, manifest);
    if (problem !== null) throw refuse(problem);
    if (type !== null && manifest.type !== type) throw refuse(`its type is ${manifest.type}, not ${type}`);
    if (ver !== null && manifest.ver !== ver + 1) throw refuse('its number does not follow the one before');
    if ((manifest.ver === 1) !== (manifest.prev === null)) throw refuse('version 1 alone has none before it');
    type = manifest.type;
    ver = manifest.ver;
    await contents.add(block.bytes);
  }
}

function storedVersion(db: Reader, id: string, cid: string | null, offset: number): number {
  const row = db.get<{ ver: number; id: string }>(
    'SELECT b.ver, e.id FROM block b JOIN entity e ON e.key = b.entity WHERE b.key = ?',
    findBlock(db, cid ?? '')?.key ?? null,
  );
  if (row?.id === id) return row.ver;
  throw new DamagedArchiveError(`Version ${cid} is not one of ${id}.`, offset);
}

function readManifest(bytes: Uint8Array, refuse: (reason: string) => Error) {
  try {
    if (countItems(bytes) <= maxVersionItems) return decodeManifest(bytes);
  } catch (error) {
    throw refuse(`it cannot be read (${(error as Error).message})`);
  }
  throw refuse('it has more values than any entity');
}

/** What JSON cannot say could never be read again. */
function jsonProblem(cid: string, manifest: ReturnType<typeof decodeManifest>): string | null {
  try {
    currentJson(cid, manifest);
    return null;
  } catch (error) {
    return `it cannot be written as JSON (${(error as Error).message})`;
  }
}
