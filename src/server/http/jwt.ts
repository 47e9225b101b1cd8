import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import {
  type CryptoKey,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { DomainError, UnauthorizedError, UnavailableError, ValidationError } from '../errors.ts';

/** How JWTs are verified: at most one of the three keys; with none, every JWT is refused. */
export interface JwtSettings {
  /** `ARCHEION_JWT_SECRET`: a shared secret, HS256. */
  secret?: string;
  /** `ARCHEION_JWT_PUBLIC_KEY`: PEM or a JWK's JSON; RS256, ES256 or EdDSA after the key's kind. */
  publicKey?: string;
  /** `ARCHEION_JWT_JWKS_URL`: where the issuer publishes its keys. */
  jwksUrl?: string;
  /** `ARCHEION_JWT_ISSUER` and `ARCHEION_JWT_AUDIENCE`: checked where they are set. */
  issuer?: string;
  audience?: string;
}

/** The payload of a token that holds. Rejects with UnauthorizedError, or UnavailableError where the issuer's keys can't be had. */
export type VerifyJwt = (token: string) => Promise<JWTPayload>;

/** Which keys a token may be signed with. The algorithms follow from the setting, never from the token. */
interface Trust {
  key: JWTVerifyGetKey;
  algorithms: string[];
}

const clockTolerance = 5;
const jwksTimeout = 5_000;
const maxJwksBytes = 1_048_576;
/** How many keys of a JWKS are tried for a token that names none. */
const maxKeysTried = 10;

/** Null where no key is set. Throws ValidationError, with the setting as its path, where the settings cannot be used. */
export function createJwtVerifier(settings: JwtSettings, now: () => number): VerifyJwt | null {
  const trust = trustOf(settings);
  if (trust === null) return null;
  const options = () => ({
    algorithms: trust.algorithms,
    clockTolerance,
    currentDate: new Date(now()),
    ...(settings.issuer && { issuer: settings.issuer }),
    ...(settings.audience && { audience: settings.audience }),
  });
  return async (token) => {
    try {
      return (await jwtVerify(token, trust.key, options())).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) {
        const payload = await tryEach(error, async (key) => (await jwtVerify(token, key, options())).payload);
        if (payload !== null) return payload;
      }
      if (error instanceof DomainError) throw error;
      if (error instanceof errors.JWKSInvalid) throw unavailable('what it answers is no JSON Web Key Set');
      throw new UnauthorizedError();
    }
  };
}

async function tryEach<T>(
  keys: errors.JWKSMultipleMatchingKeys,
  verify: (key: CryptoKey) => Promise<T>,
): Promise<T | null> {
  let tried = 0;
  for await (const key of keys) {
    if (++tried > maxKeysTried) return null;
    const verified = await verify(key).catch(() => null);
    if (verified !== null) return verified;
  }
  return null;
}

function trustOf({ secret, publicKey, jwksUrl }: JwtSettings): Trust | null {
  const given = [secret, publicKey, jwksUrl].filter((value) => value);
  if (given.length > 1)
    throw ValidationError.at(
      ['ARCHEION_JWT_SECRET'],
      'set only one of ARCHEION_JWT_SECRET, ARCHEION_JWT_PUBLIC_KEY and ARCHEION_JWT_JWKS_URL',
    );
  if (secret) return always(createSecretKey(Buffer.from(secret)), ['HS256']);
  if (publicKey) return trustPublicKey(publicKey);
  if (jwksUrl) return trustJwks(jwksUrl);
  return null;
}

function always(key: KeyObject, algorithms: string[]): Trust {
  return { key: async () => key, algorithms };
}

function trustPublicKey(text: string): Trust {
  const refuse = (message: string) => ValidationError.at(['ARCHEION_JWT_PUBLIC_KEY'], message);
  let key: KeyObject;
  try {
    key = createPublicKey(text.trim().startsWith('{') ? { key: JSON.parse(text), format: 'jwk' } : text);
  } catch {
    throw refuse('must be a public key, as PEM or as JWK');
  }
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key;
  if (kind === 'rsa') {
    if ((details?.modulusLength ?? 0) < 2048) throw refuse('must be an RSA key of at least 2048 bits');
    return always(key, ['RS256']);
  }
  if (kind === 'ec' && details?.namedCurve === 'prime256v1') return always(key, ['ES256']);
  if (kind === 'ed25519') return always(key, ['EdDSA', 'Ed25519']);
  throw refuse('must be an RSA, P-256 or Ed25519 key');
}

function trustJwks(address: string): Trust {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw ValidationError.at(['ARCHEION_JWT_JWKS_URL'], 'must be an http or https address');
  const key = createRemoteJWKSet(url, { timeoutDuration: jwksTimeout, [customFetch]: fetchJwks });
  return { key, algorithms: ['RS256', 'ES256', 'EdDSA', 'Ed25519'] };
}

/** jose's fetch of a JWKS, bounded in size; whatever keeps it from answering JSON is an UnavailableError. */
async function fetchJwks(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init);
    if (response.status !== 200) {
      await response.body?.cancel();
      throw unavailable(`it answers ${response.status}`);
    }
    return Response.json(JSON.parse(await boundedText(response)));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw unavailable(error instanceof SyntaxError ? 'what it answers is no JSON' : 'it does not answer');
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxJwksBytes) throw unavailable('what it answers is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function unavailable(reason: string): UnavailableError {
  return new UnavailableError('Service unavailable', {
    service: 'auth',
    reason: `The keys of the identity provider at ARCHEION_JWT_JWKS_URL cannot be had: ${reason}.`,
  });
}
