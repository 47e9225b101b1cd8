import { expect, test } from 'vitest';
import type { Block } from '../../src/server/blocks/encode.ts';
import type { ManifestView } from '../../src/server/resources/wire.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { done, exported, imported, operate, tipsOf, verified } from '../helpers/node-archives.ts';
import {
  type OddEntity,
  oddArchive,
  oddCollection,
  oddEntities,
  oddMembers,
  oddPeer,
  versionOf,
} from '../helpers/odd-members.ts';
import { indexIdle } from '../helpers/searches.ts';
import { unzipped } from '../helpers/zip-files.ts';
import { startPair, sync } from '../sync/nodes.ts';

const live = oddEntities('live');
const deleted = oddEntities('deleted');

/** Those of the requests that fail at the node, with what it says. */
async function failing(node: TestNode, requests: [request: string, body?: object][]): Promise<string[]> {
  const failures: string[] = [];
  for (const [request, body] of requests) {
    const answer = await operate(node, request, body);
    const text = await answer.text().catch((error: unknown) => `it broke off: ${error}`);
    if (answer.status >= 400 || text.startsWith('it broke off') || text.includes('"error":"Internal'))
      failures.push(`${request} answered ${answer.status}: ${text.slice(0, 200)}`);
  }
  return failures;
}

async function startWith(...entities: Pick<OddEntity, 'id' | 'chain'>[]) {
  const node = await startNode();
  expect(await imported(node, await oddArchive(entities))).toMatchObject({ entities: entities.length + 2, forks: 0 });
  await indexIdle(node);
  return node;
}

test('every read answers what other programs wrote, whatever shape its members have', async () => {
  await using node = await startWith(...live, ...deleted);
  const within = `/node/collections/${oddCollection}`;
  const ofAll: [string, object?][] = [
    [`GET ${within}/deleted`],
    [`GET ${within}/facets`],
    [`GET ${within}/table?columns=["properties.label","relationships.about","relationships.collection"]`],
    [`GET ${within}/table?columns=["relationships.about"]&sort=relationships.about`],
    [`GET /collections/${oddCollection}/entities?expand=preview`],
    [`GET /collections/${oddCollection}/entities?expand=full`],
    [`GET /collections/${oddCollection}/entities`],
    [`GET /collections/${oddCollection}/members`],
    [`GET /node/links/${oddPeer}/incoming`],
    [`GET /graph/entity/${oddPeer}?expand=full`],
    [`GET /entities/${oddCollection}/tree`],
    ['GET /events?limit=100'],
    ['GET /node/sync/entities'],
    ['POST /search/entities', { query: 'has', limit: 50 }],
    ['POST /search/entities', { query: 'has', limit: 50, expand: 'full' }],
    ['POST /query', { path: `@${oddPeer} <-[about]- type:letter` }],
    ['POST /graph/paths?expand=full', { source_ids: [live[0]?.id], target_ids: live.slice(1, 90).map(({ id }) => id) }],
    ['POST /entities/batch-get', { ids: live.map(({ id }) => id) }],
    ...['car', 'ndjson', 'csv', 'bagit', 'ro-crate'].flatMap((format): [string][] => [
      [`GET /node/export?format=${format}`],
    ]),
  ];
  const ofLive = live.flatMap(({ id, chain }): [string, object?][] => [
    [`GET /entities/${id}`],
    [`GET /entities/${id}?expand=relationships`],
    [`GET /entities/${id}?expand=relationships:full`],
    [`GET /entities/${id}/preview`],
    [`GET /entities/${id}/tree`],
    [`GET /entities/${id}/permissions`],
    [`GET /graph/entity/${id}`],
    ['POST /search/similar/items', { pi: id, collection_pi: oddCollection }],
    ...['semantic', 'patch'].map((format): [string] => [
      `GET /entities/${id}/diff?from=${chain[0]?.cid}&to=${chain[1]?.cid}&format=${format}`,
    ]),
  ]);
  const ofEach = [...live, ...deleted].flatMap(({ id, chain }): [string][] => [
    [`GET /versions/${id}`],
    [`GET /node/history/${id}`],
    [`GET /entities/${id}/tip`],
    ...chain.map(({ cid }): [string] => [`GET /versions/manifest/${cid}`]),
  ]);
  expect(await failing(node, [...ofAll, ...ofLive, ...ofEach])).toEqual([]);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test('lists and histories give such versions with members of the known shapes', async () => {
  await using node = await startWith(...live, ...deleted);
  const gone = await done<{ rows: Record<string, unknown>[] }>(
    node,
    `GET /node/collections/${oddCollection}/deleted?limit=100`,
  );
  expect(gone.rows.map(({ label }) => label).sort()).toEqual(deleted.map(({ label }) => label).sort());
  for (const { deleted_by, note } of gone.rows) {
    expect(deleted_by).toBeTypeOf('string');
    expect(note === null || typeof note === 'string').toBe(true);
  }
  for (const { id } of [...live, ...deleted]) {
    const { versions } = await done<{ versions: { edited_by: object; note?: unknown }[] }>(node, `GET /versions/${id}`);
    expect(versions).toHaveLength(2);
    for (const { edited_by, note } of versions) {
      for (const value of Object.values(edited_by)) expect(value).toBeTypeOf('string');
      expect(Object.keys(edited_by)).toEqual(expect.arrayContaining(['user_id', 'method']));
      expect(note).toBeOneOf([undefined, expect.any(String)]);
    }
  }
});

test('what another program wrote goes on as it was written', async () => {
  await using node = await startWith(...live, ...deleted);
  await using other = await startNode();
  const { car } = await exported(node);
  await imported(other, car);
  const tips = await tipsOf(other);
  for (const { id, chain } of [...live, ...deleted]) expect(tips.get(id)).toBe(chain[1]?.cid);
  const odd = live.find(({ name }) => name === 'all of them');
  const { manifest } = await done<{ manifest: object }>(other, `GET /versions/manifest/${odd?.chain[1]?.cid}`);
  const { edited_by, note } = oddMembers['all of them'] ?? {};
  expect(manifest).toMatchObject({ edited_by, note, ts: 'x' });
  expect(await verified(other)).toMatchObject({ ok: true, problems: [] });
});

/** Does the same with each; what goes wrong is gathered under the name of the odd member. */
async function withEach(entities: readonly OddEntity[], use: (one: OddEntity) => Promise<void>): Promise<string[]> {
  const failures: string[] = [];
  for (const one of entities) await use(one).catch((error) => failures.push(`${one.name}: ${error}`));
  return failures;
}

test('what another program wrote is edited, deleted and restored', async () => {
  await using node = await startWith(...live, ...deleted);
  const about = { predicate: 'about', peer: oddPeer, properties: { page: 4 }, properties_remove: ['none'] };
  const edited = await withEach(live, async ({ id, chain }) => {
    const renamed = await done(node, `PUT /entities/${id}`, { expect_tip: chain[1]?.cid, properties: { n: 3 } });
    const said = await done(node, `PUT /entities/${id}`, { expect_tip: renamed.cid, relationships_add: [about] });
    const { properties, relationships } = await done<ManifestView>(node, `GET /entities/${id}`);
    expect([properties.n, relationships[1]?.properties]).toEqual([3, { page: 4 }]);
    await done(node, `GET /entities/${id}/diff?from=${chain[0]?.cid}&to=${said.cid}`);
    const grave = await done(node, `DELETE /entities/${id}`, { expect_tip: said.cid });
    await done(node, `POST /entities/${id}/restore`, { expect_tip: grave.cid });
  });
  expect(edited).toEqual([]);
  const restored = await withEach(deleted, async ({ id, chain }) => {
    await done(node, `POST /entities/${id}/restore`, { expect_tip: chain[1]?.cid });
    expect(await done(node, `GET /entities/${id}`)).toMatchObject({ ver: 3, properties: { n: 1 } });
  });
  expect(restored).toEqual([]);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test('an export gives no time where there is none', async () => {
  await using node = await startWith(...live);
  const table = await (await operate(node, 'GET /node/export?format=csv')).text();
  const row = table.split('\r\n').find((line) => line.includes('has a time that is none'));
  expect(row).toMatch(/,2,letter,x,,/);
  const crate = await unzipped((await exported(node, '?format=ro-crate')).car);
  const times = [...crate.values()].flatMap((bytes) => bytes.toString().match(/1970-01-01T/g) ?? []);
  expect(times).toEqual([]);
});

test('an edit changes nothing of what it does not name', async () => {
  await using node = await startWith(...live);
  const changed = await withEach(live, async ({ id, chain }) => {
    const before = await done<ManifestView>(node, `GET /entities/${id}`);
    await done(node, `PUT /entities/${id}`, { expect_tip: chain[1]?.cid, properties: { n: 3 } });
    const { relationships } = await done<ManifestView>(node, `GET /entities/${id}`);
    expect(relationships).toEqual(before.relationships);
  });
  expect(changed).toEqual([]);
});

test('a cascade leaves alone what others have edited, or nobody who is known', async () => {
  await using node = await startWith(...live);
  const hub = await done<ManifestView>(node, 'POST /entities', {
    ...{ type: 'letter', collection: oddCollection, properties: { label: 'hub' } },
    relationships: live.map(({ id }) => ({ predicate: 'holds', peer: id })),
  });
  const me = (await done<ManifestView>(node, `GET /entities/${hub.id}`)).edited_by.user_id;
  const view = await done<{ skipped: { reason: string }[] }>(node, `DELETE /entities/${hub.id}/cascade`, {
    ...{ expect_tip: hub.cid, collection_id: oddCollection, cascade_predicates: ['holds'], edited_by_filter: me },
  });
  expect(view.skipped.map(({ reason }) => reason)).toEqual(live.map(() => 'edited_by_mismatch'));
});

test.each(['live', 'deleted'] as const)('forks whose other side is %s are shown and decided', async (kind) => {
  const forks = live.map((one) => {
    const [first, ours] = one.chain as [Block, Block];
    const about = { relationships: [{ predicate: 'about', peer: oddPeer, peer_label: 'The peer' }] };
    const content = kind === 'live' ? { label: 'theirs', n: 3 } : null;
    const theirs = versionOf(one.id, { ...about, ...oddMembers[one.name] }, content, { ver: 2, prev: first.cid });
    return { ...one, ours: { id: one.id, chain: [first, ours] }, theirs: { id: one.id, chain: [first, theirs] } };
  });
  await using node = await startWith(...forks.map(({ ours }) => ours));
  expect(await imported(node, await oddArchive(forks.map(({ theirs }) => theirs)))).toMatchObject({
    forks: live.length,
  });
  expect(
    await failing(node, [['GET /node/conflicts'], ...live.map(({ id }): [string] => [`GET /node/conflicts/${id}`])]),
  ).toEqual([]);
  const decided = await withEach(live, async ({ id, name }) => {
    const resolution = name.length % 2 === 0 ? 'ours' : 'theirs';
    await done(node, `POST /node/conflicts/${id}/resolve`, { resolution });
  });
  expect(decided).toEqual([]);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test("jobs' logs are stored whoever wrote them", async () => {
  const logs = live.map(({ id, name }) => {
    const properties = { label: name, job_id: 'job_1', klados_id: oddPeer, status: 'done' };
    return { id, chain: [versionOf(id, oddMembers[name] ?? {}, properties, { type: 'klados_log' })] };
  });
  await using node = await startWith(...logs);
  expect(
    await failing(
      node,
      logs.map(({ id }) => [`GET /entities/${id}`]),
    ),
  ).toEqual([]);
  expect(await verified(node)).toMatchObject({ ok: true, problems: [] });
});

test('a mirror of a plain remote has them as they are there', async () => {
  await using pair = await startPair({ plain: true, keyed: false });
  await imported(pair.origin, await oddArchive(live));
  expect(await sync(pair.mirror, pair.here)).toMatchObject({ stopped: null, troubles: 0 });
  const tips = await tipsOf(pair.mirror);
  for (const { id, chain } of live) expect(tips.get(id)).toBe(chain[1]?.cid);
  expect(
    await failing(
      pair.mirror,
      live.map(({ id }) => [`GET /versions/${id}`]),
    ),
  ).toEqual([]);
  expect(await verified(pair.mirror)).toMatchObject({ ok: true, problems: [] });
});
