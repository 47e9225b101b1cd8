import { ForbiddenError, UnauthorizedError } from '../../../errors.ts';
import { type Caller, operator } from '../../../model/caller.ts';
import { clearCookie, readCookie, sessionCookieName, writeCookie } from '../../../model/session-cookie.ts';
import type { Sessions } from '../../../model/sessions.ts';
import type { SessionLinkView, SessionView } from './wire.ts';

/** What a browser says of itself; the edge has already refused foreign names and origins. */
export interface BrowserHeaders {
  host?: string | undefined;
  origin?: string | undefined;
  cookie?: string | undefined;
}

/** The credentials of the node's page: links, sessions and their cookie (decisions.md, The page's credentials). */
export class SessionsService {
  readonly #sessions: Sessions;
  readonly #account: string;
  readonly #cookie: string;
  readonly #publicUrl: string | null;

  /** `account` is the operator's, `instance` the node's own id. */
  constructor(facts: { sessions: Sessions; account: string; instance: string; publicUrl: string | null }) {
    this.#sessions = facts.sessions;
    this.#account = facts.account;
    this.#cookie = sessionCookieName(facts.instance);
    this.#publicUrl = facts.publicUrl;
  }

  /** A link for the operator. @throws UnauthorizedError, ForbiddenError */
  createLink(caller: Caller, { host = '' }: BrowserHeaders): SessionLinkView {
    operator(caller);
    return this.issueLink(`http://${host}`);
  }

  /** A link to the page of a node that answers at `address`, or at its public address where it has one. */
  issueLink(address: string): SessionLinkView {
    const { token, expires } = this.#sessions.createLink();
    return { url: `${this.#publicUrl ?? address}/ui/#token=${token}`, expires_at: new Date(expires).toISOString() };
  }

  /** Takes the token that whoever started this process will open the page with; its session lasts as long as the process. */
  acceptToken(token: string): void {
    this.#sessions.acceptLink(token);
  }

  /**
   * Exchanges a link's token for a session, which takes the place of the browser's earlier one.
   * @throws UnauthorizedError for a token that is unknown, spent or too old, ForbiddenError outside of the page
   */
  open(token: string, headers: BrowserHeaders): { view: SessionView; cookie: string } {
    requireOrigin(headers);
    const opened = this.#sessions.open(token, readCookie(headers.cookie, this.#cookie));
    if (opened === null) throw new UnauthorizedError('Unauthorized: This link was used already, or is too old');
    const view = Number.isFinite(opened.expires) ? { expires_at: new Date(opened.expires).toISOString() } : {};
    return { view, cookie: writeCookie(this.#cookie, opened.secret, overTls(headers)) };
  }

  /** Ends the browser's session, if it has one. The answer removes the cookie. @throws ForbiddenError outside of the page */
  close(headers: BrowserHeaders): string {
    requireOrigin(headers);
    const secret = readCookie(headers.cookie, this.#cookie);
    if (secret !== null) this.#sessions.close(secret);
    return clearCookie(this.#cookie, overTls(headers));
  }

  /**
   * Whose session a Cookie header names, and whether that has been ended since; null without our cookie.
   * @throws UnauthorizedError where it is no good
   */
  sessionOf(cookie: string | undefined): { account: string; isOver: () => boolean } | null {
    const secret = readCookie(cookie, this.#cookie);
    if (secret === null) return null;
    const session = this.#sessions.use(secret);
    if (session === null) throw new UnauthorizedError('Unauthorized: The session has ended');
    return { account: this.#account, ...session };
  }
}

/** A page's own requests carry it; a missing one could come from anywhere. */
function requireOrigin({ origin }: BrowserHeaders): void {
  if (origin === undefined)
    throw new ForbiddenError('Forbidden: sessions are opened and ended by the page of this node');
}

function overTls({ origin }: BrowserHeaders): boolean {
  return origin?.startsWith('https://') ?? false;
}
