import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainError, ForbiddenError, UnauthorizedError, ValidationError } from '../../src/server/errors.ts';
import { createAuthenticator } from '../../src/server/http/auth.ts';
import type { CallerHeaders } from '../../src/server/http/caller-headers.ts';
import { accepted, type Caller, registered } from '../../src/server/model/caller.ts';
import { idOn } from '../../src/server/model/ids.ts';
import { openIdentity, startOfTime, type TestIdentity } from '../helpers/identity.ts';

const agent = '01J0000000000000000000000A';
const alias = '01J000000000000000000000R1';

let test: TestIdentity;
let ada: string;
beforeEach(() => {
  test = openIdentity();
  ada = register('ada');
});
afterEach(() => test[Symbol.dispose]());

function register(subject: string): string {
  return test.identity.registerAccount({ issuer: 'https://idp.example', subject, email: null, name: null }).account.id;
}

function ask(shown: Partial<CallerHeaders>): Caller | Promise<Caller> {
  const { identity, clock } = test;
  const authenticate = createAuthenticator({ identity, jwt: {}, service: 'arke', now: () => clock.ms });
  return authenticate({ authorization: undefined, onBehalfOf: undefined, network: undefined, ...shown });
}

function userKey(): string {
  return test.identity.createKey({ kind: 'user', account: ada, expiresIn: 60 }).key;
}

function serviceKey(): string {
  const { id } = test.identity.ensureServiceAccount();
  return test.identity.createKey({ kind: 'service', account: id, expiresIn: 60 }).key;
}

function processorKey(processor: string, kind: 'agent' | 'klados' = 'agent'): string {
  return test.identity.createKey({ kind, account: ada, processor, expiresIn: 60 }).key;
}

describe('without credentials', () => {
  it('the caller is anonymous, on main', () => {
    const caller = ask({}) as Caller;
    expect(caller).toEqual({ actor: { kind: 'anonymous' }, network: 'main' });
    expect(accepted(caller)).toEqual({ kind: 'anonymous' });
    expect(() => registered(caller)).toThrow(UnauthorizedError);
  });

  it('the network header chooses the network and is main or test', () => {
    expect(ask({ network: 'main' })).toMatchObject({ network: 'main' });
    expect(ask({ network: 'test' })).toMatchObject({ network: 'test' });
    for (const network of ['', 'Main', 'prod', 'test,main']) {
      expect(() => ask({ network })).toThrow(ValidationError);
    }
    try {
      ask({ network: 'prod' });
      expect.unreachable();
    } catch (error) {
      expect((error as ValidationError).issues[0]?.path).toEqual(['X-Arke-Network']);
    }
  });
});

describe('an API key', () => {
  it('of a user is the user, on either network, at once', () => {
    test.identity.setAliases(ada, 'north', [alias]);
    const authorization = `ApiKey ${userKey()}`;
    expect(ask({ authorization })).toEqual({
      actor: { kind: 'user', id: ada, ids: [ada, alias], operator: false },
      network: 'main',
      credential: {
        method: 'api_key',
        id: expect.any(String),
        prefix: authorization.slice(7, 19),
        expiresAt: startOfTime + 60_000,
      },
      account: ada,
    });
    const testId = idOn('test', ada);
    expect(ask({ authorization, network: 'test' })).toMatchObject({
      actor: { kind: 'user', id: testId, ids: [testId] },
      network: 'test',
      account: ada,
    });
    expect(ask({ authorization: `apikey   ${authorization.slice(7)}` })).toMatchObject({ account: ada });
  });

  it('of the operator is the operator', () => {
    const { key, account } = test.identity.ensureOperator();
    expect(ask({ authorization: `ApiKey ${key}` })).toMatchObject({
      actor: { kind: 'user', id: account.id, operator: true },
      credential: { expiresAt: null },
    });
  });

  it('of a processor is the processor, on its own network only', () => {
    const main = `ApiKey ${processorKey(agent)}`;
    expect(ask({ authorization: main })).toMatchObject({
      actor: { kind: 'processor', type: 'agent', id: agent, owner: ada },
    });
    expect(() => ask({ authorization: main, network: 'test' })).toThrow(UnauthorizedError);
    const onTest = `ApiKey ${processorKey(idOn('test', agent), 'klados')}`;
    expect(ask({ authorization: onTest, network: 'test' })).toMatchObject({
      actor: { kind: 'processor', type: 'klados', id: idOn('test', agent), owner: idOn('test', ada) },
    });
    expect(() => ask({ authorization: onTest })).toThrow(UnauthorizedError);
  });

  it('revoked or expired is refused and never anonymous', () => {
    const [revoked, expired] = [userKey(), serviceKey()];
    for (const key of [revoked, expired]) ask({ authorization: `ApiKey ${key}` });
    test.identity.revokeKey({ account: ada }, revoked.slice(0, 12));
    test.clock.ms += 60_000;
    for (const key of [revoked, expired])
      expect(() => ask({ authorization: `ApiKey ${key}` })).toThrow(UnauthorizedError);
  });

  it('is no Bearer token, and nothing else is a credential', () => {
    const key = userKey();
    const refused = [
      '',
      ' ',
      key,
      `Bearer ${key}`,
      `Bearer ${processorKey(agent)}`,
      `Basic ${key}`,
      `ApiKey ${key}, x`,
    ];
    refused.push('ApiKey', 'ApiKey ', `ApiKey ${key} ${key}`, `ApiKey\t${key}`, `ApiKey ${key}\u00a0`, 'Bearer a.b.c');
    refused.push(`ApiKey ${'k'.repeat(10_000)}`, `Bearer ${'a'.repeat(9000)}.b.c`, `ApiKey uk_${'0'.repeat(32)}`);
    for (const authorization of refused) expect(() => ask({ authorization }), authorization).toThrow(UnauthorizedError);
  });

  it('that does not hold is told before a wrong network is', () => {
    expect(() => ask({ authorization: 'ApiKey wrong', network: 'wrong' })).toThrow(UnauthorizedError);
  });
});

describe('X-On-Behalf-Of', () => {
  it('makes a service account act for a registered user, on the network of the request', () => {
    const authorization = `ApiKey ${serviceKey()}`;
    const { id } = test.identity.ensureServiceAccount();
    test.identity.setAliases(ada, 'north', [alias]);
    expect(ask({ authorization })).toMatchObject({ actor: { kind: 'service', id, onBehalfOf: null } });
    expect(ask({ authorization, onBehalfOf: ada })).toMatchObject({
      actor: { kind: 'service', id, onBehalfOf: { id: ada, ids: [ada, alias] } },
    });
    const testId = idOn('test', ada);
    expect(ask({ authorization, onBehalfOf: testId, network: 'test' })).toMatchObject({
      actor: { kind: 'service', id: idOn('test', id), onBehalfOf: { id: testId, ids: [testId] } },
    });
  });

  it('is refused where it is malformed, of the other network or of nobody registered', () => {
    const authorization = `ApiKey ${serviceKey()}`;
    for (const onBehalfOf of ['', 'ada', `${ada} `, ada.toLowerCase(), idOn('test', ada)])
      expect(() => ask({ authorization, onBehalfOf }), onBehalfOf).toThrow(ValidationError);
    expect(() => ask({ authorization, onBehalfOf: ada, network: 'test' })).toThrow(ValidationError);
    expect(() => ask({ authorization, onBehalfOf: agent })).toThrow(ForbiddenError);
    test.identity.setAliases(ada, 'north', [alias]);
    expect(() => ask({ authorization, onBehalfOf: alias })).toThrow(ForbiddenError);
  });

  it('is refused from anybody else', () => {
    const operator = test.identity.ensureOperator().key;
    for (const key of [userKey(), processorKey(agent), operator])
      expect(() => ask({ authorization: `ApiKey ${key}`, onBehalfOf: ada })).toThrow(ForbiddenError);
    expect(() => ask({ onBehalfOf: ada })).toThrow(ForbiddenError);
    expect(() => ask({ authorization: 'ApiKey wrong', onBehalfOf: ada })).toThrow(UnauthorizedError);
  });
});

describe('random headers', () => {
  const header = fc.option(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => `ApiKey ${text}`),
      fc.string().map((text) => `Bearer ${text}`),
      fc.tuple(fc.base64String(), fc.base64String(), fc.base64String()).map((parts) => `Bearer ${parts.join('.')}`),
    ),
    { nil: undefined },
  );

  it('give a caller who is anonymous, or one of our errors', async () => {
    const authenticate = createAuthenticator({
      identity: test.identity,
      jwt: { secret: 'a secret of this test, long enough' },
      service: 'arke',
      now: () => test.clock.ms,
    });
    await fc.assert(
      fc.asyncProperty(
        header,
        header,
        fc.option(fc.string(), { nil: undefined }),
        async (authorization, onBehalfOf, network) => {
          try {
            const caller = await authenticate({ authorization, onBehalfOf, network });
            expect(authorization).toBeUndefined();
            expect(caller.actor).toEqual({ kind: 'anonymous' });
          } catch (error) {
            expect(error).toBeInstanceOf(DomainError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
