import type { Email, InviteRecord } from '../../alpha/wire.ts';
import type { EntityId } from '../../wire.ts';

/** Somebody who is registered on this node. */
export interface PersonView {
  /** Its user on the request's network. */
  id: EntityId;
  name: string | null;
  email: string | null;
  /** Whether it is the operator of the node. */
  operator: boolean;
  registered_at: string;
  /** Whether there is a user on the request's network, which the first request there makes: only then can it hold a role. */
  here: boolean;
  /**
   * Where a collection was named that comes from a remote: the name of that, if it does not know this user. It would refuse a role
   * for it.
   */
  unknown_to?: string;
}

export interface PeopleView {
  /** The operator first, then by name. */
  people: PersonView[];
  /** Whether more fit than are shown. */
  has_more: boolean;
}

/** A line of what a role may hold. */
export interface GrantView {
  /** An action, `*:<verb>` or `<type>:*`. */
  grant: string;
  /** The actions that it allows, by itself or by what it implies. */
  allows: string[];
}

export interface GrantsView {
  /** Every action, by type. */
  actions: string[];
  grants: GrantView[];
}

export interface NodeInvitesView {
  /**
   * Who may register: nobody (no identity provider is set up), those who are invited, or everybody whom the identity
   * provider knows.
   */
  registration: 'closed' | 'invited' | 'open';
  /** Newest first. */
  invites: InviteRecord[];
  /**
   * Of this page.
   * @isInt
   */
  count: number;
  /** @isInt */
  total: number;
  has_more: boolean;
}

export interface NodeInviteBody {
  email: Email;
}
