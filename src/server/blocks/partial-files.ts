import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isContentCid } from './cid.ts';
import { contentCid } from './encode.ts';
import { writeAll } from './file-store.ts';

/** How far the bytes that should be those of a CID have come. */
export interface Partial {
  cid: string;
  size: number;
  /** Of what has come. */
  hash: Hash;
  /** What their sender calls the whole that they are a part of (a strong ETag); null where it does not say. */
  mark: string | null;
}

const longestMark = 500;

/** What has come of bytes that are being fetched, a file each, named by the CID that they should have. It outlives the process. */
export class PartialFiles {
  readonly #folder: string;

  /** `folder` is made when the first bytes come. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async find(cid: string): Promise<Partial> {
    const path = this.path(cid);
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    const hash = createHash('sha256');
    if (size > 0) for await (const chunk of createReadStream(path, { end: size - 1 })) hash.update(chunk as Uint8Array);
    return { cid, size, hash, mark: size > 0 ? await readFile(`${path}.mark`, 'utf8').catch(() => null) : null };
  }

  /** Begins anew, with bytes of another whole. */
  async restart(partial: Partial, mark: string | null): Promise<void> {
    const path = this.path(partial.cid);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await rm(path, { force: true });
    if (mark !== null && mark.length <= longestMark) await writeFile(`${path}.mark`, mark, { mode: 0o600 });
    else await rm(`${path}.mark`, { force: true });
    Object.assign(partial, { size: 0, hash: createHash('sha256'), mark });
  }

  /** Adds what `source` gives. The bytes are on disk when it returns, and what came stays where the source fails. */
  async add(partial: Partial, source: AsyncIterable<Uint8Array>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = await open(this.path(partial.cid), constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      for await (const chunk of source) {
        await writeAll(file, chunk, partial.size);
        partial.hash.update(chunk);
        partial.size += chunk.length;
      }
    } finally {
      await file.sync().finally(() => file.close());
    }
  }

  /** The CID of what has come. */
  cidOf({ hash }: Partial): string {
    return contentCid(hash.copy().digest());
  }

  async drop({ cid }: Pick<Partial, 'cid'>): Promise<void> {
    await rm(this.path(cid), { force: true });
    await rm(`${this.path(cid)}.mark`, { force: true });
  }

  /** Forgets those to which nothing has come since a time (epoch milliseconds). */
  async sweep(before: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const part = join(this.#folder, name.replace(/\.mark$/, ''));
      const since = (await stat(part).catch(() => null))?.mtimeMs ?? 0;
      if (since < before) await rm(join(this.#folder, name), { force: true });
    }
  }

  path(cid: string): string {
    if (!isContentCid(cid)) throw new Error('this is no CID of content');
    return join(this.#folder, cid);
  }
}
