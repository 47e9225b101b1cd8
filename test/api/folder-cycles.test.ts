import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

  it('below one parent do not stand in each other’s way', async () => {
    const top = await folder(node, ada);
    const lows = await make(20);
    const answers = await Promise.all(lows.map((low) => under(low, top)));
    expect(answers.map(({ status }) => status)).toEqual(lows.map(() => 200));
  });
});

function issueOf({ body }: Answer): unknown {
  return (body as { details: { issues: { message: string }[] } }).details.issues[0]?.message;
}
