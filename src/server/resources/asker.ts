import { ForbiddenError } from '../errors.ts';
import type { RegisteredActor } from '../model/actor.ts';
import { fromJson } from '../model/from-json.ts';
import type { Network } from '../model/ids.ts';
import type { Identity } from '../store/accounts/identity.ts';
import type { Reader } from '../store/connection.ts';
import { findStanding } from '../store/entities.ts';

/** Who asked for what comes later, an update that waits or a job: the actor without what may change until then. */
type Asker =
  | { kind: 'user'; id: string }
  /** `isLast`: the node says it of a job that has ended, also where the processor is out of use by then. */
  | { kind: 'processor'; id: string; type: 'agent' | 'klados'; owner: string; isLast?: true }
  | { kind: 'service'; id: string; behalf: string | null };

/** The same text for the same actor. `isLast`: of a processor, see there. */
export function askerText(actor: RegisteredActor, isLast = false): string {
  const { kind, id } = actor;
  const asker: Asker =
    kind === 'user'
      ? { kind, id }
      : kind === 'processor'
        ? { kind, id, type: actor.type, owner: actor.owner, ...(isLast && { isLast }) }
        : { kind, id, behalf: actor.onBehalfOf?.id ?? null };
  return JSON.stringify(asker);
}

export function askerId(text: string): string {
  return (fromJson(text) as Asker).id;
}

/** The actor as it is now. @throws ForbiddenError where its account or the processor is no longer good */
export function actorNow(
  db: Reader,
  identity: Pick<Identity, 'accountById'>,
  network: Network,
  text: string,
): RegisteredActor {
  const asker = fromJson(text) as Asker;
  const account = (id: string) => {
    const found = identity.accountById(id);
    if (!found) throw new ForbiddenError('User is not registered any more');
    return { id, ids: found.ids[network], operator: found.operator };
  };
  switch (asker.kind) {
    case 'user':
      return { kind: 'user', ...account(asker.id) };
    case 'service': {
      const { id, behalf } = asker;
      const user = behalf === null ? null : account(behalf);
      return { kind: 'service', id, onBehalfOf: user && { id: user.id, ids: user.ids } };
    }
    case 'processor': {
      const { isLast = false, ...processor } = asker;
      const entity = isLast ? undefined : findStanding(db, asker.id);
      if (entity?.deleted || entity?.manifest.properties.status === 'disabled')
        throw new ForbiddenError('The processor is deleted or disabled');
      return processor;
    }
  }
}
