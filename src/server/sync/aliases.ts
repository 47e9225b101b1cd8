import type { Identity } from '../store/accounts/identity.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { listRemotes } from '../store/remotes/remotes.ts';

/**
 * The users that a network's remotes know the operator as are names of the operator (decisions.md, Identity and
 * authorship). Remotes and names are in two databases: whoever opens the network calls this, too, so that a kill between
 * the two leaves nothing untrue.
 */
export function alignAliases(store: NetworkStore, identity: Pick<Identity, 'setAliases' | 'ensureOperator'>): void {
  const users = store.read(listRemotes).flatMap(({ user }) => user ?? []);
  identity.setAliases(identity.ensureOperator().account.id, store.network, [...new Set(users)]);
}
