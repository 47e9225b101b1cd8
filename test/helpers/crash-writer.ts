import { openSync, writeSync } from 'node:fs';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { change, commit, first, idOf, next, type Version } from './store.ts';

/**
 * A program that writes as fast as it can until it is killed: `crash-writer.ts DATA LOG RUN`. Each version whose commit
 * was answered is a line `id cid` of LOG, written before the next commit of its lane is submitted.
 */
const [data = '', log = '', run = '0'] = process.argv.slice(2);
const answers = openSync(log, 'a');
const store = await NetworkStore.open(data, 'main');
let made = 0;

function fresh(collection: string): Version {
  const id = idOf(Number(run) * 1_000_000 + made++);
  return first(id, {
    properties: { label: id, text: 'x'.repeat(made % 3000) },
    relationships: [['collection', collection]],
  });
}

/** Each lane makes pairs of entities, edits them, moves them elsewhere and deletes one: a commit has one to four versions. */
async function lane(n: number): Promise<never> {
  for (let round = 0; ; round++) {
    const [here, there] = [idOf(1 + (n % 3)), idOf(1 + (round % 3))];
    const [a, b] = [fresh(here), fresh(here)];
    await write([change(null, a), change(null, b)], [a, b]);
    const a2 = next(a, { properties: { text: 'y'.repeat(6000), round }, relationships: [['collection', there]] });
    const a3 = next(a2, { properties: { text: 'y'.repeat(6000), round, more: n } });
    const b2 = next(b, { relationships: [['knows', a.id]] });
    await write([change(a, a2, a3), change(b, b2)], [a2, a3, b2]);
    const grave = next(b2, { deleted: true });
    await write([change(b2, grave)], [grave]);
  }
}

async function write(changes: ReturnType<typeof change>[], versions: Version[]): Promise<void> {
  const [outcome] = await store.submit([commit(changes)]);
  if (!outcome?.committed) throw new Error(`not committed: ${JSON.stringify(outcome)}`);
  writeSync(answers, versions.map(({ id, cid }) => `${id} ${cid}\n`).join(''));
}

await Promise.all(Array.from({ length: 16 }, (_, n) => lane(n)));
