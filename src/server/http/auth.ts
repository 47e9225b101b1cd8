import type { JWTPayload } from 'jose';
import { ForbiddenError, UnauthorizedError, ValidationError } from '../errors.ts';
import type { Actor } from '../model/actor.ts';
import type { Caller, Claims, Credential } from '../model/caller.ts';
import { localIssuer, presented } from '../model/credentials.ts';
import { beginningOf } from '../model/cut-text.ts';
import { derivedId, idOn, isEntityId, type Network, networkOf } from '../model/ids.ts';
import type { SessionsService } from '../resources/node/sessions/service.ts';
import type { Account } from '../store/accounts/accounts.ts';
import type { VerifiedKey } from '../store/accounts/api-keys.ts';
import type { Identity } from '../store/accounts/identity.ts';
import type { CallerHeaders } from './caller-headers.ts';
import { createJwtVerifier, type JwtSettings } from './jwt.ts';

export interface AuthenticatorOptions {
  identity: Pick<Identity, 'findKey' | 'accountBySubject' | 'accountById'>;
  jwt: JwtSettings;
  /** Whose sessions the page's cookie names; without it cookies mean nothing. */
  sessions?: Pick<SessionsService, 'sessionOf'>;
  /** Whether a processor is deleted or disabled; without it none is. */
  processors?: { isOut(processor: { id: string; network: Network }): boolean | Promise<boolean> };
  /** The service's name on the wire (`ARCHEION_SERVICE`), which names the network header. */
  service: string;
  /** Epoch milliseconds. */
  now: () => number;
}

/** What a credential proved, before the request's network is known. */
type Proof =
  | { kind: 'none' }
  | { kind: 'key'; key: VerifiedKey; credential: Credential }
  | { kind: 'session'; account: Account; isOver: () => boolean }
  | { kind: 'user'; account: Account | null; claims: Claims; credential: Credential }
  | { kind: 'service'; id: string; credential: Credential };

const maxSubject = 255;
const maxEmail = 320;
const maxName = 200;

/**
 * Finds who asks (decisions.md, Identity and authorship): at once for keys, sessions and the anonymous, in a promise for JWTs
 * and for the keys of processors whose network is not open yet.
 * It throws or rejects with UnauthorizedError for a credential that does not hold, ValidationError for a malformed
 * header, ForbiddenError for X-On-Behalf-Of from anybody but a service account or of a user who is not registered, and
 * UnavailableError where the identity provider's keys cannot be had.
 */
export function createAuthenticator({ identity, jwt, sessions, processors, service, now }: AuthenticatorOptions) {
  const verifyJwt = createJwtVerifier(jwt, now);

  function prove({ authorization, cookie }: CallerHeaders): Proof | Promise<Proof> {
    const shown = presented(authorization);
    if (shown.scheme === 'none') return proveSession(sessions?.sessionOf(cookie) ?? null);
    if (shown.scheme === 'key') return proveKey(identity.findKey(shown.text));
    if (shown.scheme === 'jwt' && verifyJwt !== null) return verifyJwt(shown.text).then(proveClaims);
    throw new UnauthorizedError();
  }

  function proveSession(session: ReturnType<SessionsService['sessionOf']>): Proof {
    if (session === null) return { kind: 'none' };
    const account = identity.accountById(session.account);
    if (account === null) throw new UnauthorizedError();
    return { kind: 'session', account, isOver: session.isOver };
  }

  function proveClaims(payload: JWTPayload): Proof {
    const claims = readClaims(payload, jwt.issuer ?? '');
    const credential: Credential = { method: 'jwt', claims };
    if (payload.role === 'service' || payload.role === 'service_role')
      return { kind: 'service', id: derivedId('main', claims.issuer, claims.subject || payload.role), credential };
    if (claims.subject === '') throw new UnauthorizedError();
    const account = identity.accountBySubject(claims.issuer, claims.subject);
    return { kind: 'user', account, claims, credential };
  }

  /** The user that a service account acts for. */
  function behalf(proof: Proof, header: string | undefined, network: Network): { id: string; ids: string[] } | null {
    if (header === undefined) return null;
    const refuse = (message: string) => ValidationError.at(['X-On-Behalf-Of'], message);
    if (!isEntityId(header)) throw refuse('must be an entity id');
    if (networkOf(header) !== network) throw refuse(`must be an id of the ${network} network`);
    if (!isService(proof)) throw new ForbiddenError('Forbidden: Only service accounts may send X-On-Behalf-Of');
    const account = identity.accountById(header);
    if (account === null) throw new ForbiddenError('User is not registered: the one that X-On-Behalf-Of names.');
    return { id: header, ids: account.ids[network] };
  }

  function caller(proof: Proof, { onBehalfOf, network: header }: CallerHeaders): Caller {
    const network = readNetwork(header, service);
    if (proof.kind === 'key' && proof.key.processor !== null && proof.key.processor.network !== network)
      throw new UnauthorizedError();
    const user = behalf(proof, onBehalfOf, network);
    if (proof.kind === 'none') return { actor: { kind: 'anonymous' }, network };
    if (proof.kind === 'session') {
      const { account, isOver } = proof;
      return { actor: userActor(account, network), network, account: account.id, isRevoked: isOver };
    }
    const { credential } = proof;
    switch (proof.kind) {
      case 'key':
        return { actor: keyActor(proof.key, network, user), network, credential, account: proof.key.account.id };
      case 'service':
        return { actor: { kind: 'service', id: idOn(network, proof.id), onBehalfOf: user }, network, credential };
      case 'user':
        return proof.account === null
          ? { actor: { kind: 'anonymous' }, network, credential, unregistered: proof.claims }
          : { actor: userActor(proof.account, network), network, credential, account: proof.account.id };
    }
  }

  /** Keys of processors end with what they stand for. */
  function inUse(proof: Proof, found: Caller): Caller | Promise<Caller> {
    if (proof.kind !== 'key' || proof.key.processor === null || !processors) return found;
    const refuseOut = (out: boolean): Caller => {
      if (out) throw new UnauthorizedError();
      return found;
    };
    const out = processors.isOut(proof.key.processor);
    return out instanceof Promise ? out.then(refuseOut) : refuseOut(out);
  }

  return (shown: CallerHeaders): Caller | Promise<Caller> => {
    const proof = prove(shown);
    const known = (proven: Proof) => inUse(proven, caller(proven, shown));
    return proof instanceof Promise ? proof.then(known) : known(proof);
  };
}

function proveKey(key: VerifiedKey | null): Proof {
  if (key === null) throw new UnauthorizedError();
  return {
    kind: 'key',
    key,
    credential: { method: 'api_key', id: key.id, prefix: key.prefix, expiresAt: key.expires_at },
  };
}

function isService(proof: Proof): boolean {
  return proof.kind === 'service' || (proof.kind === 'key' && proof.key.kind === 'service');
}

function keyActor(key: VerifiedKey, network: Network, onBehalfOf: { id: string; ids: string[] } | null): Actor {
  const { kind, account, processor } = key;
  const id = idOn(network, account.id);
  if (kind === 'service') return { kind, id, onBehalfOf };
  if (kind === 'user' || processor === null) return userActor(account, network);
  return { kind: 'processor', id: processor.id, type: kind, owner: id };
}

function userActor(account: Account, network: Network): Actor {
  return { kind: 'user', id: idOn(network, account.id), ids: account.ids[network], operator: account.operator };
}

function readNetwork(header: string | undefined, service: string): Network {
  if (header === undefined || header === 'main') return 'main';
  if (header === 'test') return 'test';
  const name = service.slice(0, 1).toUpperCase() + service.slice(1);
  throw ValidationError.at([`X-${name}-Network`], 'must be main or test');
}

/** The claims that are used; the subject is empty where there is none. `issuer` stands in where the token names none. */
function readClaims(payload: JWTPayload, issuer: string): Claims {
  const { iss = issuer, sub = '', email, email_verified: verified, name, user_metadata: metadata } = payload;
  const nested = typeof metadata === 'object' && metadata !== null ? (metadata as Record<string, unknown>).name : null;
  if (!isIdentifier(iss) || !isIdentifier(sub) || iss === localIssuer) throw new UnauthorizedError();
  return {
    issuer: iss,
    subject: sub,
    email:
      typeof email === 'string' && email !== '' && email.length <= maxEmail && isVerified(verified)
        ? email.toWellFormed()
        : null,
    name: readName(name) ?? readName(nested),
  };
}

/** Providers that verify every address leave the claim out, and some write it as text; anything else is no proof. */
function isVerified(claim: unknown): boolean {
  return claim === undefined || claim === true || claim === 'true';
}

/** What an account's id is made of: bounded, and the same text in UTF-8. */
function isIdentifier(claim: unknown): claim is string {
  return typeof claim === 'string' && claim.length <= maxSubject && claim.isWellFormed();
}

function readName(claim: unknown): string | null {
  if (typeof claim !== 'string') return null;
  return beginningOf(claim.trim(), maxName) || null;
}
