import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TreeNode, TreeView } from '../../src/server/resources/entities/wire.ts';
import { anonymous, ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, invalid, nowhere, ok, onTest, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

type Links = [predicate: string, peer: { id: string }][];
const made = (label: string, links: Links = [], inside: Entity | null = home) =>
  create(node, ada, {
    properties: { label },
    relationships: links.map(([predicate, { id }]) => ({ predicate, peer: id })),
    ...(inside && { collection: inside.id }),
  });
const treeOf = async ({ id }: { id: string }, query: Record<string, string> = {}) =>
  ok<TreeView>(await ask(node, anonymous, `GET /entities/${id}/tree?${new URLSearchParams(query)}`));
/** `a(b c(d))` */
const drawn = ({ label, children }: TreeNode): string =>
  label + (children.length > 0 ? `(${children.map(drawn).join(' ')})` : '');
const draw = async (of: { id: string }, query: Record<string, string> = {}) => drawn((await treeOf(of, query)).root);

describe('the collection of an entity', () => {
  const collectionOf = async (id: string) => (await ask(node, anonymous, `GET /entities/${id}/collection`)).body;

  it('is the first that it lies in, its own for a collection, or none', async () => {
    const second = await collection(node, ada);
    const both = await made('a', [['collection', second]]);
    expect(await collectionOf((await made('b')).id)).toEqual({ collection_id: home.id });
    expect(await collectionOf(both.id)).toEqual({ collection_id: home.id });
    expect(await collectionOf(home.id)).toEqual({ collection_id: home.id });
    expect(await collectionOf((await made('c', [], null)).id)).toEqual({ collection_id: null });
    expect(await collectionOf(ada.id)).toEqual({ collection_id: null });
  });
});

describe('a tree', () => {
  it('goes as deep as is asked for, 2 levels if nothing is said', async () => {
    const d = await made('d');
    const c = await made('c', [['contains', d]]);
    const b = await made('b', [['contains', c]]);
    const a = await made('a', [['contains', b]]);
    expect(await treeOf(a)).toEqual({
      root: {
        ...{ id: a.id, pi: a.id, label: 'a', type: 'document', depth: 0 },
        children: [
          {
            ...{ id: b.id, pi: b.id, label: 'b', type: 'document', depth: 1 },
            children: [{ id: c.id, pi: c.id, label: 'c', type: 'document', depth: 2, children: [] }],
          },
        ],
      },
      total_nodes: 3,
      truncated: false,
    });
    expect(await draw(a, { depth: '1' })).toBe('a(b)');
    expect(await draw(a, { depth: '4' })).toBe('a(b(c(d)))');
  });

  it('follows what leads on, and neither what leads up nor memberships', async () => {
    const up = await made('up', [], null);
    const a = await made('a', [
      ['in', up],
      ['has_part', await made('b')],
    ]);
    expect(await draw(a)).toBe('a(b)');
    const shelf = await collection(node, ada, {
      label: 'shelf',
      relationships: [{ predicate: 'contains', peer: a.id }],
    });
    expect(await draw(shelf)).toBe('shelf(a(b))');
    expect(await draw(shelf, { predicates: 'owner' })).toBe('shelf(ada)');
    expect(await draw(a, { predicates: 'in, collection' })).toBe('a(a collection up)');
  });

  it('follows the predicates that are named', async () => {
    const a = await made('a', [
      ['has', await made('b')],
      ['knows', await made('c')],
      ['likes', await made('d')],
    ]);
    expect(await draw(a, { predicates: 'knows,likes' })).toBe('a(c d)');
    expect(await draw(a, { predicates: 'unheard_of' })).toBe('a');
  });

  it('leads to no wildcard, which is no entity', async () => {
    const open = await collection(node, ada, { label: 'open' });
    await update(node, ada, open, { relationships_add: [{ predicate: 'viewer', peer: '*' }] });
    const { root, total_nodes } = await treeOf(open, { predicates: 'owner,viewer' });
    expect([root.children.map(({ id }) => id), total_nodes]).toEqual([[ada.id], 2]);
  });

  it('stays in a collection where one is named', async () => {
    const other = await collection(node, ada);
    const deep = await made('deep', [], other);
    const outside = await made('outside', [['has', deep]], null);
    const a = await made('a', [
      ['has', outside],
      ['has', await made('inside', [['has', deep]], other)],
    ]);
    expect(await draw(a, { collection: other.id })).toBe('a(inside(deep))');
    expect(await draw(a, { collection: nowhere })).toBe('a');
  });

  it('shows each entity once, also in a circle', async () => {
    const c = await made('c');
    const b = await made('b', [['has', c]]);
    const a = await made('a', [
      ['has', b],
      ['has', c],
    ]);
    ok(
      await ask(node, ada, `PUT /entities/${c.id}`, {
        expect_tip: c.cid,
        relationships_add: [
          { predicate: 'has', peer: a.id },
          { predicate: 'has', peer: c.id },
        ],
      }),
    );
    expect(await draw(a, { depth: '4' })).toMatch(/^a\((b c|c b)\)$/);
  });

  it('is cut at the farthest', async () => {
    const leaves = [await made('x'), await made('y'), await made('z')];
    const b = await made(
      'b',
      leaves.map((leaf) => ['has', leaf]),
    );
    const a = await made('a', [
      ['has', b],
      ['has', await made('c')],
    ]);
    expect(await treeOf(a, { limit: '4' })).toMatchObject({ total_nodes: 4, truncated: true });
    expect(await draw(a, { limit: '4' })).toBe('a(b(x) c)');
    expect(await draw(a, { limit: '2' })).toBe('a(b)');
    expect(await treeOf(a, { limit: '6' })).toMatchObject({ total_nodes: 6, truncated: false });
    expect(await treeOf(a, { limit: '3', depth: '1' })).toMatchObject({ total_nodes: 3, truncated: false });
  });

  it('names a deleted or unknown partner without its label, and goes no further', async () => {
    const child = await made('child');
    const gone = await made('gone', [['has', child]]);
    const a = await made('a', [['has', gone]]);
    await remove(node, ada, gone);
    const query = '?validate_relationships=false';
    const stub = '01J0000000000000000000000C';
    ok(
      await ask(node, ada, `PUT /entities/${a.id}${query}`, {
        expect_tip: a.cid,
        relationships_add: [{ predicate: 'has', peer: stub }],
      }),
    );
    const { root, total_nodes } = await treeOf(a);
    const plain = { label: '', depth: 1, children: [] };
    expect(root.children).toEqual([
      { id: gone.id, pi: gone.id, type: 'document', ...plain },
      { id: stub, pi: stub, type: '', ...plain },
    ]);
    expect(total_nodes).toBe(3);
  });

  it('of a hub is cut too', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i++) {
      const entities = Array.from({ length: 100 }, (_, n) => ({ type: 'leaf', properties: { label: `${i} ${n}` } }));
      const batch = ok<{ results: { id: string }[] }>(await ask(node, ada, 'POST /entities/batch', { entities }));
      ids.push(...batch.results.map(({ id }) => id));
    }
    const relationships = ids.map((peer) => ({ predicate: 'has', peer }));
    const made = await ask(node, ada, 'POST /entities?validate_relationships=false', { type: 'hub', relationships });
    const tree = await treeOf(ok(made), { limit: '1000' });
    expect(tree).toMatchObject({ total_nodes: 1000, truncated: true });
    expect(new Set(tree.root.children.map(({ id }) => id)).size).toBe(999);
  });

  it.each<[Record<string, string>, (string | number)[], string]>([
    [{ depth: '0' }, ['depth'], 'must be at least 1'],
    [{ depth: '5' }, ['depth'], 'must be at most 4'],
    [{ limit: '1001' }, ['limit'], 'must be at most 1000'],
    [{ predicates: ' , ' }, ['predicates'], 'must name 1 to 100 predicates, between commas'],
    [{ collection: onTest }, ['collection'], 'is not an id of the main network'],
  ])('refuses %j', async (query, path, message) => {
    const answer = await ask(node, anonymous, `GET /entities/${home.id}/tree?${new URLSearchParams(query)}`);
    expect([answer.status, answer.body]).toEqual([400, invalid(path, message)]);
  });
});
