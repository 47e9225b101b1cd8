import type { Reader } from '../connection.ts';
import type { GraphMemory } from './graph-memory.ts';
import { asParameters, oneOf, ownedOf, type Way } from './graph-statements.ts';

/** A node's own relationships are read at once up to so many. */
const fewOwned = 64;
/** Of so many nodes what they own is read to find out which lead to another one, as the same may soon be asked of others. */
const mostLearned = 16;

/** What is looked at, and what is told of how many rows it was. */
interface Owning {
  db: Reader;
  memory: GraphMemory;
  /** Keys of the predicates that are followed; null for any. */
  only: readonly number[] | null;
  spend(rows: number): void;
  /** The predicates of a node's relationships. */
  predicates(node: number, way: Way): number[];
}

/** The relationships that nodes own: read at once where they are few, and else one by one. */
export class OwnedEdges {
  readonly #of: Owning;

  constructor(of: Owning) {
    this.#of = of;
  }

  /** Reads what nodes own, all of them together; false where one of them owns too many relationships for that. */
  learn(nodes: readonly number[]): boolean {
    const { owned } = this.#of.memory;
    const unread = nodes.filter((node) => !owned.has(node));
    if (unread.length > 0) this.#read(unread);
    return nodes.every((node) => owned.get(node));
  }

  /** Those to which a node has a relationship of its own, in no order; null where they are too many. */
  peers(node: number): number[] | null {
    if (!this.learn([node])) return null;
    return this.#of.memory.owned.get(node)?.filter((_, i) => i % 2 === 1) ?? null;
  }

  /**
   * Those of some nodes to which a node has a relationship (`out`), or they to it (`in`), by what the one or the others
   * own: null where that is too much, or would have to be read of many.
   */
  touching(nodes: readonly number[], node: number, way: Way): number[] | null {
    const { owned } = this.#of.memory;
    const owners = way === 'out' ? [node] : nodes;
    if (owners.length > mostLearned && !owners.every((one) => owned.has(one))) return null;
    if (!this.learn(owners)) return null;
    return nodes.filter((one) => (way === 'out' ? this.between(node, one) : this.between(one, node)).length > 0);
  }

  /** The predicates of the relationships from one node to another one. */
  between(subject: number, object: number): number[] {
    const { owned } = this.#of.memory;
    if (!owned.has(subject)) this.#read([subject]);
    const own = owned.get(subject);
    if (!own) return this.#asked(subject, object);
    const found: number[] = [];
    for (let i = 1; i < own.length; i += 2) if (own[i] === object) found.push(own[i - 1] as number);
    return found;
  }

  #read(subjects: readonly number[]): void {
    const { db, memory, spend } = this.#of;
    const rows = db.all<{ subject: number; pairs: string | null }>(ownedOf, fewOwned + 1, JSON.stringify(subjects));
    for (const { subject, pairs } of rows) {
      const all = JSON.parse(`[${pairs ?? ''}]`) as number[];
      spend(all.length / 2);
      memory.keepOwned(subject, all.length > 2 * fewOwned ? null : this.#followed(all));
    }
  }

  /** Those pairs whose predicate is followed. */
  #followed(pairs: number[]): number[] {
    const { only } = this.#of;
    return only === null ? pairs : pairs.filter((_, i) => only.includes(pairs[i - (i % 2)] as number));
  }

  #asked(subject: number, object: number): number[] {
    const { db, memory, spend, predicates } = this.#of;
    const name = `${subject} ${object}`;
    const known = memory.between.get(name);
    if (known) return known;
    const ofEnds = memory.predicates.get(`${object} in`) ?? memory.predicates.get(`${subject} out`);
    const among = ofEnds ?? predicates(subject, 'out');
    if (among.length === 0) return [];
    const rows = db.all<{ predicate: number }>(
      `SELECT predicate FROM edge WHERE source = ? AND predicate ${oneOf(among)} AND peer = ? ORDER BY predicate`,
      subject,
      ...asParameters(among),
      object,
    );
    spend(rows.length);
    const found = rows.map(({ predicate }) => predicate);
    memory.keepBetween(name, found);
    return found;
  }
}
