import { setTimeout as sleep } from 'node:timers/promises';
import { seeded } from '../../helpers/seeded.ts';
import { answered, call } from '../call.ts';
import type { Node } from '../processes.ts';
import { quantile } from '../quantile.ts';
import { atMostRow, loopRow, plainRow } from '../report.ts';

const pairs = 200;
/** After so long the threads that read have ended, with what they remembered. */
const pauseMs = 6000;
const afterPause = 10;
const hubLabel = 'Joseph Mallord William Turner';

/** Questions about the graph of a large collection, one after the other as a person asks them. */
export async function measureGraph(node: Node, collection: string): Promise<void> {
  const ids = await idsOf(node, collection);
  const [hub = ''] = await found(
    node,
    `/collections/${collection}/entities/lookup?label=${encodeURIComponent(hubLabel)}`,
  );
  const random = seeded(1);
  const any = () => ids[Math.floor(random() * ids.length)] as string;
  const drawn = Array.from({ length: pairs }, () => [any(), any()] as const);
  const paths = (source: string, target: string, limit?: number, expand = 'preview') =>
    answered(node, `POST /graph/paths?expand=${expand}`, { source_ids: [source], target_ids: [target], limit });
  for (const [a, b] of drawn.slice(0, 20)) await paths(b, a);
  node.reset();
  const usual = await times(drawn, ([a, b]) => paths(a, b));
  atMostRow('graph paths depth 4, median', usual.median, 'ms', 5);
  atMostRow('graph paths depth 4, p99', usual.p99, 'ms', 50);
  plainRow('graph paths depth 4, reading the answer, median', usual.reading, 'ms');
  const one = await times(drawn, ([a, b]) => paths(a, b, 1));
  plainRow('graph paths depth 4, one path, median', one.median, 'ms');
  plainRow('graph paths depth 4, one path, p99', one.p99, 'ms');
  const bare = await times(drawn, ([a, b]) => paths(a, b, undefined, 'none'));
  plainRow('graph paths depth 4, without previews, median', bare.median, 'ms');
  plainRow('graph paths depth 4, without previews, p99', bare.p99, 'ms');
  const fromHub = await times(drawn, ([a]) => paths(hub, a));
  atMostRow('graph paths from the busiest entity, p99', fromHub.p99, 'ms', 50);
  const reachable = await times(drawn.slice(0, 20), ([a]) =>
    answered(node, 'POST /graph/reachable', { source_ids: [a], target_type: 'movement' }),
  );
  plainRow('graph reachable depth 4, median', reachable.median, 'ms');
  plainRow('graph reachable depth 4, longest but one', reachable.p99, 'ms');
  const hubs = await times(drawn.slice(0, 20), () => answered(node, `GET /graph/entity/${hub}?limit=1000`));
  plainRow('graph entity with 1,000 of its 39,391 relationships, median', hubs.median, 'ms');
  loopRow('graph', (await node.loopDelay()).p99);
  const rested = await times(
    drawn.slice(0, afterPause),
    ([a, b]) => paths(a, b),
    () => sleep(pauseMs),
  );
  plainRow('graph paths depth 4, after a pause of 6 s, median', rested.median, 'ms');
  plainRow('graph paths depth 4, after a pause of 6 s, longest but one', rested.p99, 'ms');
}

/** The ids of the entities of an answer. */
async function found(node: Node, path: string): Promise<string[]> {
  const { entities = [] } = await call<{ entities?: { id: string }[] }>(node, `GET ${path}`);
  return entities.map(({ id }) => id);
}

async function idsOf(node: Node, collection: string): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const page = await found(node, `/collections/${collection}/entities?limit=10000&offset=${ids.length}`);
    if (page.length === 0) return ids;
    ids.push(...page);
  }
}

/** Until the last byte of an answer is here, and what reading it takes a client then. */
async function times<T>(
  list: readonly T[],
  ask: (one: T) => Promise<Buffer>,
  before: () => Promise<void> = async () => undefined,
): Promise<{ median: number; p99: number; reading: number }> {
  const [taken, read]: [number[], number[]] = [[], []];
  for (const one of list) {
    await before();
    const begun = performance.now();
    const bytes = await ask(one);
    const here = performance.now();
    taken.push(here - begun);
    JSON.parse(bytes.toString());
    read.push(performance.now() - here);
  }
  return { median: quantile(taken, 0.5), p99: quantile(taken, 0.99), reading: quantile(read, 0.5) };
}
