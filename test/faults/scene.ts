import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Node, startNode } from '../bench/processes.ts';
import { seeded } from '../helpers/seeded.ts';
import { client, type Target } from './load.ts';
import type { Promised } from './promises.ts';

const clients = 6;

/** What an echo answers: a document for what it was given. */
const echo = `cat > /dev/null; echo '{"outputs":[{"type":"document","properties":{"label":"echo"}}]}'`;

/** Writes the commands that nodes of a campaign may run; gives the environment that names them. */
export function allowEcho(place: string): Record<string, string> {
  const file = join(place, 'processors.json');
  const commands = { echo: { run: ['/bin/sh', '-c', echo], at_once: 4 } };
  writeFileSync(file, JSON.stringify({ commands }), { mode: 0o600 });
  // Many runs end long before what is logged of them is of use.
  return { ARCHEION_PROCESSORS: file, ARCHEION_LOG_LEVEL: 'fatal' };
}

/** One request that has to go well. */
export async function call<T>(node: Pick<Node, 'url' | 'headers'>, line: string, body?: object): Promise<T> {
  const [method = '', path = ''] = line.split(' ');
  const { headers } = node;
  const answer = await fetch(`${node.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${line} was answered ${answer.status}: ${text.slice(0, 300)}`);
  return (text.startsWith('{') && !text.trim().includes('\n') ? JSON.parse(text) : text) as T;
}

/** Makes what the load needs in a new node: collections, a processor, and a remote that it follows and pushes to. */
export async function furnish(node: Node, peer: Node): Promise<Target> {
  const collections: string[] = [];
  for (const label of ['one', 'two']) collections.push((await call<Made>(node, 'POST /collections', { label })).id);
  const { id, cid } = await call<Made>(node, 'POST /kladoi', {
    ...{ label: 'echo', endpoint: 'exec:echo', collection: collections[0] },
    actions_required: ['entity:view', 'entity:create', 'entity:update'],
    accepts: { types: ['*'], cardinality: 'one' },
    produces: { types: ['*'], cardinality: 'many' },
  });
  await call(node, `PUT /kladoi/${id}`, { expect_tip: cid, status: 'active' });
  await call(node, 'POST /node/remotes', {
    name: 'peer',
    url: peer.url,
    key: peer.key,
    direction: 'both',
    watch: true,
  });
  return { url: node.url, key: node.key, klados: id, collections };
}

interface Made {
  id: string;
  cid: string;
}

export interface Load {
  /** Resolves when the first answers have come. */
  begun: Promise<void>;
  /** Resolves when all clients have ended; gives what was wrong with the answers. */
  ended: Promise<string[]>;
  stop(): void;
}

/** A mixed load from several clients, and edits on the peer that come by sync. It lasts until it is stopped or the node hangs up. */
export function beginLoad(target: Target, peer: Node, seed: number, promise: (promised: Promised) => void): Load {
  let over = false;
  let answers = 0;
  const counted = (promised: Promised): void => {
    answers++;
    promise(promised);
  };
  const each = Array.from({ length: clients }, (_, n) =>
    client(target, { random: seeded(seed * 100 + n), promise: counted, isOver: () => over }),
  );
  const ended = Promise.all(each).finally(() => {
    over = true;
  });
  const edits = editPeer(peer, () => over);
  return {
    begun: (async () => {
      while (answers < clients && !over) await pause(2);
    })(),
    ended: (async () => [...(await ended).flat(), ...(await edits)])(),
    stop: () => {
      over = true;
    },
  };
}

/** A collection of the peer's own that grows, slowly enough for the other node to keep up. */
async function editPeer(peer: Node, isOver: () => boolean): Promise<string[]> {
  const { id: collection } = await call<Made>(peer, 'POST /collections', { label: 'of the peer' });
  for (let n = 0; !isOver(); n++) {
    const { id, cid } = await call<Made>(peer, 'POST /entities', { type: 'document', collection, properties: { n } });
    await call(peer, `PUT /entities/${id}`, { expect_tip: cid, properties: { edited: n } });
    if (n % 10 === 0) await addFile(peer, collection);
    await pause(20);
  }
  return [];
}

async function addFile(peer: Node, collection: string): Promise<void> {
  const bytes = Buffer.from(`${randomUUID()} `.repeat(2000));
  const file = { key: randomUUID(), filename: 'page.txt', content_type: 'text/plain', size: bytes.length, collection };
  const { id } = await call<Made>(peer, 'POST /files', file);
  const headers = { ...peer.headers, 'content-type': 'text/plain' };
  const answer = await fetch(`${peer.url}/files/${id}/content`, { method: 'POST', headers, body: bytes });
  if (!answer.ok) throw new Error(`the peer did not take a file: ${answer.status}`);
}

/** The peer of a scene: a node that is never killed. */
export function startPeer(place: string, env: Record<string, string>): Promise<Node> {
  return startNode(join(place, 'peer'), env, { quiet: true });
}
