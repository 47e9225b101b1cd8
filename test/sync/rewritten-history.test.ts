import { describe, expect, test } from 'vitest';
import { cidBytes } from '../../src/server/blocks/cid.ts';
import { type Block, encodeManifest } from '../../src/server/blocks/encode.ts';
import { section, segmentHead } from '../../src/server/blocks/segment-car.ts';
import type { Manifest } from '../../src/server/model/manifest.ts';
import { chain } from '../../src/server/store/versions.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, enrol, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { klados } from '../helpers/processors.ts';
import { chainOf, tipsOf } from './nodes.ts';

// A push with `base` leaves what an entity says as it is: what it replaces below that must be as guarded as any other write.

const grave = { properties: {}, relationships: [], deleted: true as const };
const ts = '2026-02-03T04:05:06.789Z';

/** An owner's collection, with somebody who holds the role in it. */
async function startScene(role: string, roles?: object) {
  await using opened = new AsyncDisposableStack();
  const node = opened.use(await startNode());
  const [owner, mallory] = [await user(node, 'owner'), await user(node, 'mallory')];
  const place = await collection(node, owner, { label: 'Works', ...(roles && { roles }) });
  await enrol(node, owner, place.id, mallory, role);
  const all = opened.move();
  return { node, owner, mallory, place, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** An entity's versions, the oldest first. */
async function stored(node: TestNode, id: string) {
  const store = await node.ctx.networks.get('main');
  const tip = (await tipsOf(node))[id] ?? '';
  return store.read((db) => chain(db, tip, 100)).toReversed();
}

/** Versions by somebody from `base` on, each as the one of `says`, with its own number. */
function drafts(who: Person, base: { cid: string; manifest: Manifest } | null, says: Manifest[]): Block[] {
  let [prev, ver] = [base?.cid ?? null, base?.manifest.ver ?? 0];
  return says.map(({ note: _, ...said }) => {
    const edited_by = { user_id: who.id, method: 'manual' as const };
    const block = encodeManifest({ ...said, ver: ++ver, prev, ts, edited_by });
    prev = block.cid;
    return block;
  });
}

async function rewrite(node: TestNode, who: Person, id: string, base: string | null, blocks: Block[]) {
  const expect = (await tipsOf(node))[id];
  const item = { id, expect, base, tip: blocks.at(-1)?.cid };
  const instance = '00000000-0000-4000-8000-000000000000';
  const head = segmentHead({ archeion: 'push', version: 1, instance, items: [item] });
  const body = Buffer.concat([head, ...blocks.flatMap(({ cid, bytes }) => section(cidBytes(cid), bytes))]);
  const headers = { ...who.headers, 'Content-Type': 'application/vnd.ipld.car; version=1' };
  const answer = await node.fetch('/node/sync/push', { method: 'POST', headers, body });
  return ok<{ results: { success: boolean; code?: string; error?: string }[] }>(answer).results[0];
}

const last = <T>(list: T[]): T => list.at(-1) as T;

describe('a push that takes the place of a tip that says the same', () => {
  test('makes nobody the creator of what somebody else has made', async () => {
    await using scene = await startScene('editor');
    const { node, owner, mallory, place } = scene;
    const one = await klados(node, owner, place.id);
    const work = await create(node, owner, { collection: place.id, properties: { n: 1 } });
    for (const { id } of [one, work]) {
      const before = await chainOf(node, id);
      const { manifest } = last(await stored(node, id));
      const result = await rewrite(node, mallory, id, null, drafts(mallory, null, [manifest, manifest]));
      expect(result).toMatchObject({ success: false, code: 'FORBIDDEN' });
      expect(await chainOf(node, id)).toEqual(before);
    }
    expect((await ask(node, mallory, `POST /kladoi/${one.id}/keys`, {})).status).toBe(403);
    // Nor does who may manage: with the creator what it may do there would go.
    await enrol(node, owner, place.id, mallory, 'owner');
    const { manifest } = last(await stored(node, one.id));
    expect(await rewrite(node, mallory, one.id, null, drafts(mallory, null, [manifest, manifest]))).toMatchObject({
      success: false,
    });
    // Who has made it may.
    expect(await rewrite(node, owner, one.id, null, drafts(owner, null, [manifest, manifest]))).toMatchObject({
      success: true,
    });
  });

  const roles = {
    owner: ['*:view', '*:update', '*:create', 'collection:update', 'collection:manage'],
    keeper: ['*:view', 'collection:update'],
    public: ['*:view'],
  };

  test.each(['a version that makes one an owner', 'a version at which one was an owner'])(
    'gives nobody a deleted collection by %s',
    async (name) => {
      await using scene = await startScene('owner', roles);
      const { node, owner, mallory, place } = scene;
      await enrol(node, owner, place.id, mallory, 'keeper');
      ok(await ask(node, owner, `DELETE /collections/${place.id}/members/${mallory.id}?role=owner`));
      await remove(node, mallory, await read(node, mallory, place.id));
      const versions = await stored(node, place.id);
      const owned = versions.find(({ manifest: { relationships } }) =>
        relationships.some(({ predicate, peer }) => predicate === 'owner' && peer === mallory.id),
      );
      const live = versions.at(-2);
      if (!owned || !live) throw new Error('no such version');
      const [says, label] = [owned.manifest, (n: number) => ({ ...owned.manifest.properties, label: `Works ${n}` })];
      const gone = { ...says, ...grave };
      const isNew = name.includes('makes');
      const base = isNew ? live : owned;
      const between = isNew ? [says] : [1, 2, 3].map((n) => ({ ...says, properties: label(n) }));
      const before = await chainOf(node, place.id);
      const result = await rewrite(node, mallory, place.id, base.cid, drafts(mallory, base, [...between, gone]));
      expect(result).toMatchObject({ success: false, code: 'FORBIDDEN' });
      expect(await chainOf(node, place.id)).toEqual(before);
      // As a deletion by somebody who may manage it is taken.
      const mine = drafts(owner, base, [...between, gone]);
      expect(await rewrite(node, owner, place.id, base.cid, mine)).toMatchObject({ success: true });
    },
  );

  test('verifies no endpoint of what is deleted', async () => {
    await using scene = await startScene('editor');
    const { node, owner, mallory, place } = scene;
    const one = await klados(node, owner, place.id);
    await remove(node, mallory, await read(node, mallory, one.id));
    const [live, tomb] = await stored(node, one.id);
    if (!live || !tomb) throw new Error('no such version');
    const properties = { ...live.manifest.properties, endpoint_verified_at: ts };
    const says = [
      { ...live.manifest, properties },
      { ...live.manifest, ...grave },
    ];
    const result = await rewrite(node, mallory, one.id, live.cid, drafts(mallory, live, says));
    expect(result).toMatchObject({ success: false, code: 'FORBIDDEN' });
    expect((await tipsOf(node))[one.id]).toBe(tomb.cid);
  });

  test('begins at a version that the tip follows', async () => {
    await using scene = await startScene('editor');
    const { node, mallory, place } = scene;
    const first = await create(node, mallory, { collection: place.id, properties: { n: 1 } });
    const left = await update(node, mallory, first, { properties: { n: 2 } });
    const [one, two] = await stored(node, first.id);
    if (!one || !two) throw new Error('no such version');
    const says = [{ ...one.manifest, properties: { n: 3 } }, two.manifest];
    const blocks = drafts(mallory, one, says);
    expect(await rewrite(node, mallory, first.id, one.cid, blocks)).toMatchObject({ success: true });
    const more = drafts(mallory, two, [one.manifest, two.manifest, one.manifest, two.manifest]);
    const result = await rewrite(node, mallory, first.id, left.cid, more);
    expect(JSON.stringify(result)).toContain('does not follow');
    expect((await tipsOf(node))[first.id]).toBe(last(blocks).cid);
  });
});
