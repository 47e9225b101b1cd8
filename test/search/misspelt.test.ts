import { expect, test } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, type Entity, ok } from '../helpers/entities.ts';
import { startNode, temporaryFolder } from '../helpers/node.ts';
import { indexIdle } from '../helpers/searches.ts';

test('a word that nearly every text has is found though it is misspelt, or only begun', async () => {
  await using folder = await temporaryFolder();
  await using node = await startNode({ data: folder.path });
  const me = operator(node);
  const home = await collection(node, me, { label: 'Tides' });
  // More than 1000, since no fewer are common.
  for (let batch = 0; batch < 12; batch++) {
    const entities = Array.from({ length: 100 }, (_, i) => ({
      ...{ type: 'artwork', collection: home.id },
      properties: { label: `Harbour ${batch * 100 + i}` },
    }));
    ok(await ask(node, me, 'POST /entities/batch', { entities }));
  }
  const rare = { type: 'artwork', collection: home.id, properties: { label: 'Harbours seen at dusk' } };
  ok<Entity>(await ask(node, me, 'POST /entities', rare));
  await indexIdle(node);
  // The first two are no word of any text, the third one is that of a single text.
  for (const query of ['harbuor', 'harbou', 'harbours']) {
    const { results } = ok<{ results: { label: string }[] }>(
      await ask(node, me, 'POST /search/entities', { query, types: ['artwork'], limit: 10 }),
    );
    expect(results.length, query).toBe(10);
    expect(
      results.every(({ label }) => label.startsWith('Harbour')),
      query,
    ).toBe(true);
    if (query === 'harbours') expect(results[0]?.label).toBe('Harbours seen at dusk');
  }
});
