import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { operator } from '../helpers/callers.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import {
  create,
  done,
  exported,
  imported,
  lastLine,
  operate,
  remove,
  tipsOf,
  update,
  verified,
} from '../helpers/node-archives.ts';
import { listOf, withArchive } from '../helpers/sample-archive.ts';

/** A node with edited, deleted, related and listed entities. */
async function curated(node: TestNode) {
  const collection = await done(node, 'POST /collections', { label: 'People' });
  const folder = await create(node, 'folder', { collection: collection.id });
  const ada = await create(node, 'Ada', { collection: collection.id });
  const edited = await update(node, ada, { born: 1815 });
  const again = await update(node, edited, { text: 'long '.repeat(2000) });
  const gone = await create(node, 'Gone', { collection: collection.id });
  await remove(node, gone);
  const outside = await create(node, 'Outside');
  return { collection: collection.id, folder, ada: again, gone, outside };
}

test('a node that imports an export has the same tips, and its export the same root', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { collection } = await curated(first);
  const { car, entities } = await exported(first);
  const tips = await tipsOf(first);

  const report = await imported(second, car);
  expect(report).toMatchObject({ entities, created: entities, advanced: 0, forks: 0 });
  expect(await tipsOf(second)).toEqual(tips);
  const scope = `?collection=${collection}`;
  expect(await rootOf((await exported(second, scope)).car)).toBe(await rootOf((await exported(first, scope)).car));
  expect(await imported(second, car)).toMatchObject({ versions: 0, created: 0, advanced: 0, unchanged: entities });
  expect(await verified(second)).toMatchObject({ ok: true, problems: [] });
});

test('an export of a collection has what is in it and what was, and nothing else', async () => {
  await using node = await startNode();
  const { collection, folder, ada, gone, outside } = await curated(node);
  const { car } = await exported(node, `?collection=${collection}`);
  const ids = await withArchive(car, async (archive) => (await listOf(archive.entries())).map(({ id }) => id));
  expect(ids).toEqual([collection, folder.id, ada.id, gone.id].sort());
  expect(ids).not.toContain(outside.id);
});

test('lines have one version each, with the tombstones', async () => {
  await using node = await startNode();
  const { collection, ada, gone } = await curated(node);
  const { car } = await exported(node, `?collection=${collection}&format=ndjson`);
  const lines = Buffer.from(car)
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; ver: number; cid: string; deleted?: true });
  expect(lines.filter(({ id }) => id === ada.id).map(({ ver }) => ver)).toEqual([1, 2, 3]);
  expect(lines.filter(({ id }) => id === gone.id).map(({ deleted }) => deleted ?? false)).toEqual([false, true]);
  expect(lines.find(({ cid }) => cid === ada.cid)).toMatchObject(await done(node, `GET /entities/${ada.id}`));
});

test.each(['archive', 'checkpoint'])('an export since an earlier %s brings only what changed', async (kind) => {
  await using first = await startNode();
  await using second = await startNode();
  const { collection, ada } = await curated(first);
  const scope = `?collection=${collection}`;
  const base = await exported(first, scope);
  await imported(second, base.car);
  const next = await update(first, ada, { died: 1852 });
  const fresh = await create(first, 'Fresh', { collection });
  const step =
    kind === 'archive'
      ? await exported(first, scope, base.car)
      : await exported(first, `${scope}&since=${base.checkpoint}`);
  expect(step.car.length).toBeLessThan(base.car.length);
  expect(await imported(second, step.car)).toMatchObject({ versions: 2, created: 1, advanced: 1, forks: 0 });
  expect((await done(second, `GET /entities/${ada.id}`)).cid).toBe(next.cid);
  expect((await done(second, `GET /entities/${fresh.id}`)).cid).toBe(fresh.cid);
  expect(await rootOf((await exported(second, scope)).car)).toBe(await rootOf((await exported(first, scope)).car));
});

test.each(['archive', 'checkpoint'])(
  'the deletion of what lay in two collections comes with an export of either since an earlier %s',
  async (kind) => {
    await using first = await startNode();
    await using second = await startNode();
    const { collection } = await curated(first);
    const other = await done(first, 'POST /collections', { label: 'Painters' });
    const both = await create(first, 'In both', {
      relationships: [other.id, collection].map((peer) => ({ predicate: 'collection', peer })),
    });
    const scope = `?collection=${collection}`;
    const base = await exported(first, scope);
    await imported(second, base.car);
    const { cid } = await remove(first, both);
    const since = () => exported(first, `${scope}&since=${base.checkpoint}`);
    await imported(second, (kind === 'archive' ? await exported(first, scope, base.car) : await since()).car);
    expect((await done(second, `GET /entities/${both.id}/tip`)).cid).toBe(cid);
    const later = await exported(first, scope);
    const ids = await withArchive(later.car, async (archive) => (await listOf(archive.entries())).map(({ id }) => id));
    expect(ids).toContain(both.id);
    // It is in that one, so that nothing of it comes again.
    const { car } = await exported(first, `${scope}&since=${later.checkpoint}`);
    expect(await imported(second, car)).toMatchObject({ versions: 0, created: 0, advanced: 0 });
    expect(car.length).toBeLessThan(later.car.length / 2);
  },
);

test('what has left a collection is in no later archive of that, and moves on by one of its own', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { collection, ada } = await curated(first);
  const scope = `?collection=${collection}`;
  const base = await exported(first, scope);
  await imported(second, base.car);
  const other = await done(first, 'POST /collections', { label: 'Painters' });
  const moved = await done(first, `PUT /entities/${ada.id}`, {
    expect_tip: ada.cid,
    relationships_remove: [{ predicate: 'collection' }],
    relationships_add: [{ predicate: 'collection', peer: other.id }],
  });
  const tip = async () => (await done(second, `GET /entities/${ada.id}/tip`)).cid;
  for (const { car } of [await exported(first, `${scope}&since=${base.checkpoint}`), await exported(first, scope)]) {
    await imported(second, car);
    expect(await tip()).toBe(ada.cid);
  }
  await imported(second, (await exported(first, `?entity=${ada.id}`)).car);
  expect(await tip()).toBe(moved.cid);
});

test('a fork leaves the tip here, keeps the other, and is listed; a later descendant settles it', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { ada } = await curated(first);
  const scope = `?entity=${ada.id}`;
  await imported(second, (await exported(first, scope)).car);
  const theirs = await update(first, ada, { died: 1852 });
  const ours = await update(second, ada, { died: 1853 });
  const forked = (await exported(first, scope)).car;
  const report = await imported(second, forked);
  expect(report).toMatchObject({ versions: 1, forks: 1, unchanged: 0 });
  expect(report.fork_examples).toEqual([{ id: ada.id, ours: ours.cid, theirs: theirs.cid }]);
  expect((await done(second, `GET /entities/${ada.id}`)).cid).toBe(ours.cid);
  expect(await done(second, 'GET /node/conflicts')).toMatchObject({
    conflicts: [{ remote: 'car', id: ada.id, ours: ours.cid, theirs: theirs.cid }],
  });
  expect((await operate(second, `GET /versions/manifest/${theirs.cid}`)).status).toBe(200);
  expect(await imported(second, forked)).toMatchObject({ versions: 0, forks: 1 });
  expect(await verified(second)).toMatchObject({ ok: true });

  // The other side takes ours and goes on from it: now it descends from both.
  await imported(second, (await exported(second, scope)).car);
  const ahead = (await exported(second, scope)).car;
  expect(await imported(first, ahead)).toMatchObject({ forks: 1 });
});

test.each(['ours', 'theirs'] as const)('a fork that an archive brought is decided: %s', async (resolution) => {
  await using first = await startNode();
  await using second = await startNode();
  const { ada } = await curated(first);
  const scope = `?entity=${ada.id}`;
  await imported(second, (await exported(first, scope)).car);
  await update(first, ada, { died: 1852, first: 1 });
  const ours = await update(second, ada, { died: 1853, second: 1 });
  await imported(second, (await exported(first, scope)).car);
  expect(await done(second, `GET /node/conflicts/${ada.id}`)).toMatchObject({
    base: ada.cid,
    clashes: [{ path: ['properties', 'died'], ours: 1853, theirs: 1852 }],
  });

  const decided = await done(second, `POST /node/conflicts/${ada.id}/resolve`, { resolution });
  expect(await done(second, `GET /entities/${ada.id}`)).toMatchObject({
    cid: decided.cid,
    ver: ours.ver + 1,
    prev_cid: ours.cid,
    properties: { died: resolution === 'ours' ? 1853 : 1852, first: 1, second: 1 },
  });
  expect(await done(second, 'GET /node/conflicts')).toEqual({ conflicts: [], total: 0 });
  expect(await verified(second)).toMatchObject({ ok: true });
});

test('a fork that an archive brought stays listed whatever other archive comes, until one has what follows it', async () => {
  await using first = await startNode();
  await using second = await startNode();
  await using third = await startNode();
  const { ada } = await curated(first);
  const scope = `?entity=${ada.id}`;
  const older = (await exported(first, scope)).car;
  for (const node of [second, third]) await imported(node, older);
  const theirs = await update(first, ada, { died: 1852 });
  const other = await update(third, ada, { died: 1851 });
  const ours = await update(second, ada, { died: 1853 });
  const forks = async () =>
    (await done<{ conflicts: { theirs: string }[] }>(second, 'GET /node/conflicts')).conflicts.map((it) => it.theirs);
  await imported(second, (await exported(first, scope)).car);

  expect(await imported(second, older)).toMatchObject({ unchanged: 1, forks: 0 });
  expect(await forks()).toEqual([theirs.cid]);
  const another = (await exported(third, scope)).car;
  const report = await imported(second, another);
  expect(report).toMatchObject({ forks: 1, fork_examples: [{ id: ada.id, ours: ours.cid, theirs: other.cid }] });
  expect(report.remarks).toContainEqual(expect.stringContaining('import this archive again'));
  expect(await forks()).toEqual([theirs.cid]);
  const next = await update(first, theirs, { text: '' });
  await imported(second, (await exported(first, scope)).car);
  expect(await forks()).toEqual([next.cid]);

  await done(second, `POST /node/conflicts/${ada.id}/resolve`, { resolution: 'ours' });
  expect((await imported(second, another)).remarks).not.toContainEqual(expect.stringContaining('again'));
  expect(await forks()).toEqual([other.cid]);
});

test('a fork ends where an archive brings what it and the tip here say, and what follows that', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { ada } = await curated(first);
  const scope = `?entity=${ada.id}`;
  await imported(second, (await exported(first, scope)).car);
  const theirs = await update(first, ada, { died: 1852 });
  await update(second, ada, { died: 1853 });
  await imported(second, (await exported(first, scope)).car);
  const same = await update(first, theirs, { died: 1853 });
  expect(await imported(second, (await exported(first, scope)).car)).toMatchObject({ advanced: 1, forks: 0 });
  expect((await done(second, `GET /entities/${ada.id}`)).cid).toBe(same.cid);
  expect(await done(second, 'GET /node/conflicts')).toEqual({ conflicts: [], total: 0 });
});

test('an older archive over a newer state changes nothing', async () => {
  await using node = await startNode();
  const { ada } = await curated(node);
  const { car, entities } = await exported(node);
  const newer = await update(node, ada, { died: 1852 });
  const report = await imported(node, car);
  expect(report).toMatchObject({ versions: 0, created: 0, advanced: 0, forks: 0, unchanged: entities });
  expect((await done(node, `GET /entities/${ada.id}`)).cid).toBe(newer.cid);
});

test('an entity whose history starts late more than once is told of once', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { collection, ada } = await curated(first);
  const tipsOnly = `?collection=${collection}&history=tip`;
  await imported(second, (await exported(first, tipsOnly)).car);
  const late = async () => /The history of .+? to version 1/.exec((await verified(second)).remarks.join())?.[0];
  const once = await late();
  expect(once).toMatch(/of \d+ entities do/);
  await update(first, await update(first, ada, { died: 1852 }), { died: 1853 });
  await imported(second, (await exported(first, tipsOnly)).car);
  const rows = (await second.ctx.networks.get('main')).read((db) =>
    db.all('SELECT 1 FROM partial p JOIN entity e ON e.key = p.entity WHERE e.id = ?', ada.id),
  );
  expect(rows).toHaveLength(2);
  expect(await late()).toBe(once);
});

test('tips alone import with a remark, and the whole archive completes their history later', async () => {
  await using first = await startNode();
  await using second = await startNode();
  const { collection, ada } = await curated(first);
  const scope = `?collection=${collection}`;
  const tips = await exported(first, `${scope}&history=tip`);
  const report = await imported(second, tips.car);
  expect(report.partial_examples).toContainEqual({ id: ada.id, ver: 3 });
  expect(report.remarks.join()).toContain(`${ada.id} with version 3`);
  expect((await done(second, `GET /entities/${ada.id}`)).cid).toBe(ada.cid);
  const partial = await verified(second);
  expect(partial).toMatchObject({ ok: true });
  expect(partial.remarks.join()).toContain('does not go back to version 1');
  // What starts late is exported so, and can be imported again.
  await using third = await startNode();
  expect((await imported(third, (await exported(second, scope)).car)).partial_examples).toContainEqual({
    id: ada.id,
    ver: 3,
  });

  expect(await imported(second, (await exported(first, scope)).car)).toMatchObject({
    created: 0,
    advanced: 0,
    forks: 0,
  });
  expect(await verified(second)).toMatchObject({ ok: true, problems: [] });
  expect((await verified(second)).remarks.join()).not.toContain('does not go back');
  expect(await rootOf((await exported(second, scope)).car)).toBe(await rootOf((await exported(first, scope)).car));
});

test.each<Record<string, string>>([{}, { 'Content-Type': 'application/json' }])(
  'an archive is taken whatever type it is sent with: %j',
  async (type) => {
    await using node = await startNode();
    await curated(node);
    const { car, entities } = await exported(node);
    const { Authorization = '' } = operator(node).headers;
    const send = (path: string) => node.fetch(path, { method: 'POST', headers: { Authorization, ...type }, body: car });
    expect(await send('/node/export')).toMatchObject({ status: 200 });
    const taken = await send('/node/import-car');
    expect(taken.status).toBe(200);
    expect(JSON.parse(taken.text.trim().split('\n').at(-1) ?? '')).toMatchObject({ done: { unchanged: entities } });
  },
);

test('what is refused: other people, unknown formats, scopes that are none, checkpoints of others', async () => {
  await using node = await startNode();
  const issue = async (path: string) => {
    const response = await operate(node, `GET /node/export${path}`);
    const body = (await response.json()) as { error: string; details?: { issues: { message: string }[] } };
    return [response.status, body.details?.issues[0]?.message ?? body.error];
  };
  expect((await node.fetch('/node/export')).status).toBe(401);
  expect((await node.fetch('/node/import-car', { method: 'POST', headers: { 'Content-Type': 'x/car' } })).status).toBe(
    401,
  );
  expect(await issue('?format=tar')).toEqual([400, 'must be one of car, ndjson, csv, bagit, ro-crate']);
  expect(await issue('?format=toString')).toEqual([400, 'must be one of car, ndjson, csv, bagit, ro-crate']);
  expect(await issue('?entity=01J00000000000000000000000')).toEqual([404, 'Entity not found']);
  expect((await issue('?collection=nonsense'))[0]).toBe(400);
  expect((await issue('?since=12'))[0]).toBe(400);
  const foreign = '00000000-0000-4000-8000-000000000000.1';
  expect(await issue(`?since=${foreign}`)).toEqual([
    400,
    'is a checkpoint of another node, or of this one before it was restored',
  ]);
});

test('an archive of the other network is refused', async () => {
  await using node = await startNode();
  const { car } = await exported(node);
  const response = await operate(node, 'POST /node/import-car', car, 'test');
  expect(response.status).toBe(400);
  expect((await lastLine(response)).error).toMatch(/of the main network, not of test/);
});

async function rootOf(car: Uint8Array): Promise<string> {
  return withArchive(car, async ({ cid }) => cid);
}

test('a damaged version of what lay elsewhere when it was deleted is not in the way of an export of a collection', async () => {
  await using node = await startNode();
  const { gone } = await curated(node);
  const other = await done(node, 'POST /collections', { label: 'Sound' });
  const sound = await create(node, 'Sound', { collection: other.id });
  const db = new Database(join(node.data, 'main', 'archeion.db'));
  const damage = db.prepare(
    "UPDATE block SET bytes = x'ff' WHERE entity = (SELECT key FROM entity WHERE id = ?) AND ver = ?",
  );
  for (const ver of [1, 2]) {
    expect(damage.run(gone.id, ver).changes).toBe(1);
    const { car } = await exported(node, `?collection=${other.id}`);
    const ids = await withArchive(car, async (archive) => (await listOf(archive.entries())).map(({ id }) => id));
    expect(ids).toEqual([other.id, sound.id].sort());
  }
  db.close();
});
