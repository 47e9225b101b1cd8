import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { command, type Node, startNode, temporaryFolder } from '../processes.ts';
import { atLeastRow, atMostRow, loopRow, ratioRow } from '../report.ts';

/**
 * A second node pulls everything of the first: as blocks, and as from any other service. `versions` is how many there
 * are, `pipeline` how many a second the writing side takes by itself. Then edits reach a node that watches, and what
 * watching costs while nothing happens.
 */
export async function measureMirror(node: Node, versions: number, pipeline: number): Promise<void> {
  for (const way of ['node to node', 'plain interface'] as const) {
    using folder = temporaryFolder();
    await using mirror = await startNode(join(folder.path, 'mirror'));
    await command('remote', 'add', 'origin', node.url, '--key', node.key, '--data', mirror.data);
    if (way === 'plain interface') forgetNode(mirror.data);
    node.reset();
    mirror.reset();
    const { seconds, first } = await run(mirror);
    const rate = versions / seconds;
    if (way === 'plain interface') atLeastRow(`mirror, ${way}`, rate, 'versions/s', 2000);
    else ratioRow(`mirror, ${way}`, rate, 'versions/s', { name: 'in process', value: pipeline }, 0.6);
    atMostRow(`first ${usable} entities, ${way}`, first, 's', 2);
    loopRow(`being mirrored, ${way}`, (await node.loopDelay()).p99);
    loopRow(`mirroring, ${way}`, (await mirror.loopDelay()).p99);
    atMostRow(`memory of the mirror, peak, ${way}`, mirror.memory().peak, 'MB', 300);
    await send(mirror, 'PUT', '/node/remotes/origin', { watch: true });
    if (way === 'node to node') atMostRow('an edit on a live peer, median', await latency(node, mirror), 'ms', 100);
    atMostRow(`watching idly, ${way}`, await idleShare(mirror), '% of a core', 1);
  }
}

function send({ url, headers }: Node, method: string, path: string, body?: object): Promise<Response> {
  return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

const usable = 1000;

/** A run to its end, and how long it took until so many entities could be read, in seconds. */
async function run(mirror: Node): Promise<{ seconds: number; first: number }> {
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  let first = Number.POSITIVE_INFINITY;
  const answer = await send(mirror, 'POST', '/node/remotes/origin/sync');
  if (!answer.body) throw new Error(`the sync was answered ${answer.status}`);
  // Its progress comes twice a second.
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body as never) })) {
    const { progress, done, error } = JSON.parse(line) as Record<string, { entities: number } | undefined>;
    if (error) throw new Error(line);
    if (((progress ?? done)?.entities ?? 0) >= usable) first = Math.min(first, since());
  }
  return { seconds: since(), first };
}

const watched = 30_000;
/** The search index of what has come is made first, and the polls grow rarer. */
const settling = { look: 5000, until: 2, looks: 100 };

/** How much of a core a node uses that watches while nothing happens, in per cent. */
async function idleShare(mirror: Node): Promise<number> {
  mirror.rest();
  for (let looks = 0; looks < settling.looks; looks++)
    if ((await shareOver(mirror, settling.look)) < settling.until) break;
  return shareOver(mirror, watched);
}

async function shareOver({ cpu }: Node, ms: number): Promise<number> {
  const [begun, before] = [performance.now(), cpu()];
  await sleep(ms);
  return ((cpu() - before) / (performance.now() - begun)) * 100_000;
}

/** What is not known to be a node is spoken to as any other service. */
function forgetNode(data: string): void {
  const db = new Database(join(data, 'main/archeion.db'));
  db.prepare('UPDATE remote SET instance = NULL').run();
  db.close();
}

const edits = 50;

/** From the answer to an edit until a node that watches answers with it, in milliseconds: the median. */
async function latency(node: Node, mirror: Node): Promise<number> {
  const made = await send(node, 'POST', '/entities', { type: 'work', properties: { n: 0 } });
  let { id, cid } = (await made.json()) as { id: string; cid: string };
  const arrival = async () => {
    for (;;) {
      const answer = await send(mirror, 'GET', `/entities/${id}/tip`);
      if (((await answer.json()) as { cid?: string }).cid === cid) return;
      await sleep(1);
    }
  };
  await arrival();
  const times: number[] = [];
  for (let n = 1; n <= edits; n++) {
    const body = { expect_tip: cid, properties: { n } };
    const edited = await send(node, 'PUT', `/entities/${id}`, body);
    ({ id, cid } = (await edited.json()) as { id: string; cid: string });
    const from = performance.now();
    await arrival();
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b)[edits / 2] as number;
}
