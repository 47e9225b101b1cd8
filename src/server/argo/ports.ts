import type { FilterSql } from '../store/listings/filter.ts';

/** Among which live entities one looks: all that are given must hold. */
export interface Within {
  types?: string[] | undefined;
  /** The id of a collection that they lie in. */
  collection?: string | undefined;
  /** Only those that lie in no collection. */
  loose?: boolean | undefined;
  ids?: string[] | undefined;
  filter?: FilterSql | undefined;
  /** Only those from which such a relationship leads on; of texts alone. */
  leading?: Leading | undefined;
}

export interface Scored {
  id: string;
  /** 0..1 */
  score: number;
}

/** What the executor asks of the node's searching. `truncated` where time was too short, or the filter was not tried on all. */
export interface TextSource {
  /** The `k` nearest to a text, best first. */
  search(text: string, within: Within, k: number): Promise<{ hits: Scored[]; truncated: boolean }>;
  /**
   * How near entities are to a text, 0..1; one that is not in it is not near at all, does not fit `within`, or is not among the
   * 300 that are nearest.
   */
  scores(text: string, ids: string[], within: Within): Promise<{ scores: Map<string, number>; truncated: boolean }>;
  /** How alike each of others is to that of some names which is most like it, 0..1; `truncated`: by letters alone, for lack of time. */
  similarities(names: string[], others: string[]): Promise<{ likeness: number[]; truncated: boolean }>;
}

/**
 * A relationship that leads on from what a walk comes to: to a live entity, of such a type or with such an id, if given, and
 * not back to where the walk began or to what it must not come to.
 */
export interface Leading {
  direction: 'outgoing' | 'incoming' | 'both';
  predicates?: string[] | undefined;
  types?: string[] | undefined;
  ids?: string[] | undefined;
}

export interface WalkQuery {
  /** Where walks begin, and ids that they must not come to; each walk goes by itself. */
  sources: { id: string; avoid: string[] }[];
  /** Names of the predicates to follow; null: any. */
  predicates: string[] | null;
  direction: 'outgoing' | 'incoming' | 'both';
  /** Relationships from the source. */
  least: number;
  most: number;
  /** Whether walks go on through collections. */
  throughCollections: boolean;
  /** Entities of one walk at most. */
  perSource: number;
  /** Relationships to look at, at most, and the time for it. */
  rows: number;
  milliseconds: number;
}

/** A live entity that a source leads to, by a shortest way of `least` relationships or more. */
export interface Reached {
  id: string;
  /** The place of the source in the query. */
  source: number;
  /** Relationships in the order of the way, each with what it leads to: from the entity before (`outgoing`), or to it. */
  way: Link[];
}

export interface Link {
  predicate: string;
  direction: 'outgoing' | 'incoming';
  id: string;
}

export interface Linked {
  /** Nearest first for each source, each entity once a source. */
  reached: Reached[];
  /** A limit left something out: of entities, of time or of work. */
  truncated: boolean;
  /** Relationships that were looked at. */
  rows: number;
}

export interface Walked extends Linked {
  /** Not the limit of entities alone. */
  spent: boolean;
}

/** What the executor asks of the node's entities and relationships. Deleted entities are nowhere, not even on the way. */
export interface GraphSource {
  /** Those that fit, the last changed first, then by id; `truncated` where time was too short to look at all. */
  newest(within: Within, k: number, milliseconds: number): Promise<{ ids: string[]; truncated: boolean }>;
  /** Names of predicates that relationships have or once had; of very many some. */
  predicates(): Promise<string[]>;
  /** Those of some names, whatever their case, among all. */
  named(names: string[]): Promise<string[]>;
  /** Whether a relationship has one of these names now, whatever its case. */
  used(names: string[]): Promise<boolean>;
  /** What sources lead to: of some types, and with a relationship that leads on, if given. */
  walk(query: WalkQuery & { types: string[] | null; leading?: Leading | undefined }): Promise<Walked>;
  /** Ways from sources to targets, one a pair. */
  link(query: Omit<WalkQuery, 'perSource'> & { targets: string[] }): Promise<Linked>;
}

export interface Sources {
  texts: TextSource;
  graph: GraphSource;
}
