import { createHash, timingSafeEqual } from 'node:crypto';
import { AlreadyExistsError, TooManyRequestsError, UnauthorizedError } from '../../errors.ts';
import { normalEmail } from '../../model/emails.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { Invite } from '../../store/accounts/invites.ts';
import { refuse, textIssues } from '../entities/body.ts';
import { GuessLimit } from './guess-limit.ts';
import type { InviteBody, InvitedView, InviteRecord, InviteRevokedView, InvitesView } from './wire.ts';

/** Who may register before others (interface.md, Alpha invites); whoever knows the node's secret decides. */
export class InvitesService {
  readonly #identity: Pick<Identity, 'invite' | 'invites' | 'revokeInvite'>;
  readonly #secret: Buffer | null;
  readonly #guesses: GuessLimit;

  /** `secret` is what X-Alpha-Secret must say; null: nobody is let in. */
  constructor(
    identity: Pick<Identity, 'invite' | 'invites' | 'revokeInvite'>,
    { secret, now }: { secret: string | null; now: () => number },
  ) {
    this.#identity = identity;
    this.#secret = secret === null ? null : digest(secret);
    this.#guesses = new GuessLimit(now);
  }

  /**
   * @param address where the request came from
   * @throws UnauthorizedError for another secret than the node's, TooManyRequestsError after many of them
   */
  admit(shown: unknown, address: string): void {
    if (this.#secret === null)
      throw new UnauthorizedError('Unauthorized: set ARCHEION_ALPHA_SECRET on this node to use invites');
    if (typeof shown !== 'string') throw new UnauthorizedError();
    const wait = this.#guesses.waitOf(address);
    if (wait > 0)
      throw new TooManyRequestsError(`Too many wrong secrets came from your address. Wait for ${wait} seconds.`, wait);
    if (timingSafeEqual(digest(shown), this.#secret)) return;
    this.#guesses.note(address);
    throw new UnauthorizedError();
  }

  invite({ email, invited_by = 'admin' }: InviteBody): InvitedView {
    refuse(textIssues({ invited_by }));
    const { invite, created } = this.#identity.invite(normal(email), invited_by);
    if (!created) {
      const { email: address, status } = invite;
      const way =
        ', which was accepted; to let another account with it register, revoke it and invite the address again';
      const reason = `There is an invite for this address already${status === 'accepted' ? way : ''}`;
      throw new AlreadyExistsError(reason, { email: address, status });
    }
    return { invite: record(invite) };
  }

  /** All without a limit: clients of the public service know of no pages. */
  list(page: { limit: number | null; offset: number }): InvitesView {
    const { invites, total } = this.#identity.invites(page);
    const { length } = invites;
    return { invites: invites.map(record), count: length, total, has_more: page.offset + length < total };
  }

  revoke(email: string): InviteRevokedView {
    return { revoked: this.#identity.revokeInvite(normal(email)), email: normal(email) };
  }
}

/** The wire type lets only addresses through. */
function normal(email: string): string {
  return normalEmail(email) ?? email;
}

/** Of equal length whatever was shown, for a comparison that takes as long. */
function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function record({ created_at, accepted_at, ...invite }: Invite): InviteRecord {
  const iso = (ms: number) => new Date(ms).toISOString();
  return { ...invite, created_at: iso(created_at), accepted_at: accepted_at === null ? null : iso(accepted_at) };
}
