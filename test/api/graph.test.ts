import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  GraphEntityView,
  PathsBody,
  PathsView,
  ReachableBody,
  ReachableView,
} from '../../src/server/resources/graph/wire.ts';
import { ask, on, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

type Links = [predicate: string, peer: { id: string }][];
const links = (to: Links) => to.map(([predicate, { id }]) => ({ predicate, peer: id }));
const made = (label: string, to: Links = [], body: object = {}) =>
  create(node, ada, { properties: { label }, relationships: links(to), ...body });

async function pathsOf(from: { id: string }[], to: { id: string }[], body: PathsBody = {}, query = '') {
  const ends = { source_ids: from.map(({ id }) => id), target_ids: to.map(({ id }) => id) };
  return ok<PathsView>(await ask(node, ada, `POST /graph/paths${query}`, { ...ends, ...body }));
}
async function reachedFrom(from: { id: string }[], body: Partial<ReachableBody> = {}) {
  const asked = { source_ids: from.map(({ id }) => id), target_type: 'document', ...body };
  return ok<ReachableView>(await ask(node, ada, 'POST /graph/reachable', asked));
}
const around = async ({ id }: { id: string }, query = '') =>
  ok<GraphEntityView>(await ask(node, ada, `GET /graph/entity/${id}${query}`));

/** `a -p- b, c -q- b`: the relationships of a path as they are stored, by labels. */
const drawn = ({ edges }: PathsView['paths'][number]) =>
  edges.map((edge) => `${edge.subject_label} -${edge.predicate}- ${edge.object_label}`).join(', ');
const draw = async (...of: Parameters<typeof pathsOf>) => (await pathsOf(...of)).paths.map(drawn);

describe('paths', () => {
  it('are shortest first, each relationship in its own direction', async () => {
    const d = await made('d');
    const c = await made('c', [['to', d]]);
    const b = await made('b', [['to', c]]);
    const a = await made('a', [
      ['to', b],
      ['of', d],
    ]);
    expect(await draw([a], [d])).toEqual(['a -of- d', 'a -to- b, b -to- c, c -to- d']);
    expect(await draw([d], [a])).toEqual(['a -of- d', 'c -to- d, b -to- c, a -to- b']);
    expect(await draw([d], [a], { direction: 'outgoing' })).toEqual([]);
    expect(await draw([d], [a], { direction: 'incoming' })).toEqual(['a -of- d', 'c -to- d, b -to- c, a -to- b']);
    expect(await draw([b], [d], { direction: 'outgoing' })).toEqual(['b -to- c, c -to- d']);
    expect(await draw([b], [d], { max_depth: 1 })).toEqual([]);
    expect(await draw([b], [d], { max_depth: 2 })).toHaveLength(2);
  });

  it('come by no entity twice, whatever leads back', async () => {
    const a = await made('a');
    const b = await made('b', [['to', a]]);
    const loops = await update(node, ada, a, {
      relationships_add: links([
        ['to', b],
        ['to', a],
      ]),
    });
    expect(await draw([loops], [b])).toEqual(['a -to- b', 'b -to- a']);
    expect(await draw([loops], [loops])).toEqual([]);
  });

  it('are several where several relationships link the same two', async () => {
    const c = await made('c');
    const b = await made('b', [
      ['by', c],
      ['of', c],
    ]);
    const a = await made('a', [
      ['by', b],
      ['of', b],
    ]);
    const found = await draw([a], [c], { max_depth: 2 });
    expect(found.toSorted()).toEqual([
      'a -by- b, b -by- c',
      'a -by- b, b -of- c',
      'a -of- b, b -by- c',
      'a -of- b, b -of- c',
    ]);
    const cut = await pathsOf([a], [c], { max_depth: 2, limit: 3 });
    expect(cut.paths.map(drawn)).toEqual(found.slice(0, 3));
    expect(cut.truncated).toBe(true);
    expect(await pathsOf([a], [c], { max_depth: 2, limit: 4 })).toMatchObject({ truncated: false });
  });

  it('are between any source and any target, and repeated ones count once', async () => {
    const [x, y] = [await made('x'), await made('y')];
    const a = await made('a', [['to', x]]);
    const b = await made('b', [['to', y]]);
    expect(await draw([a, b, a, { id: nowhere }], [y, x, y])).toEqual(['a -to- x', 'b -to- y']);
    // An entity that is both is an inner one too.
    expect(await draw([a], [x, a])).toEqual(['a -to- x']);
  });

  it('lead through no collection, but begin and end there', async () => {
    const home = await collection(node, ada, { label: 'home' });
    const [a, b] = [await made('a', [], { collection: home.id }), await made('b', [], { collection: home.id })];
    expect(await draw([a], [b])).toEqual([]);
    expect(await draw([a], [home])).toEqual(['a -collection- home']);
    expect(await draw([home], [b], { direction: 'incoming' })).toEqual(['b -collection- home']);
  });

  it('lead through nothing deleted; at their end it has neither label nor preview', async () => {
    const c = await made('c');
    const a = await made('a', [['to', c]]);
    const b = await made('b', [['to', c]]);
    expect(await draw([a], [b])).toEqual(['a -to- c, b -to- c']);
    await remove(node, ada, c);
    expect(await draw([a], [b])).toEqual([]);
    const { paths } = await pathsOf([a], [c]);
    expect(paths.map(drawn)).toEqual(['a -to- ']);
    const [edge] = paths[0]?.edges ?? [];
    expect(edge).toMatchObject({ object_type: 'document', subject_preview: { label: 'a' } });
    expect(edge).not.toHaveProperty('object_preview');
    await remove(node, ada, a);
    expect(await draw([a], [c])).toEqual([]);
  });

  it('belong to one network', async () => {
    const [a, b] = [await made('a'), await made('b')];
    const there = on('test', ada);
    const asked = { source_ids: [a.id], target_ids: [b.id] };
    const { status, body } = await ask(node, there, 'POST /graph/paths', asked);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('is not an id of the test network');
  });
});

describe('what is reachable', () => {
  it('is nearest first, once, by a shortest path, a source too where another one leads to it', async () => {
    const far = await made('far');
    const near = await made('near', [['to', far]]);
    const a = await made('a', [
      ['to', near],
      ['to', near],
    ]);
    const { results, truncated } = await reachedFrom([a]);
    expect(results.map(({ target_label, length }) => [target_label, length])).toEqual([
      ['near', 1],
      ['far', 2],
    ]);
    expect(results.map(drawn)).toEqual(['a -to- near', 'a -to- near, near -to- far']);
    expect(results[0]).toMatchObject({ source_id: a.id, target_preview: { id: near.id, label: 'near' } });
    expect(truncated).toBe(false);
    const both = (await reachedFrom([a, near])).results.map((one) => [one.source_id, one.target_id, one.length]);
    const all = [
      [a.id, near.id, 1],
      [near.id, a.id, 1],
      [near.id, far.id, 1],
    ];
    expect(both.toSorted()).toEqual(all.toSorted());
    expect(await reachedFrom([a], { limit: 1 })).toMatchObject({ results: [{ target_id: near.id }], truncated: true });
    expect((await reachedFrom([a], { max_depth: 1 })).results).toHaveLength(1);
    expect((await reachedFrom([far], { direction: 'outgoing' })).results).toEqual([]);
  });

  it('is of that type, live, and not beyond a collection', async () => {
    const home = await collection(node, ada);
    const letter = await made('letter', [], { type: 'letter', collection: home.id });
    const gone = await made('gone', [], { type: 'letter' });
    const a = await made('a', [['to', gone]], { collection: home.id });
    await remove(node, ada, gone);
    expect((await reachedFrom([a], { target_type: 'letter' })).results).toEqual([]);
    expect((await reachedFrom([a], { target_type: 'collection' })).results).toMatchObject([{ target_id: home.id }]);
    expect((await reachedFrom([home], { target_type: 'letter' })).results).toMatchObject([{ target_id: letter.id }]);
  });
});

describe('an entity in the graph', () => {
  const shown = ({ relationships }: GraphEntityView) =>
    relationships.map((r) => [r.direction, r.predicate, r.peer_label, r.properties]);

  it('has its relationships of both directions, with their properties', async () => {
    const c = await made('c');
    const by = { predicate: 'by', peer: c.id, properties: { role: 'painter', order: [1] } };
    const a = await create(node, ada, { properties: { label: 'a' }, relationships: [by, ...links([['of', c]])] });
    const loop = await update(node, ada, c, {
      relationships_add: links([
        ['of', a],
        ['of', c],
      ]),
    });
    const graph = await around(loop);
    expect(shown(graph).toSorted()).toEqual([
      ['incoming', 'by', 'a', { role: 'painter', order: [1] }],
      ['incoming', 'of', 'a', {}],
      ['incoming', 'of', 'c', {}],
      ['outgoing', 'of', 'a', {}],
      ['outgoing', 'of', 'c', {}],
    ]);
    expect(graph).toMatchObject({ totals: { outgoing: 2, incoming: 3 }, truncated: false, collection_id: null });
    const whole = await around(c, '?expand=full');
    expect(whole.relationships[0]?.peer_entity).toEqual(ok<Entity>(await ask(node, ada, `GET /entities/${a.id}`)));
    const bare = await around(c, '?expand=none');
    expect(bare.relationships.flatMap((r) => Object.keys(r))).not.toContain('peer_preview');
  });

  it('shows of texts what a preview shows, whatever characters they have', async () => {
    const texts = ['one\0two', '\0', '😀'.repeat(200), '€'.repeat(201), 'x'.repeat(2000)];
    for (const text of texts) {
      const peer = await made('peer', [], { properties: { text, description: text } });
      const preview = ok(await ask(node, ada, `GET /entities/${peer.id}/preview`));
      expect((await around(await made('near', [['to', peer]]))).relationships[0]?.peer_preview).toEqual(preview);
    }
  });

  it('shows so many of each direction, and says how many there are', async () => {
    const hub = await made(
      'hub',
      await Promise.all([made('x'), made('y'), made('z')].map(async (p) => ['to', await p] as [string, Entity])),
    );
    for (const name of ['a', 'b', 'c', 'd']) await made(name, [['in_it', hub]]);
    const graph = await around(hub, '?limit=2');
    expect(shown(graph).map(([direction]) => direction)).toEqual(['outgoing', 'outgoing', 'incoming', 'incoming']);
    expect(graph).toMatchObject({ totals: { outgoing: 3, incoming: 4 }, truncated: true });
    expect(await around(hub, '?limit=4')).toMatchObject({ truncated: false });
  });

  it('has all of its relationships where no limit is asked for', async () => {
    const hub = await made('hub');
    const item = { type: 'document', relationships: [{ predicate: 'of', peer: hub.id, properties: { n: 1 } }] };
    const spokes: string[] = [];
    for (let i = 0; i < 11; i++) {
      const sent = { entities: Array.from({ length: 100 }, () => item) };
      const { results } = ok<{ results: { id: string }[] }>(await ask(node, ada, 'POST /entities/batch', sent));
      spokes.push(...results.map(({ id }) => id));
    }
    const relationships_add = spokes.map((peer) => ({ predicate: 'to', peer }));
    const body = { expect_tip: hub.cid, relationships_add };
    ok(await ask(node, ada, `PUT /entities/${hub.id}?validate_relationships=false`, body));
    const { relationships, totals, truncated } = await around(hub);
    expect({ totals, truncated }).toEqual({ totals: { outgoing: 1100, incoming: 1100 }, truncated: false });
    const peers = (direction: string) => relationships.filter((r) => r.direction === direction).map((r) => r.peer_id);
    expect(new Set(peers('outgoing'))).toEqual(new Set(spokes));
    expect(new Set(peers('incoming'))).toEqual(new Set(spokes));
    expect(relationships.at(-1)).toMatchObject({ direction: 'incoming', predicate: 'of', properties: { n: 1 } });
    const limited = await around(hub, '?limit=1000');
    expect(limited.relationships).toHaveLength(2000);
    expect(limited.truncated).toBe(true);
  });

  it('has as many relationships as an answer holds', async () => {
    const hub = await made('hub');
    const long = 'x'.repeat(1_000_000);
    const many = Array.from({ length: 80 }, (_, i): Links[number] => [`p${i}`, hub]);
    await made(long, many);
    const { relationships, totals, truncated } = await around(hub, '?expand=none');
    expect({ totals, truncated }).toEqual({ totals: { outgoing: 0, incoming: 80 }, truncated: true });
    expect(relationships.length).toBeGreaterThan(60);
    expect(relationships.length).toBeLessThan(80);
  });

  it('has all of its relationships, however large what they stand in is', async () => {
    const hub = await made('hub');
    const note = 'x'.repeat(1024 * 1024);
    const item = {
      ...{ type: 'document', properties: { label: 'spoke', note } },
      relationships: ['by', 'of'].map((predicate) => ({ predicate, peer: hub.id, properties: { is: predicate } })),
    };
    for (let i = 0; i < 5; i++)
      ok(await ask(node, ada, 'POST /entities/batch', { entities: Array.from({ length: 15 }, () => item) }));
    const { relationships, totals, truncated } = await around(hub, '?expand=none');
    expect({ totals, truncated }).toEqual({ totals: { outgoing: 0, incoming: 150 }, truncated: false });
    expect(relationships.every(({ predicate, properties }) => properties.is === predicate)).toBe(true);
    expect(relationships.filter(({ predicate }) => predicate === 'of')).toHaveLength(75);
  });

  it('keeps what it says of peers that are deleted or never were here', async () => {
    const gone = await made('gone');
    const relationships = [
      { predicate: 'to', peer: gone.id, peer_type: 'document', peer_label: 'it was' },
      { predicate: 'to', peer: nowhere, peer_type: 'place', peer_label: 'Nowhere' },
    ];
    const a = ok<Entity>(
      await ask(node, ada, 'POST /entities?validate_relationships=false', { type: 'document', relationships }),
    );
    await remove(node, ada, gone);
    const { relationships: found } = await around(a);
    expect(found.map((r) => [r.peer_id, r.peer_type, r.peer_label, r.peer_preview])).toEqual([
      [gone.id, 'document', 'it was', undefined],
      [nowhere, 'place', 'Nowhere', undefined],
    ]);
  });

  it('shows a collection with everybody in it', async () => {
    const open = await collection(node, ada, {
      relationships: [{ predicate: 'viewer', peer: '*' }],
    });
    const inside = await made('inside', [], { collection: open.id });
    const { relationships } = await around(open);
    expect(relationships.map((r) => [r.direction, r.predicate, r.peer_id])).toEqual(
      expect.arrayContaining([
        ['outgoing', 'viewer', '*'],
        ['incoming', 'collection', inside.id],
      ]),
    );
  });
});
