import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Node, startNode } from '../bench/processes.ts';
import { freePort } from '../helpers/free-port.ts';
import { seeded } from '../helpers/seeded.ts';
import type { Target } from './load.ts';
import { brokenPromises, type Promised } from './promises.ts';
import { allowEcho, beginLoad, call, furnish, startPeer } from './scene.ts';

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

/**
 * Syncs, and compares the documents and files of both sides. A processor that is a command of this machine stays here with
 * what names it, and what was made and deleted between two syncs is nothing to the peer: links to it are held back.
 */
async function differences(node: Node, peer: Node): Promise<string[]> {
  for (let tries = 1; ; tries++) {
    await call(node, 'POST /node/remotes/peer/sync').catch(() => undefined);
    const [here, there] = [await tips(node), await tips(peer)];
    const differing = [...new Set([...here.keys(), ...there.keys()])].filter((id) => {
      const [ours, theirs] = [here.get(id), there.get(id)];
      if (ours?.cid === theirs?.cid || !isCompared(ours ?? theirs)) return false;
      if (ours?.deleted && !theirs) return false;
      return !ours?.relationships.some(({ peer }) => !there.has(peer));
    });
    if (differing.length === 0) return [];
    // What was edited while it was pushed waits for the next sync.
    if (tries < 5) continue;
    const [id = ''] = differing;
    const example = JSON.stringify({ ours: here.get(id), theirs: there.get(id) }).slice(0, 2000);
    const stand = await Promise.all(
      ['remotes/peer', 'remotes/peer/pending', 'conflicts'].map((what) => call<object>(node, `GET /node/${what}`)),
    );
    return [
      `after ${tries} syncs ${differing.length} entities differ from the peer's: ${example}`,
      ...stand.map((part) => JSON.stringify(part).slice(0, 2000)),
    ];
  }
}

interface Tip {
  id: string;
  cid: string;
  type: string;
  deleted?: boolean;
  relationships: { peer: string }[];
}

const isCompared = (tip: Tip | undefined): boolean => tip?.type === 'document' || tip?.type === 'file';

async function tips(node: Node): Promise<Map<string, Tip>> {
  const lines = (await call<string>(node, 'GET /node/export?format=ndjson&history=tip')).trim().split('\n');
  return new Map(lines.map((line) => JSON.parse(line) as Tip).map((tip) => [tip.id, tip]));
}
