import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { derivedId, idOn, networks } from '../../src/server/model/ids.ts';
import { databaseFile } from '../../src/server/store/network-store.ts';
import { anonymous, ask, jwtOf, jwtSecret, on, type Person, user } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode, temporaryFolder } from '../helpers/node.ts';

// A user's id follows from who it is at the identity provider, so whoever knows that can make an entity of that id before.

interface Registered {
  created: boolean;
  user: { id: string; ver: number; properties: { label: string } };
}

const issuer = 'https://idp.test';
const bobs = derivedId('main', issuer, 'bob');

const env = { ARCHEION_JWT_SECRET: jwtSecret };
let node: TestNode;
let eve: Person;
beforeEach(async () => {
  node = await startNode({ env });
  eve = await user(node, 'eve');
});
afterEach(() => node[Symbol.asyncDispose]());

const register = async (who: Person) => ok<Registered>(await ask(node, who, 'POST /auth/register'));
const taken = async (network: (typeof networks)[number], id: string) =>
  ok<Entity>(await ask(node, on(network, eve), 'POST /entities', { id: idOn(network, id), type: 'note' }));

it('a user has an id of its own where nobody has taken it', async () => {
  const { created, user: bob } = await register(await jwtOf('bob', Date.now()));
  expect([created, bob.id]).toEqual([true, bobs]);
});

it.each(networks)('whoever has taken the id of a user to come on %s keeps nobody out', async (network) => {
  const note = await taken(network, bobs);
  const next = derivedId('main', issuer, 'bob', '2');
  await taken('main', next);
  const bob = await jwtOf('bob', Date.now());
  const { created, user: made } = await register(bob);
  expect([created, made]).toMatchObject([true, { ver: 1, properties: { label: 'bob' } }]);
  expect([bobs, next]).not.toContain(made.id);
  expect(await register(bob)).toEqual({ created: false, user: made });
  for (const there of networks) {
    const id = idOn(there, made.id);
    const me = ok<Entity>(await ask(node, on(there, bob), 'GET /users/me'));
    expect(me).toMatchObject({ id, type: 'user', edited_by: { user_id: id } });
    expect(ok<{ id: string }>(await ask(node, on(there, bob), 'GET /auth/whoami')).id).toBe(id);
  }
  // Eve's entity stays as it was, and is nothing of Bob's.
  expect(ok<Entity>(await ask(node, on(network, anonymous), `GET /entities/${note.id}`)).cid).toBe(note.cid);
  const home = await collection(node, eve);
  const enrolled = await ask(node, eve, `POST /collections/${home.id}/members`, { user_id: made.id, role: 'editor' });
  expect(enrolled.status).toBe(201);
});

it('also where it was deleted since', async () => {
  const { id, cid } = await taken('main', bobs);
  ok(await ask(node, eve, `DELETE /entities/${id}`, { expect_tip: cid }));
  const bob = await jwtOf('bob', Date.now());
  const { user: made } = await register(bob);
  expect(made.id).not.toBe(bobs);
  expect((await ask(node, bob, 'GET /users/me')).status).toBe(200);
});

it('an account whose id was taken before anything looked is told why it has no user', async () => {
  await taken('main', bobs);
  node.ctx.identity.registerAccount({ issuer, subject: 'bob', email: null, name: 'bob' });
  expect(await ask(node, await jwtOf('bob', Date.now()), 'POST /auth/register')).toMatchObject({
    status: 409,
    body: { details: { reason: expect.stringContaining('which is no user, has the id of your account') } },
  });
});

it('also where it was taken on a network that is not open yet, and nobody is registered while that cannot be asked', async () => {
  await using folder = await temporaryFolder();
  const data = folder.path;
  {
    await using first = await startNode({ env, data });
    const there = on('test', await user(first, 'eve'));
    ok(await ask(first, there, 'POST /entities', { id: idOn('test', bobs), type: 'note' }));
  }
  const schema = (change: (version: number) => number) => {
    const db = new Database(databaseFile(data, 'test'));
    db.pragma(`user_version = ${change(db.pragma('user_version', { simple: true }) as number)}`);
    db.close();
  };
  await using second = await startNode({ env, data });
  const bob = await jwtOf('bob', Date.now());
  schema((version) => version + 900);
  expect((await ask(second, bob, 'POST /auth/register')).status).toBe(503);
  expect((await ask(second, bob, 'GET /auth/whoami')).status).toBe(403);
  schema((version) => version - 900);
  const { user: made } = ok<Registered>(await ask(second, bob, 'POST /auth/register'));
  expect(made.id).not.toBe(bobs);
  expect((await ask(second, on('test', bob), 'GET /users/me')).status).toBe(200);
});
