import { expect, test } from 'vitest';
import { ask, type Person } from '../helpers/callers.ts';
import { commandLine } from '../helpers/command-line.ts';
import { collection, create, type Entity, ok, remove, update } from '../helpers/entities.ts';
import type { TestNode } from '../helpers/node.ts';
import { chainOf, conflictsOf, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';

/** One command line beside a running node. */
const archeion = (node: TestNode, ...args: string[]) => commandLine(node.data, args);

const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

/** A week of somebody's work on what both have: an edit of each thing a day, and a new thing. */
async function week(node: TestNode, who: Person, place: Entity, works: Entity[], name: string): Promise<Entity[]> {
  const made: Entity[] = [];
  for (const [n, day] of days.entries()) {
    for (const work of works) {
      const tip = await read(node, who, work.id);
      await update(node, who, tip, {
        properties: { [`${name}_${day}`]: n, [name]: { last: day } },
        note: `${name}, ${day}`,
      });
    }
    const properties = { label: `${name} made this on ${day}` };
    made.push(await create(node, who, { collection: place.id, properties }));
  }
  return made;
}

test('a week of work on two nodes comes together, with every kind of conflict, and nothing is lost', async () => {
  await using pair = await startPair();
  const { origin, mirror, curator, here } = pair;
  const place = await collection(origin, curator, { label: 'Archive' });
  const work = (label: string) =>
    create(origin, curator, {
      collection: place.id,
      properties: { label, date: '1850', place: { town: 'London' } },
      relationships: [{ predicate: 'about', peer: place.id, properties: { sure: false } }],
    });
  const [apart, label, gone, kept, link] = [
    await work('edited in different places'),
    await work('edited in the same place'),
    await work('deleted here, edited there'),
    await work('edited here, deleted there'),
    await work('its link changed here, removed there'),
  ];
  await sync(mirror, here);

  // Offline, a week each.
  const theirs = await week(origin, curator, place, [apart, label, link], 'office');
  const ours = await week(mirror, here, place, [apart, label, link], 'home');
  const edit = async (node: TestNode, who: Person, { id }: Entity, body: object) =>
    update(node, who, await read(node, who, id), body);
  await edit(mirror, here, label, { properties: { date: '1851' } });
  await edit(origin, curator, label, { properties: { date: '1852' } });
  await remove(mirror, here, gone);
  const editedThere = await edit(origin, curator, gone, { properties: { date: '1853' } });
  const editedHere = await edit(mirror, here, kept, { properties: { date: '1854' } });
  await remove(origin, curator, kept);
  await edit(mirror, here, link, {
    relationships_add: [{ predicate: 'about', peer: place.id, properties: { sure: true } }],
  });
  await edit(origin, curator, link, { relationships_remove: [{ predicate: 'about', peer: place.id }] });
  ok(await ask(mirror, here, `POST /collections/${place.id}/roles`, { role: 'scanner', actions: ['file:create'] }));
  ok(await ask(origin, curator, `POST /collections/${place.id}/roles`, { role: 'reader', actions: ['entity:view'] }));
  const drafts = (await chainOf(mirror, label.id)).slice(0, 6);

  expect((await archeion(mirror, 'sync', 'origin')).code).toBe(1);
  const open = (await conflictsOf(mirror, here)).map(({ id }) => id).toSorted();
  expect(open).toEqual([label, gone, kept, link].map(({ id }) => id).toSorted());

  // What did not clash has come together already.
  for (const made of [...theirs, ...ours])
    expect((await read(mirror, here, made.id)).properties).toEqual((await read(origin, curator, made.id)).properties);
  const merged = (await read(origin, curator, apart.id)).properties;
  for (const day of days)
    expect(merged).toMatchObject({ [`office_${day}`]: expect.any(Number), [`home_${day}`]: expect.any(Number) });
  const roles = ok<{ roles: object }>(await ask(origin, curator, `GET /collections/${place.id}`)).roles;
  expect(roles).toMatchObject({ scanner: ['file:create'], reader: ['entity:view'] });

  // Two are decided on the command line, two by REST.
  expect((await archeion(mirror, 'conflicts', 'show', label.id)).out).toMatch(/date[\s\S]*"1851"[\s\S]*"1852"/);
  expect((await archeion(mirror, 'conflicts', 'resolve', label.id, '--ours', '--note', 'seen on the back')).code).toBe(
    0,
  );
  expect((await archeion(mirror, 'conflicts', 'resolve', gone.id, '--theirs')).code).toBe(0);
  ok(await ask(mirror, here, `POST /node/conflicts/${kept.id}/resolve`, { resolution: 'ours' }));
  ok(await ask(mirror, here, `POST /node/conflicts/${link.id}/resolve`, { resolution: 'theirs' }));
  expect((await archeion(mirror, 'sync', 'origin')).code).toBe(0);

  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0, refused: 0, troubles: {} });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  const decided = await read(origin, curator, label.id);
  expect(decided.properties).toMatchObject({ date: '1851', office: { last: 'friday' }, home: { last: 'friday' } });
  expect((await read(origin, curator, gone.id)).properties).toEqual(editedThere.properties);
  expect((await read(origin, curator, kept.id)).properties).toEqual(editedHere.properties);
  const about = (await read(origin, curator, link.id)).relationships.filter((r) => r.predicate === 'about');
  expect(about).toEqual([]);

  // Every draft of the week is still to be read, and the history says who did what.
  for (const [, cid] of drafts) expect((await ask(mirror, here, `GET /versions/manifest/${cid}`)).status).toBe(200);
  const history = ok<{ versions: { note?: string }[] }>(await ask(origin, curator, `GET /versions/${label.id}`));
  expect(history.versions.map(({ note }) => note)).toContain('office, friday');
  expect((await archeion(mirror, 'verify')).code).toBe(0);
  expect((await archeion(origin, 'verify')).code).toBe(0);
});
