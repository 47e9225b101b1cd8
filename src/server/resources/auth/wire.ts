import type { EntityId, JsonMap, VersionCid } from '../wire.ts';

export interface RegisteredView {
  /** Whether this call made the user. */
  created: boolean;
  user: {
    id: EntityId;
    cid: VersionCid;
    properties: JsonMap;
    /** @isInt */
    ver: number;
  };
}

/** A user or a service account. */
export interface WhoamiUserView {
  type: 'user';
  id: EntityId;
  /** `session`: the cookie of this node's own page. */
  auth_method: 'jwt' | 'api_key' | 'session';
  /** With a JWT. */
  email?: string;
  /** With a JWT. */
  name?: string;
  /** With a JWT: the identity provider's id of the user. */
  idp_user_id?: string;
  /** As `idp_user_id`. */
  supabase_user_id?: string;
  /** With an API key. */
  key_prefix?: string;
  /** With an API key that expires. */
  key_expires_at?: string;
  /** true for a service account. */
  service?: boolean;
  /** A service account: the user that the request is scoped to. */
  on_behalf_of?: EntityId;
}

/** An agent or a klados: the key of either acts as an agent (interface.md, Authentication). */
export interface WhoamiProcessorView {
  type: 'agent';
  /** Which of the two it is. */
  processor_type: 'agent' | 'klados';
  id: EntityId;
  auth_method: 'api_key';
  owner_id: EntityId;
  key_prefix: string;
  key_expires_at?: string;
}
