import { type ArchiveHead, rootOf } from '../blocks/archive-tree.ts';
import type { ArchiveSource, EarlierArchive } from '../blocks/archive-writer.ts';
import type { Block } from '../blocks/encode.ts';
import { StorageError } from '../errors.ts';
import { unpacked, type WantedChain, type walkPage } from './chain-reads.ts';
import type { NetworkStore } from './network-store.ts';
import { entriesAt, type PlacedEntry, type TipList } from './tip-list.ts';

const most = 512;

/** What an export of a list takes its blocks from: pages of the reader threads, fetched ahead where entries come in order. */
export function archiveSource(store: NetworkStore, list: TipList): ArchiveSource {
  const ahead = new Map<number, Block[]>();
  let size = 1;
  let expected = -1;
  const head: ArchiveHead = { network: store.network, history: list.history, scope: list.scope };
  async function* versions(index: number, after: string | null): AsyncGenerator<Block, void, undefined> {
    let chain = after === null ? ahead.get(index) : undefined;
    if (!chain) {
      ahead.clear();
      size = index === expected ? Math.min(most, 4 * size) : 1;
      const wanted = wantedFrom(list, index, size, after);
      const { groups, blocks } = unpacked(
        await store.readLong('chainsPage', { wanted, history: list.history, form: 'blocks' }),
      );
      let at = 0;
      for (const [i, count] of groups.entries()) {
        ahead.set(index + i, blocks.slice(at, at + count));
        at += count;
      }
      chain = ahead.get(index);
    }
    ahead.delete(index);
    expected = index + 1;
    if (chain) yield* chain;
    else yield* longChain(store, list.tip(index), after);
  }
  return {
    head,
    entries: () => list.entries(),
    versions: (entry, after) => versions((entry as PlacedEntry).index, after),
    content: (cid) => {
      throw new StorageError(`The content ${cid} is not here.`);
    },
  };
}

/** Text lines of a list's versions: one wire manifest each. */
export async function* manifestLines(store: NetworkStore, list: TipList): AsyncGenerator<Uint8Array, void, undefined> {
  for (let index = 0; index < list.length; ) {
    const wanted = wantedFrom(list, index, most, null);
    const { groups, rest } = unpacked(
      await store.readLong('chainsPage', { wanted, history: list.history, form: 'lines' }),
    );
    if (groups.length > 0) yield rest;
    else
      for (const keys = await walk(store, list.tip(index), null); keys.length > 0; ) {
        const page = unpacked(await store.readLong('blocksPage', { keys: keys.slice(0, most), form: 'lines' }));
        keys.splice(0, page.groups[0] ?? 1);
        yield page.rest;
      }
    index += Math.max(1, groups.length);
  }
}

/** The state after an earlier move, as an archive that the receiver has. */
export async function stateAt(store: NetworkStore, list: TipList, move: number): Promise<EarlierArchive> {
  const entries = await entriesAt(store, list, move);
  const { cid, root } = await rootOf({ network: store.network, history: list.history, scope: list.scope }, entries);
  return {
    cid,
    root,
    async *entries() {
      yield* entries;
    },
  };
}

function wantedFrom(list: TipList, index: number, size: number, after: string | null): WantedChain[] {
  const wanted: WantedChain[] = [];
  for (let i = index; i < Math.min(list.length, index + size); i++)
    wanted.push({ tip: list.tip(i), after: i === index ? after : null });
  return wanted;
}

async function* longChain(
  store: NetworkStore,
  tip: number,
  after: string | null,
): AsyncGenerator<Block, void, undefined> {
  for (const keys = await walk(store, tip, after); keys.length > 0; ) {
    const { blocks } = unpacked(await store.readLong('blocksPage', { keys: keys.slice(0, most), form: 'blocks' }));
    keys.splice(0, Math.max(1, blocks.length));
    yield* blocks;
  }
}

/** The keys of a long chain, oldest first. */
async function walk(store: NetworkStore, tip: number, after: string | null): Promise<number[]> {
  const keys: number[] = [];
  for (let from: number | null = tip; from !== null; ) {
    const page: Uint8Array = await store.readLong('walkPage', { from, after });
    const stretch = JSON.parse(Buffer.from(page).toString()) as ReturnType<typeof walkPage>;
    keys.push(...stretch.keys);
    from = stretch.next;
  }
  return keys.reverse();
}
