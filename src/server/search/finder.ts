import type { Connection } from '../store/connection.ts';
import { entityKey } from '../store/entity-keys.ts';
import { paged } from '../store/graph/sorted-keys.ts';
import {
  allCollectionsOf,
  collectionsOfKeys,
  conditionsOf,
  countIndexed,
  idsOfKeys,
  termsAfter,
  type Within,
} from '../store/search/search-hits.ts';
import { attachedMeta } from '../store/search/search-index.ts';
import { sourceRow } from '../store/search/search-source.ts';
import { fitting, type Look, lookAmong } from '../store/search/word-hits.ts';
import { fuse, type Ranked, type Ranking } from './fuse.ts';
import { textOf } from './index-slice.ts';
import { dot } from './latent/vectors.ts';
import { exactHits, ledBy, lexicalRankings, moreLikeThis } from './lexical.ts';
import type { Lexicon } from './lexicon.ts';
import type { QueryVector } from './rank-jobs.ts';
import { words } from './tokens.ts';
import { VectorFinder } from './vector-finder.ts';
import { type Grams, gramCosine, gramCounts, Vocabulary } from './vocabulary.ts';

export interface TextQuery {
  text: string;
  /** How many at most. */
  k: number;
  within: Within;
  /** Of the text, where the vectors that are searched are made elsewhere. */
  vector?: QueryVector | undefined;
}

export interface LikeQuery {
  /** The id of an entity that is here. */
  id: string;
  k: number;
  within: Within;
}

/** Facts of the index are looked up anew after this time, where it has changed. */
const freshMs = 5000;
const leastPool = 200;
/** Of what lies nearest, which needs more reading for each, and tells less of what comes late. */
const leastNear = 100;
/**
 * How much vectors count beside words, for a text and for what is like an entity; what is less alike, as a cosine, is no hit.
 * What was learned from the words of a collection alone knows less than a language model.
 */
const ofBuiltin = { forText: 0.15, forLike: 0.6, least: 0.4 };
const ofOthers = { forText: 1, forLike: 1, least: 0.2 };
/** So long filters are tried on what is found. */
const maxMs = 2000;
/** So often hits are looked for that memory does not rule out. */
const likelyPasses = 3;

/** Searches one network's index, and keeps in memory what every search needs of it. */
export class Finder {
  readonly db: Connection;
  #epoch: string | undefined;
  #cursor: string | undefined;
  #lexicon: Lexicon = { size: 0, vocabulary: new Vocabulary(), frequencies: new Map() };
  #lastTerm = 0;
  #looked = Number.NEGATIVE_INFINITY;
  #looks: Look[] = [];
  #until = Number.POSITIVE_INFINITY;
  #overdue = false;
  readonly #vectors: VectorFinder;

  constructor(db: Connection) {
    this.db = db;
    this.#vectors = new VectorFinder(db);
  }

  /** Begins what is asked for at once: all of it has some seconds. */
  begin(): void {
    this.#looks = [];
    this.#overdue = false;
    this.#until = performance.now() + maxMs;
  }

  /** Whether the time since then is up, where more is to be looked at: then what was found is late. */
  isOverdue(): boolean {
    this.#overdue ||= performance.now() > this.#until;
    return this.#overdue;
  }

  /** Whether the time since then was too short to look at everything that matches. */
  get late(): boolean {
    return this.#overdue || this.#looks.some(({ cut }) => cut.late);
  }

  /** Whether more has matched since then than was ranked. */
  get crowded(): boolean {
    return this.#looks.some(({ cut }) => cut.crowded);
  }

  #look(within: Within): Look {
    const look = lookAmong(this.db, within, this.#until);
    if (!look.keys && isByType(within)) look.likely = this.#vectors.likely(within);
    this.#looks.push(look);
    return look;
  }

  /**
   * The first of what `ranked` gives that fit. Where too few do, it is asked again with a look that knows which do not, and in
   * the end with one that asks the entities of every hit.
   */
  #firstOf(look: Look, k: number, ranked: () => readonly Ranked[]): Ranked[] {
    const unfit = new Set<number>();
    for (let pass = 0; look.likely && pass < likelyPasses; pass++) {
      const hits: Ranked[] = [];
      const before = unfit.size;
      for (const page of paged(ranked(), 2 * k, 8 * k)) {
        const fit = new Set(fitting(this.db, page.map(keyOf), look.quick));
        for (const one of page)
          if (fit.has(one.key)) hits.push(one);
          else unfit.add(one.key);
        if (hits.length >= k) return hits.slice(0, k);
      }
      if (unfit.size === before) return hits;
      const { may, part } = look.likely;
      if (pass === 0) look.likely = { part, may: (key) => !unfit.has(key) && may(key) };
    }
    look.likely = null;
    return ranked().slice(0, k);
  }

  /** The best for a text, best first. Runs in a snapshot of its own. */
  find({ text, k, within, vector: given }: TextQuery): Ranked[] {
    return this.db.snapshot(() => {
      this.#refresh();
      const look = this.#look(within);
      const pool = Math.max(leastPool, 2 * k);
      const vector = this.#vectors.vectorFor(text, given);
      return this.#firstOf(look, k, () => {
        const { rankings, whole } = lexicalRankings(this.db, this.#lexicon, text, look, pool);
        const all = fuse([...rankings, ...(vector ? [this.#near(vector, within, look, k)] : [])]);
        // What has all that was typed is what was meant, whatever is alike; but a collection has the words of many things.
        const meant = new Set(this.fitting([...whole], { notTypes: ['collection'] }));
        const inOrder = ledBy(
          all.map(keyOf).filter((key) => meant.has(key)),
          all,
        );
        // Some of these may not fit.
        return ledBy(exactHits(this.db, this.#lexicon, text, look, look.likely ? 2 * k : k), inOrder);
      });
    });
  }

  /** What is most like an entity, which is not among it; nothing for one that is not here. */
  like({ id, k, within }: LikeQuery): Ranked[] {
    return this.db.snapshot((db) => {
      this.#refresh();
      const row = sourceRow(db, entityKey(db, id) ?? -1);
      if (!row || row.json === null) return [];
      const others = { ...within, except: [...(within.except ?? []), id] };
      const look = this.#look(others);
      const { likely } = look;
      if (likely) look.likely = { ...likely, may: (key) => key !== row.key && likely.may(key) };
      const pool = Math.max(leastPool, 2 * k);
      const vector = this.#vectors.vectorOf(row.key);
      return this.#firstOf(look, k, () =>
        fuse([
          moreLikeThis(db, this.#lexicon, textOf(db, row).text, look, pool),
          ...(vector ? [this.#near(vector, others, look, k, true)] : []),
        ]),
      );
    });
  }

  /** Those of the entities that still fit, in their order. */
  fitting(keys: readonly number[], within: Within): number[] {
    return fitting(this.db, keys, conditionsOf(within));
  }

  /** Their ids, in their order. */
  idsOf(ranked: readonly { key: number }[]): string[] {
    return idsOfKeys(this.db, ranked.map(keyOf));
  }

  /** The keys of their first collections, in their order; null for none. */
  collectionsOf(ranked: readonly { key: number }[]): (number | null)[] {
    return collectionsOfKeys(this.db, ranked.map(keyOf));
  }

  /** Of ids; unknown ones have none. */
  keysOf(ids: readonly string[]): number[] {
    return ids.flatMap((id) => entityKey(this.db, id) ?? []);
  }

  /** The keys of all collections in which an entity lies. */
  allCollectionsOf({ key }: { key: number }): number[] {
    return allCollectionsOf(this.db, key);
  }

  /** How alike each of some short texts is to that of `texts` which is most like it, 0..1: by their letters, or by what they mean. */
  similarities(texts: readonly string[], others: readonly string[]): number[] {
    this.db.snapshot(() => this.#refresh());
    const told = (text: string) => {
      const own = words(text);
      return { text, grams: gramCounts(own), vector: this.#vectors.embed({ title: own.join(' '), text: '' }) };
    };
    const given = texts.map(told);
    return others.map((other) => {
      const theirs = told(other);
      return given.reduce((most, one) => Math.max(most, likeness(one, theirs)), 0);
    });
  }

  #near(vector: Float32Array, within: Within, look: Look, k: number, like = false): Ranking {
    const { forText, forLike, least } = this.#vectors.isBuiltin ? ofBuiltin : ofOthers;
    const hits = this.#vectors.nearest(vector, within, look, { limit: Math.max(leastNear, 2 * k), from: least });
    return { keys: hits.map(({ key }) => key), weight: like ? forLike : forText };
  }

  /** Brings up to date what is kept in memory. */
  #refresh(): void {
    const epoch = attachedMeta(this.db, 'epoch');
    if (epoch !== this.#epoch) {
      this.#lexicon = { size: 0, vocabulary: new Vocabulary(), frequencies: new Map() };
      this.#lastTerm = 0;
      this.#cursor = undefined;
      this.#looked = Number.NEGATIVE_INFINITY;
      this.#vectors.reset();
      this.#epoch = epoch;
    }
    this.#vectors.refresh();
    for (const { id, term } of termsAfter(this.db, this.#lastTerm)) {
      this.#lexicon.vocabulary.add(term);
      this.#lastTerm = id;
    }
    const cursor = attachedMeta(this.db, 'cursor');
    const few = this.#lexicon.size < 10_000;
    if (cursor === this.#cursor || (!few && performance.now() - this.#looked < freshMs)) return;
    this.#cursor = cursor;
    this.#looked = performance.now();
    this.#lexicon.size = countIndexed(this.db);
    this.#lexicon.frequencies.clear();
  }
}

interface Told {
  text: string;
  grams: Grams;
  vector: Float32Array | null;
}

function likeness(a: Told, b: Told): number {
  if (a.text === b.text) return 1;
  return Math.max(gramCosine(a.grams, b.grams), a.vector && b.vector ? Math.min(1, dot(a.vector, b.vector)) : 0);
}

const keyOf = ({ key }: { key: number }): number => key;

/** Whether nothing but types says what may be a hit, and a few ids what may not. */
function isByType({ types: _, notTypes: __, except: ___, ...others }: Within): boolean {
  return Object.values(others).every((one) => one === undefined || one === false);
}
