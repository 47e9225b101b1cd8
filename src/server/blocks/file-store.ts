import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync, renameSync, utimesSync } from 'node:fs';
import { open, opendir, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { TooLargeError, ValidationError } from '../errors.ts';
import { isContentCid } from './cid.ts';
import { syncFile } from './durable-file.ts';
import { makeFolder, makeFolderNow, syncFolder, syncFolderNow } from './durable-folder.ts';
import { contentCid } from './encode.ts';
import { keptAfter, keptSoFar, noteKept } from './kept-lately.ts';

/** Stored bytes: their CID (raw, sha2-256) and how many they are. */
export interface StoredFile {
  cid: string;
  size: number;
}

/** What bytes must be to be kept: at most `limit` of them, `size` of them, those of the CID `expected`. */
export interface Wanted {
  limit?: number;
  size?: number;
  expected?: string;
}

/** How earlier programs named bytes that nobody seemed to want, between the first look at that and the second. */
const unwantedEnd = '.unwanted';

/** Where damaged bytes are set aside, and those that nobody seems to want. The folders of kept ones have two letters. */
export const damagedFolder = 'damaged';
export const unwantedFolder = 'unwanted';

/**
 * Large bytes on disk, each kept once under its CID. Bytes are on disk, and their names too, before a call answers
 * (architecture.md, section 2): temporary file, fsync, rename, fsync of the folder. Bytes that lie aside as unwanted are kept, too:
 * whoever asks for them by their CID brings them back.
 */
export class FileStore {
  readonly #folder: string;

  /** `folder` is made when the first bytes come. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores what `source` gives; what is not as it is wanted is refused and not kept.
   * @throws TooLargeError beyond `limit` bytes, ValidationError for another size or CID; whatever `source` throws
   */
  async put(source: AsyncIterable<Uint8Array>, wanted: Wanted = {}): Promise<StoredFile> {
    const temporary = join(await this.#incoming(), randomUUID());
    try {
      const stored = await write(temporary, source, wanted);
      if (wanted.expected !== undefined && stored.cid !== wanted.expected)
        throw ValidationError.at(['cid'], `the bytes are those of ${stored.cid}`);
      await this.#keep(temporary, stored.cid);
      return stored;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #incoming(): Promise<string> {
    const incoming = join(this.#folder, 'incoming');
    await makeFolder(incoming, this.#folder);
    return incoming;
  }

  /** Takes over a file of the same disk whose bytes are those of the CID. */
  async adopt(file: string, cid: string): Promise<void> {
    // Whoever wrote it may have been killed before it was on disk.
    await syncFile(file);
    // They are kept from now on, however long ago they were written.
    const now = new Date();
    await utimes(file, now, now);
    await this.#keep(file, cid);
  }

  async #keep(file: string, cid: string): Promise<void> {
    const path = this.#path(cid);
    const folder = join(path, '..');
    await makeFolder(folder, dirname(this.#folder));
    await rename(file, path);
    await syncFolder(folder);
    noteKept(this.#folder, cid);
  }

  /** How many bytes this program has kept here since it began. */
  keptSoFar(): number {
    return keptSoFar(this.#folder);
  }

  /** The CIDs of what came after the first `count` of them; null where these are too many to be remembered. */
  keptAfter(count: number): string[] | null {
    return keptAfter(this.#folder, count);
  }

  /** Where the bytes under a CID lie, for a reader of its own: the folder, and the path in it with slashes. */
  place(cid: string): { folder: string; path: string } {
    return { folder: this.#folder, path: relative(this.#folder, this.#at(cid)).replaceAll(sep, '/') };
  }

  /** Whether bytes are kept under a CID; one look at the disk, for decisions that cannot wait. */
  has(cid: string): boolean {
    return existsSync(this.#at(cid));
  }

  /** How many bytes are kept under a CID; undefined where none are. */
  async size(cid: string): Promise<number | undefined> {
    return (await this.#stat(cid))?.size;
  }

  /**
   * When the bytes under a CID got their name here, epoch milliseconds; undefined where none are. A copy of the folder has them from
   * when it was made (ctime), while what decides that they are old enough to be unwanted is when they were written (mtime).
   */
  async keptSince(cid: string): Promise<number | undefined> {
    return (await this.#stat(cid))?.ctimeMs;
  }

  /**
   * The bytes under a CID, or those from `start` to `end` (inclusive). Their file is opened when they are read: it stays closed
   * where nobody does. @throws ENOENT where there are none
   */
  async *read(cid: string, range: { start?: number; end?: number } = {}): AsyncGenerator<Uint8Array, void, undefined> {
    yield* createReadStream(this.#at(cid), range);
  }

  /** Whether the bytes under a CID are those of it. @throws ENOENT where there are none, and where they cannot be read */
  async isSound(cid: string): Promise<boolean> {
    return isOf(cid, this.#at(cid));
  }

  /**
   * Takes damaged bytes out of the way, so that they count as missing and the right ones can come; they are not deleted.
   * Gives where they lie then, as a path in the folder, null where there are none or the right ones have come meanwhile.
   */
  async setAside(cid: string): Promise<string | null> {
    const path = this.#path(cid);
    const folder = join(this.#folder, damagedFolder);
    await makeFolder(folder, dirname(this.#folder));
    let name = cid;
    for (let n = 2; existsSync(join(folder, name)); n++) name = `${cid}-${n}`;
    const aside = join(folder, name);
    try {
      await rename(path, aside);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
    if (await isOf(cid, aside).catch(() => false)) {
      await this.#keep(aside, cid);
      return null;
    }
    await syncFolder(folder);
    await syncFolder(dirname(path));
    return `${damagedFolder}/${name}`;
  }

  /** How many files lie aside in a folder. */
  async aside(folder: typeof damagedFolder | typeof unwantedFolder): Promise<number> {
    let count = 0;
    for await (const _ of entries(join(this.#folder, folder))) count++;
    return count;
  }

  /** The CIDs of everything that is kept, in no order. */
  async *list(): AsyncGenerator<string> {
    for await (const folder of entries(this.#folder)) {
      if (folder.name.length !== 2 || !folder.isDirectory()) continue;
      for await (const file of entries(join(this.#folder, folder.name))) if (isContentCid(file.name)) yield file.name;
    }
  }

  /**
   * Sets aside the bytes under a CID where they were written before a time (epoch milliseconds) and `isWanted` says no. What says so
   * may be damaged, so they are not removed yet.
   */
  async setUnwantedAside(cid: string, before: number, isWanted: () => boolean): Promise<void> {
    const path = this.#path(cid);
    const folder = join(this.#folder, unwantedFolder);
    const aside = join(folder, cid);
    try {
      const { ino, mtimeMs } = await stat(path);
      // What lies there already may be whole, and these not.
      if (mtimeMs >= before || isWanted() || existsSync(aside)) return;
      await makeFolder(folder, dirname(this.#folder));
      // Since when they lie there.
      const now = new Date();
      await utimes(path, now, now);
      await rename(path, aside);
      // The same bytes may have come anew at that moment, or a version that names them.
      if ((await stat(aside)).ino !== ino || isWanted()) this.#at(cid);
      else await syncFolder(folder);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }

  /** Brings back what `isWanted` says yes of, and removes what lies aside as unwanted since before a time (epoch milliseconds). */
  async sweepUnwanted(before: number, isWanted: (cid: string) => boolean): Promise<void> {
    for await (const { name: cid } of entries(join(this.#folder, unwantedFolder))) {
      if (!isContentCid(cid)) continue;
      const aside = join(this.#folder, unwantedFolder, cid);
      if (isWanted(cid)) this.#at(cid);
      const since = await stat(aside).catch(() => null);
      // Where it could not come back, nothing else may have it.
      if (since && since.mtimeMs < before && !isWanted(cid)) await rm(aside, { force: true });
    }
  }

  /**
   * Clears what interrupted uploads left; to be called when nothing is being stored. What earlier programs had set aside there as
   * unwanted goes back: a version may have named it before it was looked at again.
   */
  async sweepIncoming(): Promise<void> {
    const incoming = join(this.#folder, 'incoming');
    for await (const { name } of entries(incoming)) {
      const cid = name.slice(0, -unwantedEnd.length);
      if (name.endsWith(unwantedEnd) && isContentCid(cid)) await this.#keep(join(incoming, name), cid);
    }
    await rm(incoming, { recursive: true, force: true });
  }

  async #stat(cid: string): Promise<{ size: number; ctimeMs: number } | undefined> {
    try {
      return await stat(this.#at(cid));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Where the bytes under a CID are, if anywhere. Those that lie aside as unwanted come back, where the folder can be written to. */
  #at(cid: string): string {
    const path = this.#path(cid);
    const aside = join(this.#folder, unwantedFolder, cid);
    if (existsSync(path) || !existsSync(aside)) return path;
    try {
      makeFolderNow(dirname(path), dirname(this.#folder));
      const now = new Date();
      utimesSync(aside, now, now);
      renameSync(aside, path);
      syncFolderNow(dirname(path));
    } catch {
      // Another thread may have been quicker.
      return existsSync(path) ? path : aside;
    }
    noteKept(this.#folder, cid);
    return path;
  }

  /** A CID names its own file: nothing of a user's text gets into a path. */
  #path(cid: string): string {
    if (!isContentCid(cid)) throw ValidationError.at(['cid'], 'is not the CID of file content');
    return join(this.#folder, cid.slice(-2), cid);
  }
}

/** Whether a file's bytes are those of a CID. */
async function isOf(cid: string, path: string): Promise<boolean> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return contentCid(hash.digest()) === cid;
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array>,
  { limit = Number.POSITIVE_INFINITY, size: wanted }: Wanted,
): Promise<StoredFile> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of source) {
      const at = size;
      size += chunk.length;
      if (size > limit) throw new TooLargeError(`The content is larger than ${limit} bytes`);
      if (wanted !== undefined && size > wanted) throw ValidationError.at(['size'], `more than ${wanted} bytes came`);
      // Hashed while it is written.
      const written = writeAll(file, chunk, at);
      hash.update(chunk);
      await written;
    }
    if (wanted !== undefined && size !== wanted)
      throw ValidationError.at(['size'], `${size} bytes came, not ${wanted}`);
    await file.sync();
    return { cid: contentCid(hash.digest()), size };
  } finally {
    await file.close();
  }
}

interface WritableFile {
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
}

/** Writes all of a chunk at a place of a file. */
export async function writeAll(file: WritableFile, chunk: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < chunk.length; )
    done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
}

async function* entries(folder: string) {
  try {
    for await (const entry of await opendir(folder)) yield entry;
  } catch (error) {
    if (!isMissing(error) && codeOf(error) !== 'ENOTDIR') throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
