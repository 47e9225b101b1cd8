import { AlreadyExistsError } from '../errors.ts';
import type { Network } from '../model/ids.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import { cardOf, introduced } from './introduction.ts';
import type { RemoteClient } from './remote.ts';

/**
 * Asks the first questions of a remote once more, and whose the key is. Of a service that is no node only its user and its feed say
 * that it is the same: the next run looks for what it has seen there. @throws ValidationError, UnreachableError, AlreadyExistsError
 */
export async function introducedAgain(
  client: RemoteClient,
  { instance }: Pick<Remote, 'instance'>,
  { network, own, keyed }: { network: Network; own: string; keyed: boolean },
): Promise<string | null> {
  const wasNode = instance !== null;
  // Another node does not know the key, which says less.
  if (((await cardOf(client, wasNode))?.instance ?? null) !== instance)
    throw new AlreadyExistsError(`${client.host} is another node than before. Remove the remote and add it again.`);
  return (await introduced(client, { network, own, keyed, wasNode })).user;
}

/** As at another address: there the key has to be of the same user. @throws as introducedAgain */
export async function introducedElsewhere(
  client: RemoteClient,
  remote: Pick<Remote, 'instance' | 'user' | 'secret'>,
  { network, own }: { network: Network; own: string },
): Promise<void> {
  const user = await introducedAgain(client, remote, { network, own, keyed: remote.secret !== null });
  if (user !== remote.user)
    throw new AlreadyExistsError(
      `${client.host} knows the key as another user's (${user}, not ${remote.user}), so it is another service. Remove the remote and add it again.`,
    );
}
