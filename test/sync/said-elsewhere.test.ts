import { inspect, isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { create, type Entity, update } from '../helpers/entities.ts';
import { misread, name, value } from '../helpers/odd-values.ts';
import { read, startPair, sync, tipsOf } from './nodes.ts';

test.each([
  ['a node', false],
  ['a plain remote', true],
] as const)('what is said of an entity is the same at %s', async (_, plain) => {
  await using pair = await startPair({ plain });
  const { origin, mirror, curator, here } = pair;
  const drawn = fc.sample(fc.record({ it: value, relation: fc.dictionary(name, value, { maxKeys: 5 }) }), 40);
  // The second of each pair has been read as the first one.
  const alike = [{ h: [], '\\': 0 }, { h: 1, '"': 2 }, misread('helloWaäö'), 'helloWaäö'];
  const said = [...alike.map((it) => ({ it, relation: {} })), ...drawn];
  const peer = (await create(origin, curator, {})).id;
  await sync(mirror, here);
  const made: Entity[] = [];
  for (const [i, { it, relation }] of said.entries()) {
    const body = { properties: { it }, relationships: [{ predicate: 'says', peer, properties: relation }] };
    made.push(i % 2 === 0 ? await create(origin, curator, body) : await create(mirror, here, body));
  }
  const same = async () => {
    const report = await sync(mirror, here);
    expect(report).toMatchObject({ refused: 0, conflicts: 0, troubles: 0, stopped: null });
    expect(await tipsOf(mirror, 'main')).toEqual(await tipsOf(origin, 'main'));
    for (const { id } of made) {
      const [there, ours] = [await read(origin, curator, id), await read(mirror, here, id)];
      const { it, more } = ours.properties;
      if (!isDeepStrictEqual(sayings(there), sayings(ours))) expect(shown(sayings(ours))).toBe(shown(sayings(there)));
      expect([it === undefined, more]).toEqual([false, there.properties.more]);
    }
  };
  await same();
  for (const [i, { id }] of made.entries()) {
    const [node, who] = i % 3 === 0 ? [origin, curator] : [mirror, here];
    await update(node, who, await read(node, who, id), { properties: { more: said[i]?.relation } });
  }
  await same();
});

const shown = (value: unknown) => inspect(value, { depth: 20, sorted: true, maxStringLength: null });

function sayings({ properties, relationships }: Entity) {
  return { properties, relationships };
}
