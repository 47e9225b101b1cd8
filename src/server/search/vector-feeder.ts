import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../log.ts';
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
  readonly #log: Log;
  readonly #closed = new AbortController();
  #woken = false;
  #feeding = Promise.resolve();
  #isFeeding = false;

  /** `complete` is called when there are vectors of all; `log` says of which network. */
  constructor(files: IndexFiles, thread: OneThread, embedder: EndpointEmbedder, complete: () => void, log: Log) {
    this.#files = files;
    this.#thread = thread;
    this.#embedder = embedder;
    this.#complete = complete;
    this.#log = log;
  }

  /** Looks whether something is lacking. */
  wake(): void {
    this.#woken = true;
    if (this.#isFeeding) return;
    this.#isFeeding = true;
    this.#feeding = this.#feed();
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
        await this.#rest(error instanceof EmbedderError ? this.#embedder.rest() : againMs);
      }
      // The index shall know what is searched now, and drop what is not.
      if (before && !fed) this.#complete();
    }
    // Right after the last look: what wakes it from here on is looked for anew.
    this.#isFeeding = false;
  }

  /** One batch; says whether there was one. */
  async #step(): Promise<boolean> {
    const of = { files: this.#files, embedder: this.#embedder.name };
    const { entities, pass, last } = await this.#thread.run<Lacking>('lacking', { ...of, limit: batch });
    if (entities.length === 0 && !(pass && last > 0)) return false;
    const vectors = await this.#embedded(entities);
    // None of them is here any more, and nothing was asked since the start.
    if (this.#embedder.dimensions === 0) await this.#embedder.check();
    const { dimensions } = this.#embedder;
    const supplied = entities.map(({ key, type, digest }, i) => ({ key, type, digest, vector: vectors[i] ?? null }));
    await this.#thread.run('supply', { ...of, dimensions, pass, last, supplied });
    const refused = entities.filter((_, i) => vectors[i] === null).map(({ id }) => id);
    // Not what the endpoint said, which may have the text in it.
    if (refused.length > 0)
      this.#log.warn({ entities: refused }, 'the embedder refuses the texts of entities, which words alone find');
    return true;
  }

  /**
   * Null for a text that is refused alone twice, where the endpoint takes another one before, between and after: else it is
   * the endpoint that refused everything for a while, and not the texts.
   * @throws EmbedderError
   */
  async #embedded(entities: Lacking['entities']): Promise<(Float32Array | null)[]> {
    const vectors = new Map<Lacking['entities'][number], Float32Array | null>();
    let left = entities;
    for (let pass = 0; pass < 2 && left.length > 0; pass++) {
      const together = await this.#taken(left);
      if (!together) await this.#embedder.check();
      const made = together ?? (await this.#inHalves(left));
      for (const [i, entity] of left.entries()) vectors.set(entity, made[i] ?? null);
      left = left.filter((_, i) => !made[i]);
      if (left.length > 0) await this.#embedder.check();
    }
    return entities.map((entity) => vectors.get(entity) ?? null);
  }

  /** Of texts that are refused together. */
  async #inHalves(entities: Lacking['entities']): Promise<(Float32Array | null)[]> {
    if (entities.length === 1) return [null];
    const half = Math.ceil(entities.length / 2);
    const vectors: (Float32Array | null)[] = [];
    for (const part of [entities.slice(0, half), entities.slice(half)])
      vectors.push(...((await this.#taken(part)) ?? (await this.#inHalves(part))));
    return vectors;
  }

  /** Null where the texts are refused. */
  async #taken(entities: Lacking['entities']): Promise<Float32Array[] | null> {
    if (entities.length === 0) return [];
    this.#closed.signal.throwIfAborted();
    try {
      return await this.#embedder.embed(entities.map(({ passage }) => passage));
    } catch (error) {
      if (error instanceof EmbedderError && error.ofTexts) return null;
      throw error;
    }
  }

  async #rest(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#closed.signal, ref: false }).catch(() => undefined);
  }
}
