import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startNode } from '../bench/processes.ts';
import { freePort } from '../helpers/free-port.ts';
import { seeded } from '../helpers/seeded.ts';
import { cutOff } from './cuts.ts';
import type { Run } from './kills.ts';
import { brokenPromises, type Promised } from './promises.ts';
import { addMark, buildRecorder, killRecorded, readRecording, recorded } from './recording.ts';
import { allowEcho, beginLoad, furnish, startPeer } from './scene.ts';

/** What is known of a recording beside its log. */
interface About {
  /** The folder that was recorded. */
  folder: string;
}

/**
 * Records the built node under load, beside a peer that it syncs with, into `place`: three starts, of which the first and
 * the last end by a kill and the other by a stop.
 */
export async function recordNode(place: string, seed: number): Promise<string[]> {
  const whole = realpathSync(place);
  const [folder, log] = [join(whole, 'recorded'), join(whole, 'log')];
  mkdirSync(folder);
  writeFileSync(join(place, 'about.json'), JSON.stringify({ folder } satisfies About));
  const allowed = allowEcho(place);
  const env = { ...allowed, ...recorded(buildRecorder(place), folder, log) };
  const promise = (promised: Promised) => addMark(log, JSON.stringify(promised));
  await using peer = await startPeer(place, allowed);
  const port = await freePort();
  const random = seeded(seed);
  const problems: string[] = [];

  const first = await startNode(join(folder, 'data'), env, { port, quiet: true });
  promise({ key: first.key });
  const target = await furnish(first, peer);
  promise({ remote: 'peer' });
  for (let n = 0; n < 3; n++) {
    const node = n === 0 ? first : await startNode(join(folder, 'data'), env, { port, quiet: true });
    const load = beginLoad(target, peer, seed * 10 + n, promise);
    await load.begun;
    await pause(300 + random() * 900);
    if (n === 1) load.stop();
    else await killRecorded(node, log);
    problems.push(...(await load.ended));
    if (n === 1) await node[Symbol.asyncDispose]();
    await node.gone;
  }
  return problems;
}

/** Cuts the power once for each seed in what was recorded into `place`, and starts the node on what that left. */
export async function cutNode(place: string, seeds: readonly number[], report: (run: Run) => void): Promise<void> {
  const about = join(place, 'about.json');
  if (!existsSync(about))
    throw new Error(`There is no recording in ${place}: those of power cuts that broke something are kept.`);
  const { folder } = JSON.parse(readFileSync(about, 'utf8')) as About;
  const steps = readRecording(join(place, 'log'));
  const env = allowEcho(resolve(place));
  await cutOff({ steps, folder }, seeds, async ({ seed, folder: left, marks }) => {
    const promised = marks.map((text) => JSON.parse(text) as Promised);
    let problems: string[];
    try {
      const node = await startNode(join(left, 'data'), env, { quiet: true });
      try {
        problems = await brokenPromises(node, promised);
      } finally {
        process.kill(node.pid, 'SIGKILL');
        await node.gone;
      }
    } catch (error) {
      problems = [`it did not come back: ${error instanceof Error ? error.stack : error}`];
    }
    report({ seed, promises: promised.length, problems });
  });
}

/** Keeps a recording for another look. */
export function keepRecording(place: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of ['log', 'about.json']) cpSync(join(place, name), join(to, name));
}
