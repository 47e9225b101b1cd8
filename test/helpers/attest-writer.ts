import { randomBytes, randomUUID } from 'node:crypto';
import { AttestationLogs } from '../../src/server/attest/logs.ts';
import { openLog } from '../../src/server/log.ts';
import { Identity } from '../../src/server/store/accounts/identity.ts';
import { newestHead } from '../../src/server/store/attest-log.ts';
import { NetworkStore } from '../../src/server/store/network-store.ts';
import { first, idOf, step } from './store.ts';

/**
 * A program that writes and attests as fast as it can until it is killed: `attest-writer.ts DATA RUN`. Each signed head
 * that it has seen is a line of its size on stdout.
 */
const [data = '', run = '0'] = process.argv.slice(2);
const store = await NetworkStore.open(data, 'main');
const key = new Identity(data, { now: Date.now, randomBytes }).ensureNodeKey();
const log = new AttestationLogs({ key, instance: randomUUID(), now: Date.now, log: openLog('silent') }).of(store);
for (let made = 0; ; made += 50) {
  const ids = Array.from({ length: 50 }, (_, i) => idOf(Number(run) * 1_000_000 + made + i));
  await store.submit(ids.map((id) => step(null, first(id))));
  if (made % 200 === 0) void log.settle().then(() => process.stdout.write(`${log.read(newestHead)?.size ?? 0}\n`));
}
