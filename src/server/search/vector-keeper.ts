import type { Connection } from '../store/connection.ts';
import { countDocs } from '../store/search/search-index.ts';
import {
  addModel,
  askVector,
  dropSome,
  dropVector,
  dueVectors,
  keysAfter,
  type ModelRow,
  modelAnew,
  modelFacts,
  modelReached,
  modelRows,
  putVector,
  retypeVectors,
  someKeysAfter,
  vectorMade,
} from '../store/search/search-vectors.ts';
import { codeOf } from './codes.ts';
import { builtin, type Passage } from './embedder.ts';
import { type LatentFacts, packFacts, unpackFacts } from './latent/facts.ts';
import { LatentModel } from './latent/latent-model.ts';
import { LatentLearner } from './latent/learner.ts';
import type { Steps } from './latent/matrix.ts';

/** What is embedded of an indexed entity. */
export interface Embedded {
  key: number;
  type: string;
  passage: Passage;
}

/** An entity's vector that was made elsewhere; null for one whose text was refused. */
export interface Supplied {
  key: number;
  type: string;
  vector: Float32Array | null;
}

/** An index with fewer entities has no vectors: there is too little to learn from, and words find everything. */
const leastSize = 500;
/** The model is learned again when the index has grown, or shrunk, by this much. */
const growth = 1.5;
const sampleSize = 25_000;
const page = 50;

interface Loaded {
  row: ModelRow;
  model: LatentModel;
  center: Float32Array;
}

interface Learning {
  learner: LatentLearner;
  size: number;
  part: number;
  after: number;
  steps: Steps<LatentFacts | null> | null;
}

/** Keeps the vectors of one index up to date, and what was learned from it. */
export class VectorKeeper {
  readonly #index: Connection;
  /** Those whose vectors are kept: the one that answers, and the one that will. */
  #loaded: Loaded[] = [];
  #rows: ModelRow[] = [];
  #size = 0;
  #wanted = builtin;
  #learning: Learning | null = null;
  /** The last of the vectors that have been removed of what is outdated. */
  #dropped = 0;
  /** From an index of this size nothing could be learned, and nothing had been before. */
  #unlearned = 0;

  constructor(index: Connection) {
    this.#index = index;
    this.reset();
  }

  /** Looks at the index anew. */
  reset(): void {
    this.#size = countDocs(this.#index);
    this.#learning = null;
    this.#unlearned = 0;
    this.#load();
  }

  /** The name of the embedder whose vectors there should be. */
  want(name: string): void {
    if (name === this.#wanted) return;
    this.#wanted = name;
    this.#learning = null;
    this.#load();
  }

  /** The name of the embedder whose vectors there should be. */
  get wanted(): string {
    return this.#wanted;
  }

  /** The name of the embedder whose vectors are searched now. */
  get serving(): string | null {
    return this.#serving()?.name ?? null;
  }

  /** An indexed entity whose text is another one. */
  put(embedded: Embedded, isNew: boolean): void {
    if (isNew) this.#size++;
    for (const { number, name } of this.#rows) {
      if (name === builtin) continue;
      dropVector(this.#index, embedded.key, number);
      askVector(this.#index, embedded.key);
    }
    const newest = this.#loaded.at(-1)?.row;
    // All will have new vectors soon.
    if (newest && this.#wanted === builtin && this.#size > 2 * growth * newest.size) return;
    for (const loaded of this.#loaded) this.#write(loaded, [embedded]);
  }

  /** An indexed entity whose text is the same, and whose type may be another one. */
  retype(key: number, type: string): void {
    retypeVectors(this.#index, key, type);
  }

  drop(key: number): void {
    this.#size--;
    vectorMade(this.#index, key);
    for (const { number } of this.#rows) dropVector(this.#index, key, number);
  }

  /** Something that is done when nothing else is to do, of some milliseconds; says whether more remains. */
  step(passagesOf: (keys: readonly number[]) => Embedded[]): boolean {
    const outdated = this.#rows.find((row) => row !== this.#serving() && row !== this.#coming());
    if (outdated) {
      const last = dropSome(this.#index, outdated.number, { after: this.#dropped, limit: 500 });
      this.#dropped = last ?? 0;
      if (last === null) this.#load();
      return true;
    }
    const filling = this.#loaded.find(({ row }) => row.reached !== null);
    if (filling) return this.#fill(filling, passagesOf);
    return this.#wanted === builtin && this.#learn(passagesOf);
  }

  /** Some entities that have no vector of the wanted embedder, which is one elsewhere. */
  lacking(limit: number): { keys: number[]; pass: boolean } {
    const coming = this.#coming();
    const due = coming ? dueVectors(this.#index, limit) : [];
    if (due.length > 0) return { keys: due, pass: false };
    if (coming && coming.reached === null) return { keys: [], pass: false };
    return { keys: keysAfter(this.#index, coming?.reached ?? 0, limit), pass: true };
  }

  /** Vectors of the wanted embedder; `pass`: of the next entities in their order, after which come those after `last`. */
  supply(
    list: readonly Supplied[],
    { dimensions, pass, last }: { dimensions: number; pass: boolean; last: number },
  ): void {
    let row = this.#coming();
    const reached = row ? last : this.#wholeUpTo(list, last);
    if (row?.dimensions !== dimensions) {
      addModel(this.#index, { name: this.#wanted, size: this.#size, dimensions }, null);
      this.#load();
      // What came of another size before begins anew.
      if (row) return;
      row = this.#coming();
    }
    if (!row) return;
    for (const { key, type, vector } of list) {
      if (vector) putVector(this.#index, { key, type, model: row.number, vector, code: codeOf(vector, null) });
      vectorMade(this.#index, key);
    }
    if (pass) modelReached(this.#index, row.number, reached);
    row.reached = pass ? reached : row.reached;
    if (row.reached === null || keysAfter(this.#index, row.reached, 1).length > 0) return;
    modelReached(this.#index, row.number, null);
    this.#load();
  }

  /** Up to where a first batch lacks none: without a model nobody has asked for what came or changed while it was made. */
  #wholeUpTo(list: readonly Supplied[], last: number): number {
    const made = new Set(list.map(({ key }) => key));
    const gap = keysAfter(this.#index, 0, made.size + 1).find((key) => !made.has(key));
    return gap === undefined ? last : Math.min(last, gap - 1);
  }

  /** The newest with vectors of all; else the newest. */
  #serving(): ModelRow | undefined {
    return this.#rows.findLast(({ reached }) => reached === null) ?? this.#rows.at(-1);
  }

  /** What the wanted embedder has made, or is making. */
  #coming(): ModelRow | undefined {
    return this.#rows.findLast(({ name }) => name === this.#wanted);
  }

  #load(): void {
    this.#rows = modelRows(this.#index);
    const wanted = [...new Set([this.#serving(), this.#coming()])];
    this.#loaded = wanted.flatMap((row) => {
      if (row?.name !== builtin) return [];
      const known = this.#loaded.find((loaded) => loaded.row.number === row.number);
      if (known) return [{ ...known, row }];
      const facts = modelFacts(this.#index, row.number);
      if (!facts) return [];
      const learned = unpackFacts(facts);
      return [{ row, model: new LatentModel(learned), center: learned.center }];
    });
  }

  #write({ row, model, center }: Loaded, list: readonly Embedded[]): void {
    const vectors = model.embed(list.map(({ passage }) => passage));
    for (const [i, { key, type }] of list.entries()) {
      const vector = vectors[i];
      if (vector) putVector(this.#index, { key, type, model: row.number, vector, code: codeOf(vector, center) });
      else dropVector(this.#index, key, row.number);
    }
  }

  #fill(filling: Loaded, passagesOf: (keys: readonly number[]) => Embedded[]): boolean {
    const keys = keysAfter(this.#index, filling.row.reached ?? 0, page);
    this.#write(filling, passagesOf(keys));
    modelReached(this.#index, filling.row.number, keys.at(-1) ?? null);
    if (keys.length === 0) this.#load();
    else filling.row.reached = keys.at(-1) ?? 0;
    return true;
  }

  #learn(passagesOf: (keys: readonly number[]) => Embedded[]): boolean {
    this.#learning ??= this.#begun();
    const learning = this.#learning;
    if (!learning) return false;
    if (!learning.steps) {
      const keys = someKeysAfter(this.#index, learning.after, learning.part, page);
      for (const { passage } of passagesOf(keys)) learning.learner.add(passage);
      const last = keys.at(-1);
      if (last === undefined) learning.steps = learning.learner.learned();
      else learning.after = last;
      return true;
    }
    const next = learning.steps.next();
    if (!next.done) return true;
    this.#learning = null;
    if (!next.value) return this.#keepLearned(learning.size);
    const row = { name: builtin, size: learning.size, dimensions: next.value.dimensions };
    addModel(this.#index, row, packFacts(next.value));
    this.#load();
    return true;
  }

  /** Nothing is to be learned from an index of that size; what was learned before stays, and makes the vectors that were left out. */
  #keepLearned(size: number): boolean {
    const coming = this.#coming();
    if (coming) modelAnew(this.#index, coming.number, size);
    else this.#unlearned = size;
    this.#load();
    return coming !== undefined;
  }

  /** Whether there is something to be learned. */
  #begun(): Learning | null {
    if (this.#size < leastSize) return null;
    const learned = this.#coming()?.size ?? this.#unlearned;
    if (learned > 0 && this.#size < learned * growth && this.#size * growth > learned) return null;
    const part = Math.min(1, sampleSize / this.#size);
    return { learner: new LatentLearner(), size: this.#size, part, after: 0, steps: null };
  }
}
