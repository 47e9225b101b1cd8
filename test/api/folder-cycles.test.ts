import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { Change } from '../../src/server/store/commit.ts';
import { findVersion, type Version } from '../../src/server/store/versions.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { type Entity, invalid, ok, read } from '../helpers/entities.ts';
import { folder, peers } from '../helpers/folders.ts';
import type { Answer, TestNode } from '../helpers/node.ts';
import { startNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

const make = (count: number) =>
  Promise.all(Array.from({ length: count }, (_, i) => folder(node, ada, { label: `${i}` })));
const contains = ({ id }: { id: string }) => `the folder ${id} would contain itself`;
const tip = async ({ id }: { id: string }) => (await read(node, ada, id)).cid;

async function into(low: { id: string }, top: { id: string }, as: 'child' | 'parent' | 'bulk'): Promise<Answer> {
  const [lowTip, topTip] = [await tip(low), await tip(top)];
  if (as === 'parent')
    return ask(node, ada, `POST /folders/${low.id}/parents`, {
      ...{ expect_tip: lowTip, parent_id: top.id, expect_parent_tip: topTip },
    });
  if (as === 'bulk')
    return ask(node, ada, `POST /folders/${top.id}/children/bulk`, { expect_tip: topTip, children: [{ id: low.id }] });
  return ask(node, ada, `POST /folders/${top.id}/children`, {
    ...{ expect_tip: topTip, child_id: low.id, expect_child_tip: lowTip },
  });
}

/** One-sided: only the lower folder is written. */
const under = (low: Entity, top: Entity) =>
  ask(node, ada, `PUT /entities/${low.id}`, {
    ...{ expect_tip: low.cid, relationships_add: [{ predicate: 'in', peer: top.id }] },
  });

describe('a folder put below itself', () => {
  it.each([
    ['child', ['child_id']],
    ['parent', ['parent_id']],
    ['bulk', ['children', 0, 'id']],
  ] as const)('as a %s is refused, and says which', async (as, path) => {
    const [top, middle, low] = (await make(3)) as [Entity, Entity, Entity];
    ok(await into(middle, top, 'child'));
    ok(await into(low, middle, 'parent'));
    for (const bottom of [middle, low]) {
      const answer = await into(top, bottom, as);
      expect([answer.status, answer.body]).toEqual([400, invalid([...path], contains(top))]);
    }
    expect((await read(node, ada, top.id)).ver).toBe(2);
  });

  it.each([
    ['in', 'in'],
    ['contains', 'contains'],
  ])('by both sides of one relationship (%s, %s) is refused', async (forth, back) => {
    const [a, b, c] = (await make(3)) as [Entity, Entity, Entity];
    ok(await under(c, b));
    // A link between a and b, or c below b, that goes both ways.
    for (const other of [b, c]) {
      const answer = await ask(node, ada, 'POST /relationships', {
        ...{ source_id: a.id, source_predicate: forth, expect_source_tip: await tip(a) },
        ...{ target_id: other.id, target_predicate: back, expect_target_tip: await tip(other) },
      });
      expect([answer.status, issueOf(answer)]).toEqual([400, expect.stringContaining('would contain itself')]);
    }
    expect(await Promise.all([a, b, c].map(async (one) => (await read(node, ada, one.id)).ver))).toEqual([1, 1, 2]);
  });

  it('is not what both sides of a pair say', async () => {
    const [top, low] = (await make(2)) as [Entity, Entity];
    const pair = { source_id: top.id, source_predicate: 'contains', target_id: low.id, target_predicate: 'in' };
    ok(
      await ask(node, ada, 'POST /relationships', {
        ...pair,
        ...{ expect_source_tip: top.cid, expect_target_tip: low.cid },
      }),
    );
    expect(peers(await read(node, ada, low.id), 'in')).toEqual([top.id]);
  });

  it('by what is written together is not written, whoever asks the store for it', async () => {
    const [a, b, c] = (await make(3)) as [Entity, Entity, Entity];
    const store = await node.ctx.networks.get('main');
    const moved = (of: Entity, predicate: string, peer: Entity) => {
      const { manifest } = store.read((db) => findVersion(db, of.cid)) as Version;
      const block = encodeManifest({
        ...manifest,
        ver: 2,
        prev: of.cid,
        relationships: [{ predicate, peer: peer.id }],
      });
      return { id: of.id, expect: of.cid, tip: block.cid, blocks: [block], placed: true };
    };
    const commit = (...changes: Change[]) =>
      store.submit([{ changes, preconditions: [], rows: [], origin: 'local', time: 0 }]);
    expect(await commit(moved(a, 'in', b), moved(b, 'in', c), moved(c, 'in', a))).toMatchObject([
      { committed: false, id: '' },
    ]);
    expect(await commit(moved(a, 'contains', b), moved(b, 'contains', c), moved(c, 'contains', a))).toMatchObject([
      { committed: false, id: '' },
    ]);
    expect(await commit(moved(a, 'in', b), moved(b, 'in', c))).toMatchObject([{ committed: true }]);
  });

  it('is found however deep it stands', async () => {
    const chain = [await folder(node, ada)];
    for (let depth = 1; depth <= 150; depth++) {
      const above = chain.at(-1) as Entity;
      chain.push(await folder(node, ada, { relationships: [{ predicate: 'in', peer: above.id }] }));
    }
    const [top, low] = [chain[0] as Entity, chain.at(-1) as Entity];
    const answer = await into(top, low, 'child');
    expect([answer.status, answer.body]).toEqual([400, invalid(['child_id'], contains(top))]);
    const beside = await folder(node, ada);
    expect((await into(beside, low, 'child')).status).toBe(200);
  });
});

describe('moves at the same time', () => {
  it('that would make a cycle together are not both written', async () => {
    for (let round = 0; round < 15; round++) {
      const folders = (await make(3)) as [Entity, Entity, Entity];
      const [a, b, c] = folders;
      const answers = await Promise.all([under(a, b), under(b, c), under(c, a)]);
      const refused = answers.filter(({ status }) => status !== 200);
      expect(refused.map(({ status }) => status)).toEqual([400]);
      expect(folders.map(contains)).toContain(issueOf(refused[0] as Answer));
      const links = await Promise.all(folders.map(async ({ id }) => peers(await read(node, ada, id), 'in')));
      expect(links.flat()).toHaveLength(2);
    }
  });

  it('also where each writes one side, and of the others nothing that the look went by', async () => {
    for (let round = 0; round < 10; round++) {
      const [a, b, c, d] = (await make(4)) as [Entity, Entity, Entity, Entity];
      const holder = async (top: Entity, low: Entity) =>
        ask(node, ada, `PUT /entities/${top.id}`, {
          ...{ expect_tip: await tip(top), relationships_add: [{ predicate: 'contains', peer: low.id }] },
        });
      ok(await holder(d, a));
      ok(await holder(b, c));
      // a > b > c > d > a: the last two links close it.
      const second = round % 2 === 0 ? () => holder(c, d) : async () => under(await read(node, ada, d.id), c);
      const answers = await Promise.all([holder(a, b), second()]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    }
  });

  it('below one parent do not stand in each other’s way', async () => {
    const top = await folder(node, ada);
    const lows = await make(20);
    const answers = await Promise.all(lows.map((low) => under(low, top)));
    expect(answers.map(({ status }) => status)).toEqual(lows.map(() => 200));
  });
});

describe('a circle that a mirror brings', () => {
  it('is shown, walked once, and can be opened', async () => {
    const [a, b, c] = (await make(3)) as [Entity, Entity, Entity];
    const store = await node.ctx.networks.get('main');
    const pair = (top: Entity, low: Entity) => ({
      contains: { predicate: 'contains', peer: low.id, peer_type: 'folder' },
      in: { predicate: 'in', peer: top.id, peer_type: 'folder' },
    });
    const [ab, bc, ca] = [pair(a, b), pair(b, c), pair(c, a)];
    const commits = [
      { of: a, relationships: [ab.contains, ca.in] },
      { of: b, relationships: [bc.contains, ab.in] },
      { of: c, relationships: [ca.contains, bc.in] },
    ].map(({ of, relationships }) => {
      const version = store.read((db) => findVersion(db, of.cid)) as Version;
      const block = encodeManifest({ ...version.manifest, ver: 2, prev: of.cid, relationships });
      return {
        changes: [{ id: of.id, expect: of.cid, tip: block.cid, blocks: [block] }],
        ...{ preconditions: [], rows: [], origin: 'remote:elsewhere', time: 0 },
      };
    });
    expect((await store.submit(commits)).every(({ committed }) => committed)).toBe(true);

    const tree = await ask(node, ada, `GET /entities/${a.id}/tree?depth=4`);
    expect(tree.text.split(`"id":"${c.id}"`)).toHaveLength(2);
    const expanded = await ask(node, ada, `GET /entities/${a.id}?expand=relationships:full`);
    expect(expanded.status).toBe(200);
    const paths = { source_ids: [a.id], target_ids: [c.id], max_depth: 4 };
    expect((await ask(node, ada, 'POST /graph/paths', paths)).status).toBe(200);
    const beside = await folder(node, ada);
    expect((await into(beside, c, 'child')).status).toBe(200);
    expect((await into(b, beside, 'child')).status).toBe(400);
    const opened = await ask(node, ada, `DELETE /folders/${c.id}/children/${a.id}`, {
      ...{ expect_tip: await tip(c), expect_child_tip: await tip(a) },
    });
    expect(opened.status).toBe(200);
    expect((await into(a, beside, 'child')).status).toBe(400);
    expect((await into(beside, b, 'child')).status).toBe(200);
  });
});

function issueOf({ body }: Answer): unknown {
  return (body as { details: { issues: { message: string }[] } }).details.issues[0]?.message;
}
