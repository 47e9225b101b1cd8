import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../quantile.ts';
import { drive } from './drive.ts';
import { batchSize, type Changes, type Document, type Documents, type Peer, type Request } from './peer.ts';
import { record } from './table.ts';

/** `first` tell a peer's pace, alone and in batches; as many come before each measure of batches. */
const counts = { first: { alone: 300, inBatches: 5000 }, single: 16_000, stored: 20_000, feed: 50_000 };
/** A round more comes before these: servers run for days, and their first seconds tell how fast they compile. */
const rounds = 3;
/** A peer that takes many times as long is asked for less, since what counts is a rate. */
const longest = 10;
const batchConnections = 4;
/**
 * Servers are at rest when together they have taken less than this share of a processor for so many seconds (the node's index
 * rests for five between its slices). So many milliseconds are waited at most.
 */
const [idleShare, idleSeconds, longestRest] = [0.05, 6, 120_000];

/** Rates by the name of the measure; what a peer does not do is not there. */
type Measures = Record<string, () => Promise<number>>;

/**
 * Batches, reads, creates and updates with the right and with a stale revision, in three rounds after one that does not count,
 * each with documents of its own; after the first a copy on a second instance, and three times the whole feed. Each is asked of
 * all peers in turn, so that the machine's pace tells none from another, and when all servers are at rest. The middle one of
 * three counts.
 */
export async function measureDocuments(peers: readonly Peer[]): Promise<void> {
  const stores = peers.filter((peer): peer is Stored => peer.documents !== undefined);
  for (const { server } of stores) server.rest();
  const pace = new Map<Stored, Pace>();
  for (const peer of stores) pace.set(peer, await warm(peer));
  const measured = new Map<string, Map<string, number[]>>();
  const inTurn = async (of: (peer: Stored) => Measures) => {
    const asked = stores.map((peer) => ({ peer, measures: of(peer) }));
    const names = new Set(asked.flatMap(({ measures }) => Object.keys(measures)));
    for (const name of names)
      for (const { peer, measures } of asked) {
        const run = measures[name];
        if (!run) continue;
        await atRest(stores);
        const rate = await run();
        process.stderr.write(`${peer.name}: ${name} ${Math.round(rate)}\n`);
        const rates = measured.get(name) ?? new Map<string, number[]>();
        measured.set(name, rates.set(peer.name, [...(rates.get(peer.name) ?? []), rate]));
      }
  };
  const round = () => inTurn((peer) => singly(peer, pace.get(peer) as Pace));
  await round();
  await inTurn(copied);
  for (const peer of stores) await fillFeed(peer, pace.get(peer) as Pace);
  for (let n = 0; n < rounds; n++) await inTurn(fed);
  for (let n = 1; n < rounds; n++) await round();
  for (const [name, rates] of measured) for (const [peer, some] of rates) record(name, peer, quantile(some, 0.5));
}

type Stored = Peer & { documents: Documents };

/** What a peer does in a second. */
interface Pace {
  alone: number;
  inBatches: number;
}

async function warm(peer: Stored): Promise<Pace> {
  const { server, documents } = peer;
  const creates = Array.from({ length: counts.first.alone }, (_, n) => documents.create(n));
  const alone = await drive(server.url, documents, creates, succeeded);
  const { rate } = await fill(server.url, documents, Math.min(counts.first.inBatches, Math.ceil(alone * longest)));
  const pace = { alone, inBatches: rate };
  for (const run of Object.values(singly(peer, pace))) await run();
  return pace;
}

function singly({ server: { url }, documents }: Stored, pace: Pace): Measures {
  const send = (requests: readonly Request[], expected = succeeded) => drive(url, documents, requests, expected);
  const single = Math.min(counts.single, Math.ceil(pace.alone * longest));
  let some: Document[] = [];
  return {
    'batches of 100, documents/s': async () => {
      // It is over in a second or two, and after minutes in which others had their turn a server compiles anew for as long.
      await fill(url, documents, Math.min(counts.first.inBatches, Math.ceil(pace.inBatches)));
      const stored = await fill(url, documents, Math.min(counts.stored, Math.ceil(pace.inBatches * longest)));
      some = stored.documents.slice(0, single);
      return stored.rate;
    },
    'get, answers/s': () => send(some.map(documents.get)),
    'create, answers/s': () => send(Array.from({ length: single }, (_, n) => documents.create(n))),
    'update with the right revision, answers/s': () => send(some.map(documents.update)),
    'update with a stale revision, answers/s': () =>
      send(
        some.map((document, n) => documents.update(document, n + 1)),
        (status) => status === documents.refusal,
      ),
  };
}

function copied({ replicate }: Stored): Measures {
  return replicate ? { 'copy on a second instance, documents/s': () => rateOf(replicate) } : {};
}

function fed({ changes }: Stored): Measures {
  return changes ? { 'the feed from its beginning, changes/s': () => rateOf(() => read(changes)) } : {};
}

/** Brings the feed to `counts.feed` changes, as far as the peer's pace allows, and reads it once before that counts. */
async function fillFeed({ server, documents, changes }: Stored, pace: Pace): Promise<void> {
  if (!changes) return;
  const missing = counts.feed - (await read(changes));
  if (missing > 0) await fill(server.url, documents, Math.min(missing, Math.ceil(pace.inBatches * longest)));
  await read(changes);
}

async function read(changes: Changes): Promise<number> {
  let seen = 0;
  for await (const page of changes()) seen += page;
  return seen;
}

/** Waits for what servers do in the background, which would be counted as a part of what is measured next. */
async function atRest(stores: readonly Stored[]): Promise<void> {
  const begun = performance.now();
  const used = () => stores.reduce((sum, { server }) => sum + server.cpu(), 0);
  for (let quiet = 0; quiet < idleSeconds && performance.now() - begun < longestRest; ) {
    const before = used();
    await sleep(1000);
    quiet = used() - before <= idleShare ? quiet + 1 : 0;
  }
  const seconds = Math.round((performance.now() - begun) / 1000) - idleSeconds;
  if (seconds > 0) process.stderr.write(`at rest after ${seconds} s\n`);
}

function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

async function rateOf(run: () => Promise<number>): Promise<number> {
  const begun = performance.now();
  const count = await run();
  return (count / (performance.now() - begun)) * 1000;
}

interface Filled {
  /** Documents a second. */
  rate: number;
  documents: Document[];
}

/** Stores documents by the hundred over four connections. */
async function fill(url: string, documents: Documents, count: number): Promise<Filled> {
  const bodies = Array.from({ length: Math.ceil(count / batchSize) }, (_, batch) =>
    documents.batch(Array.from({ length: batchSize }, (_, n) => batch * batchSize + n)),
  );
  const stored: Document[] = [];
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: batchConnections }, async () => {
      for (let request = bodies.pop(); request; request = bodies.pop()) {
        const { method, path, body } = request;
        const answer = await fetch(url + path, { method, body, headers: documents.headers });
        const text = await answer.text();
        if (!answer.ok) throw new Error(`${url}${path} was answered ${answer.status}: ${text.slice(0, 300)}`);
        stored.push(...documents.written(text));
      }
    }),
  );
  return { rate: (stored.length / (performance.now() - begun)) * 1000, documents: stored };
}
