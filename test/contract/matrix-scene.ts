import type { Network } from '../../src/server/model/ids.ts';
import { anonymous, ask, on, onBehalf, operator, type Person, processor, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

export const roles = ['owner', 'editor', 'viewer', 'public'] as const;
export type Role = (typeof roles)[number];

/** Who asks, by the letter that the table uses. */
export type Letter = 'm' | 'x' | 'n' | 'a' | 's' | 'b' | 'p' | 'o';
export const letters: readonly Letter[] = ['m', 'x', 'n', 'a', 's', 'b', 'p', 'o'];

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

/** One collection on a network; each role has a member, one whose membership has expired, and a klados. */
export async function openMatrix(network: Network): Promise<MatrixScene> {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const node = await startNode({ now: () => clock.ms });
  const known = async (name: string): Promise<Person> => {
    const person = on(network, await user(node, name));
    ok(await ask(node, person, 'GET /users/me'));
    return person;
  };
  const owner = await user(node, 'maker');
  const maker = on(network, owner);
  ok(await ask(node, maker, 'GET /users/me'));
  const made = await collection(node, maker);
  const cast = new Map<Role, { member: Person; expired: Person; klados: Person }>();
  for (const role of roles) {
    const [member, expired] = [await known(`${role} member`), await known(`${role} expired`)];
    await enrol(node, maker, made.id, member, role);
    await enrol(node, maker, made.id, expired, role, hour);
    cast.set(role, { member, expired, klados: await kladosWith(role) });
  }
  clock.ms += hour * 1000;

  async function kladosWith(role: Role): Promise<Person> {
    const properties = { label: role, endpoint: 'https://klados.test', status: 'development' };
    const { id } = await create(node, maker, { type: 'klados', collection: made.id, properties });
    const key = processor(node, id, owner);
    await enrol(node, maker, made.id, key, role);
    return { id, headers: { ...key.headers, 'X-Arke-Network': network } };
  }

  const [stranger, system, admin] = [await known('stranger'), on(network, service(node)), on(network, operator(node))];
  const played = (role: Role) => cast.get(role) as { member: Person; expired: Person; klados: Person };
  return {
    node,
    maker,
    collection: made,
    member: (role) => played(role).member,
    actor(letter, role) {
      const { member, expired, klados } = played(role);
      const all: Record<Letter, Person> = {
        m: member,
        x: expired,
        n: stranger,
        a: on(network, anonymous),
        s: system,
        b: onBehalf(system, member),
        p: klados,
        o: admin,
      };
      return all[letter];
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}
