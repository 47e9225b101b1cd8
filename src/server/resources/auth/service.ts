import { ForbiddenError, UnauthorizedError } from '../../errors.ts';
import { type Caller, type Claims, type Credential, registered } from '../../model/caller.ts';
import { normalEmail } from '../../model/emails.ts';
import { isoTime } from '../../model/iso-time.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { InviteStatus } from '../../store/accounts/invites.ts';
import type { Networks } from '../../store/networks.ts';
import { newUserId } from '../users/new-user-id.ts';
import type { UsersService } from '../users/service.ts';
import type { RegisteredView, WhoamiProcessorView, WhoamiUserView } from './wire.ts';

export interface AuthNeeds {
  identity: Pick<Identity, 'register'>;
  users: UsersService;
  networks: Pick<Networks, 'existing'>;
  invitedOnly: boolean;
}

/** Registration, and what a credential stands for. */
export class AuthService {
  readonly #identity: Pick<Identity, 'register'>;
  readonly #users: UsersService;
  readonly #networks: AuthNeeds['networks'];
  readonly #invitedOnly: boolean;

  /** `invitedOnly`: new users need an invite. */
  constructor({ identity, users, networks, invitedOnly }: AuthNeeds) {
    this.#identity = identity;
    this.#networks = networks;
    this.#invitedOnly = invitedOnly;
    this.#users = users;
  }

  /**
   * The account first, then its user on the request's network; each may be there already, so a crash between them
   * costs a repetition. @throws UnauthorizedError without a JWT, ForbiddenError for a service account and for whoever
   * needs an invite and has none, StorageError for whoever is new while a network cannot be asked which ids it has
   */
  async register(caller: Caller): Promise<RegisteredView> {
    return this.#users.ensureUser(caller.network, await this.#account(caller));
  }

  async #account({ credential, actor, unregistered }: Caller): Promise<Account> {
    if (credential?.method !== 'jwt') throw new UnauthorizedError();
    if (actor.kind === 'service') throw new ForbiddenError('Only users can register');
    const claims = unregistered ?? credential.claims;
    const id = unregistered && newUserId(await this.#networks.existing(), unregistered);
    const admitted = this.#identity.register({ ...claims, id }, this.#invitedOnly);
    if (admitted.account === null) throw new ForbiddenError(uninvited(claims, admitted.invite));
    return admitted.account;
  }

  whoami(caller: Caller): WhoamiUserView | WhoamiProcessorView {
    const actor = registered(caller);
    const { credential } = caller;
    if (actor.kind !== 'processor') {
      return {
        type: 'user',
        id: actor.id,
        auth_method: credential?.method ?? 'session',
        ...credentialFacts(credential),
        ...(actor.kind === 'service' && { service: true }),
        ...(actor.kind === 'service' && actor.onBehalfOf && { on_behalf_of: actor.onBehalfOf.id }),
      };
    }
    if (credential?.method !== 'api_key') throw new UnauthorizedError();
    const { id, type: processor_type, owner } = actor;
    return { type: 'agent', processor_type, id, auth_method: 'api_key', owner_id: owner, ...shownKey(credential) };
  }
}

function uninvited({ email }: Claims, invite: InviteStatus | null): string {
  const only = 'This node takes new users by invitation only';
  if (email === null) return `${only}, and your token names no e-mail address that is verified.`;
  if (normalEmail(email) === null)
    return `${only}, and the e-mail address of your token cannot be invited: it has to be as name@example.org, without accents.`;
  return invite === 'waitlisted'
    ? `${only}. Your address is on the waiting list.`
    : `${only}. Ask whoever runs it to invite you.`;
}

/** wire-contract.md, N7: what is known only by a JWT, or only of a key. */
function credentialFacts(credential: Credential | undefined): Partial<WhoamiUserView> {
  if (credential === undefined) return {};
  if (credential.method === 'api_key') return shownKey(credential);
  const { email, name, subject } = credential.claims;
  return {
    ...(email !== null && { email }),
    ...(name !== null && { name }),
    ...(subject !== '' && { idp_user_id: subject, supabase_user_id: subject }),
  };
}

function shownKey({ prefix, expiresAt }: Extract<Credential, { method: 'api_key' }>) {
  return { key_prefix: prefix, ...(expiresAt !== null && { key_expires_at: isoTime(expiresAt) }) };
}
