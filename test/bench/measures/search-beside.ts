import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { type Load, load, median } from '../load.ts';
import { type Node, startNode } from '../processes.ts';
import { quantile } from '../quantile.ts';
import { atMostRow, loopRow, plainRow } from '../report.ts';
import { sampleBody } from '../samples.ts';
import { manyVectors } from './search-corpus.ts';

const count = 1_000_000;
const searches = 120;
/** Windows of so many seconds, so many of each kind; no longer, for who waits for a held index gives up after five. */
const [window, rounds] = [3, 5];

/** What others notice while the node searches very many vectors. `data` holds the Tate's artworks, and is filled up. */
export async function measureBesideSearches(data: string, names: readonly string[]): Promise<void> {
  const ids = manyVectors(join(data, 'main'), count);
  await using node = await startNode(data);
  const search = async (query: string) => {
    const body = JSON.stringify({ query, types: ['artwork'], limit: 20 });
    await answered(await fetch(`${node.url}/search/entities`, { method: 'POST', headers: node.headers, body }));
  };
  for (const name of names.slice(0, 10)) await search(name);
  node.reset();
  const others: number[] = [];
  let over = false;
  const beside = (async () => {
    for (let i = 0; !over; i++) {
      const begun = performance.now();
      await answered(await fetch(`${node.url}/entities/${ids[i % ids.length]}`, { headers: node.headers }));
      others.push(performance.now() - begun);
      await delay(2);
    }
  })();
  const times: number[] = [];
  for (let i = 0; i < searches; i++) {
    const begun = performance.now();
    await search(names[i % names.length] ?? '');
    times.push(performance.now() - begun);
  }
  over = true;
  await beside;
  atMostRow('search over HTTP in 1,000,000 vectors, median', quantile(times, 0.5), 'ms', 60);
  plainRow('search over HTTP in 1,000,000 vectors, p99', quantile(times, 0.99), 'ms');
  atMostRow('other requests beside these searches, p99', quantile(others, 0.99), 'ms', 25);
  loopRow('these searches', (await node.loopDelay()).p99);
}

/**
 * What writes notice while everything is indexed anew, at half the rate that they could have: windows with the index held
 * still and windows with it going on alternate, and the medians of their p99 are compared.
 */
export async function measureWritesBesideIndexing(node: Node): Promise<void> {
  const post = {
    method: 'POST',
    path: '/entities',
    headers: node.headers,
    body: JSON.stringify(sampleBody(1)),
  } as const;
  const most = median([await load(node, post, window), await load(node, post, window), await load(node, post, window)]);
  const half = { ...post, overallRate: Math.floor(most.rate / 2) };
  await using indexing = new Indexing(node);
  const [still, moving]: [Load[], Load[]] = [[], []];
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    {
      using _ = indexing.held();
      still.push(await load(node, half, window));
    }
    indexing.goOn();
    await delay(500);
    const [from, begun] = [indexing.done, performance.now()];
    moving.push(await load(node, half, window));
    rates.push((1000 * (indexing.done - from)) / (performance.now() - begun));
  }
  const p99 = (windows: Load[]) =>
    quantile(
      windows.map((one) => one.p99),
      0.5,
    );
  plainRow('POST /entities at half the highest rate, median p99', p99(still), 'ms');
  plainRow('the same while everything is indexed anew, median p99', p99(moving), 'ms');
  atMostRow('which is more by', p99(moving) - p99(still), 'ms', 5);
  plainRow('moves taken into the index meanwhile', quantile(rates, 0.5), '/s');
  loopRow(
    'writes beside indexing',
    quantile(
      moving.map(({ loop }) => loop),
      0.5,
    ),
  );
}

/** An index that is made anew, and can be held still. */
class Indexing implements AsyncDisposable {
  readonly #node: Node;
  readonly #gone = new AbortController();
  #going: Promise<void> | null = null;
  /** The last move that is in it. */
  done = 0;

  constructor(node: Node) {
    this.#node = node;
  }

  /** Begins anew where it has ended. */
  goOn(): void {
    this.#going ??= this.#follow()
      .catch(() => undefined)
      .finally(() => {
        this.#going = null;
      });
  }

  async #follow(): Promise<void> {
    const { url, headers } = this.#node;
    const answer = await fetch(`${url}/node/reindex`, { method: 'POST', headers, signal: this.#gone.signal });
    for await (const line of createInterface({ input: Readable.fromWeb(answer.body as ReadableStream) })) {
      const { progress } = JSON.parse(line) as { progress?: { step: string; done: number } };
      if (progress) this.done = progress.done;
    }
  }

  /** Whoever else would write to it waits. */
  held(): Disposable {
    const db = new Database(join(this.#node.data, 'main', 'search.db'), { timeout: 10_000 });
    db.exec('BEGIN IMMEDIATE');
    return {
      [Symbol.dispose]: () => {
        db.exec('ROLLBACK');
        db.close();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#gone.abort();
    await this.#going;
  }
}

async function answered(answer: Response): Promise<void> {
  if (answer.status !== 200) throw new Error(`${answer.url} was answered ${answer.status}`);
  await answer.arrayBuffer();
}
