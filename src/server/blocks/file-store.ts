import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TooLargeError, ValidationError } from '../errors.ts';
import { isContentCid } from './cid.ts';
import { contentCid } from './encode.ts';

/** Stored bytes: their CID (raw, sha2-256) and how many they are. */
export interface StoredFile {
  cid: string;
  size: number;
}

/**
 * Large bytes on disk, each kept once under its CID. Bytes are on disk, and their names too, before a call answers
 * (architecture.md, section 2): temporary file, fsync, rename, fsync of the folder.
 */
export class FileStore {
  readonly #folder: string;

  /** `folder` is made when the first bytes come. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Stores what `source` gives. With `expected`, bytes of any other CID are refused and not kept.
   * @throws TooLargeError beyond `limit` bytes, ValidationError for another CID; whatever `source` throws
   */
  async put(
    source: AsyncIterable<Uint8Array>,
    { limit = Number.POSITIVE_INFINITY, expected }: { limit?: number; expected?: string } = {},
  ): Promise<StoredFile> {
    const incoming = join(this.#folder, 'incoming');
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    const temporary = join(incoming, randomUUID());
    try {
      const stored = await write(temporary, source, limit);
      if (expected !== undefined && stored.cid !== expected)
        throw ValidationError.at(['cid'], `the bytes are those of ${stored.cid}`);
      await this.#keep(temporary, stored.cid);
      return stored;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async #keep(temporary: string, cid: string): Promise<void> {
    const path = this.#path(cid);
    const folder = join(path, '..');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rename(temporary, path);
    await sync(folder);
    await sync(this.#folder);
  }

  /** How many bytes are kept under a CID; undefined where none are. */
  async size(cid: string): Promise<number | undefined> {
    return (await this.#stat(cid))?.size;
  }

  /** When the bytes under a CID came, epoch milliseconds; undefined where none are. */
  async keptSince(cid: string): Promise<number | undefined> {
    return (await this.#stat(cid))?.ctimeMs;
  }

  /** The bytes under a CID, or those from `start` to `end` (inclusive). @throws ENOENT where there are none */
  read(cid: string, range: { start?: number; end?: number } = {}): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path(cid), range);
  }

  /** The CIDs of everything that is kept, in no order. */
  async *list(): AsyncGenerator<string> {
    for await (const folder of entries(this.#folder)) {
      if (folder.name.length !== 2 || !folder.isDirectory()) continue;
      for await (const file of entries(join(this.#folder, folder.name))) if (isContentCid(file.name)) yield file.name;
    }
  }

  /** Whether nothing at all is kept. */
  async isEmpty(): Promise<boolean> {
    for await (const _ of this.list()) return false;
    return true;
  }

  /** Forgets the bytes under a CID. */
  async remove(cid: string): Promise<void> {
    await rm(this.#path(cid), { force: true });
  }

  /** Clears what interrupted uploads left; to be called when nothing is being stored. */
  async sweepIncoming(): Promise<void> {
    await rm(join(this.#folder, 'incoming'), { recursive: true, force: true });
  }

  async #stat(cid: string): Promise<{ size: number; ctimeMs: number } | undefined> {
    try {
      return await stat(this.#path(cid));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** A CID names its own file: nothing of a user's text gets into a path. */
  #path(cid: string): string {
    if (!isContentCid(cid)) throw ValidationError.at(['cid'], 'is not the CID of file content');
    return join(this.#folder, cid.slice(-2), cid);
  }
}

async function write(path: string, source: AsyncIterable<Uint8Array>, limit: number): Promise<StoredFile> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit) throw new TooLargeError(`The content is larger than ${limit} bytes`);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    await file.sync();
    return { cid: contentCid(hash.digest()), size };
  } finally {
    await file.close();
  }
}

async function writeAll(file: { write: (b: Uint8Array) => Promise<{ bytesWritten: number }> }, chunk: Uint8Array) {
  for (let rest = chunk; rest.length > 0; ) rest = rest.subarray((await file.write(rest)).bytesWritten);
}

/** A folder's own entry is durable only when the folder is synced; some systems cannot, and need not. */
async function sync(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR'].includes(codeOf(error))) throw error;
  } finally {
    await handle.close();
  }
}

async function* entries(folder: string) {
  try {
    for await (const entry of await opendir(folder)) yield entry;
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT';
}
