import { LogThread } from '../../src/server/attest/log-thread.ts';
import { verification } from '../../src/server/attest/verification.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import type { VerifyReport } from '../../src/server/store/verify/verify-findings.ts';
import type { TestNode } from './node.ts';

/** Waits until a signed head covers everything that has been committed. */
export async function settled(node: TestNode, network: 'main' | 'test' = 'main'): Promise<void> {
  await node.ctx.attestationLogs.of(await node.ctx.networks.get(network)).settle();
}

/** What `archeion verify` finds in a data folder that no node uses. */
export async function verifiedFolder(data: string): Promise<VerifyReport> {
  await using thread = new LogThread();
  const run = verification({ database: databaseFile(data, 'main'), folder: `${data}/main` }, thread);
  for (;;) {
    const next = await run.next();
    if (next.done) return next.value;
  }
}
