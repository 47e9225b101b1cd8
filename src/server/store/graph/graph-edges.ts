import type { Reader } from '../connection.ts';
import { isTimeUp } from '../threads/read-time.ts';
import { type CommonPage, commonPages } from './graph-common.ts';
import { type Ends, withFacts } from './graph-ends.ts';
import { factsOf, type NodeFacts, readAllFacts, readFacts } from './graph-facts.ts';
import type { KnownNeighbours, Place } from './graph-heads.ts';
import { hitsOf, type Led, led } from './graph-hits.ts';
import { type GraphMemory, graphMemory } from './graph-memory.ts';
import { OwnedEdges } from './graph-owned.ts';
import {
  asParameters,
  bothDegrees,
  degrees,
  distinct,
  listOf,
  listsOf,
  type NeighbourRow,
  oneOf,
  type PageRead,
  pages,
  type Way,
} from './graph-statements.ts';
import { ascending, paged } from './sorted-keys.ts';

/** Which way relationships are followed, seen from where a path begins: to their peer, to their owner, or either. */
export type GraphDirection = 'outgoing' | 'incoming' | 'both';

/** How much of the graph one question may look at. */
export interface GraphBudget {
  /** Rows of relationships; 300,000 if omitted. */
  rows?: number | undefined;
  /** Milliseconds; 5,000 if omitted. */
  milliseconds?: number | undefined;
}

/** A stored relationship, by keys. */
export interface GraphEdge {
  subject: number;
  predicate: number;
  object: number;
}

/** Ends a question that has looked at as much as it may; what it has found by then is its answer. */
export class GraphBudgetSpent extends Error {
  override readonly name = 'GraphBudgetSpent';
}

/** The end of a path from which one steps on: its beginning, towards the target, or its end, back to the source. */
export type End = 'source' | 'target';

/** Pages grow from so many rows to so many: what is sought may be among the first. */
const [firstPage, lastPage] = [64, 1024];
/** A node's neighbours are read at once, and kept, up to so many. */
const fewListed = 1024;
/** Two degrees are compared at these sizes: counting costs no more than a multiple of the smaller one. */
const degreeSteps = [fewListed + 1, 16_384, 262_144];
const defaults = { rows: 300_000, milliseconds: 5000 };

/** The ways that are followed, and the words for them in what is remembered: made once, as they are asked for of every node. */
interface Followed {
  ways: readonly Way[];
  words: string;
}

const [out, back, both]: [Followed, Followed, Followed] = [
  { ways: ['out'], words: 'out' },
  { ways: ['in'], words: 'in' },
  { ways: ['out', 'in'], words: 'out in' },
];
const followedFrom: Record<GraphDirection, Record<End, Followed>> = {
  outgoing: { source: out, target: back },
  incoming: { source: back, target: out },
  both: { source: both, target: both },
};

/**
 * The relationships of one state of the graph as a question sees them: read from both indexes in pages, within a
 * budget. @throws GraphBudgetSpent
 */
export class GraphEdges {
  readonly #db: Reader;
  readonly #followed: Record<End, Followed>;
  /** Keys; null for any. */
  readonly #only: readonly number[] | null;
  readonly #until: number;
  readonly #most: number;
  #rows: number;
  /** How many rows the others are to have. */
  #others = 0;
  /** What is in it costs a question nothing. */
  readonly #memory: GraphMemory;
  readonly #owned: OwnedEdges;
  readonly #looking: KnownNeighbours;

  constructor(
    db: Reader,
    { direction, only, budget = {} }: { direction: GraphDirection; only?: readonly number[]; budget?: GraphBudget },
  ) {
    this.#db = db;
    this.#followed = followedFrom[direction];
    this.#only = only ?? null;
    this.#most = budget.rows ?? defaults.rows;
    this.#rows = this.#most;
    this.#until = performance.now() + (budget.milliseconds ?? defaults.milliseconds);
    this.#memory = graphMemory(db, `${direction} ${only?.toSorted((a, b) => a - b).join() ?? 'any'}`);
    const spend = (rows: number) => this.#spend(rows);
    const predicates = (node: number, way: Way) => this.predicates(node, way);
    this.#owned = new OwnedEdges({ db, memory: this.#memory, only: this.#only, spend, predicates });
    this.#looking = { db, memory: this.#memory, owned: this.#owned, spend, predicates };
  }

  #spend(rows: number): void {
    this.#rows -= rows + 1;
    if (this.#rows < this.#others || isTimeUp(this.#until)) throw new GraphBudgetSpent();
  }

  /** What is asked next may use no more than one of so many equal shares of the rows that are left. */
  share(parts: number): void {
    this.#others = Math.ceil(Math.max(0, this.#rows) * (1 - 1 / parts));
  }

  /** How many rows were looked at. */
  get looked(): number {
    return this.#most - this.#rows;
  }

  /** Whether nothing more can be asked. */
  get spent(): boolean {
    return this.#rows < 0 || isTimeUp(this.#until);
  }

  #ways(end: End): readonly Way[] {
    return this.#followed[end].ways;
  }

  /** Under which is remembered what is one step from a node: where both ways are followed, the same at either end. */
  #name(node: number, end: End): string {
    return `${node} ${this.#followed[end].words}`;
  }

  facts(node: number): NodeFacts {
    const known = this.#memory.facts.get(node);
    if (known) return known;
    this.#spend(0);
    const facts = readFacts(this.#db, node);
    this.#memory.facts.set(node, facts);
    return facts;
  }

  /** Whether a path may lead through: live entities, but no collections (decisions.md, Search and graph). */
  isInner(node: number): boolean {
    const { live, type } = this.facts(node);
    return live && type !== 'collection';
  }

  /** Those one step from a node, each once. */
  *neighbours(node: number, end: End): Generator<number> {
    this.#spend(0);
    for (const page of paged(this.#list(node, end) ?? this.#scanned(node, end), 16, 256)) {
      this.#learn(page, end);
      yield* page;
    }
  }

  *#scanned(node: number, end: End): Generator<number> {
    const seen = new Set<number>();
    for (const { node: other } of this.#scan(node, end)) {
      if (seen.has(other)) continue;
      seen.add(other);
      yield other;
    }
  }

  /** What the nodes are, and where they lead, as a walk over them will ask of one after the other. */
  #learn(nodes: number[], end: End): void {
    readAllFacts(this.#db, nodes, this.#memory.facts);
    const unread = nodes.filter((node) => {
      const name = this.#name(node, end);
      return !this.#memory.lists.has(name) && !this.#memory.degrees.has(name) && this.isInner(node);
    });
    if (unread.length === 0) return;
    const only = this.#only;
    const ways = this.#ways(end);
    const sql = listsOf(ways, only === null ? '' : ` AND predicate ${oneOf(only)}`);
    const params = only === null ? [] : ways.flatMap(() => asParameters(only));
    const rows = this.#db.all<{ node: number; nodes: string }>(sql, ...params, fewListed + 1, JSON.stringify(unread));
    for (const row of rows) this.#keepList(row.node, end, JSON.parse(row.nodes) as number[]);
  }

  /** Those one step from a node in ascending order, each once; null for a node with more than a few relationships. */
  #list(node: number, end: End): readonly number[] | null {
    const name = this.#name(node, end);
    const known = this.#memory.lists.get(name);
    if (known) return known;
    return this.#memory.degrees.has(name) ? null : this.#read(node, end);
  }

  #read(node: number, end: End): readonly number[] | null {
    return this.#keepList(node, end, this.#listOf(node, this.#ways(end), fewListed + 1));
  }

  /** Null for more than a few, of which only the number is kept. */
  #keepList(node: number, end: End, found: number[]): readonly number[] | null {
    const name = this.#name(node, end);
    if (found.length > fewListed) {
      this.#memory.degrees.set(name, { cap: fewListed + 1, n: fewListed + 1 });
      this.#spend(fewListed >> 4);
      return null;
    }
    this.#spend(found.length);
    const list = ascending(found);
    this.#memory.keepList(name, list);
    return list;
  }

  #listOf(node: number, ways: readonly Way[], limit: number): number[] {
    const only = this.#only;
    const sql = listOf(ways, only === null ? '' : ` AND predicate ${oneOf(only)}`);
    const params = ways.flatMap(() => [node, ...(only === null ? [] : asParameters(only))]);
    const row = this.#db.get<{ nodes: string }>(sql, ...params, limit);
    return JSON.parse(row?.nodes ?? '[]') as number[];
  }

  /**
   * Relationships one step from a node, with what they lead to, by predicate and key. `again`: they were looked at before
   * for their ends, and cost no more.
   */
  *steps(node: number, again: boolean): Generator<Led> {
    for (const row of this.#scan(node, 'source', { ...withFacts, again })) {
      const { way, node: other, predicate, type, live } = row;
      if (!this.#memory.facts.has(other)) this.#memory.facts.set(other, factsOf({ type, live }));
      yield led(node, { way, node: other, predicate });
    }
  }

  /** Those relationships one step from some nodes that lead to such `ends`; `at`: the place of its node. */
  *hits(nodes: readonly number[], ends: Ends): Generator<Led & { at: number }> {
    const looking = { ways: this.#ways('source'), only: this.#only, spend: (rows: number) => this.#spend(rows) };
    for (const hit of hitsOf(this.#db, nodes, ends, looking))
      yield { at: hit.at, ...led(nodes[hit.at] as number, hit) };
  }

  /** Those one step from `source` and one step before `target` (commonPages). */
  common(source: number, target: number): Iterable<CommonPage> {
    this.#spend(0);
    return commonPages(this.#looking, this.#place(source, 'source'), this.#place(target, 'target'));
  }

  #place(node: number, end: End): Place {
    return { node, ways: this.#ways(end), name: this.#name(node, end), list: this.#list(node, end) };
  }

  *#scan(node: number, end: End, read: PageRead = { sql: pages }): Generator<NeighbourRow> {
    for (const way of this.#ways(end)) {
      if (this.#only === null) yield* this.#pages(node, way, read, -1);
      else for (const predicate of this.#only) yield* this.#pages(node, way, read, predicate);
    }
  }

  /** Of all predicates for -1. */
  *#pages(node: number, way: Way, { sql, again = false }: PageRead, one: number): Generator<NeighbourRow> {
    const end = one === -1 ? Number.MAX_SAFE_INTEGER : one;
    let [predicate, last] = [one, -1];
    for (let size = firstPage; ; size = Math.min(2 * size, lastPage)) {
      const rows = this.#db.all<NeighbourRow>(sql[way], node, predicate, last, end, size);
      this.#spend(again ? -1 : rows.length);
      for (const row of rows) {
        row.way = way;
        yield row;
      }
      const reached = rows.at(-1);
      if (reached === undefined || rows.length < size) return;
      [predicate, last] = [reached.predicate, reached.node];
    }
  }

  /** What `between` and `isInner` will ask of nodes that are one step from both of these, read at once. */
  expect(nodes: readonly number[], source: number, target: number): void {
    readAllFacts(this.#db, nodes, this.#memory.facts);
    if (this.#owned.learn(nodes)) return;
    for (const way of this.#ways('source')) this.predicates(source, way);
    for (const way of this.#ways('target')) this.predicates(target, way);
  }

  /** The relationships by which a path may go from one node to the next. */
  between(source: number, target: number): GraphEdge[] {
    this.#spend(0);
    return this.#ways('source').flatMap((way) => {
      const [subject, object] = way === 'out' ? [source, target] : [target, source];
      return this.#owned.between(subject, object).map((predicate) => ({ subject, predicate, object }));
    });
  }

  /** The predicates of a node's relationships, found by jumping from one to the next. */
  predicates(node: number, way: Way): number[] {
    const name = `${node} ${way}`;
    const known = this.#memory.predicates.get(name);
    if (known) return known;
    const [predicate, column] = distinct[way];
    const next = `SELECT min(${predicate}) FROM edge WHERE ${column} = ?`;
    const rows = this.#db.all<{ predicate: number }>(
      `WITH RECURSIVE p (predicate) AS (${next} UNION ALL SELECT (${next} AND predicate > p.predicate) FROM p WHERE p.predicate IS NOT NULL)
       SELECT predicate FROM p WHERE predicate IS NOT NULL`,
      node,
      node,
    );
    this.#spend(rows.length);
    const found = rows.map((row) => row.predicate).filter((one) => this.#only === null || this.#only.includes(one));
    this.#memory.keepPredicates(name, found);
    return found;
  }

  /** Whether the source has no more relationships to follow than the target. */
  sourceIsSmaller(source: number, target: number): boolean {
    for (const cap of degreeSteps) {
      const forth = this.#degree(source, 'source', cap);
      const back = this.#degree(target, 'target', cap);
      if (forth < cap || back < cap) return forth <= back;
    }
    return true;
  }

  #degree(node: number, end: End, cap: number): number {
    const name = this.#name(node, end);
    const known = this.#memory.degrees.get(name);
    if (known && (known.cap >= cap || known.n < known.cap)) return Math.min(known.n, cap);
    const list = this.#memory.lists.get(name);
    if (list) return Math.min(list.length, cap);
    if (known === undefined) {
      const few = this.#read(node, end);
      if (few) return Math.min(few.length, cap);
      return this.#degree(node, end, cap);
    }
    const [way, also] = this.#ways(end);
    const row =
      also === undefined
        ? this.#db.get<{ n: number }>(degrees[way as Way], node, cap)
        : this.#db.get<{ n: number }>(bothDegrees, node, cap, node, cap);
    const n = Math.min(row?.n ?? 0, cap);
    this.#spend(n >> 4);
    this.#memory.degrees.set(name, { cap, n });
    return n;
  }
}
