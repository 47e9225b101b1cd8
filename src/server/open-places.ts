import { join } from 'node:path';
import type { AttestationLogs } from './attest/logs.ts';
import type { Identity } from './store/accounts/identity.ts';
import { identityFile } from './store/accounts/identity-schema.ts';
import { attestFile } from './store/attest-log.ts';
import type { Places } from './store/in-place.ts';
import type { Networks } from './store/networks.ts';

/** Of the databases that a node has open, as other threads need it to open them beside it. */
export function openPlaces(
  data: string,
  { identity, networks, logs }: { identity: Identity; networks: Networks; logs: AttestationLogs },
): Places {
  const ofNetworks = networks.opened().flatMap((store) => [
    [store.database, store.place],
    [attestFile(store.folder), logs.placeOf(store)],
  ]);
  return { [join(data, identityFile)]: identity.place, ...Object.fromEntries(ofNetworks) };
}
