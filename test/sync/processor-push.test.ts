import { describe, expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import { section, segmentHead } from '../../src/server/blocks/segment-car.ts';
import type { JsonObject, Manifest } from '../../src/server/model/manifest.ts';
import { findVersion } from '../../src/server/store/versions.ts';
import { ask, operator, type Person } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, invalid, ok, read, remove, update } from '../helpers/entities.ts';
import { allow, command, workflow } from '../helpers/local.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { exported, imported } from '../helpers/node-archives.ts';
import { klados } from '../helpers/processors.ts';
import { activate } from '../helpers/worker-processes.ts';
import { keyOf, remoteOf, startPair, sync } from './nodes.ts';

// Versions of processors that were made elsewhere: blocks that another node pushes, and archives.

const verified = { endpoint_verified_at: '2026-01-01T00:00:00.000Z' };

/** A version over the tip with other properties, as another node would push it. */
async function draft(node: TestNode, { id, cid }: Entity, who: Person, more: JsonObject): Promise<Block> {
  const store = await node.ctx.networks.get('main');
  const before = store.read((db) => findVersion(db, cid)?.manifest) as Manifest;
  const edited_by = { user_id: who.id, method: 'manual' as const };
  const next = { ...before, id, prev: cid, ver: before.ver + 1, ts: '2026-02-03T04:05:06.789Z', edited_by };
  return encodeManifest({ ...next, properties: { ...before.properties, ...more } });
}

async function push(node: TestNode, who: Person, { id, cid }: Entity, block: Block): Promise<{ success: boolean }[]> {
  const instance = '00000000-0000-4000-8000-000000000000';
  const head = segmentHead({ archeion: 'push', version: 1, instance, items: [{ id, expect: cid, tip: block.cid }] });
  const body = Buffer.concat([head, ...section(cidBytes(block.cid), block.bytes)]);
  const headers = { ...who.headers, 'Content-Type': 'application/vnd.ipld.car; version=1' };
  const answer = await node.fetch('/node/sync/push', { method: 'POST', headers, body });
  return ok<{ results: { success: boolean }[] }>(answer).results;
}

describe('a pushed version', () => {
  test.each<JsonObject>([
    { status: 'active' },
    verified,
    { ...verified, status: 'active' },
    { endpoint: 'ftp://x.test' },
    { input_schema: { type: 'x' } },
    { endpoint: 'exec:thumbnail' },
  ])('of a klados with %j is refused, also from the operator', async (more) => {
    await using node = await startNode();
    const admin = operator(node);
    const home = await collection(node, admin);
    const made = await klados(node, admin, home.id);
    expect(await push(node, admin, made, await draft(node, made, admin, more))).toMatchObject([{ success: false }]);
    expect((await read(node, admin, made.id)).ver).toBe(1);
    const fine = await draft(node, made, admin, { label: 'another' });
    expect(await push(node, admin, made, fine)).toMatchObject([{ success: true }]);
  });
});

test('an archive brings a klados as it is, and nothing is sent to it, since this node has not verified it', async () => {
  await using there = await startNode();
  await using here = await startNode();
  const admin = operator(there);
  const home = await collection(there, admin);
  const made = await klados(there, admin, home.id);
  // As if the other node had verified it.
  const store = await there.ctx.networks.get('main');
  const block = await draft(there, made, admin, { ...verified, status: 'active' });
  const change = { id: made.id, expect: made.cid, tip: block.cid, blocks: [block] };
  await store.submit([{ changes: [change], preconditions: [], rows: [], origin: 'local', time: 0 }]);

  await imported(here, (await exported(there)).car);
  const arrived = await read(here, operator(here), made.id);
  expect(arrived.properties).toMatchObject({ ...verified, status: 'active' });
  const target = await collection(here, operator(here));
  const file = await create(here, operator(here), { collection: target.id });
  const invocation = { target_entity: file.id, target_collection: target.id, confirm: true };
  expect(await ask(here, operator(here), `POST /kladoi/${made.id}/invoke`, invocation)).toMatchObject({
    status: 400,
    body: invalid(['id'], expect.stringContaining('came here from elsewhere: verify its endpoint on this node first')),
  });
  expect(here.ctx.processors.verification.reachOf(made.id, 'https://klados.test')).toBeNull();
});

test('an active klados that was deleted here and edited in an archive comes back, where theirs is decided for', async () => {
  await using there = await startNode();
  await using here = await startNode();
  const [admin, mine] = [operator(there), operator(here)];
  const home = await collection(there, admin);
  const made = await activate(there, admin, await klados(there, admin, home.id));
  await imported(here, (await exported(there)).car);
  await remove(here, mine, made);
  const theirs = await update(there, admin, made, { properties: { description: 'edited' } });
  expect(await imported(here, (await exported(there)).car)).toMatchObject({ forks: 1 });
  ok(await ask(here, mine, `POST /node/conflicts/${made.id}/resolve`, { resolution: 'theirs' }));
  expect((await read(here, mine, made.id)).properties).toEqual(theirs.properties);
  expect(here.ctx.processors.verification.reachOf(made.id, 'https://klados.test')).toBeNull();
});

test.each([
  ['to a plain remote', true],
  ['to a node', false],
])('an active klados goes out, and what is edited in it, but for its verification, %s', async (_way, plain) => {
  await using pair = await startPair({ plain });
  const { origin, mirror, curator, here } = pair;
  const home = await collection(mirror, here);
  let made = await activate(mirror, here, await klados(mirror, here, home.id));
  await enrol(mirror, here, home.id, { ...here, id: made.id }, 'editor');
  expect(await sync(mirror, here)).toMatchObject({ created: 2, refused: 1 });
  const there = await read(origin, curator, made.id);
  expect(there.properties).toMatchObject({ label: made.properties.label, status: 'development' });
  expect(there.properties).not.toHaveProperty('endpoint_verified_at');
  expect((await read(origin, curator, home.id)).relationships).toContainEqual(
    expect.objectContaining({ predicate: 'editor', peer: made.id }),
  );
  expect((await remoteOf(mirror, here)).refusals).toMatchObject([
    { id: made.id, words: expect.stringContaining('stays here: each node verifies by itself') },
  ]);
  const quiet = { created: 0, updated: 0, refused: 0, conflicts: 0 };
  expect(await sync(mirror, here)).toMatchObject(quiet);
  made = await update(mirror, here, await read(mirror, here, made.id), { properties: { label: 'edited' } });
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  expect((await read(origin, curator, made.id)).properties).toMatchObject({ label: 'edited', status: 'development' });
  await update(origin, curator, await read(origin, curator, made.id), { properties: { description: 'there' } });
  await sync(mirror, here);
  expect((await read(mirror, here, made.id)).properties).toEqual({ ...made.properties, description: 'there' });
  expect(await sync(mirror, here)).toMatchObject(quiet);
});

test('what was active before it first went out is active at a plain remote that lets it', async () => {
  await using pair = await startPair({ plain: true });
  const { origin, mirror, curator, there, here } = pair;
  ok(await ask(mirror, here, 'PUT /node/remotes/origin/key', { key: keyOf(there) }));
  const home = await collection(mirror, here);
  const leaf = await klados(mirror, here, home.id);
  const flow = await workflow(mirror, here, home.id, { first: { klados: leaf, then: { done: true } } });
  expect(await sync(mirror, here)).toMatchObject({ created: 3, refused: 0 });
  expect(await read(origin, curator, flow.id)).toMatchObject({ properties: { ...flow.properties, status: 'active' } });
  expect(await remoteOf(mirror, here)).toMatchObject({ pending: 0, refused: 0 });

  // A command is one of this node, and stays here.
  await allow(mirror, { thumbnail: { run: ['true'] } });
  const own = await command(mirror, here, home.id, 'thumbnail');
  expect(await sync(mirror, here)).toMatchObject({ refused: 1 });
  expect(await read(mirror, here, own.id)).toEqual(own);
});

test('a klados that was verified here and at a plain remote is so on each side by its own time, and no conflict', async () => {
  await using pair = await startPair({ plain: true });
  const { origin, mirror, curator, here } = pair;
  const home = await collection(mirror, here);
  const { id } = await klados(mirror, here, home.id);
  await sync(mirror, here);
  const ours = await activate(mirror, here, await read(mirror, here, id));
  const theirs = await activate(origin, curator, await read(origin, curator, id));
  expect(ours.properties.endpoint_verified_at).not.toBe(theirs.properties.endpoint_verified_at);
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 0 });
  await update(origin, curator, await read(origin, curator, id), { properties: { description: 'there' } });
  await update(mirror, here, await read(mirror, here, id), { properties: { label: 'here' } });
  expect(await sync(mirror, here)).toMatchObject({ conflicts: 0 });
  const both = { label: 'here', description: 'there' };
  expect((await read(mirror, here, id)).properties).toEqual({ ...ours.properties, ...both });
  expect((await read(origin, curator, id)).properties).toEqual({ ...theirs.properties, ...both });
  expect(await sync(mirror, here)).toMatchObject({ updated: 0, merged: 0, conflicts: 0, refused: 0 });
  expect((await remoteOf(mirror, here)).refusals).toMatchObject([
    { id, words: 'When its endpoint was verified stays here: each node verifies by itself. All else of it was sent' },
  ]);
});
