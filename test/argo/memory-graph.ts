import type {
  GraphSource,
  Leading,
  Link,
  Linked,
  Reached,
  Sources,
  TextSource,
  Walked,
  WalkQuery,
  Within,
} from '../../src/server/argo/ports.ts';

export interface Thing {
  id: string;
  type: string;
  label: string;
  /** Ids; the relationship `collection` is among the edges by itself. */
  collections?: string[];
  updated?: string;
  deleted?: boolean;
}

export type Edge = [source: string, predicate: string, target: string];

/** A graph in memory, and words in common as nearness: the two back ends as the executor sees them. */
export class MemoryGraph implements GraphSource, TextSource {
  readonly #things: Map<string, Thing>;
  readonly #edges: Edge[];
  /** How many walks were asked for, and how many relationships each looks at. */
  walks = 0;
  /** How many relationships each search for ways to an entity was allowed to look at. */
  allowed: number[] = [];
  rowsOfOne = 0;
  /** Whether there is no time to try a filter on all. */
  late = false;

  constructor(things: Thing[], edges: Edge[]) {
    this.#things = new Map(things.map((thing) => [thing.id, thing]));
    const placed = things.flatMap(({ id, collections = [] }) => collections.map((c): Edge => [id, 'collection', c]));
    this.#edges = [...edges, ...placed];
  }

  get sources(): Sources {
    return { texts: this, graph: this };
  }

  async search(text: string, within: Within, k: number) {
    const hits = this.#fitting(within)
      .filter(({ id }) => within.leading === undefined || this.#leads(within.leading, id, []))
      .map((thing) => ({ id: thing.id, score: nearness(text, thing.label) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .slice(0, k);
    return { hits, truncated: this.late };
  }

  async scores(text: string, ids: string[], within: Within) {
    const near = this.#fitting({ ...within, ids }).map(({ id, label }) => [id, nearness(text, label)] as const);
    return { scores: new Map(near.filter(([, score]) => score > 0)), truncated: this.late };
  }

  /** How often names were compared, and whether there is time to do so by what they mean. */
  compared = 0;
  unmeant = false;

  async similarities(names: string[], others: string[]) {
    this.compared++;
    const likeness = others.map((other) => Math.max(...names.map((name) => alike(name.split('_'), other.split('_')))));
    return { likeness, truncated: this.unmeant };
  }

  /** The time that the last look at everything had. */
  milliseconds = 0;

  async newest(within: Within, k: number, milliseconds: number) {
    this.milliseconds = milliseconds;
    const found = this.#fitting(within).sort(
      (a, b) => (b.updated ?? '').localeCompare(a.updated ?? '') || (a.id < b.id ? -1 : 1),
    );
    return { ids: found.slice(0, k).map(({ id }) => id), truncated: false };
  }

  async predicates() {
    return [...new Set(this.#edges.map(([, predicate]) => predicate))];
  }

  async named(names: string[]) {
    const wanted = names.map((name) => name.toLowerCase());
    return (await this.predicates()).filter((name) => wanted.includes(name.toLowerCase()));
  }

  async used(names: string[]) {
    return (await this.named(names)).length > 0;
  }

  async walk({
    types,
    leading,
    ...query
  }: WalkQuery & { types: string[] | null; leading?: Leading | undefined }): Promise<Walked> {
    return this.#walked(
      query,
      (id, behind) => (types === null || this.#isOf(types, id)) && (!leading || this.#leads(leading, id, behind)),
    );
  }

  #isOf(types: string[], id: string): boolean {
    return types.includes(this.#things.get(id)?.type ?? '');
  }

  #leads({ ids, types, ...way }: Leading, from: string, behind: string[]): boolean {
    return this.#steps(from, { ...way, predicates: way.predicates ?? null }).some(
      ({ id }) => !behind.includes(id) && (ids?.includes(id) ?? true) && (!types || this.#isOf(types, id)),
    );
  }

  async link({ targets, ...query }: Omit<WalkQuery, 'perSource'> & { targets: string[] }): Promise<Linked> {
    this.allowed.push(query.rows);
    return this.#walked({ ...query, perSource: targets.length }, (id) => targets.includes(id));
  }

  #walked(query: WalkQuery, wanted: (id: string, behind: string[]) => boolean): Walked {
    this.walks++;
    let truncated = false;
    const reached = query.sources.flatMap(({ id, avoid }, source) => {
      const ways = new Map<string, Link[]>();
      let level: Link[][] = [[]];
      for (let length = 1; length <= query.most; length++) {
        level = level.flatMap((way) => this.#onward(id, way, query, avoid).map((link) => [...way, link]));
        if (length < query.least) continue;
        for (const way of level) {
          const end = way.at(-1)?.id ?? '';
          if (wanted(end, [id, ...avoid]) && !ways.has(end)) ways.set(end, way);
        }
      }
      truncated ||= ways.size > query.perSource;
      return [...ways].slice(0, query.perSource).map(([end, way]): Reached => ({ id: end, source, way }));
    });
    return { reached, truncated, spent: false, rows: this.rowsOfOne };
  }

  #onward(start: string, way: Link[], query: WalkQuery, avoid: string[]): Link[] {
    const at = way.at(-1)?.id ?? start;
    if (way.length > 0 && !query.throughCollections && this.#things.get(at)?.type === 'collection') return [];
    const passed = new Set([start, ...avoid, ...way.map(({ id }) => id)]);
    return this.#steps(at, query).filter(({ id }) => !passed.has(id));
  }

  /** Relationships of one entity that lead to live ones. */
  #steps(at: string, query: Pick<WalkQuery, 'direction' | 'predicates'>): Link[] {
    return this.#edges.flatMap(([source, predicate, target]): Link[] => {
      if (query.predicates !== null && !query.predicates.includes(predicate)) return [];
      const links: Link[] = [];
      if (source === at && query.direction !== 'incoming') links.push({ predicate, direction: 'outgoing', id: target });
      if (target === at && query.direction !== 'outgoing') links.push({ predicate, direction: 'incoming', id: source });
      return links.filter(({ id }) => this.#things.get(id)?.deleted === false);
    });
  }

  #fitting({ types, collection, loose, ids, filter }: Within): Thing[] {
    // Filters are SQL: the tests of the endpoint have those. Here one names the types that it leaves.
    const filtered = filter?.params.map(String);
    return [...this.#things.values()].filter(
      (thing) =>
        !thing.deleted &&
        (types === undefined || types.includes(thing.type)) &&
        (filtered === undefined || filtered.includes(thing.type)) &&
        (collection === undefined || thing.collections?.includes(collection)) &&
        (!loose || !thing.collections?.length) &&
        (ids === undefined || ids.includes(thing.id)),
    );
  }
}

/** How many words of a text a label has. */
function nearness(text: string, label: string): number {
  return alike(text.toLowerCase().split(/\W+/), label.toLowerCase().split(/\W+/));
}

function alike(wanted: string[], there: string[]): number {
  return wanted.filter((word) => there.includes(word)).length / wanted.length;
}

export function thing(id: string, type: string, label = id, more: Partial<Thing> = {}): Thing {
  return { id, type, label, deleted: false, ...more };
}
