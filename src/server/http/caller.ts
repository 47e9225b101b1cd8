import type { Request } from 'express';
import type { Actor } from '../model/actor.ts';
import type { Network } from '../model/ids.ts';

/** With what somebody proved who they are; `GET /auth/whoami` shows it (wire-contract.md N7). */
export type Credential =
  | { method: 'jwt'; issuer: string; subject: string; email?: string; name?: string }
  | { method: 'api_key'; prefix: string; expires_at: string | null };

/** Who sends a request, and to which network it goes. */
export interface Caller {
  actor: Actor;
  network: Network;
  credential?: Credential;
}

/** The headers that say who asks, as they came; `network` is the parsed `X-<Service>-Network`. */
export interface CallerHeaders {
  authorization: string | undefined;
  onBehalfOf: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  network: Network;
  method: string;
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
