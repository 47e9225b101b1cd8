import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { indexed } from '../indexed.ts';
import { tateMapping } from '../measures/tate.ts';
import { command, startNode } from '../processes.ts';
import { quantile } from '../quantile.ts';
import { rounded } from '../report.ts';
import { Asker } from './asker.ts';
import type { Measured, Value } from './growth.ts';
import { type Measure, reads, writes } from './requests.ts';

/** A node's folder, and what was measured of it. */
export interface Filled extends Measured {
  data: string;
  collection: string;
}

const starts = 5;
/** So often all is asked after a first time. */
const counted = 5;
/** Memory is looked at when a node that was started has been left alone for so long. */
const restMs = 5000;

/** One operation takes at most half as long again with ten times the entities. */
const time = { unit: 'ms', most: 1.5 } as const;
const memory = { unit: 'MB', most: 1.5 } as const;
const bytes = { unit: 'bytes', most: 1.1 } as const;

function say({ size, values }: Measured, measure: string, value: number, of: Omit<Value, 'value'>): void {
  values.set(measure, { value, ...of });
  process.stderr.write(`  ${rounded(size)}: ${measure}: ${rounded(value)} ${of.unit}\n`);
}

/** Imports records into a new node in `data`, and waits until all of them can be found. */
export async function fill(data: string, corpus: string): Promise<Filled> {
  await using node = await startNode(data, {}, { quiet: true });
  node.rest();
  const begun = performance.now();
  const args = ['--collection', 'Tate', '--map', tateMapping, '--data', data, '--json'];
  const { stdout, seconds } = await command('import', corpus, ...args);
  const { collection, created } = JSON.parse(stdout) as { collection: { id: string }; created: number };
  await indexed(node);
  const until = (performance.now() - begun) / 1000;
  const filled: Filled = { size: created, data, collection: collection.id, values: new Map() };
  say(filled, 'import, for each entity', (1000 * seconds) / created, time);
  say(filled, 'import until all is found, for each entity', (1000 * until) / created, time);
  say(filled, 'memory until then, highest', node.memory().peak, memory);
  return filled;
}

/** Starts of all in turn, so that the pace of the machine at a time tells none of them from another. */
export async function measureStarts(nodes: readonly Filled[]): Promise<void> {
  const times = nodes.map((): number[] => []);
  for (let i = 1; i <= starts; i++)
    for (const [n, filled] of nodes.entries()) {
      await using node = await startNode(filled.data, {}, { quiet: true });
      node.rest();
      times[n]?.push(node.readyAfter);
      if (i < starts) continue;
      await sleep(restMs);
      say(filled, 'memory at rest', node.memory().now, memory);
    }
  for (const [n, filled] of nodes.entries())
    say(filled, 'start until ready, median', quantile(times[n] ?? [], 0.5), time);
}

/** All requests of all nodes; `queries` are what is searched for. */
export async function measureRequests(nodes: readonly Filled[], queries: readonly string[]): Promise<void> {
  await using all = new AsyncDisposableStack();
  const asked: Asked[] = [];
  for (const filled of nodes) asked.push({ filled, asker: all.use(await Asker.start({ ...filled, queries })) });
  for (const measure of reads) await inTurn(asked, measure);
  for (const { filled, asker } of asked)
    say(filled, 'memory with these requests, highest', (await asker.memory()).peak, memory);
  for (const measure of writes) await inTurn(asked, measure);
}

interface Asked {
  filled: Filled;
  asker: Asker;
}

/**
 * Runs one measure several times, each time on one node after the other; of each node the median and the 99th of a hundred, in
 * milliseconds, are the middle ones of all times but the first: that reads what it needs from a disk, whose pace has nothing to
 * do with how many entities there are.
 */
async function inTurn(asked: readonly Asked[], measure: Measure): Promise<void> {
  const passes = asked.map((): number[][] => []);
  for (let pass = 0; pass <= counted; pass++)
    for (const [n, { asker }] of asked.entries()) {
      const times = await asker.ask(measure);
      if (pass > 0) passes[n]?.push(times);
    }
  for (const [name, part] of [
    ['median', 0.5],
    ['p99', 0.99],
  ] as const)
    for (const [n, { filled }] of asked.entries()) {
      const each = (passes[n] ?? []).map((times) => quantile(times, part));
      say(filled, `${measure}, ${name}`, quantile(each, 0.5), time);
    }
}

/** Of databases that nobody has open, without what is left to be written into them. */
export function measureDisk(filled: Filled): void {
  const folder = join(filled.data, 'main');
  const db = new Database(join(folder, 'archeion.db'), { readonly: true });
  const versions = db.prepare('SELECT count(*) FROM block').pluck().get() as number;
  db.close();
  for (const [name, file] of [
    ['database', 'archeion.db'],
    ['search index', 'search.db'],
    ['attestations', 'attest.db'],
  ] as const) {
    const path = join(folder, file);
    if (existsSync(path)) say(filled, `disk for each version, ${name}`, statSync(path).size / versions, bytes);
  }
}
