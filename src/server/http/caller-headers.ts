import type { Caller } from '../model/caller.ts';

/** The headers that say who asks, as they came; `network` is `X-<Service>-Network`, missing means main. */
export interface CallerHeaders {
  authorization: string | undefined;
  onBehalfOf: string | undefined;
  /** Looked at where there is no Authorization header. */
  cookie?: string | undefined;
  network: string | undefined;
}

/**
 * Resolves the caller of a request; without credentials the anonymous one. It answers synchronously where it can.
 * @throws UnauthorizedError for an invalid credential, ForbiddenError for one that may not do this.
 */
export type Authenticate = (headers: CallerHeaders) => Caller | Promise<Caller>;
