import { SignJWT } from 'jose';
import type { Network } from '../../src/server/model/ids.ts';
import { type Answer, startNode, type TestNode } from './node.ts';

/** A JSON object of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers that may be anything, and assert what they find.
export type Json = Record<string, any>;

const secret = 'a secret that is long enough for HS256';
export const issuer = 'https://idp.example';

export interface Person {
  /** The user's id on main. */
  id: string;
  key: string;
}

/** What a request says beyond its method, path and body. */
export interface Headers {
  network?: Network;
  onBehalfOf?: string;
}

export interface Reply extends Answer {
  body: Json;
}

/** A node with a clock, and people who ask it. */
export interface PeopledNode extends AsyncDisposable {
  node: TestNode;
  clock: { ms: number };
  operator: Person;
  /** A new registered user with a key, and its user entity on main. */
  person(name: string): Promise<Person>;
  /** A key of an agent whose owner is the person. */
  agentKey(agent: string, owner: Person): string;
  serviceKey(): string;
  /** An Authorization header with a JWT of these claims. */
  jwt(claims: Json): Promise<string>;
  /** A request with an API key, or with a whole Authorization header, or with none. */
  ask(who: Person | string | null, method: string, path: string, body?: unknown, headers?: Headers): Promise<Reply>;
}

export async function startPeopledNode(): Promise<PeopledNode> {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const node = await startNode({
    now: () => clock.ms,
    env: { ARCHEION_JWT_SECRET: secret, ARCHEION_JWT_ISSUER: issuer },
  });
  const { identity, users } = node.ctx;
  const keyOf = (account: string) => identity.createKey({ kind: 'user', account, expiresIn: null }).key;
  const { account, key } = identity.ensureOperator();
  return {
    node,
    clock,
    operator: { id: account.id, key },
    async person(name) {
      const made = identity.registerAccount({ issuer, subject: name, email: null, name }).account;
      await users.ensureUser('main', made);
      return { id: made.id, key: keyOf(made.id) };
    },
    agentKey: (agent, owner) =>
      identity.createKey({ kind: 'agent', account: owner.id, processor: agent, expiresIn: 3600 }).key,
    serviceKey: () =>
      identity.createKey({ kind: 'service', account: identity.ensureServiceAccount().id, expiresIn: 3600 }).key,
    async jwt(claims) {
      const time = Math.floor(clock.ms / 1000);
      const token = new SignJWT({ iss: issuer, ...claims }).setProtectedHeader({ alg: 'HS256' }).setIssuedAt(time);
      return `Bearer ${await token.setExpirationTime(time + 3600).sign(new TextEncoder().encode(secret))}`;
    },
    async ask(who, method, path, body, { network, onBehalfOf } = {}) {
      const authorization = typeof who === 'string' ? who : who === null ? undefined : `ApiKey ${who.key}`;
      const headers = {
        ...(authorization !== undefined && { Authorization: authorization }),
        ...(network !== undefined && { 'X-Arke-Network': network }),
        ...(onBehalfOf !== undefined && { 'X-On-Behalf-Of': onBehalfOf }),
      };
      return (await node.fetch(path, { method, headers, body })) as Reply;
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}
