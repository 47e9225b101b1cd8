import type { Network } from '../../src/server/model/ids.ts';
import { anonymous, ask, on, onBehalf, operator, type Person, processor, service, user } from '../helpers/callers.ts';
import { startChatEndpoint } from '../helpers/chat-endpoint.ts';
import { collection, create, type Entity, enrol, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

export const roles = ['owner', 'editor', 'viewer', 'public'] as const;
export type Role = (typeof roles)[number];

/** Who asks, by the letter that the table uses. */
export const letters = ['m', 'x', 'g', 'e', 'n', 'a', 's', 'b', 'p', 'q', 'r', 'k', 'o'] as const;
export type Letter = (typeof letters)[number];

export interface MatrixScene extends AsyncDisposable {
  node: TestNode;
  /** Makes what the probes need; a lasting owner of the collection. */
  maker: Person;
  collection: Entity;
  actor(letter: Letter, role: Role): Person;
  /** The member with that role, whose user entity the probes of users are about. */
  member(role: Role): Person;
}

const hour = 3600;

interface Cast {
  member: Person;
  expired: Person;
  grouped: Person;
  ungrouped: Person;
  agent: Person;
  lapsed: Person;
  klados: Person;
}

/** One collection on a network; each role has a member, a group and an agent, the same whose time is over, and a klados. */
export async function openMatrix(network: Network): Promise<MatrixScene> {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  await using opened = new AsyncDisposableStack();
  const endpoint = opened.use(await startChatEndpoint());
  const node = opened.use(await startNode({ now: () => clock.ms, env: endpoint.env, writer: 'thread' }));
  const known = async (name: string): Promise<Person> => {
    const person = on(network, await user(node, name));
    ok(await ask(node, person, 'GET /users/me'));
    return person;
  };
  const owner = await user(node, 'maker');
  const maker = on(network, owner);
  ok(await ask(node, maker, 'GET /users/me'));
  const made = await collection(node, maker);
  const cast = new Map<Role, Cast>();
  for (const role of roles) {
    const [member, expired] = [await known(`${role} member`), await known(`${role} expired`)];
    await enrol(node, maker, made.id, member, role);
    await enrol(node, maker, made.id, expired, role, hour);
    const [grouped, ungrouped] = [await known(`${role} grouped`), await known(`${role} ungrouped`)];
    await enrol(node, maker, made.id, await group(grouped, ungrouped), role);
    const [agent, lapsed, klados] = [
      await processorKey('agent'),
      await processorKey('agent'),
      await processorKey('klados'),
    ];
    await enrol(node, maker, made.id, agent, role);
    await enrol(node, maker, made.id, lapsed, role, hour);
    await enrol(node, maker, made.id, klados, role);
    cast.set(role, { member, expired, grouped, ungrouped, agent, lapsed, klados });
  }
  clock.ms += hour * 1000;

  /** A group of two, the second for an hour. */
  async function group(lasting: Person, passing: Person): Promise<Person> {
    const expires_at = new Date(clock.ms + hour * 1000).toISOString();
    const relationships = [
      { predicate: 'member', peer: lasting.id },
      { predicate: 'member', peer: passing.id, properties: { expires_at } },
    ];
    const { id } = await create(node, maker, { type: 'group', collection: made.id, relationships });
    return { id, headers: {} };
  }

  /** The key of an agent or klados that lies in the collection; its owner is the collection's. */
  async function processorKey(type: 'agent' | 'klados'): Promise<Person> {
    const properties = { label: type, endpoint: `https://${type}.test`, status: 'development' };
    const { id } = await create(node, maker, { type, collection: made.id, properties });
    const { headers } = processor(node, id, owner, type);
    return { id, headers: { ...headers, 'X-Arke-Network': network } };
  }

  const outsider = await processorKey('agent');
  const [stranger, system, admin] = [await known('stranger'), on(network, service(node)), on(network, operator(node))];
  const all = opened.move();
  const played = (role: Role) => cast.get(role) as Cast;
  return {
    node,
    maker,
    collection: made,
    member: (role) => played(role).member,
    actor(letter, role) {
      const { member, expired, grouped, ungrouped, agent, lapsed, klados } = played(role);
      const people: Record<Letter, Person> = {
        m: member,
        x: expired,
        g: grouped,
        e: ungrouped,
        n: stranger,
        a: on(network, anonymous),
        s: system,
        b: onBehalf(system, member),
        p: agent,
        q: lapsed,
        r: outsider,
        k: klados,
        o: admin,
      };
      return people[letter];
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
