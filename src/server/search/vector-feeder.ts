import { setTimeout as delay } from 'node:timers/promises';
import { EmbedderError, type EndpointEmbedder } from './endpoint-embedder.ts';
import type { IndexFiles, Lacking } from './index-thread.ts';
import type { OneThread } from './one-thread.ts';

/** So many texts are sent at a time. */
const batch = 32;
/** After a failure of the index itself. */
const againMs = 10_000;

/** Has the vectors that one index lacks made by an embedder elsewhere, batch after batch, for as long as it takes. */
export class VectorFeeder {
  readonly #files: IndexFiles;
  readonly #thread: OneThread;
  readonly #embedder: EndpointEmbedder;
  readonly #complete: () => void;
  readonly #closed = new AbortController();
  #woken = false;
  #feeding: Promise<void> | null = null;

  /** `complete` is called when there are vectors of all. */
  constructor(files: IndexFiles, thread: OneThread, embedder: EndpointEmbedder, complete: () => void) {
    this.#files = files;
    this.#thread = thread;
    this.#embedder = embedder;
    this.#complete = complete;
  }

  /** Looks whether something is lacking. */
  wake(): void {
    this.#woken = true;
    this.#feeding ??= this.#feed().finally(() => {
      this.#feeding = null;
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#feeding;
  }

  /** Does not throw. */
  async #feed(): Promise<void> {
    let fed = false;
    while ((this.#woken || fed) && !this.#closed.signal.aborted) {
      this.#woken = false;
      const before = fed;
      try {
        fed = await this.#step();
      } catch (error) {
        fed = true;
        await this.#rest(error instanceof EmbedderError ? this.#embedder.rest : againMs);
      }
      // The index shall know what is searched now, and drop what is not.
      if (before && !fed) this.#complete();
    }
  }

  /** One batch; says whether there was one. */
  async #step(): Promise<boolean> {
    const of = { files: this.#files, embedder: this.#embedder.name };
    const { entities, pass, last } = await this.#thread.run<Lacking>('lacking', { ...of, limit: batch });
    if (entities.length === 0 && !(pass && last > 0)) return false;
    const vectors = await this.#embedded(entities);
    const { dimensions } = this.#embedder;
    // Nothing was ever answered: there is no knowing what would be.
    if (dimensions === 0 && entities.length > 0)
      throw new EmbedderError('The embedder wants none of the texts.', false);
    const supplied = entities.map(({ key, type, digest }, i) => ({ key, type, digest, vector: vectors[i] ?? null }));
    if (dimensions > 0) await this.#thread.run('supply', { ...of, dimensions, pass, last, supplied });
    return true;
  }

  /** Of texts that are refused together each is sent alone, and what is refused then has no vector. */
  async #embedded(entities: Lacking['entities']): Promise<(Float32Array | null)[]> {
    try {
      return await this.#embedder.embed(entities.map(({ passage }) => passage));
    } catch (error) {
      if (!(error instanceof EmbedderError) || !error.ofTexts) throw error;
      if (entities.length === 1) return [null];
    }
    const half = Math.ceil(entities.length / 2);
    return [...(await this.#embedded(entities.slice(0, half))), ...(await this.#embedded(entities.slice(half)))];
  }

  async #rest(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closed.signal, ref: false }).catch(() => undefined);
  }
}
