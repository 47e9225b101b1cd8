import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { misused } from '../../helpers/options.ts';
import { temporaryFolder } from '../processes.ts';
import { startArcheion } from './archeion.ts';
import { measureDocuments } from './documents.ts';
import { measureNearest, nearestOf } from './nearest.ts';
import { measurePaths, pathsOf } from './paths.ts';
import { startPds } from './pds.ts';
import type { Peer } from './peer.ts';
import { startPostgres } from './postgres.ts';
import { startPouchdb } from './pouchdb.ts';
import { startSurreal } from './surreal.ts';
import { printTable } from './table.ts';
import { edgesOf, importTate, vectorsOf } from './tate.ts';

// The node beside what people would use instead: one machine, one run, the same documents, every answered write on the
// disk where the peer can promise that. `npm run bench:peers`, half an hour; `-- paths`, `-- nearest` or the name of
// a peer: less.

const stores = { archeion: startArcheion, pouchdb: startPouchdb, postgres: startPostgres, pds: startPds };
const names = [...Object.keys(stores), 'paths', 'nearest'];
const wanted = new Set(process.argv.slice(2));
const unknown = [...wanted].filter((name) => !names.includes(name));
if (unknown.length > 0)
  misused(`Nothing here is called ${unknown.join(' or ')}.`, `npm run bench:peers -- [${names.join(' | ')} ...]`);
const asked = (name: string): boolean => wanted.size === 0 || wanted.has(name);
const indexed = 20_000;

using folder = temporaryFolder();
// PostgreSQL runs as a user of its own where this runs as root.
chmodSync(folder.path, 0o755);
const place = (name: string): string => join(folder.path, name);

{
  await using started = new AsyncDisposableStack();
  const peers: Peer[] = [];
  for (const [name, start] of Object.entries(stores))
    if (asked(name)) peers.push(started.use(await start(place(name))));
  await measureDocuments(peers);
}
if (asked('paths') || asked('nearest')) {
  await using archeion = await startArcheion(place('graph'));
  const { node } = archeion;
  const collection = await importTate(node);
  await using surreal = await startSurreal(place('graph-surreal'));
  if (asked('paths')) {
    await using postgres = await startPostgres(place('graph-postgres'));
    const edges = edgesOf(node);
    await measurePaths(edges, [
      [archeion.name, pathsOf(node)],
      [postgres.name, await postgres.connect(edges)],
      [surreal.name, await surreal.connect(edges)],
    ]);
  }
  if (asked('nearest')) {
    const vectors = vectorsOf(node, indexed);
    await measureNearest(
      vectors.map(([id]) => id),
      [
        [archeion.name, nearestOf(node, collection)],
        [surreal.name, await surreal.index(vectors)],
      ],
    );
  }
}
printTable();
