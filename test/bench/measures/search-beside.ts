import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { load } from '../load.ts';
import { type Node, startNode } from '../processes.ts';
import { atMostRow, loopRow, plainRow } from '../report.ts';
import { sampleBody } from '../samples.ts';
import { manyVectors } from './search-corpus.ts';

const count = 1_000_000;
const searches = 120;
const seconds = 5;

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
  atMostRow('search over HTTP in 1,000,000 vectors, median', at(times, 0.5), 'ms', 60);
  plainRow('search over HTTP in 1,000,000 vectors, p99', at(times, 0.99), 'ms');
  atMostRow('other requests beside these searches, p99', at(others, 0.99), 'ms', 25);
  loopRow('these searches', (await node.loopDelay()).p99);
}

/** What writes notice while everything is indexed anew, at half the rate that they could have. */
export async function measureWritesBesideIndexing(node: Node): Promise<void> {
  const post = {
    method: 'POST',
    path: '/entities',
    headers: node.headers,
    body: JSON.stringify(sampleBody(1)),
  } as const;
  const most = await load(node, post, seconds);
  const half = { ...post, overallRate: Math.floor(most.rate / 2) };
  const alone = await load(node, half, seconds);
  const gone = new AbortController();
  const indexing = fetch(`${node.url}/node/reindex`, { method: 'POST', headers: node.headers, signal: gone.signal });
  const reading = indexing.then((answer) => answer.text()).catch(() => '');
  await delay(500);
  const beside = await load(node, half, seconds);
  gone.abort();
  await reading;
  plainRow('POST /entities at half the highest rate, p99', alone.p99, 'ms');
  plainRow('the same while everything is indexed anew, p99', beside.p99, 'ms');
  atMostRow('which is more by', beside.p99 - alone.p99, 'ms', 5);
  loopRow('writes beside indexing', beside.loop);
}

async function answered(answer: Response): Promise<void> {
  if (answer.status !== 200) throw new Error(`${answer.url} was answered ${answer.status}`);
  await answer.arrayBuffer();
}

function at(times: number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
}
