import type { Reader } from './connection.ts';
import { type Ends, withFacts } from './graph-ends.ts';
import { factsOf, type NodeFacts, readAllFacts, readFacts } from './graph-facts.ts';
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
  touching,
  type Way,
} from './graph-statements.ts';
import { ascending, inBoth, keysAfter, paged, taken } from './sorted-keys.ts';

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

/** A node as one of the ends, and the name under which it is remembered. */
interface Place {
  node: number;
  end: End;
  name: string;
}

function asPlace(node: number, end: End): Place {
  return { node, end, name: `${node} ${end}` };
}

/** Pages grow from so many rows to so many: what is sought may be among the first. */
const [firstPage, lastPage] = [64, 1024];
/** A node's neighbours are read at once, and kept, up to so many; of one that is asked about often up to so many. */
const [fewListed, maxAsked] = [1024, 250_000];
/** Asking for a single relationship costs so many times as much as reading it with all the others. */
const askedFor = 8;
/** Two degrees are compared at these sizes: counting costs no more than a multiple of the smaller one. */
const degreeSteps = [fewListed + 1, 16_384, 262_144];
const defaults = { rows: 300_000, milliseconds: 5000 };

/**
 * The relationships of one state of the graph as a question sees them: read from both indexes in pages, within a
 * budget. @throws GraphBudgetSpent
 */
export class GraphEdges {
  readonly #db: Reader;
  readonly #direction: GraphDirection;
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

  constructor(
    db: Reader,
    { direction, only, budget = {} }: { direction: GraphDirection; only?: readonly number[]; budget?: GraphBudget },
  ) {
    this.#db = db;
    this.#direction = direction;
    this.#only = only ?? null;
    this.#most = budget.rows ?? defaults.rows;
    this.#rows = this.#most;
    this.#until = performance.now() + (budget.milliseconds ?? defaults.milliseconds);
    this.#memory = graphMemory(db, `${direction} ${only?.toSorted((a, b) => a - b).join() ?? 'any'}`);
    const spend = (rows: number) => this.#spend(rows);
    const predicates = (node: number, way: Way) => this.predicates(node, way);
    this.#owned = new OwnedEdges({ db, memory: this.#memory, only: this.#only, spend, predicates });
  }

  #spend(rows: number): void {
    this.#rows -= rows + 1;
    if (this.#rows < this.#others || performance.now() > this.#until) throw new GraphBudgetSpent();
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
    return this.#rows < 0 || performance.now() > this.#until;
  }

  #ways(end: End): readonly Way[] {
    if (this.#direction === 'both') return ['out', 'in'];
    return (this.#direction === 'outgoing') === (end === 'source') ? ['out'] : ['in'];
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
    const list = this.#list(node, end, fewListed);
    // A longer one may be known or not; the order must not depend on that.
    const nodes = list && list.length <= fewListed ? list : this.#scanned(node, end);
    for (const page of paged(nodes, 16, 256)) {
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
      const name = `${node} ${end}`;
      return !this.#memory.lists.has(name) && !this.#memory.degrees.has(name) && this.isInner(node);
    });
    if (unread.length === 0) return;
    const only = this.#only && [...this.#only];
    const ways = this.#ways(end);
    const sql = listsOf(ways, only === null ? '' : ` AND predicate ${oneOf(only)}`);
    const params = only === null ? [] : ways.flatMap(() => asParameters(only));
    const rows = this.#db.all<{ node: number; nodes: string }>(sql, ...params, fewListed + 1, JSON.stringify(unread));
    for (const row of rows) this.#keepList(row.node, end, JSON.parse(row.nodes) as number[], fewListed);
  }

  /** Those one step from a node in ascending order, each once; null for a node with more than so many relationships. */
  #list(node: number, end: End, most: number): readonly number[] | null {
    const name = `${node} ${end}`;
    const known = this.#memory.lists.get(name);
    if (known) return known;
    // Counted at few sizes, so that a growing `most` does not count anew each time.
    if (this.#degree(node, end, 2 ** Math.ceil(Math.log2(most + 1))) > most) return null;
    return this.#memory.lists.get(name) ?? this.#read(node, end, most);
  }

  #read(node: number, end: End, most: number): readonly number[] | null {
    return this.#keepList(node, end, this.#listOf(node, this.#ways(end), most + 1), most);
  }

  /** Null for more than `most`, of which only the number is kept. */
  #keepList(node: number, end: End, found: number[], most: number): readonly number[] | null {
    const name = `${node} ${end}`;
    if (found.length > most) {
      if (most > fewListed) return null;
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
    const only = this.#only && [...this.#only];
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

  /**
   * Those one step from `source` and one step before `target`, each once, in ascending order. Those of the one with fewer
   * relationships are looked for among the other's, as far as somebody wants more: where two entities with very many
   * relationships have many neighbours in common, the first of them are found soon, however many there are.
   */
  *common(source: number, target: number): Generator<number> {
    this.#spend(0);
    const [from, to] = [asPlace(source, 'source'), asPlace(target, 'target')];
    const [one, other] = this.sourceIsSmaller(source, target) ? [from, to] : [to, from];
    const scan = this.#ascending(one.node, one.end);
    let after = -1;
    for (let size = firstPage; ; size = Math.min(2 * size, lastPage)) {
      const [own, others] = [this.#worthListing(one), this.#worthListing(other)];
      if (own && others) return yield* inBoth(own, others, after);
      const page = own ? keysAfter(own, after, size) : taken(scan, after, size);
      if (!own) this.#ask(one, page.length / askedFor);
      this.#ask(other, page.length);
      yield* ascending(this.#touching(page, other.node, other.end));
      if (page.length < size) return;
      after = page.at(-1) as number;
    }
  }

  /** All of a place's neighbours, where they are known, few, or were asked about so often that reading them costs no more. */
  #worthListing({ node, end, name }: Place): readonly number[] | null {
    const asked = this.#memory.asked.get(name) ?? 0;
    // Half of what this question may still look at is left to it.
    const most = Math.min(maxAsked, askedFor * asked, (this.#rows - this.#others) >> 1);
    return this.#list(node, end, Math.max(fewListed, most));
  }

  #ask({ name }: Place, times: number): void {
    this.#memory.asked.set(name, (this.#memory.asked.get(name) ?? 0) + times);
  }

  /** Those one step from a node, each once, in ascending order: of each predicate they are stored so. */
  *#ascending(node: number, end: End): Generator<number> {
    const scans = this.#ways(end).flatMap((way) =>
      this.predicates(node, way).map((predicate) => this.#pages(node, way, { sql: pages }, predicate)),
    );
    const heads = scans.map((scan) => scan.next());
    for (;;) {
      let least = Number.POSITIVE_INFINITY;
      for (const { done, value } of heads) if (!done && value.node < least) least = value.node;
      if (least === Number.POSITIVE_INFINITY) return;
      yield least;
      for (const [i, scan] of scans.entries()) if (heads[i]?.value?.node === least) heads[i] = scan.next();
    }
  }

  /** Those of some nodes that are one step from a node. */
  #touching(nodes: number[], node: number, end: End): number[] {
    this.#spend(nodes.length);
    return this.#ways(end).flatMap((way) => {
      const among = this.predicates(node, way);
      if (among.length === 0) return [];
      const sql = touching[way](among);
      const row = this.#db.get<{ nodes: string }>(sql, JSON.stringify(nodes), node, ...asParameters(among));
      return JSON.parse(row?.nodes ?? '[]') as number[];
    });
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
    const name = `${node} ${end}`;
    const known = this.#memory.degrees.get(name);
    if (known && (known.cap >= cap || known.n < known.cap)) return Math.min(known.n, cap);
    const list = this.#memory.lists.get(name);
    if (list) return Math.min(list.length, cap);
    if (known === undefined) {
      const few = this.#read(node, end, fewListed);
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
