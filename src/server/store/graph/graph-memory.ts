import { getOrMake } from '../../model/get-or-make.ts';
import { RecentMap } from '../../model/recent-map.ts';
import type { Reader } from '../connection.ts';
import { lastMove, movedAfter } from '../events.ts';
import type { Common } from './graph-common.ts';
import type { NodeFacts } from './graph-facts.ts';
import type { Stretch } from './graph-heads.ts';
import type { Shown } from './graph-shown.ts';

/** Numbers in kept lists, and entries of each other kind, that a connection keeps at most: at any time, also within one question. */
export const [maxListed, maxEntries] = [2_000_000, 50_000];
/** What a list weighs besides its numbers. */
const listWeight = 16;
/** Entities of which a connection keeps what answers show, some kilobytes each. */
const maxShown = 4096;
/** After more moves than these it is cheaper to begin anew than to find out what they changed. */
const maxMoved = 32;
/** Nor are more lists looked through for it, each once a move. */
const maxLookedThrough = 500_000;

/** Begins anew when it has become too large. */
class BoundedMap<K, V> extends Map<K, V> {
  override set(key: K, value: V): this {
    if (this.size >= maxEntries && !this.has(key)) this.clear();
    return super.set(key, value);
  }
}

/**
 * What questions about the graph have read, of all directions and predicates or of some, for the questions that follow
 * on the same connection. By node and way or ways, as graph-edges.ts names them.
 */
export class GraphMemory {
  readonly lists = new Map<string, readonly number[]>();
  /** The first neighbours of nodes with many. */
  readonly heads = new Map<string, Stretch>();
  readonly predicates = new BoundedMap<string, number[]>();
  /** Predicates from an entity with many relationships of its own to another one. */
  readonly between = new BoundedMap<string, number[]>();
  readonly degrees = new BoundedMap<string, { cap: number; n: number }>();
  /** A node's own relationships, predicate and peer in turn; null where they are too many. */
  readonly owned = new Map<number, readonly number[] | null>();
  /** Of every direction alike. */
  readonly facts: Map<number, NodeFacts>;
  /** What a node with many has in common with others, by its name and by their keys. */
  readonly #commons = new Map<string, Map<number, Common>>();
  readonly #kept: Kept;

  constructor(kept: Kept) {
    this.#kept = kept;
    this.facts = kept.facts;
  }

  keepList(name: string, list: readonly number[]): void {
    this.#kept.weigh(list.length + listWeight);
    this.lists.set(name, list);
  }

  /** `more`: how many keys there are in it that were not in the one before. */
  keepHead(name: string, head: Stretch, more: number): void {
    this.#kept.weigh(more + listWeight);
    this.heads.set(name, head);
  }

  common(busy: string, node: number): Common | undefined {
    return this.#commons.get(busy)?.get(node);
  }

  /** `more`: how many keys there are in it that were not before. */
  keepCommon(busy: string, node: number, common: Common, more: number): void {
    this.#kept.weigh(more + listWeight);
    getOrMake(this.#commons, busy, () => new Map<number, Common>()).set(node, common);
  }

  keepPredicates(name: string, predicates: number[]): void {
    this.#kept.weigh(predicates.length + listWeight);
    this.predicates.set(name, predicates);
  }

  keepBetween(name: string, predicates: number[]): void {
    this.#kept.weigh(predicates.length + listWeight);
    this.between.set(name, predicates);
  }

  keepOwned(node: number, owned: readonly number[] | null): void {
    this.#kept.weigh((owned?.length ?? 0) + listWeight);
    this.owned.set(node, owned);
  }

  /** Forgets what a changed relationship between the node and another one may have made untrue. */
  forget(node: number): void {
    this.owned.delete(node);
    for (const ways of ['out', 'in', 'out in']) {
      const name = `${node} ${ways}`;
      this.lists.delete(name);
      this.heads.delete(name);
      this.degrees.delete(name);
      this.predicates.delete(name);
    }
  }

  /** How many lists there are to be looked through for a node. */
  get listed(): number {
    return this.lists.size + this.heads.size;
  }

  forgetListsWith(node: number): void {
    for (const [name, list] of this.lists) if (holds(list, node)) this.lists.delete(name);
    for (const [name, { keys }] of this.heads) if (holds(keys, node)) this.heads.delete(name);
  }

  forgetCommons(): void {
    this.#commons.clear();
  }

  clear(): void {
    for (const map of [this.lists, this.heads, this.owned, this.predicates, this.degrees, this.between, this.#commons])
      map.clear();
  }
}

/** Everything that is remembered of one connection's graph, at one move. */
class Kept {
  readonly facts = new BoundedMap<number, NodeFacts>();
  readonly shown = new RecentMap<number, Shown>(maxShown);
  #move = -1;
  #weight = 0;
  readonly #memories = new Map<string, GraphMemory>();

  weigh(weight: number): void {
    if (this.#weight + weight > maxListed) this.#clear();
    this.#weight += weight;
  }

  #clear(): void {
    for (const memory of this.#memories.values()) memory.clear();
    this.facts.clear();
    this.#weight = 0;
  }

  /** Every change of a relationship comes with a move of the entity that owns it (apply.ts). */
  catchUp(db: Reader): void {
    const last = lastMove(db);
    if (last === this.#move) return;
    const count = last - this.#move;
    const listed = [...this.#memories.values()].reduce((sum, memory) => sum + memory.listed, 0);
    const known = this.#move >= 0 && count > 0 && count <= maxMoved && count * listed <= maxLookedThrough;
    if (known) for (const entity of movedAfter(db, this.#move)) this.#forget(db, entity);
    else {
      this.#clear();
      this.shown.clear();
    }
    this.#move = last;
  }

  #forget(db: Reader, entity: number): void {
    this.facts.delete(entity);
    this.shown.delete(entity);
    const peers = db.all<{ peer: number }>('SELECT DISTINCT peer FROM edge WHERE source = ?', entity);
    for (const memory of this.#memories.values()) {
      memory.between.clear();
      memory.forgetCommons();
      // What it no longer leads to has one relationship less, and is not known.
      memory.degrees.clear();
      // What it has led to until now still has it in its list, if that is kept.
      memory.forgetListsWith(entity);
      memory.forget(entity);
      for (const { peer } of peers) memory.forget(peer);
    }
  }

  memory(name: string): GraphMemory {
    const known = this.#memories.get(name);
    if (known) return known;
    if (this.#memories.size === 8) {
      this.#clear();
      this.#memories.clear();
    }
    const made = new GraphMemory(this);
    this.#memories.set(name, made);
    return made;
  }
}

function holds(list: readonly number[], key: number): boolean {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as number) < key) low = middle + 1;
    else high = middle;
  }
  return list[low] === key;
}

const keptOf = new WeakMap<Reader, Kept>();

/** What is remembered of the state that a connection reads now; by a name of what questions see of it. */
export function graphMemory(db: Reader, name: string): GraphMemory {
  return keptNow(db).memory(name);
}

/** What answers with previews show of entities in that state, by key. It depends on the entity alone. */
export function shownMemory(db: Reader): RecentMap<number, Shown> {
  return keptNow(db).shown;
}

function keptNow(db: Reader): Kept {
  const kept = keptOf.get(db) ?? new Kept();
  keptOf.set(db, kept);
  kept.catchUp(db);
  return kept;
}
