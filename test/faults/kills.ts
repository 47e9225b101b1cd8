import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Node, startNode } from '../bench/processes.ts';
import { seeded } from '../helpers/seeded.ts';
import type { Target } from './load.ts';
import { brokenPromises, type Promised } from './promises.ts';
import { allowEcho, beginLoad, call, freePort, furnish, startPeer } from './scene.ts';

/** What became of one run: how much was promised before it, and what was not kept. */
export interface Run {
  seed: number;
  promises: number;
  problems: string[];
}

/**
 * Kills the built node under load once for each seed, on one data folder, and looks each time what is there when it has
 * been started again; in the end, whether it comes to the same as the peer that it synced with.
 */
export async function* killed(seeds: readonly number[]): AsyncGenerator<Run> {
  await using opened = new AsyncDisposableStack();
  const place = opened.adopt(mkdtempSync(join(tmpdir(), 'archeion-kills-')), (it) =>
    rmSync(it, { recursive: true, force: true }),
  );
  const env = allowEcho(place);
  const peer = opened.use(await startPeer(place, env));
  const port = await freePort();
  const data = join(place, 'data');
  let node = await startNode(data, env, { port, quiet: true });
  opened.defer(() => node[Symbol.asyncDispose]());
  const target = await furnish(node, peer);
  const all: Promised[] = [];
  for (const seed of seeds) {
    const promised: Promised[] = [];
    const problems = await killOnce({ node, target, peer }, seed, (it) => promised.push(it));
    try {
      node = await startNode(data, env, { port, quiet: true });
      problems.push(...(await brokenPromises(node, promised)));
    } catch (error) {
      problems.push(`it did not come back: ${error instanceof Error ? error.stack : error}`);
    }
    all.push(...promised);
    if (seed === seeds.at(-1)) {
      problems.push(...(await brokenPromises(node, all)), ...(await differences(node, peer)));
    }
    yield { seed, promises: promised.length, problems };
  }
}

async function killOnce(
  { node, target, peer }: { node: Node; target: Target; peer: Node },
  seed: number,
  promise: (promised: Promised) => void,
): Promise<string[]> {
  const random = seeded(seed);
  const load = beginLoad(target, peer, seed, promise);
  await load.begun;
  await pause(random() * 500);
  process.kill(node.pid, 'SIGKILL');
  const problems = await load.ended;
  await node.gone;
  return problems;
}

/** Syncs, and compares the current versions of both sides, but of what lies in no collection. */
async function differences(node: Node, peer: Node): Promise<string[]> {
  for (let i = 0; i < 3; i++) await call(node, 'POST /node/remotes/peer/sync').catch(() => undefined);
  const [here, there] = [await tips(node), await tips(peer)];
  const missing = [...there].filter(([id, cid]) => here.get(id) !== cid);
  const unpushed = [...here].filter(([id, cid]) => there.get(id) !== cid);
  return [
    ...(missing.length > 0
      ? [`${missing.length} of the peer's ${there.size} entities are not here as they are there: ${missing[0]}`]
      : []),
    ...(unpushed.length > 0
      ? [`${unpushed.length} of ${here.size} entities are not at the peer as they are here: ${unpushed[0]}`]
      : []),
  ];
}

async function tips(node: Node): Promise<Map<string, string>> {
  const lines = await call<string>(node, 'GET /node/export?format=ndjson&history=tip');
  return new Map(
    lines
      .trim()
      .split('\n')
      .map((line) => {
        const { id, cid } = JSON.parse(line) as { id: string; cid: string };
        return [id, cid];
      }),
  );
}
