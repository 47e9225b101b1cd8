import { createHash, timingSafeEqual } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { AlreadyExistsError, TooManyRequestsError, UnauthorizedError } from '../../errors.ts';
import { normalEmail } from '../../model/emails.ts';
import type { Identity } from '../../store/accounts/identity.ts';
import type { Invite } from '../../store/accounts/invites.ts';
import { refuse, textIssues } from '../entities/body.ts';
import { GuessLimit } from './guess-limit.ts';
import type { InviteBody, InvitedView, InviteRecord, InviteRevokedView, InvitesView } from './wire.ts';

type InviteKeeper = Pick<Identity, 'invite' | 'invites' | 'invitesAfter' | 'movedInvites' | 'revokeInvite'>;

/** So many are read before everything else that waits has its turn. */
const perTurn = 500;
/** So often a list is begun anew in which some have moved meanwhile. */
const attempts = 3;

/** Who may register before others (interface.md, Alpha invites); whoever knows the node's secret decides. */
export class InvitesService {
  readonly #identity: InviteKeeper;
  readonly #secret: Buffer | null;
  readonly #guesses: GuessLimit;

  /** `secret` is what X-Alpha-Secret must say; null: nobody is let in. */
  constructor(identity: InviteKeeper, { secret, now }: { secret: string | null; now: () => number }) {
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

  page(page: { limit: number; offset: number }): InvitesView {
    const { invites, total } = this.#identity.invites(page);
    const { length } = invites;
    return { invites: invites.map(record), count: length, total, has_more: page.offset + length < total };
  }

  /** A page of any length as JSON, read with turns for everything else; all without a limit: clients of the public service know of no pages. */
  async list({ limit, offset }: { limit: number | null; offset: number }): Promise<Uint8Array> {
    const most = limit ?? Number.MAX_SAFE_INTEGER;
    for (let attempt = 1; ; attempt++) {
      const text = await this.#text(most, offset, attempt < attempts ? perTurn : most);
      if (text !== null) return text;
    }
  }

  /** Null where some have moved while it was read. */
  async #text(most: number, offset: number, each: number): Promise<Uint8Array | null> {
    const identity = this.#identity;
    const before = identity.movedInvites;
    const { invites: first, total } = identity.invites({ limit: Math.min(each, most), offset });
    const texts: Buffer[] = [];
    let count = 0;
    for (let page = first; page.length > 0; ) {
      const json = JSON.stringify(page.map(record)).slice(1, -1);
      texts.push(Buffer.from(count === 0 ? json : `,${json}`));
      count += page.length;
      const last = page.at(-1);
      if (!last || page.length < each || count >= most) break;
      await setImmediate();
      if (identity.movedInvites !== before) return null;
      page = identity.invitesAfter(last, Math.min(each, most - count));
    }
    const tail = JSON.stringify({ count, total, has_more: offset + count < total }).slice(1);
    return Buffer.concat([Buffer.from('{"invites":['), ...texts, Buffer.from(`],${tail}`)]);
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
