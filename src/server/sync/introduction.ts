import { UnreachableError, ValidationError } from '../errors.ts';
import { type Network, networkOf } from '../model/ids.ts';
import type { RemoteAnswer, RemoteClient } from './remote.ts';
import { FailedAnswerError, isPage } from './remote-errors.ts';
import { type NodeCard, readCard, readUser, readWords, saysWhy } from './wire.ts';

const place = '/.well-known/archeion';

/** What a remote answers to the first questions. */
export interface Introduction {
  /** Its instance id where it is an Archeion node. */
  instance: string | null;
  /** The user that the key is of, there; null without a key. */
  user: string | null;
}

/**
 * Asks a remote which node it is, and whose the key is.
 * @param own this node's instance id, which it must not have
 * @param wasNode see cardOf
 * @throws ValidationError, UnreachableError
 */
export async function introduced(
  client: RemoteClient,
  { network, own, keyed, wasNode }: { network: Network; own: string; keyed: boolean; wasNode?: boolean },
): Promise<Introduction> {
  const answer = await client.read(place);
  const instance = cardIn(client, answer, wasNode)?.instance ?? null;
  if (answer.status === 200 && isPage(answer)) await refusePage(client);
  if (instance === own) throw ValidationError.at(['url'], 'is this node itself');
  return { instance, user: keyed ? await userOf(client, network) : null };
}

/**
 * Null where the remote is no Archeion node.
 * @param wasNode it was one before: a page in place of an answer is of what stands before it, and says nothing of that
 * @throws UnreachableError
 */
export async function cardOf(client: RemoteClient, wasNode = false): Promise<NodeCard | null> {
  return cardIn(client, await client.read(place), wasNode);
}

function cardIn(client: RemoteClient, answer: RemoteAnswer, wasNode = false): NodeCard | null {
  const { status, body } = answer;
  if (wasNode && (isPage(answer) || (status >= 400 && !saysWhy(body))))
    throw new FailedAnswerError(
      `${client.host} answered ${status} to the question which node it is, and does not say why, as a proxy does. Where that goes on, and it is no node any more, remove the remote and add it again.`,
    );
  return status === 200 ? readCard(body) : null;
}

/**
 * Who is given a page in place of the feed has no service there: what has one in a network that wants one to sign in would be taken
 * for none of a node's kind, for good. What the remote fails at is the first sync's to say. @throws UnreachableError
 */
async function refusePage(client: RemoteClient): Promise<void> {
  const answer = await client.read('/events?limit=1', undefined, 1).catch(() => null);
  if (answer?.status === 200 && isPage(answer))
    throw new UnreachableError(
      `${client.host} answers with a page, as a network does that wants one to sign in: no node, and no service with its interface, can be asked there`,
    );
}

async function userOf(client: RemoteClient, network: Network): Promise<string> {
  const { status, body } = await client.read('/users/me');
  if (status === 401 || status === 403)
    throw ValidationError.at(['key'], `${client.host} does not accept it: ${readWords(body, status)}`);
  const user = status === 200 ? readUser(body) : null;
  if (user === null || networkOf(user) !== network)
    throw new UnreachableError(
      `${client.host} does not say whose the key is (GET /users/me: ${readWords(body, status)})`,
    );
  return user;
}
