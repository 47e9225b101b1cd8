import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { seeded } from '../../helpers/seeded.ts';
import { call } from '../call.ts';
import { indexed } from '../indexed.ts';
import { tateMapping } from '../measures/tate.ts';
import { command, type Node, startNode } from '../processes.ts';
import { quantile } from '../quantile.ts';
import { sampleBody } from '../samples.ts';
import type { Measured, Value } from './growth.ts';

const counts = { creates: 500, gets: 2000, pages: 500, paths: 300, starts: 5 };
/** So often all is asked after a first time. */
const counted = 3;
const pageSize = 100;
/** Memory is looked at when a node that was started has been left alone for so long. */
const restMs = 5000;

/** One operation takes at most half as long again with ten times the entities. */
const time = { unit: 'ms', most: 1.5 } as const;
const memory = { unit: 'MB', most: 1.5 } as const;
const bytes = { unit: 'bytes', most: 1.1 } as const;

/**
 * Everything of one size, by an import into a new node in `data`. `queries` are what is searched for. What has been
 * measured is in `measured` also where something fails.
 */
export async function measureSize(
  measured: Measured,
  { data, corpus, queries }: { data: string; corpus: string; queries: readonly string[] },
): Promise<void> {
  const say = (measure: string, value: number, of: Omit<Value, 'value'>): void => {
    measured.values.set(measure, { value, ...of });
    process.stderr.write(`  ${measure}: ${value.toFixed(2)} ${of.unit}\n`);
  };
  let collection: string;
  {
    await using node = await startNode(data, {}, { quiet: true });
    node.rest();
    const begun = performance.now();
    const args = ['--collection', 'Tate', '--map', tateMapping, '--data', data, '--json'];
    const { stdout, seconds } = await command('import', corpus, ...args);
    const { size, ...made } = imported(stdout);
    measured.size = size;
    collection = made.collection;
    await indexed(node);
    const until = (performance.now() - begun) / 1000;
    say('import, for each entity', (1000 * seconds) / size, time);
    say('import until all is found, for each entity', (1000 * until) / size, time);
    say('memory until then, highest', node.memory().peak, memory);
  }
  await measureStarts(data, say);
  await using node = await startNode(data, {}, { quiet: true });
  node.rest();
  await measureRequests(node, collection, { size: measured.size, queries }, say);
  say('memory with these requests, highest', node.memory().peak, memory);
  await measureCreates(node, collection, say);
  await node[Symbol.asyncDispose]();
  measureDisk(join(data, 'main'), say);
}

type Say = (measure: string, value: number, of: Omit<Value, 'value'>) => void;

function imported(stdout: string): { collection: string; size: number } {
  const { collection, created } = JSON.parse(stdout) as { collection: { id: string }; created: number };
  return { collection: collection.id, size: created };
}

async function measureStarts(data: string, say: Say): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < counts.starts; i++) {
    await using node = await startNode(data, {}, { quiet: true });
    node.rest();
    times.push(node.readyAfter);
    if (i < counts.starts - 1) continue;
    await sleep(restMs);
    say('memory at rest', node.memory().now, memory);
  }
  say('start until ready, median', quantile(times, 0.5), time);
}

async function measureRequests(
  node: Node,
  collection: string,
  { size, queries }: { size: number; queries: readonly string[] },
  say: Say,
): Promise<void> {
  const next = seeded(1);
  const list = (offset: number, limit = pageSize) =>
    call<{ entities: { id: string }[] }>(
      node,
      `GET /collections/${collection}/entities?type=artwork&limit=${limit}&offset=${offset}`,
    );
  const works = Math.floor(size * 0.7);
  const deep = Array.from({ length: counts.pages }, () => Math.floor(works * (0.8 + 0.2 * next())));

  const ids: string[] = [];
  for (let part = 0; part < 20; part++)
    ids.push(...(await list(Math.floor((works * part) / 20))).entities.map(({ id }) => id));
  const any = () => ids[Math.floor(next() * ids.length)] as string;
  const gets = Array.from({ length: counts.gets }, any);
  await medianAndP99('get', gets, (id) => call(node, `GET /entities/${id}`), say);
  await medianAndP99('list, first page of 100', deep, () => list(0), say);
  await medianAndP99('list, page of 100 near the end', deep, list, say);
  const search = (query: string) => call(node, 'POST /search/entities', { query, types: ['artwork'], limit: 20 });
  await medianAndP99('search by words and meaning', queries, search, say);
  const pairs = Array.from({ length: counts.paths }, () => [any(), any()] as const);
  const path = ([a, b]: readonly [string, string]) =>
    call(node, 'POST /graph/paths', { source_ids: [a], target_ids: [b] });
  await medianAndP99('graph, paths of up to 4', pairs, path, say);
  const one = ([a, b]: readonly [string, string]) =>
    call(node, 'POST /graph/paths', { source_ids: [b], target_ids: [a], limit: 1 });
  await medianAndP99('graph, one path', pairs, one, say);
}

/** Ordinary creates in the large collection, one after the other; the index takes them up meanwhile. */
async function measureCreates(node: Node, collection: string, say: Say): Promise<void> {
  const create = (n: number) => call(node, 'POST /entities', { ...sampleBody(n), collection });
  const numbers = Array.from({ length: counts.creates }, (_, n) => n);
  await medianAndP99('create', numbers, create, say);
}

/** Of databases that nobody has open, without what is left to be written into them. */
function measureDisk(folder: string, say: Say): void {
  const db = new Database(join(folder, 'archeion.db'), { readonly: true });
  const versions = db.prepare('SELECT count(*) FROM block').pluck().get() as number;
  db.close();
  for (const [name, file] of [
    ['database', 'archeion.db'],
    ['search index', 'search.db'],
    ['attestations', 'attest.db'],
  ] as const) {
    const path = join(folder, file);
    if (existsSync(path)) say(`disk for each version, ${name}`, statSync(path).size / versions, bytes);
  }
}

/**
 * Runs one after the other, several times; the median and the 99th of a hundred, in milliseconds, each the middle one of all
 * times but the first: that reads what it needs from a disk, whose pace has nothing to do with how many entities there are.
 */
async function medianAndP99<T>(measure: string, list: readonly T[], run: (one: T) => Promise<unknown>, say: Say) {
  for (const one of list) await run(one);
  const passes: { median: number; p99: number }[] = [];
  for (let pass = 0; pass < counted; pass++) {
    const times: number[] = [];
    for (const one of list) {
      const begun = performance.now();
      await run(one);
      times.push(performance.now() - begun);
    }
    passes.push({ median: quantile(times, 0.5), p99: quantile(times, 0.99) });
  }
  const middle = (of: 'median' | 'p99') =>
    quantile(
      passes.map((pass) => pass[of]),
      0.5,
    );
  say(`${measure}, median`, middle('median'), time);
  say(`${measure}, p99`, middle('p99'), time);
}
