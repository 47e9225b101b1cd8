import type { Network } from '../../src/server/model/ids.ts';
import type { SyncReportView } from '../../src/server/resources/node/remotes/wire.ts';
import { findTip } from '../../src/server/store/entities.ts';
import { chain } from '../../src/server/store/versions.ts';
import { ask, on, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, ok } from '../helpers/entities.ts';
import { type StartOptions, startNode, type TestNode } from '../helpers/node.ts';
import { startProxy } from './proxy.ts';

/** Two nodes: one that mirrors the other under the name `origin`. */
export interface Pair extends AsyncDisposable {
  origin: TestNode;
  mirror: TestNode;
  /** A user of the origin, whose key the mirror has. */
  curator: Person;
  /** The operators. */
  there: Person;
  here: Person;
}

export interface PairOptions {
  network?: Network;
  /** Without: the mirror is not given a key. */
  keyed?: boolean;
  collections?: string[];
  /** The mirror finds nothing beyond the public interface. */
  plain?: boolean;
  mirror?: StartOptions;
  origin?: StartOptions;
  prepare?: (origin: TestNode, curator: Person) => Promise<{ collections?: string[] } | undefined>;
}

export async function startPair({
  network = 'main',
  keyed = true,
  prepare,
  plain = false,
  mirror: options,
  origin: originOptions,
}: PairOptions = {}): Promise<Pair> {
  await using opened = new AsyncDisposableStack();
  const origin = opened.use(await startNode(originOptions));
  const mirror = opened.use(await startNode(options));
  const curator = on(network, await user(origin, 'curator'));
  const there = on(network, operator(origin));
  const here = on(network, operator(mirror));
  const more = await prepare?.(origin, curator);
  const url = plain ? opened.use(await startProxy(origin.url)).url : origin.url;
  await addRemote(mirror, here, { url, ...more, ...(keyed && { key: keyOf(curator) }) });
  const all = opened.move();
  return { origin, mirror, curator, there, here, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** A pair with a work in a collection of the curator's, on both sides. */
export async function startCurated(options?: PairOptions): Promise<Pair & { place: Entity; work: Entity }> {
  const pair = await startPair(options);
  const place = await collection(pair.origin, pair.curator, { label: 'Works' });
  const work = await create(pair.origin, pair.curator, {
    collection: place.id,
    properties: { label: 'One', size: { w: 1, h: 2 } },
  });
  await sync(pair.mirror, pair.here);
  return { ...pair, place, work };
}

export function keyOf(who: Person): string {
  return who.headers.Authorization?.replace('ApiKey ', '') ?? '';
}

export async function addRemote(node: TestNode, who: Person, body: object): Promise<RemoteAnswer> {
  return ok(await ask(node, who, 'POST /node/remotes', { name: 'origin', ...body }));
}

export interface RemoteAnswer {
  url: string;
  user: string | null;
  pending: number;
  conflicts: number;
  refused: number;
  mirrored: number;
  seen: { first: number; last: number }[];
  lost: { first: number; last: number; swept: boolean }[];
  troubles: Record<string, number>;
  unreadable: { id: string; trouble: string; evidence: string | null }[];
  refusals: { id: string; status: number; words: string }[];
  contents: Record<string, number>;
  missing_content: { id: string; cid: string; trouble: string; evidence: string | null }[];
  last_run: { ended_at: string } | null;
  words: string[];
}

export async function remoteOf(node: TestNode, who: Person, name = 'origin'): Promise<RemoteAnswer> {
  return ok(await ask(node, who, `GET /node/remotes/${name}`));
}

/** One run; throws with the words of its last line where that is an error. */
export async function sync(node: TestNode, who: Person, remote = 'origin'): Promise<SyncReportView> {
  const answer = await ask(node, who, `POST /node/remotes/${remote}/sync`);
  const last = lines(answer.text).at(-1) as { done?: SyncReportView; error?: string } | undefined;
  if (answer.status !== 200 || !last?.done) throw new Error(`sync answered ${answer.status}: ${answer.text}`);
  return last.done;
}

/** Why a run ended, with its status: one that takes a while has begun to answer with its progress by then, and says both in its last line. */
export async function failedSync(
  node: TestNode,
  who: Person,
  remote = 'origin',
): Promise<{ status: number; error?: string }> {
  const { status, text } = await ask(node, who, `POST /node/remotes/${remote}/sync`);
  return { status, ...(lines(text).at(-1) as { status?: number; error?: string }) };
}

export function lines(text: string): unknown[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Every tip of a node, by id; users apart, whose entities each node makes by itself. */
export async function tipsOf(node: TestNode, network: Network = 'main'): Promise<Record<string, string>> {
  const store = await node.ctx.networks.get(network);
  return store.read((db) => {
    const sql = "SELECT id FROM entity WHERE tip IS NOT NULL AND type <> 'user' ORDER BY id";
    return Object.fromEntries(db.all<{ id: string }>(sql).map(({ id }) => [id, findTip(db, id) ?? '']));
  });
}

/** An entity's chain from its tip down, as far as it is stored: numbers and CIDs. */
export async function chainOf(node: TestNode, id: string, network: Network = 'main'): Promise<[number, string][]> {
  const store = await node.ctx.networks.get(network);
  return store.read((db) =>
    chain(db, findTip(db, id) ?? '', 10_000).map(({ ver, cid }): [number, string] => [ver, cid]),
  );
}

export async function read(node: TestNode, who: Person, id: string): Promise<Entity> {
  return ok(await ask(node, who, `GET /entities/${id}`));
}

export async function conflictsOf(
  node: TestNode,
  who: Person,
): Promise<{ remote: string; id: string; base: string | null; ours: string; theirs: string }[]> {
  return ok<{ conflicts: Awaited<ReturnType<typeof conflictsOf>> }>(await ask(node, who, 'GET /node/conflicts'))
    .conflicts;
}
