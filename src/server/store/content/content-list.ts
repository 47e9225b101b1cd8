import { FileStore } from '../../blocks/file-store.ts';
import { fromJson } from '../../model/from-json.ts';
import { filesFolder } from '../network-folders.ts';
import type { NetworkStore } from '../network-store.ts';
import { namesAny } from './content-holders.ts';
import type { ContentsQuery, contentsPage } from './content-reads.ts';

const pageTips = 512;

export interface KeptContents {
  /** Sorted: a list for each tip that has any, by its key. */
  kept: Map<number, string[]>;
  /** How many of those that are named are not here. */
  missing: number;
}

/** See ContentsQuery; `before`: only what was kept before that time (epoch milliseconds). */
type Wanted = Pick<ContentsQuery, 'history' | 'newest'> & { before?: number };

/** The content that the versions of some tips name and that is kept here. */
export async function keptContents(
  store: NetworkStore,
  tips: Iterable<number>,
  { before = Number.POSITIVE_INFINITY, ...query }: Wanted,
): Promise<KeptContents> {
  const kept = new Map<number, string[]>();
  const missing = new Set<string>();
  if (!store.read(namesAny)) return { kept, missing: 0 };
  const files = new FileStore(filesFolder(store.folder));
  for (const [tip, named] of await namedContents(store, [...tips], query)) {
    const here: string[] = [];
    for (const cid of named) {
      const since = await files.keptSince(cid);
      if (since === undefined) missing.add(cid);
      else if (since < before) here.push(cid);
    }
    if (here.length > 0) kept.set(tip, here.sort());
  }
  return { kept, missing: missing.size };
}

async function namedContents(
  store: NetworkStore,
  tips: number[],
  query: Pick<ContentsQuery, 'history' | 'newest'>,
): Promise<Map<number, Set<string>>> {
  const named = new Map<number, Set<string>>();
  let from: number | null = null;
  for (let at = 0; at < tips.length; ) {
    const wanted: ContentsQuery = { ...query, tips: tips.slice(at, at + pageTips), from };
    const json = Buffer.from(await store.readLong('contentsPage', wanted)).toString();
    const page = fromJson(json) as ReturnType<typeof contentsPage>;
    for (const [i, cids] of page.contents.entries()) {
      const tip = wanted.tips[i] as number;
      if (cids.length > 0) named.set(tip, (named.get(tip) ?? new Set()).union(new Set(cids)));
    }
    from = page.next;
    at += page.contents.length - (from === null ? 0 : 1);
  }
  return named;
}
