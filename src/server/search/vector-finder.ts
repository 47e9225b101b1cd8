import type { Connection } from '../store/connection.ts';
import { keysAmong } from '../store/search/search-among.ts';
import type { Within } from '../store/search/search-hits.ts';
import {
  codesAfter,
  countVectors,
  type ModelRow,
  rescored,
  servingFacts,
  servingModel,
  uncoded,
  type VectorHit,
  vectorOf,
} from '../store/search/search-vectors.ts';
import { type Likely, type Look, passing } from '../store/search/word-hits.ts';
import { CodeTable, codeOf, codeWords, type ScanFilter } from './codes.ts';
import { builtin, type Passage } from './embedder.ts';
import { unpackFacts } from './latent/facts.ts';
import { LatentModel } from './latent/latent-model.ts';
import type { QueryVector } from './rank-jobs.ts';

/**
 * So many vectors are compared exactly, or for each hit so many where many are wanted: each is read from another place. They are
 * the likeliest of so many times as many that are chosen by the bits in which their codes differ. The nearest twenty are among
 * 200 as often as among 400 that are chosen by bits alone: 97 of 100.
 */
const [compared, forEach, sifted] = [200, 2, 5];
/** Where few of these fit, so many times as many are compared, until this many. */
const [widening, most] = [5, 10_000];

interface Serving {
  row: ModelRow;
  /** Null where another program makes the vectors. */
  model: LatentModel | null;
  center: Float32Array | null;
  codes: CodeTable;
  /** The last code that is in memory. */
  seq: number;
}

/** Searches one network's vectors, of the model that answers now. */
export class VectorFinder {
  readonly #db: Connection;
  #serving: Serving | null = null;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Brings up to date what is kept in memory. */
  refresh(): void {
    const row = servingModel(this.#db);
    const begins = row?.number !== this.#serving?.row.number;
    if (begins) this.#serving = row ? this.#begun(row) : null;
    const serving = this.#serving;
    if (!serving) return;
    const words = codeWords(serving.row.dimensions);
    for (const { seqs, keys, types, codes } of codesAfter(this.#db, serving.row.number, serving.seq, words))
      for (const [i, seq] of seqs.entries()) {
        const code = codes.subarray(words * i, words * (i + 1));
        serving.codes.put({ key: keys[i] as number, seq, type: types[i] as string, code });
        serving.seq = seq;
      }
    if (begins) this.#complete(serving);
  }

  /** A code is written with each vector; one that lacks it gets it here, so that no vector is ever left out. */
  #complete({ row, center, codes }: Serving): void {
    if (codes.size === countVectors(this.#db, row.number)) return;
    for (const { vector, ...of } of uncoded(this.#db, row.number)) codes.put({ ...of, code: codeOf(vector, center) });
  }

  /** Forgets what is kept: the index began anew. */
  reset(): void {
    this.#serving = null;
  }

  /** What the builtin embedder makes of a text; null where it does not serve, or knows nothing of it. */
  embed(passage: Passage): Float32Array | null {
    return this.#serving?.model?.embed([passage])[0] ?? null;
  }

  get isBuiltin(): boolean {
    return this.#serving?.row.name === builtin;
  }

  /** A query's vector: what was given, if it is of the embedder whose vectors are searched, or what the builtin one makes. */
  vectorFor(text: string, given: QueryVector | undefined): Float32Array | null {
    if (this.isBuiltin) return this.embed({ title: text, text: '' });
    return given && given.name === this.#serving?.row.name ? given.values : null;
  }

  vectorOf(key: number): Float32Array | undefined {
    return this.#serving ? vectorOf(this.#db, key, this.#serving.row.number) : undefined;
  }

  /** What lies nearest to a vector, nearest first; `likeness` is at least `from`. */
  nearest(
    vector: Float32Array,
    within: Within,
    look: Look,
    { limit, from }: { limit: number; from: number },
  ): readonly VectorHit[] {
    const serving = this.#serving;
    if (!serving || vector.length !== serving.row.dimensions) return [];
    const { codes, center } = serving;
    const code = codeOf(vector, center);
    const looked = this.#looked(within, look, codes.size);
    for (let count = Math.max(compared, forEach * limit); ; count *= widening) {
      const seqs = codes.likeliest(codes.nearest(code, sifted * count, looked), vector, count);
      const scored = rescored(this.#db, seqs, vector, look.likely ? null : look.quick);
      const near = scored.filter(({ key, likeness }) => likeness >= from && (look.likely?.may(key) ?? true));
      const hits = passing(this.#db, near, look).slice(0, limit);
      // What differs in more bits is less alike: where some are too little alike, hardly more would be alike enough.
      const all = hits.length >= limit || seqs.length < count || near.length < scored.length / 2;
      if (all || count >= most) return hits;
      look.cut.late ||= performance.now() > look.until;
      if (look.cut.late) return hits;
    }
  }

  /** Which entities may be of the types that are looked for; null where that is not known here. */
  likely(within: Within): Likely | null {
    return this.#serving?.codes.likely(ofTypes(within)) ?? null;
  }

  /** What a scan can tell by itself: the rest is asked of those that it chooses. */
  #looked(within: Within, look: Look, all: number): ScanFilter {
    const type = ofTypes(within);
    // Where a good part of all can be a hit, enough of those that are chosen are.
    return { type, keys: look.keys ?? keysAmong(this.#db, within, Math.ceil(all / 4)) };
  }

  #begun(row: ModelRow): Serving {
    const codes = new CodeTable(row.dimensions);
    const facts = row.name === builtin ? servingFacts(this.#db, row.number) : null;
    const learned = facts && unpackFacts(facts);
    return { row, model: learned && new LatentModel(learned), center: learned?.center ?? null, codes, seq: 0 };
  }
}

function ofTypes({ types, notTypes }: Within): (type: string) => boolean {
  const [only, none] = [types && new Set(types), new Set(notTypes)];
  return (type) => !none.has(type) && (only?.has(type) ?? true);
}
