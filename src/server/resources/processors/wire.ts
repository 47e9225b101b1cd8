import type { CasUpdateBody, EntityId, JsonMap, RelationshipBody } from '../wire.ts';

/** What every body that registers a processor carries beside its own members. */
export interface RegisterBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label: string;
  /** @maxLength 2000 */
  description?: string;
  /** The collection to lie in. */
  collection: EntityId;
  /** Why; kept with the version. */
  note?: string;
  /** Made by the node if omitted. */
  id?: EntityId;
  properties?: JsonMap;
  relationships?: RelationshipBody[];
}

/** What every update of a processor carries beside its own members; members that are given replace what stands there. */
export interface ChangeBody extends CasUpdateBody {
  /**
   * @minLength 1
   * @maxLength 200
   */
  label?: string;
  /** @maxLength 2000 */
  description?: string;
  /** `active` needs all that a job needs to know, and of an agent or klados a verified endpoint. */
  status?: 'development' | 'active' | 'disabled';
}

export interface KeyView {
  id: string;
  prefix: string;
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
  label: string | null;
}

export interface KeysView {
  keys: KeyView[];
}

export interface CreateKeyBody {
  /** @maxLength 100 */
  label?: string;
  /**
   * @isInt
   * @minimum 1
   * @maximum 365
   * @default 365
   */
  expires_in_days?: number;
}

export interface CreatedKeyView {
  id: string;
  /** The full key, shown only here. */
  key: string;
  prefix: string;
  created_at: string;
  expires_at: string;
  label: string | null;
}

export interface VerifyBody {
  /** Ask the endpoint now; otherwise the token that it is to serve is answered. */
  confirm?: boolean;
}

export interface VerifiedView {
  verified: true;
  verified_at: string;
}

export interface UnverifiedView {
  verified: false;
  error:
    | 'no_token'
    | 'token_expired'
    | 'fetch_failed'
    | 'invalid_response'
    | 'token_mismatch'
    | 'agent_id_mismatch'
    | 'klados_id_mismatch';
  message: string;
}

/** What the endpoint is to serve at `/.well-known/arke-verification`. */
export interface TokenView {
  verification_token: string;
  endpoint: string;
  /** What to do, in words. */
  instructions: string;
  /** After an hour. */
  expires_at: string;
}
