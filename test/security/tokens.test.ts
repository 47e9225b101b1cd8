import { createHmac, createSign, generateKeyPairSync, type KeyObject, sign as signBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unauthorized } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// Forged tokens, made by hand: a library that signs would not make most of them. A good one is accepted first, so that
// what is refused is refused for what is wrong with it.

const issuer = 'https://idp.test';
const audience = 'archeion';
const secret = 'a shared secret that only this test knows';
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const k256 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 });
const attackerP256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1000);

type Claims = Record<string, unknown>;
type Signer = (data: string) => Buffer;

const claims = (more: Claims = {}): Claims => ({
  ...{ iss: issuer, aud: audience, sub: 'ada', name: 'Ada' },
  ...{ iat: seconds(), exp: seconds() + 3600 },
  ...more,
});
const hmac =
  (key: string | Buffer, hash = 'sha256'): Signer =>
  (data) =>
    createHmac(hash, key).update(data).digest();
const rs =
  (key: KeyObject, hash = 'RSA-SHA256'): Signer =>
  (data) =>
    createSign(hash).update(data).sign(key);
const es =
  (key: KeyObject, hash = 'sha256'): Signer =>
  (data) =>
    signBytes(hash, Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' });

function token(header: Claims, payload: Claims, sign: Signer): string {
  const data = `${encoded({ typ: 'JWT', ...header })}.${encoded(payload)}`;
  return `${data}.${sign(data).toString('base64url')}`;
}

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();
const jwk = (key: KeyObject): Claims => key.export({ format: 'jwk' }) as Claims;

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());
const common = { ARCHEION_JWT_ISSUER: issuer, ARCHEION_JWT_AUDIENCE: audience };

let nodes: Record<'secret' | 'rsa' | 'ec' | 'jwks', TestNode>;
/** What was asked of a server of the attacker's. */
const fetched: string[] = [];
let evil: string;

beforeAll(async () => {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path !== '/keys') fetched.push(path);
    const own = [
      { ...jwk(rsa.publicKey), kid: 'one' },
      { ...jwk(p256.publicKey), kid: 'two' },
    ];
    const theirs = [{ ...jwk(attacker.publicKey), kid: 'one' }];
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ keys: path === '/keys' ? own : theirs }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const node = async (env: Record<string, string>) => opened.use(await startNode({ env: { ...common, ...env } }));
  nodes = {
    secret: await node({ ARCHEION_JWT_SECRET: secret }),
    rsa: await node({ ARCHEION_JWT_PUBLIC_KEY: pem(rsa.publicKey) }),
    ec: await node({ ARCHEION_JWT_PUBLIC_KEY: pem(p256.publicKey) }),
    jwks: await node({ ARCHEION_JWT_JWKS_URL: `${evil}/keys` }),
  };
});

/** The good token of each node; the user is not registered, so that it is known and may not do anything. */
const good: Record<keyof typeof nodes, (more?: Claims, header?: Claims) => string> = {
  secret: (more, header) => token({ alg: 'HS256', ...header }, claims(more), hmac(secret)),
  rsa: (more, header) => token({ alg: 'RS256', ...header }, claims(more), rs(rsa.privateKey)),
  ec: (more, header) => token({ alg: 'ES256', ...header }, claims(more), es(p256.privateKey)),
  jwks: (more, header) => token({ alg: 'RS256', kid: 'one', ...header }, claims(more), rs(rsa.privateKey)),
};
const trusts = Object.keys(good) as (keyof typeof nodes)[];

async function shown(trust: keyof typeof nodes, text: string) {
  const { status, body } = await nodes[trust].fetch('/auth/whoami', { headers: { Authorization: `Bearer ${text}` } });
  return { status, body };
}

const accepted = { status: 403, body: { error: expect.stringMatching(/^User is not registered/) } };
const refused = { status: 401, body: unauthorized };

describe.each(trusts)('a node that trusts a %s', (trust) => {
  test('takes a good token', async () => {
    expect(await shown(trust, good[trust]())).toEqual(accepted);
  });

  test.each(['none', 'None', 'NONE', 'nOnE', '', 'null'])('refuses the algorithm "%s"', async (alg) => {
    const [, payload = '', signature = ''] = good[trust]().split('.');
    for (const end of ['', signature])
      expect(await shown(trust, `${encoded({ alg })}.${payload}.${end}`)).toEqual(refused);
  });

  test('refuses a public key as a shared secret, in every spelling', async () => {
    const spellings = [rsa, p256].flatMap(({ publicKey }) => [
      pem(publicKey),
      pem(publicKey).trim(),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk(publicKey)),
      String(jwk(publicKey).n ?? jwk(publicKey).x),
    ]);
    for (const text of spellings)
      for (const [alg, hash] of [
        ['HS256', 'sha256'],
        ['HS384', 'sha384'],
        ['HS512', 'sha512'],
      ] as const)
        expect(await shown(trust, token({ alg, kid: 'one' }, claims(), hmac(text, hash)))).toEqual(refused);
  });

  test('refuses an empty secret and one of zeros', async () => {
    for (const key of ['', '\0', '\0'.repeat(32), 'null', 'undefined'])
      expect(await shown(trust, token({ alg: 'HS256' }, claims(), hmac(key)))).toEqual(refused);
  });

  test.each([
    ['of another audience', { aud: 'other' }],
    ['of no audience', { aud: undefined }],
    ['of an audience that begins alike', { aud: `${audience}2` }],
    ['of an audience in another case', { aud: audience.toUpperCase() }],
    ['of another issuer', { iss: 'https://evil.test' }],
    ['of an issuer with a slash more', { iss: `${issuer}/` }],
    ['of a list of issuers', { iss: [issuer] }],
    ['of no issuer', { iss: undefined }],
    ['that has expired', { exp: seconds() - 60 }],
    ['that expires in a text', { exp: '9999999999' }],
    ['that is not valid yet', { nbf: seconds() + 600 }],
    ['that begins in a text', { nbf: 'now' }],
    ['of nobody', { sub: '' }],
    ['of a list of subjects', { sub: ['ada'] }],
    ['of the node’s own issuer', { iss: 'archeion', sub: 'operator' }],
  ])('refuses one %s', async (_name, more) => {
    expect(await shown(trust, good[trust](more))).toEqual(refused);
  });

  test('refuses one whose claims were changed', async () => {
    const [head, , signature] = good[trust]().split('.');
    expect(await shown(trust, `${head}.${encoded(claims({ role: 'service' }))}.${signature}`)).toEqual(refused);
  });

  test('goes by no key that the token brings along or leads to', async () => {
    const headers: Claims[] = [
      { jwk: jwk(attacker.publicKey) },
      { jku: `${evil}/theirs` },
      { x5u: `${evil}/theirs` },
      { x5c: [attacker.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')] },
      { kid: `${evil}/theirs` },
      { kid: 'one', jku: `${evil}/theirs`, jwk: jwk(attacker.publicKey) },
    ];
    for (const header of headers) {
      const forged = token({ alg: 'RS256', ...header }, claims(), rs(attacker.privateKey));
      expect(await shown(trust, forged), JSON.stringify(header)).toEqual(refused);
    }
    expect(fetched).toEqual([]);
  });

  test('takes a key’s id for a name and nothing else', async () => {
    const kids: unknown[] = [
      ...['../../../../dev/null', '/dev/null', '../operator.key', "x' UNION SELECT 'a' --", 'one\0', '|id', '$(id)'],
      ...['__proto__', 'constructor', 'x'.repeat(5000), '', 7, null, ['one'], { one: 1 }],
    ];
    for (const kid of kids) {
      const text = token({ alg: 'HS256', kid }, claims(), hmac(''));
      expect(await shown(trust, text), JSON.stringify(kid)?.slice(0, 60)).toEqual(refused);
    }
  });

  test('refuses a header that has to be understood and is not', async () => {
    for (const header of [
      { crit: ['exp'], exp: 1 },
      { crit: ['evil'], evil: 1 },
      { crit: [] },
      { b64: false, crit: ['b64'] },
    ])
      expect(await shown(trust, good[trust]({}, header)), JSON.stringify(header)).toEqual(refused);
  });

  test('refuses what is no JWT: encrypted, nested, in JSON', async () => {
    const text = good[trust]();
    const [head, payload, signature] = text.split('.');
    const flattened = JSON.stringify({ protected: head, payload, signature });
    for (const odd of [
      `${text}.${signature}`,
      `${head}.${head}.${text}`,
      `${text},${text}`,
      flattened,
      encoded(text),
      `${text}=`,
    ])
      expect((await shown(trust, odd)).status, odd.slice(0, 60)).toBe(401);
  });

  test('takes it from no other place than the header', async () => {
    const text = good[trust]();
    const headers: Record<string, string>[] = [
      { Cookie: `token=${text}` },
      { 'X-Authorization': `Bearer ${text}` },
      { 'Proxy-Authorization': `Bearer ${text}` },
    ];
    for (const one of headers) expect((await nodes[trust].fetch('/auth/whoami', { headers: one })).status).toBe(401);
    for (const query of ['access_token', 'token', 'authorization'])
      expect((await nodes[trust].fetch(`/auth/whoami?${query}=${text}`)).status).toBe(401);
    for (const scheme of ['Basic', 'ApiKey', 'Token', 'Digest'])
      expect(
        (await nodes[trust].fetch('/auth/whoami', { headers: { Authorization: `${scheme} ${text}` } })).status,
      ).toBe(401);
  });
});

describe('a node that trusts an elliptic key', () => {
  test('refuses other curves under its name', async () => {
    for (const { privateKey } of [p384, k256, attackerP256])
      for (const alg of ['ES256', 'ES384', 'ES256K'])
        expect(await shown('ec', token({ alg }, claims(), es(privateKey)))).toEqual(refused);
  });

  test('refuses signatures of zeros, and ones in the other encoding', async () => {
    const der: Signer = (data) => signBytes('sha256', Buffer.from(data), p256.privateKey);
    const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');
    for (const sign of [() => Buffer.alloc(64), () => Buffer.alloc(0), () => Buffer.concat([order, order]), der])
      expect(await shown('ec', token({ alg: 'ES256' }, claims(), sign))).toEqual(refused);
  });
});

test('a node that trusts an RSA key takes no other digest, padding or kind of key', async () => {
  const forged = [
    token({ alg: 'RS512' }, claims(), rs(rsa.privateKey, 'RSA-SHA512')),
    token({ alg: 'RS256' }, claims(), rs(rsa.privateKey, 'RSA-SHA1')),
    token({ alg: 'RS256' }, claims(), rs(attacker.privateKey)),
    token({ alg: 'ES256' }, claims(), es(attackerP256.privateKey)),
    token({ alg: 'PS256' }, claims(), rs(rsa.privateKey)),
  ];
  for (const text of forged) expect(await shown('rsa', text)).toEqual(refused);
});

test('a node that trusts a key set goes by the algorithm of the key that is named', async () => {
  expect(await shown('jwks', token({ alg: 'ES256', kid: 'two' }, claims(), es(p256.privateKey)))).toEqual(accepted);
  expect(await shown('jwks', token({ alg: 'RS256', kid: 'two' }, claims(), rs(rsa.privateKey)))).toEqual(refused);
  expect(await shown('jwks', token({ alg: 'ES256', kid: 'one' }, claims(), es(p256.privateKey)))).toEqual(refused);
});

test('a node without settings takes no token at all', async () => {
  await using node = await startNode();
  const { status, body } = await node.fetch('/auth/whoami', { headers: { Authorization: `Bearer ${good.secret()}` } });
  expect({ status, body }).toEqual(refused);
});
