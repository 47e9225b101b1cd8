import { drive } from './drive.ts';
import { batchSize, type Document, type Documents, type Peer, type Request } from './peer.ts';
import { record } from './table.ts';

/** `warm` come before what is measured, alone and in batches: a server's first second tells how fast it compiles. */
const counts = { warm: { alone: 300, inBatches: 5000 }, single: 8000, stored: 20_000, feed: 50_000 };
/** A peer that takes many times as long is asked for less, since what counts is a rate. */
const longest = 20;
const batchConnections = 4;

/**
 * Batches, reads, creates, updates with the right and with a stale revision, the whole feed, and a copy on a second
 * instance, each until it is done. The documents of the batches are those that are read, copied and updated.
 */
export async function measureDocuments(peer: Peer): Promise<void> {
  const { documents, name } = peer;
  if (!documents) return;
  const { url } = peer.server;
  const send = (requests: readonly Request[], expected = succeeded) => drive(url, documents, requests, expected);
  const creates = (count: number) => Array.from({ length: count }, (_, n) => documents.create(n));

  const warm = await send(creates(counts.warm.alone));
  await fill(url, documents, Math.min(counts.warm.inBatches, Math.ceil(warm * longest)));
  const single = Math.min(counts.single, Math.ceil(warm * longest));
  const stored = await fill(url, documents, counts.stored);
  record('batches of 100, documents/s', name, stored.rate);
  if (peer.replicate) {
    const { rate } = await timed(peer.replicate);
    record('copy on a second instance, documents/s', name, rate);
  }
  const some = stored.documents.slice(0, single);
  await send(some.slice(0, counts.warm.alone).map(documents.get));
  record('get, answers/s', name, await send(some.map(documents.get)));
  record('create, answers/s', name, await send(creates(single)));
  const updates = some.map(documents.update);
  record('update with the right revision, answers/s', name, await send(updates));
  const refused = (status: number) => status === documents.refusal;
  const stale = some.map((document, n) => documents.update(document, n + 1));
  record('update with a stale revision, answers/s', name, await send(stale, refused));

  if (!peer.changes) return;
  const there = counts.warm.alone + counts.warm.inBatches + counts.stored + 2 * single;
  await fill(url, documents, Math.min(counts.feed - there, Math.ceil(stored.rate * longest)));
  const catchUp = async () => {
    let seen = 0;
    for await (const changes of peer.changes?.() ?? []) seen += changes;
    return seen;
  };
  await catchUp();
  const { rate } = await timed(catchUp);
  record('the feed from its beginning, changes/s', name, rate);
}

function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

async function timed(run: () => Promise<number>): Promise<{ rate: number }> {
  const begun = performance.now();
  const count = await run();
  return { rate: (count / (performance.now() - begun)) * 1000 };
}

/** Stores documents by the hundred over four connections. */
async function fill(
  url: string,
  documents: Documents,
  count: number,
): Promise<{ rate: number; documents: Document[] }> {
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
