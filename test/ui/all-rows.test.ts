import { afterEach, expect, test, vi } from 'vitest';
import { ask, operator } from '../helpers/callers.ts';
import { collection, create, ok, update } from '../helpers/entities.ts';
import { startNode } from '../helpers/node.ts';

afterEach(() => vi.unstubAllGlobals());

test('what is changed while the rows are read is not among them, for it may fit no longer, and is counted', async () => {
  await using node = await startNode();
  const me = operator(node);
  const home = await collection(node, me);
  const draft = { type: 'text', collection: home.id, properties: { status: 'draft' } };
  const [final, elsewhere] = [await create(node, me, draft), await create(node, me, draft)];
  for (let at = 0; at < 500; at += 100)
    ok(await ask(node, me, 'POST /entities/batch', { entities: Array.from({ length: 100 }, () => draft) }));

  // What the page asks goes to the node as from its operator; before the second page of rows, others write.
  const toNode = globalThis.fetch;
  vi.stubGlobal('location', new URL(node.url));
  vi.stubGlobal('fetch', async (request: Request) => {
    // The page's modules are shared by the tests of a process, and may know the node of another one.
    const { pathname, search, searchParams } = new URL(request.url);
    if (searchParams.get('offset') === '500') {
      await update(node, me, final, { properties: { status: 'final' } });
      const other = await collection(node, me);
      const [from, to] = [home, other].map(({ id }) => ({ predicate: 'collection', peer: id }));
      await update(node, me, elsewhere, { relationships_remove: [from], relationships_add: [to] });
    }
    const asked = new Request(`${node.url}${pathname}${search}`, request);
    for (const [name, value] of Object.entries(me.headers)) asked.headers.set(name, value);
    return toNode(asked);
  });
  const { allRows } = await import('../../src/renderer/src/views/collection/all-rows.ts');
  const where = [{ column: 'properties.status', op: 'is' as const, value: 'draft' }];
  const found = await allRows({ collection: home.id, where, columns: [] }, new AbortController().signal);
  expect([found.total, found.rows.length, found.changed]).toEqual([502, 500, 2]);
  const ids = found.rows.map(({ id }) => id);
  for (const { id } of [final, elsewhere]) expect(ids).not.toContain(id);
});
