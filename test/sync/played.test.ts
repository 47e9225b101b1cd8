import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { create, type Entity, enrol, ok, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { addRemote, conflictsOf, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { startProxied } from './proxied.ts';
import type { Call, Fault } from './proxy.ts';

// What an origin and its mirror change in different places, in any order, while any answer may be missing: all of it is in what both
// say in the end, nobody has to decide anything, and who follows the mirror has it, too.

const side = fc.constantFrom('origin', 'mirror');
const which = fc.nat({ max: 5 });
const faults: Record<string, Fault> = { lost: 'lose', cut: 'cut', busy: { status: 503 }, none: undefined };
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant('mark' as const), side, which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('make' as const), side }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('link' as const), side, which, to: which }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('role' as const), side, which: fc.nat({ max: 1 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ does: fc.constant('sync' as const), fault: fc.constantFrom(...Object.keys(faults)) },
      ...{ every: fc.integer({ min: 1, max: 4 }), skips: fc.nat({ max: 3 }) },
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What was acknowledged: marks and links of each entity, members of the collection. */
interface Model {
  said: Map<string, { marks: Set<string>; links: Set<string> }>;
  members: Set<string>;
}

const isWrite = ({ method, path }: Call) => method !== 'GET' && !/batch-get|\/sync\/(blocks|tips)$/.test(path);

async function play(plain: boolean, steps: Step[]): Promise<void> {
  await using scene = await startProxied({ works: 2, mirror: { wait: async () => undefined }, proxy: { plain } });
  await using follower = await startNode();
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const sides: Record<string, { node: TestNode; who: Person; members: Person[] }> = {};
  for (const [name, node, who] of [['origin', origin, curator] as const, ['mirror', mirror, here] as const])
    sides[name] = { node, who, members: [await user(origin, `${name} 1`), await user(origin, `${name} 2`)] };
  await sync(mirror, here);
  await addRemote(follower, operator(follower), { url: mirror.url });
  const model: Model = { said: new Map(), members: new Set() };
  const note = (id: string) => model.said.get(id) ?? { marks: new Set(), links: new Set() };
  for (const { id } of [...works, place]) model.said.set(id, note(id));
  let count = 0;
  /** An entity that is known there. */
  const pick = async ({ node, who }: { node: TestNode; who: Person }, n: number): Promise<Entity | null> => {
    const answer = await ask(node, who, `GET /entities/${[...model.said.keys()].at(n % model.said.size)}`);
    return answer.status === 200 ? (answer.body as Entity) : null;
  };
  const sendsAll = () => ask(mirror, here, 'POST /node/remotes/origin/sync');
  for (const one of steps) {
    count++;
    if (one.does === 'sync') {
      let calls = one.skips;
      proxy.fault = (call) => (isWrite(call) && ++calls % one.every === 0 ? faults[one.fault] : undefined);
      await sendsAll();
      proxy.fault = () => undefined;
      continue;
    }
    const at = sides[one.side] as (typeof sides)[string];
    if (one.does === 'make') {
      const { id } = await create(at.node, at.who, { collection: place.id, properties: { [`m${count}`]: 1 } });
      model.said.set(id, { marks: new Set([`m${count}`]), links: new Set() });
    } else if (one.does === 'role') {
      const member = at.members[one.which] as Person;
      const line = `DELETE /collections/${place.id}/members/${member.id}?role=viewer`;
      if (model.members.delete(member.id)) ok(await ask(at.node, at.who, line));
      else if (await enrol(at.node, at.who, place.id, member, 'viewer')) model.members.add(member.id);
    } else {
      const [entity, peer] = [await pick(at, one.which), one.does === 'link' ? await pick(at, one.to) : null];
      if (entity === null || (one.does === 'link' && (peer === null || peer.id === entity.id))) continue;
      // Each has predicates of its own, so that none is changed on both sides.
      const link = { predicate: `seen_by_${one.side}`, peer: peer?.id, properties: { n: count } };
      const body = peer === null ? { properties: { [`m${count}`]: { n: count } } } : { relationships_add: [link] };
      await update(at.node, at.who, entity, body);
      const { marks, links } = note(entity.id);
      if (peer === null) marks.add(`m${count}`);
      else links.add(`${link.predicate} ${peer.id}`);
    }
  }
  for (let n = 0; n < 3; n++) await sendsAll();
  proxy.calls.length = 0;
  await sync(mirror, here);
  expect(proxy.calls.filter(isWrite)).toEqual([]);
  expect(await conflictsOf(mirror, here)).toEqual([]);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, troubles: {} });
  await sync(follower, operator(follower));
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect(await tipsOf(follower)).toEqual(await tipsOf(origin));
  for (const [id, { marks, links }] of model.said) {
    const { properties, relationships } = await read(origin, curator, id);
    expect(new Set(Object.keys(properties).filter((name) => /^m\d/.test(name)))).toEqual(marks);
    const of = (isOne: (predicate: string) => boolean) => relationships.filter((r) => isOne(r.predicate));
    const linked = of((predicate) => predicate.startsWith('seen_by_')).map((r) => `${r.predicate} ${r.peer}`);
    expect(new Set(linked)).toEqual(links);
    if (id === place.id) expect(new Set(of((name) => name === 'viewer').map((r) => r.peer))).toEqual(model.members);
  }
}

test.each([
  ['a plain remote', true],
  ['a node', false],
])('all that was written on both sides of %s comes together', async (_name, plain) => {
  const sequence = fc.array(step, { minLength: 20, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(sequence, (steps) => play(plain, steps)),
    { numRuns: 2, seed: 7, endOnFailure: true },
  );
});
