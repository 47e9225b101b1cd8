import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ForbiddenError, UnauthorizedError, UnavailableError, ValidationError } from '../../src/server/errors.ts';
import { createAuthenticator } from '../../src/server/http/auth.ts';
import type { CallerHeaders } from '../../src/server/http/caller-headers.ts';
import { createJwtVerifier, type JwtSettings } from '../../src/server/http/jwt.ts';
import { accepted, type Caller, registered } from '../../src/server/model/caller.ts';
import { derivedId, idOn } from '../../src/server/model/ids.ts';
import { openIdentity, type TestIdentity } from '../helpers/identity.ts';

const issuer = 'https://idp.example/auth/v1';
const secret = 'a shared secret that only this test knows';
const shared = new TextEncoder().encode(secret);

let test: TestIdentity;
beforeEach(() => {
  test = openIdentity();
});
afterEach(() => test[Symbol.dispose]());

type SigningKey = Parameters<SignJWT['sign']>[0];

/** Claims as a Supabase test token has them (wire-contract.md N40), valid for an hour. */
function claims(more: JWTPayload = {}): JWTPayload {
  const now = test.clock.ms / 1000;
  const user = { sub: 'ada', email: 'ada@example.org', user_metadata: { name: 'Ada' }, role: 'authenticated' };
  return { ...user, iss: issuer, aud: 'authenticated', iat: now, exp: now + 3600, ...more };
}

function sign(payload: JWTPayload, key: SigningKey = shared, alg = 'HS256', kid?: string): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg, ...(kid && { kid }) }).sign(key);
}

function asker(jwt: JwtSettings): (token: string, shown?: Partial<CallerHeaders>) => Promise<Caller> {
  const authenticate = createAuthenticator({ identity: test.identity, jwt, service: 'arke', now: () => test.clock.ms });
  return async (token, shown) =>
    authenticate({ authorization: `Bearer ${token}`, onBehalfOf: undefined, network: undefined, ...shown });
}

function register(subject = 'ada', of = issuer): string {
  return test.identity.registerAccount({ issuer: of, subject, email: null, name: null }).account.id;
}

describe('a JWT', () => {
  it('of a registered user is the user', async () => {
    const id = register();
    const token = await sign(claims());
    expect(await asker({ secret })(token)).toEqual({
      actor: { kind: 'user', id, ids: [id], operator: false },
      network: 'main',
      credential: { method: 'jwt', claims: { issuer, subject: 'ada', email: 'ada@example.org', name: 'Ada' } },
      account: id,
    });
    expect(await asker({ secret })(token, { network: 'test' })).toMatchObject({ actor: { id: idOn('test', id) } });
  });

  it('of an unregistered user can register and nothing else', async () => {
    const caller = await asker({ secret })(await sign(claims({ name: 'Ada Lovelace' })));
    const known = { issuer, subject: 'ada', email: 'ada@example.org', name: 'Ada Lovelace' };
    expect(caller).toMatchObject({ actor: { kind: 'anonymous' }, unregistered: known });
    expect(caller.account).toBeUndefined();
    for (const check of [accepted, registered]) {
      expect(() => check(caller)).toThrow(ForbiddenError);
      expect(() => check(caller)).toThrow(/^User is not registered/);
    }
    test.identity.registerAccount(known);
    expect(await asker({ secret })(await sign(claims()))).toMatchObject({ actor: { kind: 'user' } });
  });

  it.each(['service', 'service_role'])('with the role %s is a service account', async (role) => {
    const ada = register();
    const ask = asker({ secret });
    const token = await sign(claims({ role, sub: undefined }));
    const id = derivedId('main', issuer, role);
    expect(await ask(token)).toMatchObject({ actor: { kind: 'service', id, onBehalfOf: null } });
    expect(await ask(token, { onBehalfOf: ada })).toMatchObject({ actor: { id, onBehalfOf: { id: ada, ids: [ada] } } });
    await expect(ask(token, { onBehalfOf: derivedId('main', 'x') })).rejects.toThrow(ForbiddenError);
    await expect(ask(token, { onBehalfOf: 'ada' })).rejects.toThrow(ValidationError);
    await expect(ask(await sign(claims()), { onBehalfOf: ada })).rejects.toThrow(ForbiddenError);
    await expect(ask(await sign(claims({ sub: 'bob' })), { onBehalfOf: ada })).rejects.toThrow(ForbiddenError);
  });

  it('is refused without settings, also where the account is there', async () => {
    register();
    await expect(asker({})(await sign(claims()))).rejects.toThrow(UnauthorizedError);
    await expect(asker({ secret: '' })(await sign(claims(), new Uint8Array(32)))).rejects.toThrow(UnauthorizedError);
  });

  it('is never the operator or an account of this node', async () => {
    test.identity.ensureOperator();
    const ask = asker({ secret });
    await expect(ask(await sign(claims({ iss: 'archeion', sub: 'operator' })))).rejects.toThrow(UnauthorizedError);
    await expect(ask(await sign(claims({ iss: 'archeion', role: 'service' })))).rejects.toThrow(UnauthorizedError);
  });

  it('without an issuer belongs to the configured one or to none', async () => {
    const token = await sign(claims({ iss: undefined }));
    expect((await asker({ secret })(token)).unregistered?.issuer).toBe('');
    await expect(asker({ secret, issuer })(token)).rejects.toThrow(UnauthorizedError);
  });

  it('has unusable claims ignored or is refused for them', async () => {
    const ask = asker({ secret });
    for (const sub of ['', 's'.repeat(256), 7, null, ['ada'], undefined])
      await expect(ask(await sign(claims({ sub } as JWTPayload)))).rejects.toThrow(UnauthorizedError);
    const odd = { email: 'e'.repeat(400), name: { first: 'Ada' }, user_metadata: 'Ada' };
    expect((await ask(await sign(claims(odd)))).unregistered).toMatchObject({ email: null, name: null });
    const long = (await ask(await sign(claims({ name: `${'n'.repeat(199)}\u{1f600}` })))).unregistered?.name;
    expect(long).toBe('n'.repeat(199));
  });
});

describe('validity', () => {
  it('holds from nbf to exp, with a few seconds of tolerance', async () => {
    const ask = asker({ secret });
    const now = test.clock.ms / 1000;
    const token = await sign(claims({ nbf: now + 60, exp: now + 120 }));
    const at = async (seconds: number) => {
      test.clock.ms = (now + seconds) * 1000;
      return ask(token).then(
        () => true,
        () => false,
      );
    };
    expect([await at(0), await at(54), await at(56), await at(119), await at(124), await at(126)]).toEqual([
      ...[false, false, true, true, true, false],
    ]);
  });

  it('needs the configured issuer and audience', async () => {
    const ask = asker({ secret, issuer, audience: 'authenticated' });
    expect((await ask(await sign(claims()))).unregistered).toBeDefined();
    expect((await ask(await sign(claims({ aud: ['other', 'authenticated'] })))).unregistered).toBeDefined();
    for (const wrong of [{ iss: `${issuer}/` }, { aud: 'other' }, { aud: undefined }, { iss: undefined }])
      await expect(ask(await sign(claims(wrong)))).rejects.toThrow(UnauthorizedError);
  });

  it('is lost by garbage, other signatures and tokens too long', async () => {
    const ask = asker({ secret });
    const token = await sign(claims());
    const [head, body, signature] = token.split('.') as [string, string, string];
    const none = new UnsecuredJWT(claims()).encode();
    const other = await sign(claims(), new TextEncoder().encode(`${secret}!`));
    const long = await sign(claims({ padding: 'x'.repeat(9000) }));
    const crit = await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', crit: ['b64'], b64: true })
      .sign(shared);
    const refused = [none, `${none}${signature}`, other, long, `${head}.${body}.`, `${head}.${head}.${signature}`];
    refused.push(`${token}=`, `${head}.${body}.${signature}.${signature}`, 'a.b.c', '..', `${head}..${signature}`);
    for (const text of refused) await expect(ask(text), text.slice(0, 80)).rejects.toThrow(UnauthorizedError);
    expect((await ask(crit)).unregistered).toBeDefined();
  });
});

describe('a public key', () => {
  it.each(['RS256', 'ES256', 'EdDSA'])('verifies %s, as PEM and as JWK', async (alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const other = await generateKeyPair(alg, { extractable: true });
    for (const text of [await exportSPKI(publicKey), JSON.stringify(await exportJWK(publicKey))]) {
      const ask = asker({ publicKey: text });
      expect((await ask(await sign(claims(), privateKey, alg))).unregistered).toBeDefined();
      await expect(ask(await sign(claims(), other.privateKey, alg))).rejects.toThrow(UnauthorizedError);
      await expect(ask(await sign(claims()))).rejects.toThrow(UnauthorizedError);
      await expect(ask(new UnsecuredJWT(claims()).encode())).rejects.toThrow(UnauthorizedError);
    }
  });

  it('is never a shared secret', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
    const pem = await exportSPKI(publicKey);
    const jwk = JSON.stringify(await exportJWK(publicKey));
    for (const text of [pem, pem.trim(), jwk])
      for (const set of [pem, jwk])
        await expect(asker({ publicKey: set })(await sign(claims(), new TextEncoder().encode(text)))).rejects.toThrow(
          UnauthorizedError,
        );
    for (const alg of ['RS512', 'PS256']) {
      const pair = await generateKeyPair(alg, { extractable: true });
      await expect(asker({ publicKey: pem })(await sign(claims(), pair.privateKey, alg))).rejects.toThrow(
        UnauthorizedError,
      );
    }
    await expect(asker({ secret: pem })(await sign(claims(), privateKey, 'RS256'))).rejects.toThrow(UnauthorizedError);
    await expect(asker({ secret })(await sign(claims(), new Uint8Array(64).fill(1), 'HS512'))).rejects.toThrow(
      UnauthorizedError,
    );
  });

  it('is refused at the start where it is none of the three kinds, or two settings are there', async () => {
    const { privateKey } = await generateKeyPair('ES384', { extractable: true });
    const curve = await exportPKCS8(privateKey);
    const oct = JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' });
    for (const publicKey of ['garbage', '{', '{}', oct, curve])
      expect(() => createJwtVerifier({ publicKey }, Date.now), publicKey).toThrow(ValidationError);
    for (const jwksUrl of ['not an address', 'file:///etc/passwd', 'ftp://idp.example/keys'])
      expect(() => createJwtVerifier({ jwksUrl }, Date.now), jwksUrl).toThrow(ValidationError);
    expect(() => createJwtVerifier({ secret, jwksUrl: 'https://idp.example/keys' }, Date.now)).toThrow(ValidationError);
  });
});

describe('a JWKS address', () => {
  let server: Server;
  let jwksUrl: string;
  let answer: { status: number; body: string };
  let fetched: number;

  beforeEach(async () => {
    fetched = 0;
    server = createServer((_, response) => {
      fetched += 1;
      response
        .writeHead(answer.status, { 'content-type': 'application/json', location: '/elsewhere' })
        .end(answer.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`;
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const publish = (keys: JWK[]) => {
    answer = { status: 200, body: JSON.stringify({ keys }) };
  };

  it('verifies each algorithm by key id and is fetched once', async () => {
    const pairs = await Promise.all(
      ['RS256', 'ES256', 'EdDSA'].map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
    );
    publish(
      await Promise.all(pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), kid: alg, alg }))),
    );
    const ask = asker({ jwksUrl });
    for (const { alg, privateKey } of pairs)
      expect((await ask(await sign(claims(), privateKey, alg, alg))).unregistered).toBeDefined();
    expect(fetched).toBe(1);
    const stranger = await generateKeyPair('ES256', { extractable: true });
    await expect(ask(await sign(claims(), stranger.privateKey, 'ES256', 'ES256'))).rejects.toThrow(UnauthorizedError);
    await expect(ask(await sign(claims(), stranger.privateKey, 'ES256', 'unknown'))).rejects.toThrow(UnauthorizedError);
    expect(fetched).toBe(1);
  });

  it('verifies tokens that name no key among several', async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => generateKeyPair('ES256', { extractable: true })));
    const [first, second, third] = pairs as [(typeof pairs)[0], (typeof pairs)[0], (typeof pairs)[0]];
    publish([await exportJWK(first.publicKey), await exportJWK(second.publicKey)]);
    const ask = asker({ jwksUrl });
    expect((await ask(await sign(claims(), second.privateKey, 'ES256'))).unregistered).toBeDefined();
    await expect(ask(await sign(claims(), third.privateKey, 'ES256'))).rejects.toThrow(UnauthorizedError);
  });

  it('never verifies a shared secret, and is not asked for it', async () => {
    publish([{ kty: 'oct', k: Buffer.from(shared).toString('base64url') }]);
    await expect(asker({ jwksUrl })(await sign(claims()))).rejects.toThrow(UnauthorizedError);
    expect(fetched).toBe(0);
  });

  it('that does not answer a key set is a fault of the node, which names the setting', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const token = await sign(claims(), privateKey, 'ES256', 'one');
    const answers = [
      { status: 500, body: '{}' },
      { status: 302, body: '' },
      { status: 200, body: '<html>' },
      { status: 200, body: '{"keys": 7}' },
      { status: 200, body: JSON.stringify({ keys: [], padding: 'x'.repeat(2_000_000) }) },
    ];
    const refused = (ask: ReturnType<typeof asker>) =>
      ask(token).then(
        () => expect.unreachable(),
        (error: unknown) => {
          expect(error).toBeInstanceOf(UnavailableError);
          expect(JSON.stringify((error as UnavailableError).details)).toContain('ARCHEION_JWT_JWKS_URL');
        },
      );
    for (answer of answers) await refused(asker({ jwksUrl }));
    server.close();
    server.closeAllConnections();
    await refused(asker({ jwksUrl }));
  });

  it('is asked again after a failure', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    const ask = asker({ jwksUrl });
    const token = await sign(claims(), privateKey, 'ES256');
    answer = { status: 503, body: '' };
    await expect(ask(token)).rejects.toThrow(UnavailableError);
    publish([await exportJWK(publicKey)]);
    expect((await ask(token)).unregistered).toBeDefined();
  });
});
