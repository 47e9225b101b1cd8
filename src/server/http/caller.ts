import type { Request } from 'express';
import { ForbiddenError, UnauthorizedError } from '../errors.ts';
import type { Actor, RegisteredActor } from '../model/actor.ts';
import type { Network } from '../model/ids.ts';

/** What a verified JWT says of its user (decisions.md, Identity and authorship). */
export interface Claims {
  issuer: string;
  subject: string;
  email: string | null;
  name: string | null;
}

/** What the caller proved itself with. `expiresAt` is epoch milliseconds, null for a key that never expires. */
export type Credential =
  | { method: 'jwt'; claims: Claims }
  | { method: 'api_key'; prefix: string; expiresAt: number | null };

/** Who asks, on which network; made once a request by http/auth.ts. */
export interface Caller {
  actor: Actor;
  network: Network;
  /** Absent where no Authorization header was sent. */
  credential?: Credential;
  /** The account's id on main: the caller's own, or a processor's owner's. Absent for the anonymous and for service JWTs. */
  account?: string;
  /** The claims of a valid JWT whose user is not registered; the actor is then anonymous. */
  unregistered?: Claims;
}

/** The headers that say who asks, as they came; `network` is the parsed `X-<Service>-Network`. */
export interface CallerHeaders {
  authorization: string | undefined;
  onBehalfOf: string | undefined;
  cookie: string | undefined;
  network: Network;
}

/**
 * Resolves the caller of a request; without credentials the anonymous one. It answers synchronously where it can.
 * @throws UnauthorizedError for an invalid credential, ForbiddenError for one that may not do this.
 */
export type Authenticate = (headers: CallerHeaders) => Caller | Promise<Caller>;

/** What a controller's `@Request() request` is. */
export interface CallerRequest extends Request {
  caller: Caller;
}

export const notRegistered = 'User is not registered. Call POST /auth/register first.';

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
