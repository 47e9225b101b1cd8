import { ForbiddenError, UnauthorizedError } from '../errors.ts';
import type { Actor, RegisteredActor } from './actor.ts';
import type { Network } from './ids.ts';

/** What a verified JWT says of its user (decisions.md, Identity and authorship). */
export interface Claims {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
}

/** What the caller proved itself with. `id` is the key's; `expiresAt` is epoch milliseconds, null for a key that never expires. */
export type Credential = { method: 'jwt'; claims: Claims } | KeyCredential;
export interface KeyCredential {
  method: 'api_key';
  id: string;
  prefix: string;
  expiresAt: number | null;
}

/** Who asks, on which network; made once a request by http/auth.ts. */
export interface Caller {
  actor: Actor;
  network: Network;
  /** Absent for the anonymous and for the session of the page. */
  credential?: Credential;
  /** The account's id on main: the caller's own, or a processor's owner's. Absent for the anonymous and for service JWTs. */
  account?: string;
  /** The claims of a valid JWT whose user is not registered; the actor is then anonymous. */
  unregistered?: Claims;
  /** Where the request came from; absent on other threads. */
  address?: string;
  /** Whether nobody waits for the answer any more. Absent where that is not known, and on other threads. */
  hasLeft?: () => boolean;
  /**
   * Whether the key that the caller has shown was revoked or has expired since, or what it is of is disabled or deleted, or the
   * session was ended. Absent where there is neither, and on other threads.
   */
  isRevoked?: () => boolean;
}

/** What a controller's `@Request()` is: the edge put the caller there. */
export interface CallerRequest {
  caller: Caller;
}

/** The same of an endpoint that gives addresses of the node, under the name by which the client has reached it. */
export interface HostRequest extends CallerRequest {
  headers: { host?: string | undefined };
}

export const notRegistered = 'User is not registered. Call POST /auth/register first.';

/** Whether the caller came with the page's cookie. */
export function isSession({ account, credential }: Caller): boolean {
  return account !== undefined && credential === undefined;
}

/** As it goes to another thread: without what cannot be sent there, and where the request came from. */
export function plainCaller({ hasLeft: _, address: __, isRevoked: ___, ...caller }: Caller): Caller {
  return caller;
}

/** For what a request does long after its caller was found, or again and again. @throws UnauthorizedError once the key or session is good no longer */
export function refuseRevoked({ isRevoked }: Caller): void {
  if (isRevoked?.()) throw new UnauthorizedError();
}

/** For endpoints that accept credentials without needing them: a JWT of an unregistered user is a ForbiddenError there too. */
export function accepted(caller: Caller): Actor {
  if (caller.unregistered) throw new ForbiddenError(notRegistered);
  return caller.actor;
}

/** For endpoints that need credentials: UnauthorizedError for the anonymous, ForbiddenError for the unregistered. */
export function registered(caller: Caller): RegisteredActor {
  const actor = accepted(caller);
  if (actor.kind === 'anonymous') throw new UnauthorizedError();
  return actor;
}

/** Whether the operator of this node asks. */
export function isOperator({ actor }: Caller): boolean {
  return actor.kind === 'user' && actor.operator === true;
}

/** For the endpoints below /node: the operator alone. @throws UnauthorizedError, ForbiddenError */
export function operator(caller: Caller): Extract<RegisteredActor, { kind: 'user' }> {
  const actor = registered(caller);
  if (actor.kind !== 'user' || !actor.operator) throw new ForbiddenError('Only the operator of this node can do this');
  return actor;
}
