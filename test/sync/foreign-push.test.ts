import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { expectBytes, holding } from './contents.ts';
import { chainOf, keyOf, lines, read, remoteOf, sync, tipsOf } from './nodes.ts';
import { type Proxied, startProxied } from './proxied.ts';

/** A mirror of a remote that is another program, with a collection of three works. */
async function startForeign({ stranger = true, direction = 'both' } = {}): Promise<Proxied> {
  const scene = await startProxied({
    works: 3,
    proxy: { plain: stranger, stranger },
    mirror: { wait: async () => undefined },
  });
  const { mirror, here, curator } = scene;
  await sync(mirror, here);
  if (direction !== 'both') await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(curator), direction });
  return scene;
}

/** The error with which a run ends. */
async function failure({ mirror, here }: Proxied): Promise<string> {
  const { text } = await ask(mirror, here, 'POST /node/remotes/origin/sync');
  return (lines(text).at(-1) as { error: string }).error;
}

const unauthorized = { status: 401, body: { error: 'Unauthorized: Missing or invalid authentication token' } };

test.each([
  ['a plain remote', true],
  ['a node', false],
])(
  'P7: a write that is answered 401 ends the run in the words of %s, and goes out with the next one',
  async (_name, stranger) => {
    await using scene = await startForeign({ stranger });
    const { origin, mirror, proxy, curator, here, works } = scene;
    for (const work of works) await update(mirror, here, work, { properties: { n: 'edited' } });
    proxy.fault = ({ method, path }) => (method === 'PUT' || path === '/node/sync/push' ? unauthorized : undefined);
    expect(await failure(scene)).toContain('Unauthorized: Missing or invalid authentication token');
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 3, refused: 0 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ updated: 3, refused: 0, conflicts: 0 });
    for (const { id } of works) expect((await read(origin, curator, id)).properties).toEqual({ n: 'edited' });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test.each([403, 404, 405, 410])('P4: a page with %s in place of an answer refuses nothing', async (status) => {
  await using scene = await startForeign();
  const { origin, mirror, proxy, curator, here, place, works } = scene;
  const [work, other] = works as [Entity, Entity];
  await update(mirror, here, work, { properties: { n: 'edited' } });
  const bytes = Buffer.from('what was photographed');
  const pictured = await holding(mirror, here, bytes, { collection: place.id });
  const page = { status, headers: { 'Content-Type': 'text/html' }, body: '<h1>No such host</h1>' };
  proxy.fault = ({ method, path }) => {
    const isEdit = method === 'PUT' && path === `/entities/${work.id}`;
    return isEdit || (method !== 'GET' && path.includes('/content')) ? page : undefined;
  };
  await update(mirror, here, other, { properties: { n: 'edited, too' } });
  expect(await failure(scene)).toContain(`answered ${status} and does not say why`);
  expect(await remoteOf(mirror, here)).toMatchObject({ refused: 0 });
  expect((await read(origin, curator, other.id)).properties).toEqual({ n: 'edited, too' });
  // In the remote's own words it is one.
  proxy.fault = ({ method }) => (method === 'PUT' ? { status, body: { error: 'Not by you' } } : undefined);
  await sync(mirror, here);
  await expectBytes(origin, curator, `/entities/${pictured.id}/content`, bytes);
  expect((await remoteOf(mirror, here)).refusals).toMatchObject([{ id: work.id, status, words: 'Not by you' }]);
});

test.each([
  ['asked for an address', (path: string) => path.endsWith('/upload-url')],
  ['sent bytes', (path: string) => !path.endsWith('/upload-url')],
])('a remote that answers 401 when it is %s refuses nothing', async (_how, isHit) => {
  await using scene = await startForeign();
  const { origin, mirror, proxy, curator, here, place } = scene;
  const bytes = Buffer.from('what was photographed');
  const pictured = await holding(mirror, here, bytes, { collection: place.id });
  proxy.fault = ({ method, path }) =>
    method !== 'GET' && path.includes('/content') && isHit(path) ? unauthorized : undefined;
  expect(await failure(scene)).toContain('Unauthorized');
  expect(await remoteOf(mirror, here)).toMatchObject({ refused: 0 });
  proxy.fault = () => undefined;
  await sync(mirror, here);
  await expectBytes(origin, curator, `/entities/${pictured.id}/content`, bytes);
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
});

test.each([408, 425])(
  'what is answered %d for a while is tried again, whether it is read or written',
  async (status) => {
    await using scene = await startForeign();
    const { origin, mirror, proxy, curator, here, works } = scene;
    const [ours, theirs] = works as [Entity, Entity];
    await update(mirror, here, ours, { properties: { n: 'ours' } });
    await update(origin, curator, theirs, { properties: { n: 'theirs' } });
    const met = new Set<string>();
    proxy.fault = ({ method, path }) => {
      const call = `${method} ${path}`;
      const isFirst = !met.has(call);
      met.add(call);
      return isFirst ? { status } : undefined;
    };
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, troubles: 0 });
    expect((await read(origin, curator, ours.id)).properties).toEqual({ n: 'ours' });
    expect((await read(mirror, here, theirs.id)).properties).toEqual({ n: 'theirs' });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test.each([403, 410])('P5: a tip that is answered %d fails that entity alone', async (status) => {
  await using scene = await startForeign();
  const { origin, mirror, proxy, curator, here, works } = scene;
  const [hidden, ...others] = works as [Entity, Entity, Entity];
  for (const work of works) await update(mirror, here, work, { properties: { n: 'edited' } });
  proxy.fault = ({ method, path }) => {
    if (path === `/entities/${hidden.id}/tip`) return { status, body: { error: 'Not for you' } };
    return method === 'PUT' && path.startsWith(`/entities/${hidden.id}`) ? 'lose' : undefined;
  };
  expect(await failure(scene)).toMatch(/Not for you \(while .+ was being sent\)\. Everything else was sent/);
  for (const { id } of others) expect((await read(origin, curator, id)).properties).toEqual({ n: 'edited' });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0 });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('P5: a page in place of a tip is no answer: nothing is taken for not being there', async () => {
  await using scene = await startForeign();
  const { origin, mirror, proxy, curator, here, works } = scene;
  const [hidden, ...others] = works as [Entity, Entity, Entity];
  for (const work of works) await update(mirror, here, work, { properties: { n: 'edited' } });
  proxy.fault = ({ method, path }) => {
    if (path === `/entities/${hidden.id}/tip`) return { status: 404, body: '<h1>Not Found</h1>' };
    return method === 'PUT' && path.startsWith(`/entities/${hidden.id}`) ? 'lose' : undefined;
  };
  expect(await failure(scene)).toMatch(/answered 404 and does not say why/);
  for (const { id } of others) expect((await read(origin, curator, id)).properties).toEqual({ n: 'edited' });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each([400, 422])(
  'a collection whose creation was not answered, and is shown late, is known by its %d',
  async (status) => {
    await using scene = await startForeign();
    const { origin, mirror, proxy, here } = scene;
    const place = await collection(mirror, here, { label: 'Made here' });
    const inUse = [{ path: ['id'], message: 'is in use' }];
    let [sent, asked] = [0, 0];
    proxy.fault = ({ method, path }) => {
      if (path === `/entities/${place.id}/tip`) return ++asked === 1 ? { status: 404 } : undefined;
      if (method !== 'POST' || path !== '/collections') return undefined;
      return ++sent === 1 ? 'lose' : { status, body: { error: 'Validation failed', details: { issues: inUse } } };
    };
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect(sent).toBe(2);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

/** The first work edited here, answered with a version that is not shown, under a tip that is still the one before. */
async function startUnshown(direction: string): Promise<Proxied & { work: Entity }> {
  const scene = await startForeign({ direction });
  const { origin, mirror, proxy, curator, here, works } = scene;
  const work = await read(origin, curator, works[0]?.id ?? '');
  await update(mirror, here, work, { properties: { n: 'edited' } });
  proxy.fault = ({ path }) => {
    if (path === `/entities/${work.id}/tip`) return { status: 200, body: { id: work.id, cid: work.cid } };
    return path.startsWith('/versions/manifest/') ? { status: 404 } : undefined;
  };
  return { ...scene, work };
}

const putsOf = ({ proxy }: Proxied) => proxy.calls.filter(({ method }) => method === 'PUT').length;

test.each(['both', 'push'])(
  'what was answered and is shown later is known by the next run, and sent once (%s)',
  async (direction) => {
    await using scene = await startUnshown(direction);
    const { origin, mirror, proxy, curator, here, work } = scene;
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, refused: 0 });
    proxy.fault = () => undefined;
    expect(await sync(mirror, here)).toMatchObject({ refused: 0, conflicts: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
    expect(putsOf(scene)).toBe(1);
    expect((await read(origin, curator, work.id)).properties).toEqual({ n: 'edited' });
    expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
  },
);

test('what was answered with a version that the next run does not find is refused, and sent again when it is edited', async () => {
  await using scene = await startUnshown('push');
  const { origin, mirror, proxy, curator, here, work } = scene;
  const { cid } = await read(mirror, here, work.id);
  proxy.fault = ({ method }) => (method === 'PUT' ? { status: 200, body: { id: work.id, cid } } : undefined);
  expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  expect(await remoteOf(mirror, here)).toMatchObject({ refusals: [{ id: work.id, status: 200 }] });
  expect(await sync(mirror, here)).toMatchObject({ refused: 0 });
  expect(putsOf(scene)).toBe(1);
  proxy.fault = () => undefined;
  await update(mirror, here, await read(mirror, here, work.id), { properties: { n: 'edited again' } });
  expect(await sync(mirror, here)).toMatchObject({ refused: 0, updated: 1 });
  expect((await read(origin, curator, work.id)).properties).toEqual({ n: 'edited again' });
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test.each(['both', 'push'])(
  'what a remote makes something else of stays as it was written here, and is refused by name (%s)',
  async (direction) => {
    await using scene = await startForeign({ direction });
    const { origin, mirror, curator, here, proxy, works } = scene;
    const [dropped, changed, fine] = works as [Entity, Entity, Entity];
    proxy.fault = ({ method, path }) => {
      if (method !== 'PUT') return undefined;
      const made = (properties: object) => (body: unknown) => ({ ...(body as object), properties });
      if (path.endsWith(dropped.id)) return { sends: made({ added: true }) };
      return path.endsWith(changed.id) ? { sends: made({ tags: ['a', 'b'] }) } : undefined;
    };
    const ours = [
      await update(mirror, here, await read(mirror, here, dropped.id), { properties: { note: 'kept' } }),
      await update(mirror, here, await read(mirror, here, changed.id), { properties: { tags: ['a'] } }),
    ];
    await update(mirror, here, await read(mirror, here, fine.id), { properties: { tags: ['a'] } });
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 2 });
    const { refusals } = await remoteOf(mirror, here);
    expect(refusals.map(({ words }) => words).sort()).toEqual([
      expect.stringContaining('made something else of "note"'),
      expect.stringContaining('made something else of "tags"'),
    ]);
    for (let n = 0; n < 2; n++) {
      for (const { id, cid, properties } of ours)
        expect(await read(mirror, here, id)).toMatchObject({ cid, properties });
      expect(await sync(mirror, here)).toMatchObject({ updated: 0, refused: 0, merged: 0, conflicts: 0 });
    }
    // Edited again it goes out, over what the remote made.
    proxy.fault = () => undefined;
    await update(mirror, here, await read(mirror, here, dropped.id), { properties: { more: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
    expect((await read(origin, curator, dropped.id)).properties).toMatchObject({ note: 'kept', more: 1, n: 0 });
    expect(await remoteOf(mirror, here)).toMatchObject({ refused: 1, pending: 1 });
  },
);

/** A body without what it says of relationships; of a creation the collection stays. */
function unrelated(body: unknown): object {
  const { relationships, relationships_add: _add, relationships_remove: _remove, ...others } = body as Entity & Changes;
  const kept = relationships?.filter(({ predicate }) => predicate === 'collection');
  return { ...others, properties: { ...others.properties, seen: true }, ...(kept && { relationships: kept }) };
}

interface Changes {
  relationships_add: object[];
  relationships_remove: object[];
}

test.each(['both', 'push'])(
  'P8: a relationship that a remote leaves out, or keeps though it was removed, stays as it is here and is refused by name (%s)',
  async (direction) => {
    await using scene = await startForeign({ direction });
    const { origin, mirror, curator, here, proxy, place, works } = scene;
    const [edited, cut, fine] = works as [Entity, Entity, Entity];
    const cites = { predicate: 'cites', peer: fine.id, properties: { page: 3 } };
    await update(mirror, here, cut, { relationships_add: [cites] });
    expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0 });
    proxy.fault = ({ method, path }) => {
      // What a remote adds is its own.
      const related = { predicate: 'near', peer: edited.id, peer_label: 'Theirs', properties: { since: 1900 } };
      if (method === 'PUT' && path.includes(fine.id))
        return { sends: (body) => ({ ...(body as object), relationships_add: [cites, related] }) };
      const isHit = path.startsWith('/entities') && (method === 'PUT' || method === 'POST') && !path.includes('batch');
      return isHit ? { sends: unrelated } : undefined;
    };
    const ours = [
      await update(mirror, here, await read(mirror, here, edited.id), { relationships_add: [cites] }),
      await update(mirror, here, await read(mirror, here, cut.id), { relationships_remove: [{ predicate: 'cites' }] }),
      await create(mirror, here, { collection: place.id, relationships: [cites] }),
    ];
    await update(mirror, here, await read(mirror, here, fine.id), { relationships_add: [cites] });
    expect(await sync(mirror, here)).toMatchObject({ created: 0, updated: 1, refused: 3 });
    const { refusals } = await remoteOf(mirror, here);
    for (const { words } of refusals) expect(words).toContain('made something else of "relationships.cites";');
    for (let n = 0; n < 2; n++) {
      for (const { id, cid, relationships } of ours)
        expect(await read(mirror, here, id)).toMatchObject({ cid, relationships });
      expect(await sync(mirror, here)).toMatchObject({ updated: 0, refused: 0, merged: 0, conflicts: 0 });
    }
    // Edited again they go out, over what the remote made.
    proxy.fault = () => undefined;
    for (const { id } of ours) await update(mirror, here, await read(mirror, here, id), { properties: { more: 1 } });
    expect(await sync(mirror, here)).toMatchObject({ updated: 3, refused: 0, conflicts: 0 });
    for (const { id } of ours) {
      const said = (await read(origin, curator, id)).relationships.map(({ predicate }) => predicate).toSorted();
      expect(said).toEqual(id === cut.id ? ['collection'] : ['cites', 'collection']);
    }
  },
);

const lies = (peer: string) => ({ predicate: 'collection', peer });
const placesOf = ({ relationships }: Entity) =>
  relationships.filter(({ predicate }) => predicate === 'collection').map(({ peer }) => peer);

test('P2: the collection that stands first here, and decides, stands first there', async () => {
  await using scene = await startForeign();
  const { origin, mirror, curator, here, place, works } = scene;
  const closed = await collection(origin, curator, { label: 'Closed' });
  await sync(mirror, here);
  const [work, other] = works as [Entity, Entity];
  const moved = await update(mirror, here, work, {
    relationships_remove: [lies(place.id)],
    relationships_add: [lies(closed.id)],
  });
  await update(mirror, here, moved, { relationships_add: [lies(place.id)] });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
  expect(placesOf(await read(origin, curator, work.id))).toEqual([closed.id, place.id]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));

  // Where nothing else differs, too.
  const both = await update(mirror, here, other, { relationships_add: [lies(closed.id)] });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1 });
  const without = await update(mirror, here, await read(mirror, here, both.id), {
    relationships_remove: [lies(place.id)],
  });
  await update(mirror, here, without, { relationships_add: [lies(place.id)] });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
  expect(placesOf(await read(origin, curator, other.id))).toEqual([closed.id, place.id]);
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});

test('P1: a collection is changed with the check of what it points at, whoever its members are', async () => {
  await using scene = await startForeign();
  const { mirror, proxy, here, place } = scene;
  await enrol(mirror, here, place.id, here, 'viewer');
  const { cid } = await read(mirror, here, place.id);
  ok(await ask(mirror, here, `PUT /collections/${place.id}`, { expect_tip: cid, label: 'Ours' }));
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
  const changes = proxy.calls.filter(({ method }) => method === 'PUT');
  expect(changes.map(({ path }) => path)).toEqual([`/collections/${place.id}`]);
});

test('P2: what lies in a collection there lies in one all the time', async () => {
  await using scene = await startForeign();
  const { origin, mirror, curator, here, place, works } = scene;
  const closed = await collection(origin, curator, { label: 'Closed' });
  await sync(mirror, here);
  const [work] = works as [Entity];
  const named = await update(mirror, here, work, { relationships_add: [{ ...lies(closed.id), peer_label: 'Closed' }] });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1 });
  const all = { relationships_remove: [lies(place.id), lies(closed.id)] };
  const none = await update(mirror, here, await read(mirror, here, named.id), all);
  await update(mirror, here, none, { relationships_add: [lies(closed.id), lies(place.id)] });
  expect(await sync(mirror, here)).toMatchObject({ updated: 1, refused: 0, conflicts: 0 });
  expect(placesOf(await read(origin, curator, work.id))).toEqual([closed.id, place.id]);
  for (const [, cid] of await chainOf(origin, work.id)) {
    const { manifest } = ok<{ manifest: Entity }>(await ask(origin, curator, `GET /versions/manifest/${cid}`));
    expect(placesOf(manifest)).not.toEqual([]);
  }
});

test('P8: where a remote puts another collection first, the one that stands first here goes on deciding here', async () => {
  await using scene = await startForeign();
  const { origin, mirror, curator, here, proxy, place } = scene;
  const closed = await collection(origin, curator, { label: 'Closed' });
  await sync(mirror, here);
  proxy.fault = ({ method, path }) =>
    method === 'POST' && path.startsWith('/entities') && !path.includes('batch') ? { sends: turned } : undefined;
  const ours = await create(mirror, here, { relationships: [lies(closed.id), lies(place.id)] });
  expect(await sync(mirror, here)).toMatchObject({ created: 0, refused: 1 });
  expect(placesOf(await read(origin, curator, ours.id))).toEqual([place.id, closed.id]);
  const [refusal] = (await remoteOf(mirror, here)).refusals;
  expect(refusal?.words).toContain('made something else of "relationships.collection";');
  expect(await sync(mirror, here)).toMatchObject({ updated: 0, refused: 0, merged: 0, conflicts: 0 });
  expect(await read(mirror, here, ours.id)).toEqual(ours);
});

const turned = (body: unknown) => {
  const { relationships, ...others } = body as { relationships: unknown[] };
  return { ...others, relationships: relationships.toReversed() };
};

test.each([
  ['a plain remote', true],
  ['a node', false],
])('P5: what is there already, and not shown to the key, is named by each run: %s', async (_name, stranger) => {
  await using scene = await startForeign({ stranger, direction: 'push' });
  const { origin, mirror, proxy, curator, here } = scene;
  const secret = await create(origin, operator(origin), { properties: { n: 'theirs' } });
  proxy.fault = ({ path }) =>
    path === `/versions/manifest/${secret.cid}` ? { status: 403, body: { error: 'Not for you' } } : undefined;
  await create(mirror, here, { id: secret.id, properties: { n: 'ours' } });
  const other = await create(mirror, here, { properties: { n: 'another' } });
  for (let run = 0; run < 2; run++) {
    const words = await failure(scene);
    expect(words).toContain('by a version that cannot be taken over');
    expect(words).toContain('Not for you');
    expect(words).toContain(secret.id);
    expect(await remoteOf(mirror, here)).toMatchObject({ pending: 1, last_run: { report: { troubles: 0 } } });
  }
  expect((await read(origin, curator, other.id)).properties).toEqual({ n: 'another' });
  proxy.fault = () => undefined;
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 1 });
  expect((await read(origin, curator, secret.id)).cid).toBe(secret.cid);
});

test('what a request may have made, and is not shown, is news once', async () => {
  await using scene = await startForeign({ direction: 'push' });
  const { mirror, proxy, here, works } = scene;
  const [work] = works as [Entity];
  await update(mirror, here, work, { properties: { n: 'edited' } });
  const hidden = { status: 403, body: { error: 'Not for you' } };
  proxy.fault = ({ method, path }) => {
    if (method === 'PUT') return 'lose';
    return path.startsWith('/versions/manifest/') ? hidden : undefined;
  };
  await failure(scene);
  expect(await remoteOf(mirror, here)).toMatchObject({
    troubles: { forbidden: 1 },
    last_run: { report: { troubles: 1 } },
  });
  expect(await sync(mirror, here)).toMatchObject({ troubles: 0 });
  expect(await remoteOf(mirror, here)).toMatchObject({ troubles: { forbidden: 1 } });
});

test('P2: what was edited and deleted before it went to a plain remote says what it said when it is restored', async () => {
  await using scene = await startForeign();
  const { origin, mirror, proxy, curator, here, works } = scene;
  const [edited, refused] = works as [Entity, Entity];
  const near = [{ predicate: 'near', peer: refused.id }];
  await remove(mirror, here, await update(mirror, here, edited, { properties: { n: 'new' }, relationships_add: near }));
  // It is deleted there all the same where that is not taken.
  await remove(mirror, here, await update(mirror, here, refused, { properties: { n: 'new' } }));
  proxy.fault = ({ method, path }) =>
    method === 'PUT' && path.startsWith(`/entities/${refused.id}`) ? { status: 400, body: { error: 'no' } } : undefined;
  expect(await sync(mirror, here)).toMatchObject({ updated: 0, deleted: 2, refused: 0 });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });
  const tip = ok<{ cid: string }>(await ask(mirror, here, `GET /entities/${edited.id}/tip`));
  ok(await ask(mirror, here, `POST /entities/${edited.id}/restore`, { expect_tip: tip.cid }));
  expect(await sync(mirror, here)).toMatchObject({ restored: 1, refused: 0 });
  for (const at of [await read(mirror, here, edited.id), await read(origin, curator, edited.id)]) {
    expect(at.properties.n).toBe('new');
    expect(at.relationships.map((r) => r.predicate).sort()).toEqual(['collection', 'near']);
  }
  expect(await tipsOf(mirror)).toEqual(await tipsOf(origin));
});
