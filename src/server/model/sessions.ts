import { hash, timingSafeEqual } from 'node:crypto';

const secretBytes = 32;
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/** How long a link can be used, in milliseconds. */
const linkLifetime = 5 * 60_000;
/** How long a session lasts that nobody uses, in milliseconds. */
const idleLifetime = 12 * 60 * 60_000;
/** How long a session lasts that is always used, in milliseconds. */
const fullLifetime = 30 * 24 * 60 * 60_000;

const maxLinks = 32;
const maxSessions = 64;

/** Times are epoch milliseconds; one that never comes is Infinity. */
interface Link {
  digest: Buffer;
  expires: number;
  /** A session of it lasts as long as the process. */
  lasting: boolean;
}

interface Session {
  digest: Buffer;
  idle: number;
  /** Moves with each use, up to `ends`. */
  expires: number;
  ends: number;
  /** It passes on to the session that takes this one's place. */
  life: Life;
}

/** Of a session and those whose place it took: ended by its user, or to make room. */
interface Life {
  over: boolean;
}

export interface SessionsOptions {
  /** Epoch milliseconds. */
  now: () => number;
  randomBytes: (size: number) => Uint8Array;
}

/**
 * The sessions of the node's page and the links that open them (decisions.md, The page's credentials). Both are secrets
 * of 256 bits as 43 characters of base64url; only their digests are kept, only in memory, and only so many: the oldest
 * link and the session that was used least recently make room.
 */
export class Sessions {
  readonly #now: () => number;
  readonly #randomBytes: (size: number) => Uint8Array;
  #links: Link[] = [];
  /** In the order of their last use; also those that have ended for want of one, until they could not have lasted longer. */
  #sessions: Session[] = [];

  constructor({ now, randomBytes }: SessionsOptions) {
    this.#now = now;
    this.#randomBytes = randomBytes;
  }

  /** A new link's token and when it ends. */
  createLink(): { token: string; expires: number } {
    const token = this.#secret();
    return { token, expires: this.#addLink(token, false) };
  }

  /** Takes a token that the process was started with; its session lasts as long as the process. */
  acceptLink(token: string): void {
    this.#addLink(token, true);
  }

  /**
   * Spends a link: a session's secret and when it ends unless it is used; null for an unknown, spent or late token. It takes the
   * place of the session of the secret `earlier`: what goes on with that goes on.
   */
  open(token: string, earlier: string | null = null): { secret: string; expires: number } | null {
    const link = this.#find(this.#links, token);
    if (link === null || link.expires <= this.#now()) return null;
    this.#links = this.#links.filter((other) => other !== link);
    const now = this.#now();
    const [idle, full] = link.lasting ? [Infinity, Infinity] : [idleLifetime, fullLifetime];
    const secret = this.#secret();
    const replaced = earlier === null ? null : this.#find(this.#sessions, earlier);
    const life = replaced?.life ?? { over: false };
    const session = { digest: digestOf(secret), idle, expires: now + idle, ends: now + full, life };
    // One that nobody has used for long stays known, for what goes on with it: signing out ends that, too.
    const others = this.#sessions.filter((other) => other !== replaced && other.ends > now);
    for (const { life } of others.slice(0, 1 - maxSessions)) life.over = true;
    this.#sessions = [...others.slice(1 - maxSessions), session];
    return { secret, expires: session.expires };
  }

  /**
   * The session of a secret, which this keeps alive; null where there is none. `isOver`: whether it has been ended since. What
   * goes on with it is a use, so that it does not end for want of one; nor does it keep the session alive.
   */
  use(secret: string): { isOver: () => boolean } | null {
    const session = this.#find(this.#sessions, secret);
    if (session === null || session.expires <= this.#now()) return null;
    session.expires = Math.min(this.#now() + session.idle, session.ends);
    this.#sessions = [...this.#sessions.filter((other) => other !== session), session];
    return { isOver: () => session.life.over || session.ends <= this.#now() };
  }

  /** Ends a session; an unknown one is no error. */
  close(secret: string): void {
    const session = this.#find(this.#sessions, secret);
    if (session === null) return;
    session.life.over = true;
    this.#sessions = this.#sessions.filter((other) => other !== session);
  }

  #addLink(token: string, lasting: boolean): number {
    const now = this.#now();
    const link = { digest: digestOf(token), expires: now + linkLifetime, lasting };
    this.#links = [...this.#links.filter(({ expires }) => expires > now).slice(1 - maxLinks), link];
    return link.expires;
  }

  /** Also what has ended. Looks at every one, so that the time it takes says nothing of where a match stands. */
  #find<T extends Link | Session>(among: readonly T[], secret: string): T | null {
    if (!isSessionSecret(secret)) return null;
    const digest = digestOf(secret);
    let found: T | null = null;
    for (const one of among) if (timingSafeEqual(one.digest, digest)) found = one;
    return found;
  }

  #secret(): string {
    return Buffer.from(this.#randomBytes(secretBytes)).toString('base64url');
  }
}

/** Whether text has the form of a link's token or a session's secret. */
export function isSessionSecret(text: string): boolean {
  return secretPattern.test(text);
}

function digestOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
