import type { Archive } from '../../blocks/archive-reader.ts';
import type { Chain } from '../../blocks/archive-walk.ts';
import { digestOf } from '../../blocks/car-format.ts';
import { cidBytes } from '../../blocks/cid.ts';
import { DigestTable } from '../../blocks/digest-table.ts';
import type { FileStore } from '../../blocks/file-store.ts';
import { manifestHead } from '../../blocks/manifest-head.ts';
import type { Connection } from '../connection.ts';
import { contentOfBlock } from '../content/block-content.ts';
import { contentOf, isNamed } from '../content/content-holders.ts';

/** The files that came beside an archive and are kept already: where in the package each stood, by its CID. */
export type Accompanying = ReadonlyMap<string, string>;

interface Surroundings {
  db: Connection;
  archive: Archive;
  files: FileStore;
  beside: Accompanying;
}

/** Compares the file bytes that an archive's versions name with those that came with it or are here. */
export class ArchiveContents {
  readonly #env: Surroundings;
  readonly #missing = new DigestTable();
  readonly #unnamed: Map<string, string>;

  constructor(env: Surroundings) {
    this.#env = env;
    this.#unnamed = new Map(env.beside);
  }

  /** How many files its versions name that neither came with it nor are here. */
  get missing(): number {
    return this.#missing.size;
  }

  /** The path of a file that came beside it though no version names its bytes; null for none. */
  get unnamed(): string | null {
    for (const [cid, path] of this.#unnamed) if (!isNamed(this.#env.db, cid)) return path;
    return null;
  }

  /** Takes up what a version that is new here names. */
  async add(block: Uint8Array): Promise<void> {
    for (const cid of contentOfBlock(block)) {
      this.#unnamed.delete(cid);
      if (!(await this.#isHad(cid))) this.#missing.add(digestOf(cidBytes(cid)), 0, 0);
    }
  }

  /** Takes up the versions that are here already, as far as the archive has them: they may name what was lost here. */
  async addKnown({ entry, base, baseKnown }: Chain): Promise<void> {
    if (!baseKnown || !(await this.#lacks(entry.id))) return;
    for (let cid = base; cid !== null; ) {
      const block = await this.#env.archive.block(cid);
      if (!block) return;
      await this.add(block.bytes);
      cid = manifestHead(block.bytes).prev;
    }
  }

  async #lacks(id: string): Promise<boolean> {
    for (const cid of contentOf(this.#env.db, id)) if (!(await this.#isHad(cid))) return true;
    return false;
  }

  async #isHad(cid: string): Promise<boolean> {
    return this.#env.archive.has(cid) || (await this.#env.files.size(cid)) !== undefined;
  }
}
