import { expect, test } from 'vitest';
import { ask, operator, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, enrol, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';
import { agent, klados, rhiza } from '../helpers/processors.ts';
import { addRemote, conflictsOf, keyOf } from '../sync/nodes.ts';
import { comingIn, describePage, lookAt, startPageNode, type Visit } from './browser.ts';

/** 200 characters, without a place to break a line at in one half of it. */
const long = (of: string) =>
  `${of} ${'and what one never wrote on any envelope '.repeat(9)}`.slice(0, 100) + 'x'.repeat(100);
const without = 'w'.repeat(90);

/** An entity with 40 properties of every kind, long in name and value. */
const properties = (of: string): Record<string, unknown> => ({
  label: long(of),
  description: 'A paragraph of some length, with words in it that end somewhere. '.repeat(40),
  nested: { within: { even_deeper: { and_there: long('Deep') } } },
  list: Array.from({ length: 30 }, (_, i) => `entry ${i} ${i % 7 ? '' : without}`),
  objects: [{ name: long('One') }, { name: long('Two') }],
  ...Object.fromEntries(
    Array.from({ length: 35 }, (_, i) => [
      i % 9 ? `property_${i}` : `property_${i}_${without}`.slice(0, 90),
      [long(`Value ${i}`), i * 1234.5, i % 2 === 0, '1929-05-04'][i % 4],
    ]),
  ),
});

describePage('long data', () => {
  async function look(visitor: Visit, name: string, path: string, text: string | RegExp, known = true): Promise<void> {
    // An address that names something leads there by itself too.
    await (/[?=/].*[?=/]/.test(path) ? visitor.load(path) : visitor.go(path));
    await visitor.page.locator('main').getByText(text).first().waitFor();
    await lookAt(visitor.page, `long-${name}`, { known });
  }

  async function archive(node: TestNode, me: Person) {
    const home = await collection(node, me, { label: long('Letters'), description: long('About').repeat(4) });
    const made = (label: string, more: object = {}) =>
      create(node, me, {
        type: `correspondence_${without}`.slice(0, 60),
        collection: home.id,
        properties: properties(label),
        ...more,
      });
    const peers: Entity[] = [];
    for (let i = 0; i < 12; i++) peers.push(await made(`To Ada ${i}`));
    const relationships = peers.map(({ id }, i) => ({
      predicate: i % 3 ? 'answers_a_letter_of_somebody_else_who' : 'x'.repeat(50),
      peer: id,
      ...(i === 0 && { properties: properties('Statement') }),
    }));
    const first = await made('To Bea', { relationships });
    const changed = await update(node, me, first, {
      properties: { label: long('To Cora'), property_1: -1 },
      note: long('Note'),
    });
    return { home, first: changed, peers };
  }

  test('of collections, entities and their history stays within the window', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const { home, first, peers } = await archive(node, me);
    await enrol(node, me, home.id, await user(node, long('Somebody')), 'editor');
    await using visitor = await comingIn(node);
    await look(visitor, 'start', '/', /^Letters and/);
    await look(visitor, 'collections', '/collections', /^Letters and/);
    await look(visitor, 'collection', `/collections/${home.id}`, /^To Ada 1 and/);
    await look(visitor, 'members', `/collections/${home.id}/members`, /^Letters and/);
    const homes = await Promise.all(Array.from({ length: 8 }, (_, i) => collection(node, me, { label: `Home ${i}` })));
    const placed = homes.map(({ id: peer }) => ({ predicate: 'collection', peer }));
    const shared = await create(node, me, { properties: { label: 'Shared' }, relationships: placed });
    await look(visitor, 'shared', `/entities/${shared.id}`, 'and 2 more collections');
    await look(visitor, 'entity', `/entities/${first.id}`, 'property_34');
    await look(visitor, 'history', `/entities/${first.id}/history?from=${first.prev_cid}&to=${first.cid}`, /^Note and/);
    await look(visitor, 'graph', `/graph?of=${first.id}`, /^Shows/);
    await remove(node, me, peers[0] as Entity, { note: long('Gone') });
    await look(visitor, 'entity-deleted', `/entities/${peers[0]?.id}`, /deleted/i);
    await look(visitor, 'export', `/export?collection=${home.id}`, 'Export');
    await look(visitor, 'no-entity', '/entities/01J00000000000000000000000', /no such|not/i, false);
    await look(visitor, 'no-screen', '/nowhere', /no/i, false);
    expect(visitor.faults).toEqual([]);
  });

  test('of search, queries and processors stays within the window', async () => {
    await using node = await startPageNode();
    const me = operator(node);
    const { home, first } = await archive(node, me);
    const more = { label: long('Reads'), description: long('About').repeat(5) };
    const reader = await klados(node, me, home.id, more);
    await agent(node, me, home.id, { ...more, label: long('Looks') });
    const then = { pass: `second_${'s'.repeat(80)}` };
    const step = { klados: { id: reader.id, type: 'klados' } };
    const flow = await rhiza(node, me, home.id, {
      ...more,
      label: long('Flows'),
      entry: 'first',
      flow: { first: { ...step, then }, [then.pass]: { ...step, then: { done: true } } },
    });
    await expect
      .poll(
        async () =>
          ok<{ results: object[] }>(await ask(node, me, 'POST /search/entities', { query: 'Cora' })).results.length,
        {
          timeout: 60_000,
        },
      )
      .toBe(1);
    await using visitor = await comingIn(node);
    await look(visitor, 'search', '/search?q=ada', /^To Ada/);
    await look(
      visitor,
      'argo',
      `/argo?q=${encodeURIComponent(`@${first.id} -[*]-> type:"${first.type}"`)}`,
      /To Ada 1/,
    );
    await look(visitor, 'processors', '/processors', /^Reads and/);
    await look(visitor, 'klados', `/processors/${reader.id}`, /^Reads and/);
    await look(visitor, 'rhiza', `/processors/${flow.id}`, /^Flows and/);
    await look(visitor, 'process', `/process?collection=${home.id}&processor=${reader.id}`, /Reads and|Process/);
    expect(visitor.faults).toEqual([]);
  });

  test('of remotes and conflicts stays within the window', async () => {
    await using origin = await startNode();
    await using node = await startPageNode();
    const curator = await user(origin, 'curator');
    const me = operator(node);
    const { first } = await archive(origin, curator);
    const name = `museum-${'m'.repeat(43)}`;
    await addRemote(node, me, { name, url: origin.url, key: keyOf(curator), watch: false });
    const run = () => ask(node, me, `POST /node/remotes/${name}/sync`);
    await run();
    const mine = ok(await ask(node, me, `GET /entities/${first.id}`));
    await update(origin, curator, first, { properties: { label: long('To Dora'), property_0: long('Theirs') } });
    await update(node, me, mine, { properties: { label: long('To Emma'), property_0: long('Ours') } });
    await run();
    expect(await conflictsOf(node, me)).toHaveLength(1);
    await using visitor = await comingIn(node);
    await look(visitor, 'sync', '/sync', name);
    await look(visitor, 'remote', `/sync/remotes/${name}`, name);
    await look(visitor, 'conflicts', '/sync/conflicts', /^To /);
    await look(visitor, 'conflict', `/sync/conflicts/${name}/${first.id}`, /To Dora/);
    await look(visitor, 'sync-log', '/sync/log', /Conflict found/);
    expect(visitor.faults).toEqual([]);
  });
});
