import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { misused } from '../helpers/options.ts';
import { tateFile, tateMapping } from './measures/tate.ts';
import { command, type Node, startNode, temporaryFolder } from './processes.ts';

// Kills a node again and again while it mirrors the Tate collection, and looks whether it ends complete and how much was
// fetched twice: `npm run mirror-kills -- [KILLS]`.

const [kills = 50, ...others] = process.argv.slice(2).map(Number);
if (!Number.isInteger(kills) || kills < 1 || others.length > 0)
  misused('That is no number of kills.', 'npm run mirror-kills -- [KILLS]');

/** A way to a node that counts the bytes which come from it. */
async function countingWay(to: string): Promise<{ url: string; bytes: () => number } & Disposable> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(to);
  const server = createServer((client) => {
    const origin = connect(Number(port), hostname);
    for (const socket of [client, origin]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    origin.on('data', (chunk) => {
      bytes += chunk.length;
    });
    client.pipe(origin).pipe(client);
    client.on('close', () => origin.destroy());
    origin.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    bytes: () => bytes,
    [Symbol.dispose]: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

interface Line {
  done?: { stopped: string | null };
  error?: string;
}

/**
 * One sync; with `killAfter`, the node is killed so many milliseconds after the run's first commit. True where it ended before.
 * Throws where it stopped by itself.
 */
async function run(node: Node, killAfter: number | null): Promise<boolean> {
  const killing = killAfter === null ? null : killWhenBegun(node, killAfter);
  try {
    const answer = await fetch(`${node.url}/node/remotes/origin/sync`, { method: 'POST', headers: node.headers });
    const last = JSON.parse((await answer.text()).trim().split('\n').at(-1) ?? '') as Line;
    if (last.error !== undefined) throw new Error(last.error);
    killing?.give.abort();
    if (await killing?.done) return false;
    if (last.done?.stopped !== null) throw new Error(`the sync stopped: ${last.done?.stopped}`);
    return true;
  } catch (error) {
    killing?.give.abort();
    // A node that was killed hangs up.
    if (!killing || !(await killing.done)) throw error;
    return false;
  }
}

/** Looks every few milliseconds how much is there; the answer is whether the node was killed. */
function killWhenBegun(node: Node, after: number): { give: AbortController; done: Promise<boolean> } {
  const give = new AbortController();
  const mirrored = async () => {
    const answer = await fetch(`${node.url}/node/remotes/origin`, { headers: node.headers });
    return ((await answer.json()) as { mirrored: number }).mirrored;
  };
  const watch = async () => {
    const before = await mirrored();
    while (!give.signal.aborted && (await mirrored()) === before) await delay(20);
    await delay(after);
    if (give.signal.aborted) return false;
    process.kill(node.pid, 'SIGKILL');
    return true;
  };
  return { give, done: watch() };
}

using folder = temporaryFolder();
// The way to it has another port than it knows of.
await using origin = await startNode(join(folder.path, 'origin'), { ARCHEION_ALLOWED_HOSTS: '127.0.0.1' });
await command('import', tateFile, '--collection', 'Tate', '--map', tateMapping, '--data', origin.data);

/** What a mirror without kills fetches, in bytes, and how long it takes, in milliseconds. */
async function whole(): Promise<{ needed: number; ms: number }> {
  using way = await countingWay(origin.url);
  await using mirror = await startNode(join(folder.path, 'whole'));
  await command('remote', 'add', 'origin', way.url, '--data', mirror.data);
  const begun = performance.now();
  await run(mirror, null);
  return { needed: way.bytes(), ms: performance.now() - begun };
}

const { needed, ms } = await whole();
// Where a mirror is quick, all the kills are to come before its end.
const killAfter = Math.min(500, ms / (2 * kills));
using way = await countingWay(origin.url);
const data = join(folder.path, 'mirror');
let killed = 0;
let added = false;
for (let ended = false; !ended; ) {
  const mirror = await startNode(data);
  if (!added) await command('remote', 'add', 'origin', way.url, '--data', data);
  added = true;
  ended = await run(mirror, killed < kills ? killAfter : null);
  if (ended) await mirror[Symbol.asyncDispose]();
  else {
    killed++;
    await mirror.gone;
  }
}
const ratio = way.bytes() / needed;
const counts = async (of: string): Promise<number> => {
  const { stdout } = await command('status', '--data', of, '--json');
  const { networks } = JSON.parse(stdout) as { networks: { network: string; entities: number }[] };
  return networks.find(({ network }) => network === 'main')?.entities ?? 0;
};
const [there, here] = [await counts(origin.data), await counts(data)];
process.stdout.write(
  `${killed} of ${kills} kills while mirroring: ${here} of ${there} entities, ${ratio.toFixed(2)} x the bytes of a mirror without kills\n`,
);
process.exitCode = killed >= kills && ratio <= 1.3 && here >= there ? 0 : 1;
