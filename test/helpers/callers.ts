import { SignJWT } from 'jose';
import { idOn, type Network } from '../../src/server/model/ids.ts';
import type { Answer, TestNode } from './node.ts';

/** Somebody who asks: with an id on each network, and the headers that prove it. */
export interface Person {
  id: string;
  /** The id of its account, where `id` is that on another network. */
  account?: string;
  headers: Record<string, string>;
}

/** What `startNode` needs so that `jwtOf` tokens are accepted. */
export const jwtSecret = 'the secret of the tests, which is long enough';
const issuer = 'https://idp.test';

export const anonymous: Person = { id: '', headers: {} };
/** Somebody whose key is well formed and unknown. */
export const impostor: Person = { id: '', headers: { Authorization: `ApiKey uk_${'0'.repeat(32)}` } };

/** One request: `line` is the method and the path, as `POST /entities`. */
export function ask(
  node: TestNode,
  who: Person,
  line: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = '', path = ''] = line.split(/ (.*)/s);
  return node.fetch(path, { method, headers: { ...who.headers, ...headers }, ...(body === undefined ? {} : { body }) });
}

/** A registered user with an API key that does not expire, and with a user entity on main. */
export async function user(node: TestNode, subject: string): Promise<Person> {
  const { identity, users } = node.ctx;
  const { account } = identity.registerAccount({ issuer, subject, email: null, name: subject });
  await users.ensureUser('main', account);
  const { key } = identity.createKey({ kind: 'user', account: account.id, expiresIn: null });
  return { id: account.id, headers: { Authorization: `ApiKey ${key}` } };
}

export function operator(node: TestNode): Person {
  const { account, key } = node.ctx.identity.ensureOperator();
  return { id: account.id, headers: { Authorization: `ApiKey ${key}` } };
}

export function service(node: TestNode): Person {
  const { id } = node.ctx.identity.ensureServiceAccount();
  const { key } = node.ctx.identity.createKey({ kind: 'service', account: id, expiresIn: null });
  return { id, headers: { Authorization: `ApiKey ${key}` } };
}

/** The service account acting for somebody; `id` stays the service's, since it is the author. */
export function onBehalf(account: Person, of: Person): Person {
  return { id: account.id, headers: { ...account.headers, 'X-On-Behalf-Of': of.id } };
}

/** A key of an agent or klados (an id on main), owned by somebody. */
export function processor(node: TestNode, id: string, owner: Person, kind: 'agent' | 'klados' = 'klados'): Person {
  const { key } = node.ctx.identity.createKey({ kind, account: owner.id, processor: id, expiresIn: null });
  return { id, headers: { Authorization: `ApiKey ${key}` } };
}

/** Somebody with a JWT, registered or not, which expires an hour after `nowMs`. */
export async function jwtOf(subject: string, nowMs: number, claims: Record<string, unknown> = {}): Promise<Person> {
  const seconds = Math.floor(nowMs / 1000);
  const token = await new SignJWT({ name: subject, email: `${subject}@idp.test`, ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setSubject(subject)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 3600)
    .sign(new TextEncoder().encode(jwtSecret));
  return { id: '', headers: { Authorization: `Bearer ${token}` } };
}

/** The same person on a network: id and header. */
export function on(network: Network, who: Person): Person {
  const behalf = who.headers['X-On-Behalf-Of'];
  return {
    id: who.id === '' ? '' : idOn(network, who.id),
    account: who.account ?? who.id,
    headers: {
      ...who.headers,
      'X-Arke-Network': network,
      ...(behalf === undefined ? {} : { 'X-On-Behalf-Of': idOn(network, behalf) }),
    },
  };
}
