import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, on, onBehalf, operator, type Person, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, read, remove, unauthorized } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { agent, klados } from '../helpers/processors.ts';

let node: TestNode;
let ada: Person;
let home: Entity;
const clock = { ms: Date.UTC(2026, 0, 1) };
beforeAll(async () => {
  node = await startNode({ now: () => clock.ms });
  ada = await user(node, 'ada');
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

interface Key {
  key: string;
  prefix: string;
}

const kinds = [
  { type: 'klados', path: '/kladoi', make: klados },
  { type: 'agent', path: '/agents', make: agent },
];

const holder = ({ id }: Entity, { key }: Key): Person => ({ id, headers: { Authorization: `ApiKey ${key}` } });
const whoami = async (who: Person) => (await ask(node, who, 'GET /auth/whoami')).status;

describe.each(kinds)('a key of $type', ({ path, make, type }) => {
  const keyed = async (who = ada): Promise<{ made: Entity; who: Person }> => {
    const made = await make(node, who, home.id);
    return { made, who: holder(made, ok<Key>(await ask(node, who, `POST ${path}/${made.id}/keys`, {}))) };
  };

  it('writes as the processor, with its owner, and only where it has a role', async () => {
    const { made, who } = await keyed();
    const body = { type: 'document', collection: home.id };
    expect(await ask(node, who, 'POST /entities', body)).toMatchObject({ status: 403 });
    await enrol(node, ada, home.id, who, 'editor');
    expect(ok(await ask(node, who, 'POST /entities', body))).toMatchObject({
      edited_by: { user_id: made.id, method: 'ai_generated', on_behalf_of: ada.id },
    });
  });

  it('manages neither keys nor verification, its own least of all', async () => {
    const { made, who } = await keyed();
    await enrol(node, ada, home.id, who, 'owner');
    for (const line of ['GET /keys', 'POST /keys', 'DELETE /keys/ak_0', 'POST /verify']) {
      const [method, below] = line.split(' ');
      const body = method === 'POST' ? {} : undefined;
      expect(await ask(node, who, `${method} ${path}/${made.id}${below}`, body)).toMatchObject({
        status: 403,
        body: { error: `Only users can do ${type}:manage` },
      });
    }
  });

  it('is refused while the processor is disabled', async () => {
    const { made, who } = await keyed();
    const disabled = ok(await ask(node, ada, `PUT ${path}/${made.id}`, { expect_tip: made.cid, status: 'disabled' }));
    expect(await ask(node, who, 'GET /auth/whoami')).toMatchObject({ status: 401, body: unauthorized });
    // Where nobody needs credentials, wrong ones are refused too.
    expect(await ask(node, who, `GET ${path}/${made.id}`)).toMatchObject({ status: 401 });
    ok(await ask(node, ada, `PUT ${path}/${made.id}`, { expect_tip: disabled.cid, status: 'development' }));
    expect(await whoami(who)).toBe(200);
  });

  it('is refused once the processor is deleted, whatever deleted it', async () => {
    const one = await keyed();
    expect(await whoami(one.who)).toBe(200);
    const grave = await remove(node, ada, one.made);
    expect(await whoami(one.who)).toBe(401);
    ok(await ask(node, ada, `POST /entities/${one.made.id}/restore`, { expect_tip: grave.cid }));
    expect(await whoami(one.who)).toBe(200);

    const other = await keyed();
    const root = await create(node, ada, {
      collection: home.id,
      relationships: [{ predicate: 'uses', peer: other.made.id }],
    });
    const cascade = { expect_tip: root.cid, collection_id: home.id, cascade_predicates: ['uses'] };
    ok(await ask(node, ada, `DELETE /entities/${root.id}/cascade`, cascade));
    expect(await whoami(other.who)).toBe(401);
    // What is left of it can be revoked, and listed.
    const { keys } = ok<{ keys: Key[] }>(await ask(node, ada, `GET ${path}/${other.made.id}/keys`));
    expect(keys).toHaveLength(1);
    ok(await ask(node, ada, `DELETE ${path}/${other.made.id}/keys/${keys[0]?.prefix}`));
    expect(ok(await ask(node, ada, `GET ${path}/${other.made.id}/keys`))).toEqual({ keys: [] });
  });

  it('is made without a body, too', async () => {
    const made = await make(node, ada, home.id);
    expect(await ask(node, ada, `POST ${path}/${made.id}/keys`)).toMatchObject({ status: 201, body: { label: null } });
    expect(await ask(node, ada, `POST ${path}/${made.id}/verify`)).toMatchObject({ status: 200 });
  });

  it('expires', async () => {
    const made = await make(node, ada, home.id);
    const key = ok<Key>(await ask(node, ada, `POST ${path}/${made.id}/keys`, { expires_in_days: 1 }));
    clock.ms += 86_399_999;
    expect(await whoami(holder(made, key))).toBe(200);
    clock.ms += 1;
    expect(await whoami(holder(made, key))).toBe(401);
  });

  it('is for one network', async () => {
    const { who } = await keyed();
    expect(await whoami(on('test', who))).toBe(401);
    const tester = on('test', ada);
    ok(await ask(node, tester, 'GET /users/me'));
    const there = await collection(node, tester);
    const made = await make(node, tester, there.id);
    const key = ok<Key>(await ask(node, tester, `POST ${path}/${made.id}/keys`, {}));
    expect(await whoami(on('test', { ...holder(made, key), id: '' }))).toBe(200);
    expect(await whoami(holder(made, key))).toBe(401);
  });

  it('is revoked by a part that fits it alone', async () => {
    const made = await make(node, ada, home.id);
    const keys: Key[] = [];
    for (let i = 0; i < 20; i++) keys.push(ok<Key>(await ask(node, ada, `POST ${path}/${made.id}/keys`, {})));
    const start = (key: Key | undefined) => key?.prefix.slice(0, 4);
    const twins = keys.find((one) => keys.filter((other) => start(other) === start(one)).length > 1);
    // Of twenty keys two begin alike: there are sixteen characters.
    expect(await ask(node, ada, `DELETE ${path}/${made.id}/keys/${start(twins)}`)).toMatchObject({ status: 400 });
    expect(ok<{ keys: Key[] }>(await ask(node, ada, `GET ${path}/${made.id}/keys`)).keys).toHaveLength(20);
    ok(await ask(node, ada, `DELETE ${path}/${made.id}/keys/${twins?.prefix}`));
    expect(ok<{ keys: Key[] }>(await ask(node, ada, `GET ${path}/${made.id}/keys`)).keys).toHaveLength(19);
  });

  it('is made by who made the processor, or manages for them', async () => {
    const bob = await user(node, 'bob');
    await enrol(node, ada, home.id, bob, 'editor');
    const { made } = await keyed(bob);
    expect(await ask(node, ada, `POST ${path}/${made.id}/keys`, {})).toMatchObject({ status: 403 });
    const account = service(node);
    for (const who of [operator(node), onBehalf(account, bob), account]) {
      const key = ok<Key>(await ask(node, who, `POST ${path}/${made.id}/keys`, {}));
      expect(ok(await ask(node, holder(made, key), 'GET /auth/whoami'))).toMatchObject({ owner_id: bob.id });
    }
  });

  it('is made by whom a service account made the processor for', async () => {
    const eve = await user(node, 'eve');
    await enrol(node, ada, home.id, eve, 'editor');
    const behalf = onBehalf(service(node), eve);
    const { made, who } = await keyed(behalf);
    expect(made.edited_by).toMatchObject({ method: 'system', on_behalf_of: eve.id });
    expect(ok(await ask(node, who, 'GET /auth/whoami'))).toMatchObject({ owner_id: eve.id });
    expect(await ask(node, eve, `GET ${path}/${made.id}/keys`)).toMatchObject({ status: 200, body: { keys: [{}] } });
    const { allowed_actions } = ok<{ allowed_actions: string[] }>(
      await ask(node, eve, `GET /entities/${made.id}/permissions`),
    );
    expect(allowed_actions).toEqual(expect.arrayContaining([`${type}:manage`, `${type}:invoke`]));
  });

  it('is listed, made and revoked of a large processor too; only its endpoint is not verified', async () => {
    const { made, who } = await keyed();
    const description = 'It is about everything. '.repeat(8000);
    const body = { expect_tip: made.cid, properties: { about: description } };
    ok(await ask(node, ada, `PUT ${path}/${made.id}`, body));
    const { keys } = ok<{ keys: Key[] }>(await ask(node, ada, `GET ${path}/${made.id}/keys`));
    expect(keys).toHaveLength(1);
    ok<Key>(await ask(node, ada, `POST ${path}/${made.id}/keys`, {}));
    ok(await ask(node, ada, `DELETE ${path}/${made.id}/keys/${keys[0]?.prefix}`));
    expect(await whoami(who)).toBe(401);

    expect(await ask(node, ada, `POST ${path}/${made.id}/verify`, {})).toMatchObject({
      status: 400,
      body: { details: { issues: [{ path: ['id'], message: expect.stringContaining('is too large') }] } },
    });
    // Neither is anything said about its size to whom it is no business.
    const bob = await user(node, 'bob');
    expect(await ask(node, bob, `POST ${path}/${made.id}/verify`, {})).toMatchObject({ status: 403 });
    const large = await create(node, ada, { collection: home.id, properties: { text: description } });
    for (const line of ['GET /keys', 'POST /verify'])
      expect(await ask(node, ada, line.replace('/', `${path}/${large.id}/`))).toMatchObject({ status: 404 });
  });
});

it('of something else that lies there does not exist', async () => {
  const made = await klados(node, ada, home.id);
  expect(await ask(node, ada, `POST /agents/${made.id}/keys`, {})).toMatchObject({ status: 404 });
  expect((await read(node, ada, made.id)).type).toBe('klados');
});
