import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { misused, optionsOf } from '../helpers/options.ts';
import { tateFile } from './measures/tate.ts';
import { temporaryFolder } from './processes.ts';
import { writeCorpus } from './scale/corpus.ts';
import { table } from './scale/growth.ts';
import { type Filled, fill, measureDisk, measureRequests, measureStarts } from './scale/measure.ts';
import { tateShape } from './scale/tate-shape.ts';

// How a node does with ten times as much in it, and again ten times: `npm run bench:scale -- --sizes 10000,100000`.

const usage = 'npm run bench:scale -- [--sizes 10000,100000,1000000]; each at least 2000';
const values = optionsOf({ sizes: { type: 'string', default: '10000,100000,1000000' } }, usage);
const sizes = values.sizes.split(',').map(Number);
if (!sizes.every((size) => Number.isInteger(size) && size >= 2000)) misused('These are no sizes to measure.', usage);
if (!existsSync(tateFile)) {
  process.stderr.write(`the Tate data is not here (${tateFile}); every size is made from it\n`);
  process.exit(2);
}

using folder = temporaryFolder();
const shape = await tateShape();
// The subjects that most works have, which are there at every size.
const queries = shape.leaves.slice(0, 300).map(({ name }) => name);
const nodes: Filled[] = [];
try {
  for (const size of sizes.toSorted((a, b) => a - b)) {
    process.stderr.write(`${size.toLocaleString('en-US')} entities\n`);
    const corpus = join(folder.path, 'corpus.ndjson');
    await writeCorpus(shape, size, corpus);
    nodes.push(await fill(join(folder.path, String(size)), corpus));
  }
  await measureStarts(nodes);
  for (const filled of nodes) measureDisk(filled);
  await measureRequests(nodes, queries);
} finally {
  // What has been measured takes long to measure again.
  process.stdout.write(`${table(nodes)}\n`);
}
