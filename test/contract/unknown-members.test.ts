import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { rows } from './all-rows.ts';
import { document, misfits, operations } from './document.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

// Members of a body that its endpoint does not know are ignored, also those that other endpoints know (decisions.md, G14): what
// one of these does, as adding relationships, may take another permission.

let scene: Scene & AsyncDisposable;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene[Symbol.asyncDispose]());

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : resolved(document.components.schemas[name] as Schema);
}

const bodyOf = (route: string): Schema | undefined => {
  const schema = operations.get(route)?.requestBody?.content['application/json']?.schema;
  return schema && resolved(schema as Schema);
};
const namesOf = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {});
const names = [...new Set([...operations.keys()].flatMap((route) => namesOf(bodyOf(route))))];

const mark = 'not_known_here';
const odd = fc.constantFrom<unknown>(null, 0, true, '', [], {}, [null], [5], { a: 1 });

/** Some members of other bodies, as these take them or not. */
function others(known: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const relationships = () => [{ predicate: mark, peer: scene.collection.id }];
  const fitting: Record<string, unknown> = {
    properties: { [mark]: 1 },
    properties_remove: ['label'],
    relationships: relationships(),
    relationships_add: relationships(),
    relationships_remove: [{ predicate: 'collection' }],
    roles: { [mark]: ['*:view'] },
    actions: ['*:view'],
    id: scene.newId(),
  };
  const free = names.filter((name) => !known.includes(name));
  const value = (name: string) => fc.oneof(fc.constant(fitting[name] ?? mark), odd);
  return fc.record(Object.fromEntries(free.map((name) => [name, value(name)])));
}

/** A body with further members, in the objects of its lists as well. What objects within it have is stored with them. */
function widened(value: unknown, given: Schema, more: (known: readonly string[]) => Record<string, unknown>): unknown {
  const { items = {}, properties = {} } = resolved(given);
  if (Array.isArray(value)) return value.map((one) => widened(one, items, more));
  if (typeof value !== 'object' || value === null || Object.keys(properties).length === 0) return value;
  const said = Object.entries(value).map(([key, one]) => [
    key,
    Array.isArray(one) ? widened(one, properties[key] ?? {}, more) : one,
  ]);
  return { ...more([...Object.keys(properties), ...Object.keys(value)]), ...Object.fromEntries(said) };
}

const seed = Number(process.env.FUZZ_SEED ?? 20260101);
/** One speaks another protocol; the other refuses what would remove something, since it would be taken and not done. */
const apart = ['POST /mcp', 'POST /updates/additive'];
const bodied = rows.filter(({ route }) => namesOf(bodyOf(route)).length > 0 && !apart.includes(route));

describe.each(bodied)('$route', ({ route, cases: [success] }) => {
  it('ignores what it does not know', async () => {
    const [method = ''] = route.split(' ');
    const once = fc.asyncProperty(fc.gen(), async (g) => {
      const { path, body, as = scene.owner, headers } = await success.call(scene);
      const sent = widened(body, bodyOf(route) ?? {}, (known) => g(() => others(known)));
      const answer = await ask(scene.node, as, `${method} ${path}`, sent, headers);
      expect(answer.status, `${answer.text}\nto ${JSON.stringify(sent)}`).toBe(success.status);
      expect(misfits(route, answer.status, answer.body)).toEqual([]);
      expect(answer.text).not.toContain(mark);
    });
    await fc.assert(once, { seed, numRuns: 3, endOnFailure: true });
  });
});
