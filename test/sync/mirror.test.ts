import { describe, expect, test } from 'vitest';
import { ask, on, operator, user } from '../helpers/callers.ts';
import { collection, create, type Deleted, ok, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';
import { addRemote, chainOf, failedSync, keyOf, lines, read, remoteOf, startPair, sync, tipsOf } from './nodes.ts';

describe.each([
  ['main', 'blocks', false],
  ['test', 'blocks', false],
  ['main', 'the public interface', true],
] as const)('a mirror on %s by %s', (network, _by, plain) => {
  test('S1, S2: has every tip and every chain of its origin, deleted and noted ones too, byte for byte', async () => {
    await using pair = await startPair({ network, keyed: false, plain });
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'Works' });
    const work = await create(origin, curator, {
      collection: place.id,
      properties: { label: 'One', n: 1.5 },
      note: 'first',
    });
    let edited = await update(origin, curator, work, { properties: { label: 'Two' } });
    edited = await update(origin, curator, edited, {
      relationships_add: [{ predicate: 'near', peer: place.id }],
      note: 'why',
    });
    const gone = await create(origin, curator, { collection: place.id });
    ok<Deleted>(await ask(origin, curator, `DELETE /entities/${gone.id}`, { expect_tip: gone.cid, reason: 'twice' }));
    await create(origin, curator, { properties: { label: 'alone' } });

    const report = await sync(mirror, here);
    expect(report).toMatchObject({ conflicts: 0, troubles: 0, stopped: null });
    expect(await tipsOf(mirror, network)).toEqual(await tipsOf(origin, network));
    for (const id of Object.keys(await tipsOf(origin, network)))
      expect(await chainOf(mirror, id, network)).toEqual(await chainOf(origin, id, network));
    const [there, copy] = await Promise.all([
      ask(origin, curator, `GET /entities/${work.id}`),
      ask(mirror, here, `GET /entities/${work.id}`),
    ]);
    expect(copy.text).toBe(there.text);
    expect((await chainOf(mirror, work.id, network)).map(([ver]) => ver)).toEqual([3, 2, 1]);

    expect(await sync(mirror, here)).toMatchObject({ events: 0, entities: 0, versions: 0 });
    await update(origin, curator, edited, { properties: { label: 'Three' } });
    expect(await sync(mirror, here)).toMatchObject({ events: 1, entities: 1, versions: 1 });
    expect(await tipsOf(mirror, network)).toEqual(await tipsOf(origin, network));
  });
});

test.each([
  ['blocks', false],
  ['the public interface', true],
])('F1: takes over all that came between two runs, over many pages, by %s', async (_by, plain) => {
  await using pair = await startPair({ keyed: false, plain });
  const { origin, mirror, curator, here } = pair;
  await sync(mirror, here);
  for (let i = 0; i < 12; i++) {
    const entities = Array.from({ length: 100 }, (_, n) => ({ type: 'document', properties: { label: `${i} ${n}` } }));
    ok(await ask(origin, curator, 'POST /entities/batch', { entities }));
  }
  const report = await sync(mirror, here);
  expect(report).toMatchObject({ events: 1200, entities: 1200, versions: 1200, troubles: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  expect((await remoteOf(mirror, here)).seen).toHaveLength(1);
});

// By the public interface: long-chains.test.ts.
test('takes over a chain that is longer than one commit may be, by blocks', async () => {
  await using pair = await startPair({ keyed: false });
  const { origin, mirror, curator, here } = pair;
  let entity = await create(origin, curator, { properties: { n: 0 } });
  for (let n = 1; n <= 1100; n++) entity = await update(origin, curator, entity, { properties: { n } });
  await sync(mirror, here);
  const chain = await chainOf(mirror, entity.id);
  expect(chain).toHaveLength(1101);
  expect(chain).toEqual(await chainOf(origin, entity.id));
});

test.each([
  ['blocks', false],
  ['the public interface', true],
])('with a filter takes over the collections, what lies in them and what leaves them, by %s', async (_by, plain) => {
  let wanted = '';
  await using pair = await startPair({
    keyed: false,
    plain,
    prepare: async (origin, curator) => {
      wanted = (await collection(origin, curator, { label: 'wanted' })).id;
      return { collections: [wanted] };
    },
  });
  const { origin, mirror, curator, here } = pair;
  const other = await collection(origin, curator, { label: 'other' });
  const inside = await create(origin, curator, { collection: wanted });
  const outside = await create(origin, curator, { collection: other.id });
  const left = await create(origin, curator, { collection: wanted });
  const moved = await update(origin, curator, left, {
    relationships_remove: [{ predicate: 'collection', peer: wanted }],
    relationships_add: [{ predicate: 'collection', peer: other.id }],
  });
  await sync(mirror, here);
  expect(Object.keys(await tipsOf(mirror)).toSorted()).toEqual([wanted, inside.id].toSorted());

  const entered = await update(origin, curator, outside, {
    relationships_add: [{ predicate: 'collection', peer: wanted }],
  });
  const gone = await update(origin, curator, inside, {
    relationships_remove: [{ predicate: 'collection', peer: wanted }],
  });
  await sync(mirror, here);
  expect(await tipsOf(mirror)).toMatchObject({ [outside.id]: entered.cid, [inside.id]: gone.cid });
  expect(Object.keys(await tipsOf(mirror))).not.toContain(moved.id);
});

describe('writing into a mirror', () => {
  test('is refused to others, and to all where nothing is pushed, with the way out', async () => {
    await using pair = await startPair({ keyed: false });
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { roles: { public: ['*:view', '*:create', '*:update'] } });
    const work = await create(origin, curator, { collection: place.id });
    await sync(mirror, here);
    const visitor = await user(mirror, 'visitor');
    const body = { expect_tip: work.cid, properties: { n: 1 } };
    const byVisitor = await ask(mirror, visitor, `PUT /entities/${work.id}`, body);
    expect(byVisitor).toMatchObject({ status: 403, body: { error: expect.stringContaining('only the operator') } });
    const byOperator = await ask(mirror, here, `PUT /entities/${work.id}`, body);
    expect(byOperator).toMatchObject({ status: 403, body: { error: expect.stringContaining('--key') } });
    expect((await ask(mirror, visitor, 'POST /entities', { type: 'document', collection: place.id })).status).toBe(403);
    expect((await ask(mirror, here, `GET /entities/${work.id}`)).status).toBe(200);

    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    expect((await ask(mirror, visitor, `PUT /entities/${work.id}`, body)).status).toBe(200);
  });

  test("is the operator's under the roles of the remote's user, whose name it carries", async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, there, here } = pair;
    const mine = await collection(origin, curator, { label: 'mine' });
    const work = await create(origin, curator, { collection: mine.id });
    const stranger = await user(origin, 'stranger');
    const closed = await collection(origin, stranger, { label: 'closed' });
    const theirs = await create(origin, stranger, { collection: closed.id });
    await sync(mirror, here);
    expect((await remoteOf(mirror, here)).user).toBe(curator.id);
    const edited = await update(mirror, here, work, { properties: { label: 'edited' } });
    expect(edited.edited_by).toEqual({ user_id: curator.id, method: 'manual' });
    const made = await create(mirror, here, { collection: mine.id });
    expect(made.edited_by.user_id).toBe(curator.id);
    const refused = await ask(mirror, here, `PUT /entities/${theirs.id}`, {
      expect_tip: theirs.cid,
      properties: { n: 1 },
    });
    expect(refused.status).toBe(403);
    const own = await create(mirror, here);
    expect(own.edited_by.user_id).toBe(here.id);
    expect(here.id).not.toBe(there.id);
  });
});

describe('remotes', () => {
  test("are the operator's, keep their key to themselves, and are asked before they are kept", async () => {
    await using origin = await startNode();
    await using mirror = await startNode();
    const here = operator(mirror);
    const visitor = await user(mirror, 'visitor');
    for (const line of [
      'GET /node/remotes',
      'GET /node/conflicts',
      'POST /node/remotes/origin/sync',
      'DELETE /node/remotes/origin',
    ])
      expect((await ask(mirror, visitor, line)).status, line).toBe(403);
    const curator = await user(origin, 'curator');
    const key = curator.headers.Authorization?.slice(7);
    const refusals: [object, number, RegExp][] = [
      [{ url: 'ftp://example.org' }, 400, /http/],
      [{ url: 'http://me:secret@example.org' }, 400, /key is given apart/],
      [{ url: `${origin.url}/?a=b` }, 400, /without/],
      [{ url: mirror.url }, 400, /itself/],
      [{ url: origin.url, key: `uk_${'0'.repeat(32)}` }, 400, /does not accept/],
      [{ url: origin.url, direction: 'push' }, 400, /needed/],
      [{ url: origin.url, collections: ['II3NDEKTSV4RRFFQ69G5FAVXYZ'] }, 400, /main network/],
      [{ url: origin.url, name: 'no/name' }, 400, /name/],
      [{ url: origin.url, name: 'car' }, 400, /conflicts that archives brought/],
    ];
    for (const [body, status, words] of refusals) {
      const answer = await ask(mirror, here, 'POST /node/remotes', { name: 'origin', ...body });
      expect(answer.status, answer.text).toBe(status);
      expect(answer.text).toMatch(words);
    }
    const twice = await Promise.all(
      ['', '/'].map((end) => ask(mirror, here, 'POST /node/remotes', { name: 'twice', url: `${origin.url}${end}` })),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await ask(mirror, here, 'DELETE /node/remotes/twice')).status).toBe(204);
    const added = await addRemote(mirror, here, { url: `${origin.url}/`, key });
    expect(added).toMatchObject({ user: curator.id, mirrored: 0, pending: 0 });
    expect(JSON.stringify(added) + (await ask(mirror, here, 'GET /node/remotes')).text).not.toContain(key);
    expect((await ask(mirror, here, 'POST /node/remotes', { name: 'origin', url: origin.url })).status).toBe(409);
    expect(mirror.ctx.identity.accountById(here.id)?.ids.main).toEqual([here.id, curator.id]);
    expect((await ask(mirror, on('test', here), 'GET /node/remotes')).body).toEqual({ remotes: [] });
    expect((await ask(mirror, here, 'DELETE /node/remotes/origin')).status).toBe(204);
    expect(mirror.ctx.identity.accountById(here.id)?.ids.main).toEqual([here.id]);
    expect((await failedSync(mirror, here)).status).toBe(404);
  });

  test('a dry run says what would be done and does nothing', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'there' });
    await sync(mirror, here);
    await create(origin, curator, { collection: place.id });
    const far = await user(mirror, 'somebody here');
    const made = await create(mirror, here, {
      ...{ collection: place.id, properties: { label: 'new' } },
      relationships: [{ predicate: 'by', peer: far.id }],
    });
    const other = await create(mirror, here, {
      ...{ collection: place.id, properties: { label: 'too' } },
      relationships: [{ predicate: 'beside', peer: made.id }],
    });
    const before = await tipsOf(mirror);
    const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    expect(lines(answer.text)).toEqual([
      {
        preview: {
          reset: null,
          events: 1,
          entities: 1,
          deletions: [],
          looked_at_all: true,
          compares_all: false,
          first: null,
          push: [
            { id: made.id, type: 'document', label: 'new', intent: 'create', lacks: [far.id] },
            { id: other.id, type: 'document', label: 'too', intent: 'create', lacks: [] },
          ],
        },
      },
    ]);
    expect(await tipsOf(mirror)).toEqual(before);
    expect((await ask(origin, curator, `GET /entities/${made.id}`)).status).toBe(404);
  });

  test('a dry run with a remote that was added again says what is to be done of what its feed names', async () => {
    await using pair = await startPair();
    const { origin, mirror, curator, here } = pair;
    const place = await collection(origin, curator, { label: 'there' });
    const kept = await create(origin, curator, { collection: place.id });
    const edited = await create(origin, curator, { collection: place.id });
    await sync(mirror, here);
    ok(await ask(mirror, here, 'DELETE /node/remotes/origin'));
    const body = { collection: place.id, relationships: [{ predicate: 'beside', peer: kept.id }] };
    await addRemote(mirror, here, { url: origin.url, key: keyOf(curator) });
    await update(mirror, here, edited, { properties: { label: 'edited' } });
    const made = await create(mirror, here, { ...body, properties: { label: 'new' } });
    const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
    const [{ preview }] = lines(answer.text) as [{ preview: { push: object[] } }];
    expect(preview.push).toEqual([
      { id: edited.id, type: 'document', label: 'edited', intent: 'update', lacks: [] },
      { id: made.id, type: 'document', label: 'new', intent: 'create', lacks: [] },
    ]);
    expect(await sync(mirror, here)).toMatchObject({ created: 1, updated: 1, merged: 0 });
  });

  test.each(['a conflict', 'merged'])(
    'a dry run says of what was changed there, too, that it is looked at: %s',
    async (how) => {
      await using pair = await startPair();
      const { origin, mirror, curator, here } = pair;
      const place = await collection(origin, curator, { label: 'there' });
      const work = await create(origin, curator, { collection: place.id, properties: { label: 'One' } });
      const other = await create(origin, curator, { collection: place.id, properties: { label: 'Other' } });
      await sync(mirror, here);
      await update(mirror, here, work, { properties: { label: 'Ours' } });
      await update(mirror, here, other, { properties: { label: 'Edited' } });
      await update(origin, curator, work, { properties: how === 'merged' ? { size: 1 } : { label: 'Theirs' } });
      const answer = await ask(mirror, here, 'POST /node/remotes/origin/sync?dry_run=true');
      const [{ preview }] = lines(answer.text) as [{ preview: { push: { id: string; intent: string }[] } }];
      const intents = Object.fromEntries(preview.push.map(({ id, intent }) => [id, intent]));
      expect(intents).toEqual({ [work.id]: 'ask', [other.id]: 'update' });
      const found = how === 'merged' ? { merged: 1, updated: 2 } : { conflicts: 1, updated: 1 };
      expect(await sync(mirror, here)).toMatchObject(found);
    },
  );

  test('a node that is another one than before is not synced with', async () => {
    await using pair = await startPair({ keyed: false });
    const { origin, mirror, curator, here } = pair;
    const work = await create(origin, curator, { properties: { label: 'kept' } });
    await sync(mirror, here);
    const { port } = new URL(origin.url);
    await origin[Symbol.asyncDispose]();
    await using other = await startNode({ env: { ARCHEION_PORT: port } });
    await create(other, operator(other), {});
    expect(await sync(mirror, here)).toMatchObject({ events: 0, stopped: expect.stringContaining('another node') });
    expect((await read(mirror, here, work.id)).cid).toBe(work.cid);
  });
});
