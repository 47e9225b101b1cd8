import { derivedId, idOn } from '../../model/ids.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { findEntity } from '../../store/entities.ts';
import type { NetworkStore } from '../../store/network-store.ts';

/**
 * The id on main of a user to come. It follows from who that is, and another does where an entity has it that is no user: whoever
 * knows somebody's name at the identity provider can make one.
 */
export function newUserId(
  stores: readonly NetworkStore[],
  { issuer, subject }: Pick<Account, 'issuer' | 'subject'>,
): string {
  const isFree = (id: string) => stores.every((store) => isFreeIn(store, id));
  let id = derivedId('main', issuer, subject);
  for (let n = 2; !isFree(id); n++) id = derivedId('main', issuer, subject, String(n));
  return id;
}

function isFreeIn(store: NetworkStore, id: string): boolean {
  const row = store.read((db) => findEntity(db, idOn(store.network, id)));
  return row === undefined || row.type === 'user';
}
