import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { StorageError } from '../../src/server/errors.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { first, idOf, step } from './store.ts';

/**
 * A program that writes until the disk gives no more room, says so, and writes on once there is room again:
 * `full-disk-writer.ts DATA`. Its lines: `failed CODE KEPT REASON`, then `recovered KEPT`.
 */
const store = await NetworkStore.open(process.argv[2] ?? '', 'main');
const kept: string[] = [];
let failed = false;

for (let n = 1; ; n++) {
  const version = first(idOf(n), { properties: { text: `${n}`.repeat(1000) } });
  try {
    await store.submit([step(null, version)]);
    kept.push(version.cid);
    if (failed) break;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    for (const cid of kept) if (!store.read((db) => findVersion(db, cid))) throw new Error(`${cid} is gone`);
    if (!failed) say(`failed ${error.code} ${kept.length} ${error.reason}`);
    failed = true;
    await delay(50);
  }
}
for (const cid of kept) if (!store.read((db) => findVersion(db, cid))) throw new Error(`${cid} is gone`);
await store.close();
say(`recovered ${kept.length}`);

function say(line: string): void {
  writeSync(1, `${line}\n`);
}
