import type { Caller } from '../model/caller.ts';

/** The headers that say who asks, as they came; `network` is `X-<Service>-Network`. */
export interface CallerHeaders {
  authorization: string | undefined;
  onBehalfOf: string | undefined;
  cookie: string | undefined;
  network: string | undefined;
}

/**
 * Resolves the caller of a request; without credentials the anonymous one. It answers synchronously where it can.
 * @throws UnauthorizedError for an invalid credential, ForbiddenError for one that may not do this.
 */
export type Authenticate = (headers: CallerHeaders) => Caller | Promise<Caller>;
