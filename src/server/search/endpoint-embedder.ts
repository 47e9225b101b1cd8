import type { Log } from '../log.ts';
import { RecentMap } from '../model/recent-map.ts';
import type { EmbedAnswer, EmbedOrder, Refusal } from './embed-thread.ts';
import type { Embedder, Passage } from './embedder.ts';
import { OneThread } from './one-thread.ts';

/** An endpoint, and the model there. */
export interface EndpointSettings {
  url: string;
  model: string;
  key: string | null;
}

/** The endpoint cannot be asked, or not now. `ofTexts`: it does not want these texts. */
export class EmbedderError extends Error {
  override readonly name = 'EmbedderError';
  readonly ofTexts: boolean;
  constructor(reason: string, ofTexts: boolean) {
    super(reason);
    this.ofTexts = ofTexts;
  }
}

/** How it goes with one model: the last pause and when it ends, in milliseconds, and why there are no vectors; null: there are. */
interface Standing {
  pause: number;
  until: number;
  problem: string | null;
}

/** A search waits no longer for a vector, which adds to what words find. */
const queryMs = 3000;
const batchMs = 120_000;
/** After a failure nobody asks for so long, twice as long after each further one. */
const [firstPause, longestPause] = [1000, 60_000];
/** More than a query of relationships compares: 2,000 names of predicates with 50 of its own. */
const maxKept = 4096;
/** So many short texts are sent at a time: some endpoints take no more. */
const shortBatch = 32;
/** Models read some hundred words of a text. */
const longest = 2000;
const ofAnother = 'The vectors that are here were made by an embedder that is not set now.';
const tooSlow = 'The embedder has no time for all that is asked.';
/** No endpoint has a reason to refuse this one. */
const plain = ['A ship at sea'];

/** Vectors of a model behind an OpenAI-compatible endpoint, asked in a thread. */
export class EndpointEmbedder implements Embedder, AsyncDisposable {
  readonly name: string;
  /** 0 until the first answer. */
  dimensions = 0;
  readonly #settings: EndpointSettings;
  readonly #log: Log;
  readonly #thread = new OneThread('embed-thread', 'closeEmbedding', { together: 8 });
  readonly #kept = new RecentMap<string, Float32Array>(maxKept);
  /** The endpoint may have one model and not another, which it had when it made the vectors that are searched. */
  readonly #standings = new Map<string, Standing>();

  constructor(settings: EndpointSettings, log: Log) {
    this.name = `${settings.url} ${settings.model}`;
    this.#settings = settings;
    this.#log = log;
  }

  /** Why there are no vectors of the model that `name` names at this time; null when there are, or where it is not this endpoint's. */
  problem(name = this.name): string | null {
    const model = this.#modelOf(name);
    return model === null ? null : this.#standing(model).problem;
  }

  /** How long nobody asks, in milliseconds. */
  rest(model = this.#settings.model): number {
    return Math.max(0, this.#standing(model).until - performance.now());
  }

  /** @throws EmbedderError */
  embed(passages: readonly Passage[]): Promise<Float32Array[]> {
    const texts = passages.map(({ title, text }) => `${title}\n${text}`.trim().slice(0, longest).toWellFormed());
    return this.#asked(texts, this.#settings.model, batchMs);
  }

  /** Whether texts are taken at all. @throws EmbedderError where even a plain one is refused */
  async check(): Promise<void> {
    await this.#asked(plain, this.#settings.model, batchMs);
  }

  /**
   * Short texts, kept when they were asked lately, by the model that `name` names, if it is one of this endpoint's; a problem
   * where it cannot be asked now, or there is no time for all: the next call goes on then.
   */
  async short(texts: readonly string[], name: string): Promise<{ vectors: Float32Array[] } | { problem: string }> {
    const model = this.#modelOf(name);
    if (model === null) return { problem: this.problem() ?? ofAnother };
    const keyOf = (text: string) => `${model}\n${text}`;
    const unknown = [...new Set(texts.filter((text) => this.#kept.get(keyOf(text)) === undefined))];
    const found = new Map<string, Float32Array>();
    for (const text of texts) {
      const known = this.#kept.get(keyOf(text));
      if (known) found.set(text, known);
    }
    // A batch that begins later could not have its own time and end soon.
    const latest = performance.now() + queryMs / 2;
    for (let from = 0; from < unknown.length; from += shortBatch) {
      if (this.rest(model) > 0) return { problem: this.#standing(model).problem ?? tooSlow };
      if (performance.now() > latest) return { problem: tooSlow };
      const batch = unknown.slice(from, from + shortBatch);
      const made = await this.#asked(batch, model, queryMs).catch((error: unknown) => error);
      if (made instanceof EmbedderError) return { problem: made.message };
      if (!Array.isArray(made)) throw made;
      for (const [i, text] of batch.entries()) {
        const vector = made[i] as Float32Array;
        found.set(text, vector);
        this.#kept.set(keyOf(text), vector);
      }
    }
    return { vectors: texts.map((text) => found.get(text) as Float32Array) };
  }

  /** The endpoint's model of that name; null for what makes vectors elsewhere. */
  #modelOf(name: string): string | null {
    const { url } = this.#settings;
    return name.startsWith(`${url} `) ? name.slice(url.length + 1) : null;
  }

  async #asked(texts: string[], model: string, ms: number): Promise<Float32Array[]> {
    const { url, key } = this.#settings;
    const order: EmbedOrder = { url, model, key, texts, ms };
    const answer = await this.#thread.run<EmbedAnswer | Refusal>('embed', order);
    if ('refused' in answer)
      throw this.#failed(model, { ...answer.refused, ofTexts: answer.refused.ofTexts && texts !== plain });
    if (this.#standing(model).problem !== null) this.#log.info({ url, model }, 'the embedder answers again');
    this.#standings.delete(model);
    const { dimensions, vectors } = answer;
    if (model === this.#settings.model) this.dimensions = dimensions;
    return texts.map((_, i) => vectors.slice(i * dimensions, (i + 1) * dimensions));
  }

  #failed(model: string, { reason, ofTexts }: Refusal['refused']): EmbedderError {
    const told = `The embedder ${reason}.`;
    if (!ofTexts) {
      const before = this.#standing(model);
      if (before.problem !== told)
        this.#log.warn({ url: this.#settings.url, model }, `${told} Searches go on by words`);
      const pause = Math.min(longestPause, before.pause === 0 ? firstPause : 2 * before.pause);
      this.#standings.set(model, { pause, until: performance.now() + pause, problem: told });
    }
    return new EmbedderError(told, ofTexts);
  }

  #standing(model: string): Standing {
    return this.#standings.get(model) ?? { pause: 0, until: 0, problem: null };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#thread[Symbol.asyncDispose]();
  }
}
