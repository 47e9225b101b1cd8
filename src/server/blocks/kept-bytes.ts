import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unwantedFolder } from './file-store.ts';

/** So soon after a change a folder may change again and have the same time. */
const settledMs = 2000;
const atOnce = 32;

/**
 * How many bytes a file store keeps (file-store.ts), those among them that lie aside as unwanted. Its files never change: a folder of it in which none came or went since is
 * not looked through again.
 */
export class KeptBytes {
  readonly #folder: string;
  readonly #known = new Map<string, { changed: number; bytes: number }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of all; 0 where there is no such folder. */
  async total(): Promise<number> {
    let bytes = 0;
    for (const entry of await entries(this.#folder))
      if (entry.isDirectory() && (entry.name.length === 2 || entry.name === unwantedFolder))
        bytes += await this.#of(join(this.#folder, entry.name));
    return bytes;
  }

  async #of(folder: string): Promise<number> {
    const changed = (await statOf(folder))?.mtimeMs ?? 0;
    const known = this.#known.get(folder);
    if (known?.changed === changed) return known.bytes;
    const looked = Date.now();
    const files = (await entries(folder)).filter((entry) => entry.isFile());
    let bytes = 0;
    for (let at = 0; at < files.length; at += atOnce) {
      const looks = await Promise.all(files.slice(at, at + atOnce).map(({ name }) => statOf(join(folder, name))));
      for (const file of looks) bytes += file?.size ?? 0;
    }
    if (looked - changed > settledMs) this.#known.set(folder, { changed, bytes });
    return bytes;
  }
}

async function entries(folder: string): Promise<Dirent[]> {
  return (await found(readdir(folder, { withFileTypes: true }))) ?? [];
}

async function statOf(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  return await found(stat(path));
}

/** Undefined for what is not there; it may have gone meanwhile. */
async function found<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
