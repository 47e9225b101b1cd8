import { join } from 'node:path';
import type { AttestationLogs } from './attest/logs.ts';
import type { Identity } from './store/accounts/identity.ts';
import { identityFile } from './store/accounts/identity-schema.ts';
import { attestFile } from './store/attest-log.ts';
import type { OpenFiles } from './store/file-identity.ts';
import type { Networks } from './store/networks.ts';

/** Of the databases that a node has open, as other threads need it to open them beside it. */
export function openFilesOf(
  data: string,
  { identity, networks, logs }: { identity: Identity; networks: Networks; logs: AttestationLogs },
): OpenFiles {
  const ofNetworks = networks.opened().flatMap((store) => [
    [store.database, store.fileId],
    [attestFile(store.folder), logs.fileIdOf(store)],
  ]);
  return { [join(data, identityFile)]: identity.fileId, ...Object.fromEntries(ofNetworks) };
}
