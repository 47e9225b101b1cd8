import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import { closing, StorageError, UnavailableError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Network } from '../model/ids.ts';
import { lastMove } from '../store/events.ts';
import type { NetworkStore } from '../store/network-store.ts';
import type { Within } from '../store/search/search-hits.ts';
import { indexedUpTo, searchFile } from '../store/search/search-index.ts';
import { type Asker, AskerTurns } from '../store/threads/asker-turns.ts';
import { FailedWorkError } from '../store/threads/failed-work.ts';
import type { SideThread } from '../store/threads/side-thread.ts';
import { builtin } from './embedder.ts';
import type { EndpointEmbedder } from './endpoint-embedder.ts';
import { IndexFollower, type Rebuilt } from './follower.ts';
import type { Ranked } from './fuse.ts';
import type { IndexStand } from './index-slice.ts';
import { dot } from './latent/vectors.ts';
import { notBegun } from './not-begun.ts';
import { OneThread } from './one-thread.ts';
import type { Shape } from './present.ts';
import type { QueryVector, RankAnswer, RankJob } from './rank-jobs.ts';
import type { Hit, Missing, Presented } from './search-thread.ts';
import { words } from './tokens.ts';

/** What is written is searched a moment later; an index that lacks more than this is said to be incomplete. */
const mostLacked = 100;
/** How long a search waits for an index that is not there yet. */
const firstMs = 5000;
/** How long a write with `sync_index` waits for the index. */
const syncMs = 10_000;

/** Hits, and what they were found without. */
export interface Found extends Presented {
  /** Why no vectors were compared; null where they were. */
  withoutVectors: string | null;
  /** See SearchEngine.lacking. */
  lacking: number | null;
}

/**
 * The node's searching. What is asked takes turns, and where too much waits it is refused (AskerTurns). Indexes are written in one
 * thread, which follows the moves, and searched in another one; neither is ever in the way of a write.
 */
export class SearchEngine implements AsyncDisposable {
  readonly #indexing: OneThread;
  readonly #searching = new OneThread('search-thread', 'closeFinders');
  readonly #turns = new AskerTurns(1, 'searches');
  #closed = false;
  readonly #followers = new Map<Network, IndexFollower>();
  readonly #embedder: EndpointEmbedder | null;
  readonly #without: string | null;

  /**
   * `embedder`: what makes vectors; null for the builtin one. `thread`: where indexes are written, shared with others.
   * `without`: why texts get no vectors here, where another embedder than the builtin one is set and not given.
   */
  constructor(embedder: EndpointEmbedder | null = null, thread?: SideThread, without: string | null = null) {
    this.#embedder = embedder;
    this.#without = without;
    this.#indexing = new OneThread('index-thread', 'closeIndexes', thread && { thread });
  }

  /** Follows the network's moves from the first call on. */
  follow(store: NetworkStore, log: Log): IndexFollower {
    const known = this.#followers.get(store.network);
    if (known) return known;
    const made = new IndexFollower(store, this.#indexing, log, this.#embedder);
    this.#followers.set(store.network, made);
    return made;
  }

  /** Follows a network no more whose store is about to be closed; one that is opened anew is followed anew. */
  async drop({ network }: NetworkStore): Promise<void> {
    const known = this.#followers.get(network);
    this.#followers.delete(network);
    await known?.close();
  }

  /**
   * How far the index has come. `problem`: while it is `behind`, why it cannot go on; else that still, or what it could not take
   * up. In words; null where there is neither.
   */
  stand(store: NetworkStore): IndexStand & { problem: string | null } {
    const follower = this.#followers.get(store.network);
    const stand = follower?.stand ?? notBegun;
    const behind = stand.behind || stand.cursor < store.read(lastMove);
    const unread = behind ? null : follower?.unread;
    return { ...stand, behind, problem: follower?.failure ?? unread ?? null };
  }

  /** How many of the committed moves the index lacks, where it is made, follows an import, or cannot go on; else null. */
  lacking(store: NetworkStore): number | null {
    const follower = this.#followers.get(store.network);
    const cursor = follower ? follower.stand.cursor : indexedUpTo(searchFile(store.folder));
    const lacks = store.read(lastMove) - cursor;
    // Where it cannot go on, also the little that it lacks stays away.
    return lacks > (follower?.failure ? 0 : mostLacked) ? lacks : null;
  }

  /** Makes the index anew; says how far it has come, and last how much is in it. @throws StorageError, UnavailableError */
  rebuild(store: NetworkStore): AsyncGenerator<IndexStand, Rebuilt, undefined> {
    const follower = this.#followers.get(store.network);
    if (!follower) throw unusable('The index of this network is not followed here.');
    return follower.rebuild();
  }

  /** Resolves when the index has passed every move that is committed now, or after some seconds without it. */
  async passed(store: NetworkStore): Promise<void> {
    const follower = this.#followers.get(store.network);
    // An index that cannot go on does not make a write that is on disk a failed one.
    if (follower) return void (await follower.settle(syncMs).catch(() => false));
    const target = store.read(lastMove);
    const until = performance.now() + syncMs;
    while (performance.now() < until && indexedUpTo(searchFile(store.folder)) < target) await delay(25);
  }

  /**
   * The best for a text, best first: `text` has at most some 500 characters, `k` at most 300. What is deleted is not
   * among it, and `within` restricts it further, so that k hits are k that fit. Scores are 0..1. `late`, `crowded`: as of RankAnswer.
   * @throws UnavailableError
   */
  async find(
    store: NetworkStore,
    query: { text: string; k: number; within?: Within },
    asker: Asker | null = null,
  ): Promise<{ hits: Hit[]; late: boolean; crowded: boolean }> {
    const { vector } = await this.#vectorOf(store, query.text);
    const job = { kind: 'text', within: {}, ...query, vector } as const;
    return this.#ask<RankAnswer & { hits: Hit[] }>(store, 'rankHits', { job }, asker);
  }

  /**
   * How alike each of some short texts (labels, predicates) is to that of `texts` which is most like it, 0..1, in their order.
   * `truncated`: by letters alone, as an embedder elsewhere did not answer, or had no time. @throws UnavailableError
   */
  async similarities(
    store: NetworkStore,
    texts: string[],
    others: string[],
    asker: Asker | null = null,
  ): Promise<{ likeness: number[]; truncated: boolean }> {
    const [likeness, answer] = await Promise.all([
      this.#ask<number[]>(store, 'similarities', { texts, others }, asker),
      this.#short(
        store,
        [...texts, ...others].map((one) => words(one).join(' ') || one),
      ),
    ]);
    if (answer === null || 'problem' in answer) return { likeness, truncated: answer !== null };
    const theirs = answer.vectors.slice(texts.length);
    for (const own of answer.vectors.slice(0, texts.length)) {
      await turn();
      for (const [i, vector] of theirs.entries())
        likeness[i] = Math.max(likeness[i] ?? 0, Math.min(1, dot(own, vector)));
    }
    return { likeness, truncated: false };
  }

  /** Keys and scores. @throws UnavailableError */
  rank(store: NetworkStore, job: RankJob, asker: Asker | null): Promise<RankAnswer> {
    return this.#ask<RankAnswer>(store, 'rankHits', { job }, asker);
  }

  /** The same as JSON. @throws UnavailableError */
  async answer(store: NetworkStore, job: RankJob, shape: Shape, asker: Asker | null): Promise<Found> {
    const { vector, problem } = 'text' in job ? await this.#vectorOf(store, job.text) : { problem: null };
    const order = { job: { ...job, ...(vector && { vector }) }, shape };
    const answer = await this.#ask<Presented>(store, 'answerJob', order, asker);
    return { ...answer, withoutVectors: problem, lacking: this.lacking(store) };
  }

  /** A query's vector where the vectors that are searched are made elsewhere; else why there is none. */
  async #vectorOf(store: NetworkStore, text: string): Promise<{ vector?: QueryVector; problem: string | null }> {
    const name = this.#servingElsewhere(store);
    if (!this.#embedder || name === null) return { problem: this.#embedder?.problem() ?? this.#without };
    const answer = await this.#embedder.short([text], name);
    if ('problem' in answer) return { problem: answer.problem };
    return { vector: { name, values: answer.vectors[0] as Float32Array }, problem: null };
  }

  /** Null where no vectors are made elsewhere. */
  async #short(
    store: NetworkStore,
    texts: string[],
  ): Promise<{ vectors: Float32Array[] } | { problem: string } | null> {
    const name = this.#servingElsewhere(store);
    return this.#embedder && name !== null ? this.#embedder.short(texts, name) : null;
  }

  #servingElsewhere(store: NetworkStore): string | null {
    const name = this.#followers.get(store.network)?.stand.serving ?? null;
    return name === builtin ? null : name;
  }

  /** What was found before, as far as it still fits, as JSON. @throws UnavailableError */
  async present(
    store: NetworkStore,
    { ranked, within, shape }: { ranked: readonly Ranked[]; within: Within; shape: Shape },
    asker: Asker | null,
  ): Promise<Found> {
    const answer = await this.#ask<Presented>(store, 'presentAgain', { ranked, within, shape }, asker);
    return { ...answer, withoutVectors: null, lacking: this.lacking(store) };
  }

  async #ask<T extends object>(store: NetworkStore, name: string, order: object, asker: Asker | null): Promise<T> {
    const { database, fileId, folder } = store;
    const files = { database, fileId, index: searchFile(folder) };
    const run = async () => {
      if (this.#closed) throw unusable(closing);
      return this.#searching.run<T | Missing>(name, { files, ...order });
    };
    const once = () => this.#turns.take(asker, run);
    try {
      let answer = await once().catch(missingAt);
      if ('missing' in answer) {
        await this.#followers.get(store.network)?.mend(firstMs);
        answer = await once();
      }
      if ('missing' in answer) throw unusable('The search index is not made yet. Try again in a moment.');
      return answer;
    } catch (error) {
      if (error instanceof StorageError) throw unusable(`${error.reason} \`archeion reindex\` makes the index anew.`);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    // What waits for an answer waits no longer.
    await this.#embedder?.[Symbol.asyncDispose]();
    await Promise.allSettled([...this.#followers.values()].map((follower) => follower.close()));
    await this.#searching[Symbol.asyncDispose]();
    await this.#indexing[Symbol.asyncDispose]();
  }
}

/** A damaged index is as good as none. */
function missingAt(error: unknown): Missing {
  if (error instanceof FailedWorkError && error.damaged) return { missing: true };
  throw error;
}

function unusable(reason: string): UnavailableError {
  return new UnavailableError('Service unavailable', { service: 'search', reason });
}
