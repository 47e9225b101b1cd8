import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { maxContentBytes } from '../../model/content.ts';
import { payloadManifest } from './bag.ts';
import { crateMetadata } from './crate.ts';
import { DamagedPackageError } from './damaged-package-error.ts';
import { historyFile } from './payload.ts';
import { manifestDigests } from './payload-manifest.ts';

/** What a package is made of, for who takes it in. */
export interface PackageParts {
  /** Called once with the archive's bytes, which it must read to their end. */
  history(chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** Called for each file with its bytes, which it must read to their end, and its path in the package. */
  content(chunks: AsyncIterable<Uint8Array>, path: string): Promise<void>;
}

const maxTagBytes = 1024 * 1024;
/** A bag's manifest is held as a map: two million lines of ours are some 300 MB. */
const maxManifestBytes = 512 * 1024 * 1024;
const maxEntries = 2_000_000;
/** Deflate makes no text smaller than by a factor of some thousand; what is more is made to fill a disk. */
const maxRatio = 1100;

interface Layout {
  /** What stands before every path. */
  prefix: string;
  /** The SHA-256 that a bag names, by path in the bag; null for a crate. */
  digests: Map<string, string> | null;
  oxum: string | null;
}

/**
 * Reads a package that an export made, a bag or a crate in a ZIP, from a file. Every file has the checksum that the ZIP
 * has of it, a bag is complete and every file of it has its SHA-256, or it is refused; whether the versions name what
 * came is for the caller to see. No path of the package is used on the disk. @throws DamagedPackageError; whatever the
 * parts throw
 */
export async function readPackage(file: string, parts: PackageParts): Promise<void> {
  try {
    const layout = await withZip(file, layoutOf);
    await withZip(file, (zip) => readFiles(zip, layout, parts));
  } catch (error) {
    if (isOfZip(error)) throw damaged(`The ZIP is damaged: ${error.message}.`);
    throw error;
  }
}

/** What the library has to say of a ZIP is a plain Error; what zlib has to say of the bytes in it has a code of its own. */
function isOfZip(error: unknown): error is Error {
  if (!(error instanceof Error) || error.constructor !== Error) return false;
  return !('code' in error) || (typeof error.code === 'string' && error.code.startsWith('Z_'));
}

async function withZip<T>(file: string, use: (zip: ZipFile) => Promise<T>): Promise<T> {
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false, validateEntrySizes: true });
  try {
    if (zip.entryCount > maxEntries) throw damaged(`It has ${zip.entryCount} files; at most ${maxEntries} are read.`);
    return await use(zip);
  } finally {
    zip.close();
  }
}

/** The tag files, and where in the ZIP the package begins. */
async function layoutOf(zip: ZipFile): Promise<Layout> {
  const tags = new Map<string, string>();
  const manifests = new Map<string, Entry>();
  let crate: string | null = null;
  for await (const entry of zip.eachEntry()) {
    const [, prefix = '', name = ''] = /^([^/]*\/)?([^/]*)$/.exec(entry.fileName) ?? [];
    if (name === crateMetadata) crate = prefix;
    if (name === payloadManifest) manifests.set(prefix, entry);
    if (['bagit.txt', 'bag-info.txt'].includes(name))
      tags.set(`${prefix}${name}`, (await bytesOf(zip, entry, maxTagBytes)).toString('utf8'));
  }
  const declaration = [...tags.keys()].find((path) => path.endsWith('bagit.txt'));
  if (declaration !== undefined) {
    const prefix = declaration.slice(0, -'bagit.txt'.length);
    const manifest = manifests.get(prefix);
    if (manifest === undefined) throw damaged(`The bag has no ${payloadManifest}.`);
    const info = tags.get(`${prefix}bag-info.txt`) ?? '';
    return {
      prefix,
      digests: await manifestDigests(limited(zip, manifest, maxManifestBytes), maxEntries),
      oxum: /^Payload-Oxum:[ \t]{0,20}(\S{1,60})/m.exec(info)?.[1] ?? null,
    };
  }
  if (crate === null) throw damaged('It is neither a bag (bagit.txt) nor a crate (ro-crate-metadata.json).');
  return { prefix: crate, digests: null, oxum: null };
}

async function readFiles(zip: ZipFile, layout: Layout, parts: PackageParts): Promise<void> {
  const { prefix, digests, oxum } = layout;
  const payload = digests === null ? prefix : `${prefix}data/`;
  let [bytes, files, hasHistory] = [0, 0, false];
  for await (const entry of zip.eachEntry()) {
    const path = entry.fileName;
    if (!path.startsWith(payload) || path.endsWith('/')) continue;
    const own = path.slice(payload.length);
    const name = path.slice(prefix.length);
    const digest = digests?.get(name);
    if (digests !== null && !digests.delete(name)) throw damaged(`The bag's manifest does not name ${name}.`);
    const read = counted(open(zip, entry));
    if (own === historyFile) {
      if (hasHistory) throw damaged(`It has two of ${historyFile}.`);
      hasHistory = true;
      await parts.history(read.chunks());
    } else if (own.startsWith('files/')) {
      if (entry.uncompressedSize > maxContentBytes) throw damaged(`${name} is larger than 500 MB.`);
      await parts.content(read.chunks(), name);
    } else for await (const _ of read.chunks());
    const { size, sha256, crc } = read.facts();
    bytes += size;
    files += 1;
    if (crc !== entry.crc32) throw damaged(`${name} does not have the checksum that the ZIP names.`);
    if (digest !== undefined && digest !== sha256)
      throw damaged(`${name} does not have the SHA-256 that the bag's manifest names.`);
  }
  const [missing] = digests?.keys() ?? [];
  if (missing !== undefined) throw damaged(`The bag lacks ${missing}, which its manifest names.`);
  if (oxum !== null && oxum !== `${bytes}.${files}`)
    throw damaged(`The bag holds ${bytes} bytes in ${files} files; its Payload-Oxum says ${oxum}.`);
  if (!hasHistory) throw damaged(`It has no ${historyFile}: only packages that an export made can be imported.`);
}

async function bytesOf(zip: ZipFile, entry: Entry, most: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of limited(zip, entry, most)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function limited(zip: ZipFile, entry: Entry, most: number): AsyncIterable<Uint8Array> {
  if (entry.uncompressedSize > most) throw damaged(`${entry.fileName} is larger than ${most} bytes.`);
  return open(zip, entry);
}

function open(zip: ZipFile, entry: Entry): AsyncIterable<Uint8Array> {
  if (!entry.canDecodeFileData()) throw damaged(`${entry.fileName} is encrypted, or compressed in an unknown way.`);
  if (entry.uncompressedSize > 1_000_000 && entry.uncompressedSize > maxRatio * entry.compressedSize)
    throw damaged(`${entry.fileName} says that it is ${entry.uncompressedSize} bytes, which it cannot be.`);
  return openedWhenRead(zip, entry);
}

/** Opens an entry when it is read: one that is open and not read keeps the file open, also after the ZIP is closed. */
async function* openedWhenRead(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array, void, undefined> {
  yield* await zip.openReadStreamPromise(entry);
}

function counted(source: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let [size, crc] = [0, 0];
  return {
    async *chunks() {
      for await (const chunk of source) {
        hash.update(chunk);
        crc = crc32(chunk, crc);
        size += chunk.length;
        yield chunk;
      }
    },
    facts: () => ({ size, crc, sha256: hash.digest('hex') }),
  };
}

function damaged(reason: string): DamagedPackageError {
  return new DamagedPackageError(reason);
}
