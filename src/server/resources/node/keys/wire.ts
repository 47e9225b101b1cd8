import type { UserKeyView } from '../../users/wire.ts';

export interface CreateNodeKeyBody {
  /** @maxLength 100 */
  label?: string;
  /** A service account's key in place of the operator's own. */
  service?: boolean;
  /**
   * Seconds; the default is 90 days.
   * @isInt
   * @minimum 0
   * @maximum 31536000
   */
  expires_in?: number;
}

/** A key just made. It is shown this once. */
export interface NodeKeyView {
  key: string;
  key_prefix: string;
  label: string | null;
  created_at: string;
  expires_at: string | null;
}

/** A key that is not revoked, without what is secret in it. */
export interface ListedNodeKeyView extends UserKeyView {
  /** Whether it is the service account's. */
  service: boolean;
}

/** Newest first. */
export interface NodeKeysView {
  keys: ListedNodeKeyView[];
}
