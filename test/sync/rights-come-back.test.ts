import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, enrol, ok } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { keyOf, remoteOf, startCurated, sync, tipsOf } from './nodes.ts';

// Whatever is written into a mirror while the rights of its key go and come, there: once they are back for good all of it gets
// there, and nothing is listed as refused any more.

const step = fc.record({
  what: fc.constantFrom('edit', 'delete', 'move', 'make', 'role', 'role', 'sync'),
  work: fc.nat(3),
  place: fc.nat(1),
  role: fc.constantFrom('none', 'editor'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Gives somebody that role in a collection, and takes any other. */
async function setRole(node: TestNode, owner: Person, place: string, { who, role }: { who: Person; role: string }) {
  const { members } = ok<{ members: { userId: string; role: string }[] }>(
    await ask(node, owner, `GET /collections/${place}/members`),
  );
  for (const held of members.filter(({ userId }) => userId === who.id))
    ok(await ask(node, owner, `DELETE /collections/${place}/members/${who.id}?role=${held.role}`));
  if (role !== 'none') await enrol(node, owner, place, who, role);
}

/** One write, which may be refused here. */
async function write(node: TestNode, who: Person, work: string, { what, place }: { what: string; place: string }) {
  const expect_tip = ok<{ cid: string }>(await ask(node, who, `GET /entities/${work}/tip`)).cid;
  const lies = { predicate: 'collection', peer: place };
  switch (what) {
    case 'edit':
      return ask(node, who, `PUT /entities/${work}`, { expect_tip, properties: { seen: expect_tip } });
    case 'delete':
      return ask(node, who, `DELETE /entities/${work}`, { expect_tip });
    case 'move':
      return ask(node, who, `PUT /entities/${work}`, {
        expect_tip,
        relationships_remove: [{ predicate: 'collection' }],
        relationships_add: [lies],
      });
    default:
      return ask(node, who, 'POST /entities', { type: 'document', collection: place });
  }
}

async function play(plain: boolean, steps: Step[]): Promise<void> {
  await using pair = await startCurated({ plain });
  const { origin, mirror, curator, here, place, work } = pair;
  const editor = await user(origin, 'editor');
  const other = await collection(origin, curator, { label: 'Other' });
  const works = [work.id];
  for (const { id } of [place, place, other]) works.push((await create(origin, curator, { collection: id })).id);
  const places = [place.id, other.id];
  const everywhere = async (role: string) => {
    for (const id of places) await setRole(origin, curator, id, { who: editor, role });
  };
  await everywhere('editor');
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(editor), direction: 'both' }));
  await sync(mirror, here);
  for (const { what, work: n, place: at, role } of steps) {
    const where = places[at] ?? '';
    if (what === 'sync') await sync(mirror, here);
    else if (what === 'role') await setRole(origin, curator, where, { who: editor, role });
    else expect((await write(mirror, here, works[n] ?? '', { what, place: where })).status).toBeLessThan(500);
  }
  await sync(mirror, here);
  await everywhere('owner');
  for (let again = 0; again < 2; again++) await sync(mirror, here);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0, refusals: [], conflicts: 0 });
  // What was made and deleted here before it got there stays here.
  expect(await tipsOf(mirror)).toMatchObject(await tipsOf(origin));
}

test('what was written while rights went and came gets there once they are back', async () => {
  const steps = fc.array(step, { minLength: 6, maxLength: 14 });
  await fc.assert(fc.asyncProperty(fc.boolean(), steps, play), { numRuns: 4, seed: 1, endOnFailure: true });
});
