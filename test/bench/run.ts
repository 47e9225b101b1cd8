import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { misused } from '../helpers/options.ts';
import { call } from './call.ts';
import { indexed } from './indexed.ts';
import { measureArchive } from './measures/archive.ts';
import { measureArgo, measureArgoParser } from './measures/argo.ts';
import { measureFiles } from './measures/files.ts';
import { measureGraph } from './measures/graph.ts';
import { measureImport } from './measures/import.ts';
import { measureJobs, measureScatter } from './measures/jobs.ts';
import { measureKilledScatter } from './measures/killed-scatter.ts';
import { measureListing } from './measures/listing.ts';
import { measureMirror } from './measures/mirror.ts';
import { measurePage } from './measures/page.ts';
import { measurePageGraph } from './measures/page-graph.ts';
import { measureCreates, measureReads } from './measures/requests.ts';
import { measureBeside, measureSearch } from './measures/search.ts';
import { measureSlowDisk } from './measures/slow-disk.ts';
import { measureStart } from './measures/start.ts';
import { tateFile } from './measures/tate.ts';
import { type Node, repository, startEcho, startNode, temporaryFolder } from './processes.ts';
import { finish } from './report.ts';
import { sampleBody } from './samples.ts';

// Every figure beside its baseline of the same run; what counts is the ratio. `npm run bench`; groups by name: less.

const onTate = ['tate', 'reads', 'listing', 'archive', 'mirror', 'graph', 'argo', 'search', 'start', 'ui', 'beside'];
const groups = ['requests', 'jobs', 'killed-scatter', 'slow-disk', 'files', ...onTate];
const wanted = new Set(process.argv.slice(2));
const unknown = [...wanted].filter((name) => !groups.includes(name));
if (unknown.length > 0)
  misused(`There is no group ${unknown.join(' or ')}.`, `npm run bench -- [${groups.join(' | ')} ...]`);
const asked = (name: string): boolean => wanted.size === 0 || wanted.has(name);

using folder = temporaryFolder();
const data = join(folder.path, 'tate');
await using echo = await startEcho();

if (asked('requests')) {
  await using node = await startNode(join(folder.path, 'creates'));
  await measureCreates(node, echo);
}
if (asked('jobs')) {
  await using node = await startNode(join(folder.path, 'jobs'));
  await measureJobs(node);
  await using another = await startNode(join(folder.path, 'scatter'));
  await measureScatter(another);
}
// Minutes long, since what a kill lost is missed only when its time is up: by its name alone.
if (wanted.has('killed-scatter')) await measureKilledScatter(join(folder.path, 'killed-scatter'));
if (asked('argo')) measureArgoParser();
if (asked('ui')) {
  await using node = await startNode(join(folder.path, 'page-graph'));
  await measurePageGraph(node);
}
if (asked('slow-disk')) await measureSlowDisk();
if (asked('files')) await measureFiles();
if (!existsSync(tateFile)) process.stderr.write('the Tate data is not here: what is measured on it is left out\n');
else if (onTate.some(asked)) {
  // A node of its own for each measure: peaks of memory belong to it.
  const { collection, entities, pipeline } = await withNode(measureImport);
  const ids = await withNode((node) => measureListing(node, collection));
  if (asked('archive')) await measureArchive(data, pipeline);
  if (asked('graph')) await withNode((node) => measureGraph(node, collection));
  if (asked('argo')) await withNode((node) => measureArgo(node, collection));
  if (asked('ui')) await withNode((node) => measurePage(node, collection));
  if (asked('search')) await measureSearch(data);
  if (asked('mirror')) await withNode((node) => measureMirror(node, entities, pipeline));
  if (asked('reads')) {
    await withNode((node) => fill(node, 100_000 - entities));
    await withNode((node) => measureReads(node, echo, ids.slice(0, 2000)));
  }
  if (asked('start')) await measureStart(data);
  // Last: it fills the data with a million vectors.
  if (asked('beside')) await measureBeside(data);
}
finish(join(repository, 'bench-results.json'));

async function withNode<T>(measure: (node: Node) => Promise<T>): Promise<T> {
  await using node = await startNode(data);
  await indexed(node);
  return await measure(node);
}

/** More entities, until there are as many as the measure names. */
async function fill(node: Node, count: number): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const entities = Array.from({ length: 100 }, (_, n) => sampleBody(at + n));
    await call(node, 'POST /entities/batch', { entities });
  }
}
