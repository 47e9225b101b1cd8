import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { median } from '../load.ts';
import { type Node, type Server, startNode, startSink, temporaryFolder } from '../processes.ts';
import { atMostRow, loopRow, plainRow, ratioRow } from '../report.ts';

const atOnce = 16;
const rounds = 3;
const megabyte = Buffer.alloc(1_000_000, 'a page of a book, ');

/** Sends so many megabytes, no two times the same, and gives the answer. */
function send(url: string, headers: Record<string, string>, megabytes: number): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const length = String(megabytes * megabyte.length);
    const type = { 'content-type': 'application/octet-stream', 'content-length': length };
    const request = httpRequest(url, { method: 'POST', headers: { ...headers, ...type } }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200) resolve(JSON.parse(body) as Record<string, unknown>);
        else reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
      }, reject);
    });
    request.on('error', reject);
    const write = async () => {
      const head = randomBytes(16);
      request.write(head);
      for (let i = 0; i < megabytes; i++) {
        const part = i === 0 ? megabyte.subarray(head.length) : megabyte;
        if (!request.write(part)) await new Promise<void>((drained) => request.once('drain', drained));
      }
      request.end();
    };
    write().catch(reject);
  });
}

async function text(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}

/** Reads an answer to its end; `pauseMs` between any two parts makes a slow reader. Gives the number of bytes. */
function receive(url: string, headers: Record<string, string>, pauseMs = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers }, (response) => {
      const read = async () => {
        let size = 0;
        for await (const part of response) {
          size += (part as Buffer).length;
          if (pauseMs > 0) await after(pauseMs);
        }
        return size;
      };
      read().then(resolve, reject);
    })
      .on('error', reject)
      .end();
  });
}

/** The rate of so many transfers at a time, in MB/s, and the loop delay of the server meanwhile. */
async function rate(server: Server, megabytes: number, one: (n: number) => Promise<unknown>) {
  server.reset();
  const begun = performance.now();
  await Promise.all(Array.from({ length: atOnce }, (_, n) => one(n)));
  const seconds = (performance.now() - begun) / 1000;
  return { rate: (atOnce * megabytes) / seconds, p99: 0, loop: (await server.loopDelay()).p99 };
}

/** Uploads and downloads of files through a node, against the bare routes of sink.ts. */
export async function measureFiles(): Promise<void> {
  using folder = temporaryFolder();
  await withNode(async (node) => {
    await using sink = await startSink(folder.path);
    await measureRates(node, sink);
  });
  await measureMemory();
}

async function withNode(measure: (node: Node) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  await using node = await startNode(folder.path);
  await measure(node);
}

async function measureRates(node: Node, sink: Server): Promise<void> {
  const megabytes = 24;
  const id = await entityOf(node);
  const key = { authorization: node.headers.authorization ?? '' };
  const content = `${node.url}/entities/${id}/content`;
  const { name } = await send(`${sink.url}/bytes`, {}, megabytes);
  await send(`${content}?key=download`, key, megabytes);
  const runs = { sent: [], sentBare: [], got: [], gotBare: [] } as Record<string, Awaited<ReturnType<typeof rate>>[]>;
  for (let round = 0; round < rounds; round++) {
    runs.sentBare?.push(await rate(sink, megabytes, () => send(`${sink.url}/bytes`, {}, megabytes)));
    runs.sent?.push(await rate(node, megabytes, (n) => send(`${content}?key=k${n}`, key, megabytes)));
    runs.gotBare?.push(await rate(sink, megabytes, () => receive(`${sink.url}/bytes/${name}`, {})));
    runs.got?.push(await rate(node, megabytes, () => receive(`${content}?key=download`, key)));
  }
  const of = (kind: string) => median(runs[kind] ?? []);
  const bare = (kind: string) => ({ name: 'bare express', value: of(kind).rate });
  ratioRow(`upload, ${atOnce} at once`, of('sent').rate, 'MB/s', bare('sentBare'), 0.5);
  loopRow('upload', of('sent').loop);
  plainRow('event loop p99, bare upload', of('sentBare').loop, 'ms');
  ratioRow(`download, ${atOnce} at once`, of('got').rate, 'MB/s', bare('gotBare'), 0.5);
  loopRow('download', of('got').loop);
}

/** What the node's memory grows by while a gigabyte comes, and then while one goes to slow readers. */
async function measureMemory(): Promise<void> {
  await withNode(async (node) => {
    const path = `${node.url}/entities/${await entityOf(node)}/content`;
    const key = { authorization: node.headers.authorization ?? '' };
    const idle = node.memory().now;
    await Promise.all(Array.from({ length: atOnce }, (_, n) => send(`${path}?key=k${n}`, key, 64)));
    atMostRow('memory above idle, 1 GB of uploads', node.memory().peak - idle, 'MB', 60);
    await Promise.all(Array.from({ length: atOnce }, (_, n) => receive(`${path}?key=k${n}`, {}, 2)));
    atMostRow('memory above idle, and 1 GB to slow readers', node.memory().peak - idle, 'MB', 60);
  });
}

async function entityOf(node: Node): Promise<string> {
  const body = JSON.stringify({ type: 'document', properties: { label: 'files' } });
  const answer = await fetch(`${node.url}/entities`, { method: 'POST', headers: node.headers, body });
  return ((await answer.json()) as { id: string }).id;
}
