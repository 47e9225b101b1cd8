import { AlreadyExistsError } from '../errors.ts';
import type { Network } from '../model/ids.ts';
import type { Remote } from '../store/remotes/remotes.ts';
import type { Direction } from '../store/remotes/sync-rows.ts';
import { cardOf, introduced } from './introduction.ts';
import type { RemoteClient } from './remote.ts';

/** What of a remote is to be another one; `key` null: it has none any more. What is left out stays. */
export interface Changed {
  url?: string | undefined;
  key?: string | null | undefined;
  direction?: Direction | undefined;
}

/**
 * Asks the first questions of a remote once more, and whose the key is. Of a service that is no node only its user and its feed say
 * that it is the same: at another address the key has to be of the same user, and the next run looks for what it has seen there.
 * @throws ValidationError, UnreachableError, AlreadyExistsError
 */
export async function introducedAgain(
  client: RemoteClient,
  { instance, user: before }: Pick<Remote, 'instance' | 'user'>,
  { url, key }: Changed,
  { network, own }: { network: Network; own: string },
): Promise<string | null> {
  const wasNode = instance !== null;
  // Another node does not know the key, which says less.
  if (((await cardOf(client, wasNode))?.instance ?? null) !== instance)
    throw new AlreadyExistsError(`${client.host} is another node than before. Remove the remote and add it again.`);
  const { user } = await introduced(client, { network, own, keyed: client.isKeyed, wasNode });
  const mayDiffer = url === undefined || user === null || (key !== undefined && (wasNode || before === null));
  if (user !== before && !mayDiffer)
    throw new AlreadyExistsError(
      `${client.host} knows the key as another user's (${user}, not ${before}), so it is another service. Remove the remote and add it again.`,
    );
  return user;
}
