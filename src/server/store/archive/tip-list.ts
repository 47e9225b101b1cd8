import type { ArchiveEntry } from '../../blocks/archive-entry.ts';
import type { History, Scope } from '../../blocks/archive-tree.ts';
import { cidLength } from '../../blocks/car-format.ts';
import { cidBytes, cidText } from '../../blocks/cid.ts';
import { turn } from '../../loop/pace.ts';
import { jsonOf } from '../../model/from-json.ts';
import { newestBlock } from '../blocks.ts';
import { type KeptContents, keptContents } from '../content/content-list.ts';
import { lastMove } from '../events.ts';
import type { NetworkStore } from '../network-store.ts';
import { type ListedTip, type movedTips, pageEnd, type TakenUp } from './archive-reads.ts';
import { type completedTips, type EarlierQuery, type EarlierTip, type earlierTips, newestAt } from './earlier-tips.ts';

/** An entry that knows its place in the list that it comes from. The text of its tip is made when somebody asks. */
export class PlacedEntry implements ArchiveEntry {
  readonly index: number;
  readonly id: string;
  readonly ver: number;
  readonly link: Uint8Array;
  readonly content: string[];
  readonly start?: string;

  constructor(entry: Omit<PlacedEntry, 'tip'>) {
    const { index, id, ver, link, content, start } = entry;
    this.index = index;
    this.id = id;
    this.ver = ver;
    this.link = link;
    this.content = content;
    if (start !== undefined) this.start = start;
  }

  get tip(): string {
    return cidText(this.link);
  }
}

/** The state of a scope at one moment: (id, tip) of each entity in id order. About 100 bytes an entity. */
export class TipList {
  readonly scope: Scope;
  readonly history: History;
  /** The last move that is in it. */
  readonly move: number;
  readonly #ids: string[];
  readonly #tips: Float64Array;
  readonly #vers: Float64Array;
  readonly #cids: PackedCids;
  readonly #starts: Map<string, string>;
  readonly #contents: Map<number, string[]>;
  readonly #newest: number;
  /** How many files its versions name that are not here. */
  readonly missing: number;

  private constructor(
    { scope, history }: { scope: Scope; history: History },
    { move, newest, ids, tips, vers, cids, starts, contents }: Columns,
  ) {
    this.scope = scope;
    this.history = history;
    this.move = move;
    this.#ids = ids;
    this.#tips = tips;
    this.#vers = vers;
    this.#cids = cids;
    this.#starts = starts;
    this.#newest = newest;
    this.#contents = contents.kept;
    this.missing = contents.missing;
  }

  /** Packs what was listed, in id order; the event loop has its turns meanwhile. */
  static async of(
    store: NetworkStore,
    query: { scope: Scope; history: History },
    { listed, ...rest }: Pick<Columns, 'move' | 'newest' | 'starts'> & { listed: ReadonlyMap<string, CompactTip> },
  ): Promise<TipList> {
    const tips = new Float64Array(listed.size);
    const vers = new Float64Array(listed.size);
    const cids = new PackedCids(listed.size);
    const ids: string[] = [];
    for (const { id, tip, ver, cid } of listed.values()) {
      tips[ids.length] = tip;
      vers[ids.length] = ver;
      cids.set(ids.length, cidBytes(cid));
      if (ids.push(id) % perTurn === 0) await turn();
    }
    const contents = await keptContents(store, tips, query);
    return new TipList(query, { ...rest, ids, tips, vers, cids, contents });
  }

  get length(): number {
    return this.#ids.length;
  }

  /** The key of an entry's tip. */
  tip(index: number): number {
    return this.#tips[index] as number;
  }

  /** The keys of the tips of a range of entries. */
  tips(from: number, to: number): Float64Array {
    return this.#tips.slice(from, to);
  }

  /**
   * The numbers of its tips together, the CIDs of those versions with which histories start here that are not the first, and the
   * key of the last version that was stored by its last move.
   */
  sizes(): { versions: number; starts: string[]; newest: number } {
    const versions = this.#vers.reduce((sum, ver) => sum + ver, 0);
    return { versions, starts: [...this.#starts.values()], newest: this.#newest };
  }

  *entries(): Generator<PlacedEntry, void, undefined> {
    for (const [index, id] of this.#ids.entries()) {
      const link = this.#cids.get(index);
      const start = this.#starts.get(id);
      const content = this.#contents.get(this.tip(index)) ?? none;
      const facts = { index, id, ver: this.#vers[index] as number, link, content };
      yield new PlacedEntry(start === undefined ? facts : { ...facts, start });
    }
  }
}

/** So many entries are packed in one turn of the event loop. */
const perTurn = 1000;
const none: string[] = [];

type CompactTip = Omit<ListedTip, 'start'>;

interface Columns {
  move: number;
  newest: number;
  ids: string[];
  tips: Float64Array;
  vers: Float64Array;
  cids: PackedCids;
  starts: Map<string, string>;
  contents: KeptContents;
}

/** Binary CIDs in one piece of memory; those of another length than ours beside it. */
class PackedCids {
  readonly #bytes: Uint8Array;
  readonly #others = new Map<number, Uint8Array>();

  constructor(count: number) {
    this.#bytes = new Uint8Array(count * cidLength);
  }

  set(index: number, cid: Uint8Array): void {
    if (cid.length === cidLength) this.#bytes.set(cid, index * cidLength);
    else this.#others.set(index, cid);
  }

  get(index: number): Uint8Array {
    return this.#others.get(index) ?? this.#bytes.subarray(index * cidLength, (index + 1) * cidLength);
  }
}

/**
 * Lists a scope in short reads, and then takes up what moved or was stored meanwhile until one read has it all: so the list is
 * the state after its last move, though no read lived long.
 */
export async function listTips(store: NetworkStore, query: { scope: Scope; history: History }): Promise<TipList> {
  const { scope, history } = query;
  let tips = new Map<string, CompactTip>();
  const starts = new Map<string, string>();
  const put = ({ id, tip, ver, cid, start }: ListedTip) => {
    tips.set(id, { id, tip, ver, cid });
    if (start === undefined) starts.delete(id);
    else starts.set(id, start);
  };
  let after: TakenUp = store.read((db) => ({ move: lastMove(db), stored: newestBlock(db) }));
  for await (const page of tipPages(store, query)) page.forEach(put);
  let created = 0;
  let newest = 0;
  for (let complete = false; !complete; ) {
    const page = jsonOf(await store.readLong('movedTips', { scope, history, after })) as ReturnType<typeof movedTips>;
    for (const tip of page.tips) {
      if (!tips.has(tip.id)) created++;
      put(tip);
    }
    for (const id of page.gone) {
      tips.delete(id);
      starts.delete(id);
    }
    ({ last: after, newest } = page);
    complete = page.complete;
  }
  // Ids that came meanwhile stand at the end.
  if (created > 0) tips = new Map([...tips].sort(([a], [b]) => (a < b ? -1 : 1)));
  return TipList.of(store, query, { move: after.move, newest, listed: tips, starts });
}

/** The pages of a scope in id order: two at a time, one for each reader thread. */
async function* tipPages(
  store: NetworkStore,
  { scope, history }: { scope: Scope; history: History },
): AsyncGenerator<ListedTip[], void, undefined> {
  const pages: Promise<Uint8Array>[] = [];
  let next: string | null = '';
  while (next !== null || pages.length > 0) {
    while (next !== null && pages.length < 2) {
      const after: string = next;
      const until: string | null =
        scope.kind === 'entity' || scope.kind === 'selection' ? null : store.read((db) => pageEnd(db, after));
      const page = store.readLong('tipsOfScope', { scope, history, after, until });
      // Its failure is met where it is awaited.
      page.catch(() => undefined);
      pages.push(page);
      next = until;
    }
    yield jsonOf(await (pages.shift() as Promise<Uint8Array>)) as ListedTip[];
  }
}

/**
 * The entries of a list as they were after an earlier move, in id order. Content that came after it was not in them,
 * though a version may have named it. When it came only the clock says: where that was set back since, as far as can be told,
 * no content counts as having been in them. `now`: epoch milliseconds.
 */
export async function entriesAt(
  store: NetworkStore,
  list: TipList,
  { move, now }: { move: number; now: number },
): Promise<ArchiveEntry[]> {
  const { scope, history } = list;
  const newest = store.read((db) => newestAt(db, move));
  const { before, earliest } = await tipsThen(store, { scope, history, move, newest });
  const earlier: (ArchiveEntry & { key: number })[] = [];
  for (const { id, index, tip, ver, start } of list.entries())
    if (!before.has(id))
      earlier.push({ id, key: list.tip(index), tip, ver, content: [], ...(start !== undefined && { start }) });
  for (const [id, was] of before)
    if (was !== null)
      earlier.push({
        id,
        key: was.tip,
        tip: was.cid,
        ver: was.ver,
        content: [],
        ...(was.start !== undefined && { start: was.start }),
      });
  const time = store.read((db) => db.get<{ time: number }>('SELECT time FROM moves WHERE id = ?', move)?.time ?? 0);
  const keys = earlier.map(({ key }) => key);
  const { kept } = await keptContents(store, keys, {
    history,
    newest,
    before: Math.min(earliest, now) < time ? 0 : time,
  });
  const entries = earlier.map(({ key, ...entry }) => ({ ...entry, content: kept.get(key) ?? none }));
  return entries.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What has changed since an earlier move, as it was then. `earliest`: see earlierTips. */
async function tipsThen(
  store: NetworkStore,
  query: EarlierQuery,
): Promise<{ before: Map<string, EarlierTip['before']>; earliest: number }> {
  const before = new Map<string, EarlierTip['before']>();
  const put = (tips: EarlierTip[]) => {
    for (const { id, before: tip } of tips) if (!before.has(id)) before.set(id, tip);
  };
  // First what has not moved yet: where it does now, the moves tell.
  for (let after = query.newest, complete = false; !complete; ) {
    const page = jsonOf(await store.readLong('completedTips', { ...query, after })) as ReturnType<typeof completedTips>;
    put(page.tips);
    ({ last: after, complete } = page);
  }
  let earliest = Number.MAX_SAFE_INTEGER;
  for (let after = query.move, complete = false; !complete; ) {
    const page = jsonOf(await store.readLong('earlierTips', { ...query, after })) as ReturnType<typeof earlierTips>;
    put(page.tips);
    earliest = Math.min(earliest, page.earliest);
    ({ last: after, complete } = page);
  }
  return { before, earliest };
}
