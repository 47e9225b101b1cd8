import { rootOf } from '../../blocks/archive-tree.ts';
import type { ArchiveBlock, ArchiveSource, EarlierArchive } from '../../blocks/archive-writer.ts';
import { FileStore } from '../../blocks/file-store.ts';
import { StorageError } from '../../errors.ts';
import { jsonOf } from '../../model/from-json.ts';
import { filesFolder } from '../network-folders.ts';
import type { NetworkStore } from '../network-store.ts';
import { unpacked, type walkPage } from './chain-reads.ts';
import { entriesAt, type PlacedEntry, type TipList } from './tip-list.ts';

const most = 512;
/** How many pages are asked for before they are needed: both reader threads work while one is hashed and sent. */
const pagesAhead = 2;

interface Range {
  from: number;
  to: number;
  page: Promise<Uint8Array>;
}

/** The chains of a list's entries, as they are asked for: while they are in order, the next pages are fetched ahead. */
class ChainPages {
  readonly #store: NetworkStore;
  readonly #list: TipList;
  readonly #chains = new Map<number, ArchiveBlock[]>();
  #ranges: Range[] = [];
  #size = 1;
  #expected = -1;

  constructor(store: NetworkStore, list: TipList) {
    this.#store = store;
    this.#list = list;
  }

  /** The chain of an entry where its page has been read already. */
  atHand(index: number): ArchiveBlock[] | undefined {
    const chain = this.#chains.get(index);
    if (!chain) return undefined;
    this.#chains.delete(index);
    this.#expected = index + 1;
    return chain;
  }

  /** The chain of an entry; undefined where it alone is longer than a page. */
  async chain(index: number, after: string | null): Promise<ArchiveBlock[] | undefined> {
    await this.#turnTo(index, after);
    this.#expected = index + 1;
    return this.atHand(index);
  }

  async #turnTo(index: number, after: string | null): Promise<void> {
    this.#chains.clear();
    const inOrder = index === this.#expected;
    if (after !== null || this.#ranges[0]?.from !== index) {
      this.#ranges = [];
      this.#size = inOrder ? this.#size : 1;
      this.#ask(index, after);
    }
    const { from, to, page } = this.#ranges.shift() as Range;
    if (inOrder) this.#askAhead(to);
    const { groups } = unpacked(await page);
    for (const [i, chain] of groups.entries()) this.#chains.set(from + i, chain);
    const next = from + Math.max(1, groups.length);
    // A page that ended early: what is left of its range comes before the ranges that were asked for already.
    if (next < to) this.#ranges.unshift(this.#range(next, to, null));
    this.#size = next < to ? Math.max(1, next - from) : Math.min(most, 4 * this.#size);
  }

  #askAhead(from: number): void {
    for (let last = this.#ranges.at(-1)?.to ?? from; this.#ranges.length < pagesAhead; last += this.#size) {
      if (last >= this.#list.length) return;
      this.#ask(last, null);
    }
  }

  #ask(from: number, after: string | null): void {
    this.#ranges.push(this.#range(from, Math.min(this.#list.length, from + this.#size), after));
  }

  #range(from: number, to: number, after: string | null): Range {
    const tips = this.#list.tips(from, to);
    const { history } = this.#list;
    const page = this.#store.readLong('chainsPage', { tips, after, history, form: 'blocks' });
    // Its failure is met where it is awaited; an export that ends early awaits it no more.
    page.catch(() => undefined);
    return { from, to, page };
  }
}

/** What an export of a list takes its blocks from: pages of the reader threads. */
export function archiveSource(store: NetworkStore, list: TipList): ArchiveSource {
  const pages = new ChainPages(store, list);
  const files = new FileStore(filesFolder(store.folder));
  async function* fetched(index: number, after: string | null): AsyncGenerator<ArchiveBlock, void, undefined> {
    const chain = await pages.chain(index, after);
    if (chain) yield* chain;
    else yield* longChain(store, list.tip(index), after);
  }
  return {
    head: { network: store.network, history: list.history, scope: list.scope },
    entries: () => list.entries(),
    versions: (entry, after) => {
      const { index } = entry as PlacedEntry;
      return (after === null && pages.atHand(index)) || fetched(index, after);
    },
    content: async (cid) => {
      const size = await files.size(cid);
      if (size === undefined) throw new StorageError(`The content ${cid} is not here any more.`);
      return { size, chunks: files.read(cid) };
    },
  };
}

/** Text lines of a list's versions: one wire manifest each. */
export async function* manifestLines(store: NetworkStore, list: TipList): AsyncGenerator<Uint8Array, void, undefined> {
  for (let index = 0; index < list.length; ) {
    const tips = list.tips(index, index + most);
    const { sizes, rest } = unpacked(
      await store.readLong('chainsPage', { tips, after: null, history: list.history, form: 'lines' }),
    );
    if (sizes.length > 0) yield rest;
    else
      for (const keys = await walk(store, list.tip(index), null); keys.length > 0; ) {
        const page = unpacked(await store.readLong('blocksPage', { keys: keys.slice(0, most), form: 'lines' }));
        keys.splice(0, page.sizes[0] ?? 1);
        yield page.rest;
      }
    index += Math.max(1, sizes.length);
  }
}

/** The state after an earlier move, as an archive that the receiver has. `now`: epoch milliseconds. */
export async function stateAt(
  store: NetworkStore,
  list: TipList,
  then: { move: number; now: number },
): Promise<EarlierArchive> {
  const entries = await entriesAt(store, list, then);
  const { cid, root } = await rootOf({ network: store.network, history: list.history, scope: list.scope }, entries);
  return {
    cid,
    root,
    async *entries() {
      yield* entries;
    },
  };
}

async function* longChain(
  store: NetworkStore,
  tip: number,
  after: string | null,
): AsyncGenerator<ArchiveBlock, void, undefined> {
  for (const keys = await walk(store, tip, after); keys.length > 0; ) {
    const { groups } = unpacked(await store.readLong('blocksPage', { keys: keys.slice(0, most), form: 'blocks' }));
    const [blocks = []] = groups;
    keys.splice(0, Math.max(1, blocks.length));
    yield* blocks;
  }
}

/** The keys of a long chain, oldest first. */
async function walk(store: NetworkStore, tip: number, after: string | null): Promise<number[]> {
  const keys: number[] = [];
  for (let from: number | null = tip; from !== null; ) {
    const page: Uint8Array = await store.readLong('walkPage', { from, after });
    const stretch = jsonOf(page) as ReturnType<typeof walkPage>;
    keys.push(...stretch.keys);
    from = stretch.next;
  }
  return keys.reverse();
}
