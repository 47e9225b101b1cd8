import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { measureArchive } from './measures/archive.ts';
import { measureImport } from './measures/import.ts';
import { measureListing } from './measures/listing.ts';
import { measureMirror } from './measures/mirror.ts';
import { measureCreates, measureReads } from './measures/requests.ts';
import { measureSlowDisk } from './measures/slow-disk.ts';
import { measureStart } from './measures/start.ts';
import { tateFile } from './measures/tate.ts';
import { repository, startEcho, startNode, temporaryFolder } from './processes.ts';
import { finish } from './report.ts';
import { sampleBody } from './samples.ts';

// Every figure beside its baseline of the same run; what counts is the ratio. `npm run bench`, some four minutes.

const wanted = new Set(process.argv.slice(2));
const asked = (name: string): boolean => wanted.size === 0 || wanted.has(name);

using folder = temporaryFolder();
const data = join(folder.path, 'tate');
await using echo = await startEcho();

if (asked('requests')) {
  await using node = await startNode(join(folder.path, 'creates'));
  await measureCreates(node, echo);
}
if (asked('slow-disk')) await measureSlowDisk();
if (!existsSync(tateFile)) process.stderr.write('the Tate data is not here: what is measured on it is left out\n');
else if (['tate', 'reads', 'listing', 'archive', 'mirror', 'start'].some(asked)) {
  {
    await using node = await startNode(data);
    const { collection, entities, pipeline } = await measureImport(node);
    const ids = await measureListing(node, collection);
    if (asked('archive')) await measureArchive(node, pipeline);
    if (asked('mirror')) await measureMirror(node, entities);
    if (asked('reads')) {
      await fill(node, 100_000 - entities);
      await measureReads(node, echo, ids.slice(0, 2000));
    }
  }
  if (asked('start')) await measureStart(data);
}
finish(join(repository, 'bench-results.json'));

/** More entities, until there are as many as the measure names. */
async function fill(node: { url: string; headers: Record<string, string> }, count: number): Promise<void> {
  for (let at = 0; at < count; at += 100) {
    const body = JSON.stringify({ entities: Array.from({ length: 100 }, (_, n) => sampleBody(at + n)) });
    const answer = await fetch(`${node.url}/entities/batch`, { method: 'POST', headers: node.headers, body });
    if (answer.status !== 201) throw new Error(`the batch was answered ${answer.status}`);
    await answer.arrayBuffer();
  }
}
