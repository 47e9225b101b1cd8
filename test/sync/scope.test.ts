import { describe, expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, lacking, nowhere, ok, remove, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { bytesOf, expectBytes, holding, type Scene, startScene } from './contents.ts';
import { addRemote, keyOf, read, remoteOf, startCurated, sync, tipsOf } from './nodes.ts';
import { startProxy } from './proxy.ts';

const set = async ({ mirror, here }: Scene, body: object) =>
  ok(await ask(mirror, here, 'PUT /node/remotes/origin', body));

describe('a mirror by type', () => {
  test('has entities of these types and all collections; what they point at are stubs', async () => {
    await using scene = await startScene({ types: ['work'] });
    const { origin, mirror, curator, here, place } = scene;
    const person = await create(origin, curator, { type: 'person', collection: place.id });
    const other = await create(origin, curator, { type: 'person' });
    const work = await create(origin, curator, {
      type: 'work',
      collection: place.id,
      relationships: [{ predicate: 'by', peer: person.id, peer_type: 'person', peer_label: 'A' }],
    });
    expect(await sync(mirror, here)).toMatchObject({ troubles: 0, entities: 2 });
    expect(Object.keys(await tipsOf(mirror)).sort()).toEqual([place.id, work.id].sort());
    const seen = await read(mirror, here, work.id);
    expect(seen.relationships).toEqual((await read(origin, curator, work.id)).relationships);
    expect((await ask(mirror, here, `GET /entities/${person.id}`)).status).toBe(404);
    // A stub may be pointed at; what is unknown may not.
    await create(mirror, here, {
      type: 'work',
      collection: place.id,
      relationships: [{ predicate: 'by', peer: person.id }],
    });
    const unknown = { type: 'work', collection: place.id, relationships: [{ predicate: 'by', peer: nowhere }] };
    expect((await ask(mirror, here, 'POST /entities', unknown)).status).toBe(400);
    // It goes out; of another type nothing does.
    await create(mirror, here, { type: 'note', collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ created: 1, refused: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0 });
    expect((await ask(mirror, here, `GET /entities/${other.id}`)).status).toBe(404);
  });

  test('that is widened has what was passed over; narrowed, it follows what is here', async () => {
    await using scene = await startScene({ types: ['work'] });
    const { origin, mirror, curator, here, place } = scene;
    const person = await create(origin, curator, { type: 'person', collection: place.id });
    const work = await create(origin, curator, { type: 'work', collection: place.id });
    await sync(mirror, here);
    expect(await set(scene, { types: [] })).toMatchObject({ types: [], content: 'tips' });
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    await set(scene, { types: ['person'] });
    await update(origin, curator, work, { properties: { n: 1 } });
    const late = await create(origin, curator, { type: 'work', collection: place.id });
    await update(origin, curator, person, { properties: { n: 1 } });
    await sync(mirror, here);
    const { [late.id]: _late, ...expected } = await tipsOf(origin);
    expect(await tipsOf(mirror)).toEqual(expected);
  });

  test('and by collection, set later', async () => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    const elsewhere = await collection(origin, curator, { label: 'Elsewhere' });
    await set(scene, { collections: [place.id] });
    await create(origin, curator, { collection: elsewhere.id });
    const inside = await create(origin, curator, { collection: place.id });
    await sync(mirror, here);
    expect(Object.keys(await tipsOf(mirror)).sort()).toEqual([place.id, inside.id].sort());
    await set(scene, { collections: [place.id, elsewhere.id] });
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    for (const body of [{ collections: ['x'] }, { types: [''] }, { content: 'all' }, { types: 'work' }])
      expect((await ask(mirror, here, 'PUT /node/remotes/origin', body)).status).toBe(400);
  });
});

describe('a mirror without content', () => {
  test('has the versions alone, says so, and fetches the bytes once they are wanted', async () => {
    await using scene = await startScene({ content: 'none' });
    const { origin, mirror, curator, here, place, proxy } = scene;
    const bytes = bytesOf(20_000);
    const entity = await holding(origin, curator, bytes, { collection: place.id });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 0, bytes: 0, missing: 0 } });
    expect(proxy.calls.some(({ path }) => path.includes('/content'))).toBe(false);
    const answer = await ask(mirror, here, `GET /entities/${entity.id}/content`);
    expect(answer).toMatchObject({ status: 404, body: lacking(expect.stringContaining('are not on this node')) });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    await set(scene, { content: 'tips' });
    expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, bytes: 20_000 } });
    await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
  });
});

test('a remote that was removed and added again brings what it did not before', async () => {
  await using scene = await startScene({ content: 'none' });
  const { origin, mirror, curator, here, place, proxy } = scene;
  const bytes = bytesOf(20_000);
  const entity = await holding(origin, curator, bytes, { collection: place.id });
  await sync(mirror, here);
  ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
  await addRemote(mirror, here, { url: proxy.url, key: keyOf(curator) });
  expect(await sync(mirror, here)).toMatchObject({ content: { files: 1, bytes: 20_000 } });
  await expectBytes(mirror, here, `/entities/${entity.id}/content`, bytes);
});

test.each([
  ['node', 'both'],
  ['plain remote', 'both'],
  ['node', 'pull'],
] as const)(
  'what a %s deleted in a chosen collection while it was not known here is deleted here, too (%s)',
  async (kind, direction) => {
    await using pair = await startCurated({ plain: kind !== 'node' });
    const { origin, mirror, curator, here, place, work } = pair;
    const { url } = await remoteOf(mirror, here);
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    await remove(origin, curator, work);
    await addRemote(mirror, here, { url, key: keyOf(curator), collections: [place.id], direction });
    await sync(mirror, here);
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, conflicts: 0 });
  },
);

test('a preview before the first mirror says how much would come, and what that does not say', async () => {
  await using scene = await startScene({ types: ['work', 'document'] });
  const { origin, mirror, curator, here, place } = scene;
  await create(origin, curator, { type: 'person', collection: place.id });
  for (let n = 0; n < 3; n++) await create(origin, curator, { type: 'work', collection: place.id });
  const bytes = bytesOf(12_000);
  await holding(origin, curator, bytes, { collection: place.id });
  await holding(origin, curator, bytes, { collection: place.id });
  const dry = async () => {
    const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    return (JSON.parse(answer.text) as { preview: { first: object | null } }).preview;
  };
  expect(await dry()).toMatchObject({
    first: {
      ...{ entities: 6, looked_at: 6, files: 1, file_bytes: 12_000, version_bytes: expect.any(Number) },
      unknown: [
        'What lies in no collection comes too, and is not counted.',
        'Earlier versions come too; their number and size are not known.',
      ],
    },
  });
  expect(Object.keys(await tipsOf(mirror))).toEqual([]);
  await set(scene, { content: 'none', collections: [place.id, nowhere] });
  expect(await dry()).toMatchObject({
    first: {
      files: 0,
      file_bytes: 0,
      unknown: expect.arrayContaining(['Collections that do not show what they hold: 1.']),
    },
  });
  await set(scene, { content: 'tips', collections: [] });
  expect(await sync(mirror, here)).toMatchObject({ entities: 6, content: { files: 1, bytes: 12_000 } });
  expect((await dry()).first).toBeNull();
});

test.each([
  ['blocks', false],
  ['the plain interface', true],
])(
  'R1: what another remote brought, and lies outside of what is wanted of this one, is not followed there, by %s',
  async (_name, plain) => {
    await using scene = await startScene();
    const { origin, mirror, curator, here, place } = scene;
    const outside = await collection(origin, curator, { label: 'Others' });
    const [inner, outer] = [
      await create(origin, curator, { collection: place.id }),
      await create(origin, curator, { collection: outside.id }),
    ];
    await using other = await startNode();
    const away = operator(other);
    await addRemote(other, away, { url: origin.url, key: keyOf(curator) });
    await sync(other, away);
    await sync(mirror, here);
    await using proxy = await startProxy(other.url, { plain, stranger: plain });
    const wanted = { name: 'other', url: proxy.url, key: keyOf(away), collections: [place.id] };
    await addRemote(mirror, here, wanted);
    await sync(mirror, here, 'other');
    expect(await remoteOf(mirror, here, 'other')).toMatchObject({ mirrored: 2, pending: 0 });
    // What is changed there comes of what is wanted, and what is changed here goes there of that alone.
    const [changed, left] = [
      await update(other, away, inner, { properties: { n: 1 } }),
      await update(other, away, outer, { properties: { n: 1 } }),
    ];
    await sync(mirror, here, 'other');
    const got = await tipsOf(mirror);
    expect(got[changed.id]).toBe(changed.cid);
    expect(got[left.id]).toBe(outer.cid);
    await update(mirror, here, outer, { properties: { n: 2 } });
    expect(await remoteOf(mirror, here, 'other')).toMatchObject({ pending: 0 });
  },
);
