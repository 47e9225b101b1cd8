import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, open, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from './durable-folder.ts';
import { contentCid } from './encode.ts';
import { writeAll } from './file-store.ts';

/** Names of parts: what the node makes, nothing of a user's text. */
const names = /^[0-9a-f]{64}$/;

/** So much comes at most before it is brought to the disk: what a stop of the process costs. */
const keptEvery = 32 * 2 ** 20;

/** What has come of uploads that may go on, a file each. */
export class UploadParts {
  readonly #folder: string;

  /** `folder` is made when the first bytes come. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether anything of an upload has come and has not been taken over. */
  async has(name: string): Promise<boolean> {
    return (await stat(this.path(name)).catch(() => null)) !== null;
  }

  /** How many bytes of an upload have come. */
  async size(name: string): Promise<number> {
    return (await stat(this.path(name)).catch(() => null))?.size ?? 0;
  }

  /**
   * Adds what `source` gives at a place, in place of what was there and after it. The bytes are on disk when it returns,
   * also where the source fails in between; `kept` is told how many are, now and then and at the end, but for a disk that
   * fails. Gives the CID of the whole where it began at 0.
   */
  async write(
    name: string,
    source: AsyncIterable<Uint8Array>,
    from: number,
    kept: (size: number) => Promise<void> = async () => undefined,
  ): Promise<{ cid: string | null }> {
    await makeFolder(this.#folder, dirname(this.#folder));
    const hash = from === 0 ? createHash('sha256') : null;
    const file = await open(this.path(name), constants.O_RDWR | constants.O_CREAT, 0o600);
    let at = from;
    try {
      await file.truncate(from);
      let next = from + keptEvery;
      for await (const chunk of source) {
        const written = writeAll(file, chunk, at);
        hash?.update(chunk);
        await written;
        at += chunk.length;
        if (at < next) continue;
        await file.sync();
        await syncFolder(this.#folder);
        await kept(at);
        next = at + keptEvery;
      }
      return { cid: hash && contentCid(hash.digest()) };
    } finally {
      await file.sync().finally(() => file.close());
      await syncFolder(this.#folder);
      await kept(at);
    }
  }

  /** The CID of all that has come. */
  async cid(name: string): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(this.path(name))) hash.update(chunk as Uint8Array);
    return contentCid(hash.digest());
  }

  async remove(name: string): Promise<void> {
    await rm(this.path(name), { force: true });
  }

  /** Removes the parts of all uploads but these, where nothing has come since a time (epoch milliseconds). */
  async sweep(keep: ReadonlySet<string>, before: number): Promise<void> {
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const path = join(this.#folder, name);
      const since = (await stat(path).catch(() => null))?.mtimeMs;
      if (!keep.has(name) && since !== undefined && since < before) await rm(path, { force: true });
    }
  }

  path(name: string): string {
    if (!names.test(name)) throw new Error('this is no name of a part');
    return join(this.#folder, name);
  }
}
