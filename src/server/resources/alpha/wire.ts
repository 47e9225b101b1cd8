/**
 * An e-mail address; upper and lower case are the same.
 * @maxLength 254
 * @pattern ^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)+$ must be an e-mail address
 * @example "ada@example.org"
 */
export type Email = string;

export interface InviteBody {
  email: Email;
  /**
   * @minLength 1
   * @maxLength 200
   * @default "admin"
   */
  invited_by?: string;
}

export interface InviteRecord {
  /** A UUID. */
  id: string;
  email: string;
  invited_by: string;
  /**
   * `accepted` once somebody with that address has registered; `waitlisted`: somebody tried who was not invited, on a
   * node that takes only invited users.
   */
  status: 'pending' | 'accepted' | 'revoked' | 'waitlisted';
  created_at: string;
  accepted_at: string | null;
}

export interface InvitedView {
  invite: InviteRecord;
}

export interface InvitesView {
  /** Newest first. */
  invites: InviteRecord[];
  /**
   * Of these.
   * @isInt
   */
  count: number;
  /**
   * Of all.
   * @isInt
   */
  total: number;
  has_more: boolean;
}

export interface InviteRevokedView {
  /** False where there was none, or it was revoked already. */
  revoked: boolean;
  email: string;
}
