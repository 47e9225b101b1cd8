import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { conflict, create, type Entity, ok } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { name, value } from '../helpers/odd-values.ts';

let node: TestNode;
let ada: Person;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

interface Version {
  cid: string;
  /** What the entity says; null where it is deleted. */
  said: { [name: string]: unknown } | null;
}

const names = fc.oneof({ weight: 3, arbitrary: fc.constantFrom('a', 'b') }, { weight: 1, arbitrary: name });
const values = fc.oneof(value, fc.dictionary(names, value, { maxKeys: 3 }));
const step = fc.oneof(
  fc.record({
    act: fc.constant('put' as const),
    set: fc.dictionary(names, values, { maxKeys: 3 }),
    drop: fc.array(names),
  }),
  fc.record({ act: fc.constantFrom('delete' as const, 'restore' as const) }),
);
const steps = fc.array(fc.record({ step, stale: fc.nat(5).map((n) => n === 0) }), { minLength: 3, maxLength: 12 });

const isObject = (it: unknown): it is { [name: string]: unknown } =>
  typeof it === 'object' && it !== null && !Array.isArray(it);

function merged(base: object, patch: object): { [name: string]: unknown } {
  const members = new Map<string, unknown>(Object.entries(base));
  for (const [key, it] of Object.entries(patch)) {
    const old = members.get(key);
    members.set(key, isObject(old) && isObject(it) ? merged(old, it) : it);
  }
  return Object.fromEntries(members);
}

test('an entity is what its changes made of it, one version each, and stays so where one is refused', {
  timeout: 120_000,
}, async () => {
  const newest = async () => ok<{ cursor: number }>(await ask(node, anonymous, 'GET /events?limit=1')).cursor;
  const life = fc.asyncProperty(steps, async (taken) => {
    const { id, cid } = await create(node, ada);
    const chain: Version[] = [{ cid, said: {} }];
    let event = await newest();
    for (const { step, stale } of taken) {
      const tip = chain.at(-1) as Version;
      const expect_tip = stale ? 'another' : tip.cid;
      const { act, ...more } = step;
      const change = 'set' in more ? { properties: more.set, properties_remove: more.drop } : {};
      const line = {
        put: `PUT /entities/${id}`,
        delete: `DELETE /entities/${id}`,
        restore: `POST /entities/${id}/restore`,
      };
      const answer = await ask(node, ada, line[act], { expect_tip, ...change });
      const fits = !stale && (tip.said === null) === (act === 'restore');
      if (stale) expect(answer).toMatchObject({ status: 409, body: conflict(expect_tip, tip.cid) });
      else expect(answer.status).toBe(fits ? 200 : 400);
      if (fits) {
        const kept = Object.entries(tip.said ?? {}).filter(([key]) => !('drop' in more && more.drop.includes(key)));
        const put = 'set' in more ? merged(Object.fromEntries(kept), more.set) : null;
        const said = act === 'restore' ? (chain.at(-2) as Version).said : put;
        chain.push({ cid: ok<Entity>(answer).cid, said });
        event++;
      }
      await expectRead(id, chain);
      expect(await newest()).toBe(event);
    }
    for (const { cid, said } of chain) {
      const { manifest } = ok<{ manifest: Entity }>(await ask(node, anonymous, `GET /versions/manifest/${cid}`));
      expect(manifest.properties ?? null).toEqual(said);
    }
  });
  await fc.assert(life, { seed: 20261128, numRuns: 25 });
});

async function expectRead(id: string, chain: Version[]): Promise<void> {
  const tip = chain.at(-1) as Version;
  expect((await ask(node, anonymous, `GET /entities/${id}/tip`)).body).toEqual({ id, cid: tip.cid });
  const { status, body } = await ask(node, anonymous, `GET /entities/${id}`);
  if (tip.said === null) expect([status, body]).toMatchObject([404, { details: { deleted: true, tip: tip.cid } }]);
  else expect((body as Entity).properties).toEqual(tip.said);
  const { versions } = ok<{ versions: Entity[] }>(await ask(node, anonymous, `GET /versions/${id}`));
  const newestFirst = chain.map(({ cid }, i) => ({ ver: i + 1, cid })).reverse();
  expect(versions.map(({ ver, cid }) => ({ ver, cid }))).toEqual(newestFirst.slice(0, 10));
}
