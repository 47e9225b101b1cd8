import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExpandedView } from '../../src/server/resources/entities/wire.ts';
import { anonymous, ask, onBehalf, type Person, service, user } from '../helpers/callers.ts';
import { collection, create, type Entity, invalid, nowhere, ok, read, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let node: TestNode;
let ada: Person;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
});
afterAll(() => node[Symbol.asyncDispose]());

const expanded = async (id: string, query: string) =>
  ok<ExpandedView>(await ask(node, anonymous, `GET /entities/${id}?${query}`));
const preview = async (id: string) => ok<object>(await ask(node, anonymous, `GET /entities/${id}/preview`));
const link = (peer: string, more: object = {}) => ({ predicate: 'has', peer, ...more });

describe('an expansion', () => {
  it.each(['relationships', 'relationships:preview', 'relationships,relationships:preview'])(
    'by %s shows previews, with the present type and label',
    async (expand) => {
      const peer = await create(node, ada, { type: 'folder', properties: { label: 'new', description: 'd' } });
      const old = { peer_type: 'old', peer_label: 'old', properties: { page: 1 } };
      const made = await create(node, ada, { relationships: [link(peer.id, old)] });
      const view = await expanded(made.id, `expand=${expand}`);
      expect(view).toEqual({
        ...made,
        edited_by: { ...made.edited_by, user_label: 'ada' },
        relationships: [
          {
            predicate: 'has',
            peer: peer.id,
            peer_type: 'folder',
            peer_label: 'new',
            properties: { page: 1 },
            peer_preview: await preview(peer.id),
          },
        ],
      });
      expect((await read(node, ada, made.id)).relationships).toEqual([link(peer.id, old)]);
    },
  );

  it.each(['relationships:full', 'relationships:preview,relationships:full'])(
    'by %s shows whole peers',
    async (expand) => {
      const peer = await create(node, ada, { properties: { a: [1] } });
      const made = await create(node, ada, { relationships: [link(peer.id)] });
      const [only] = (await expanded(made.id, `expand=${expand}`)).relationships;
      expect(only).toMatchObject({ peer_entity: peer });
      expect(only).not.toHaveProperty('peer_preview');
    },
  );

  it('leaves peers that are deleted or unknown as they are stored', async () => {
    const peer = await create(node, ada);
    const relationships = [link(peer.id, { peer_type: 'document', peer_label: 'stored' }), link(nowhere)];
    const made = ok(await ask(node, ada, 'POST /entities?validate_relationships=false', { type: 'x', relationships }));
    await remove(node, ada, peer);
    expect((await expanded(made.id, 'expand=relationships:full')).relationships).toEqual(relationships);
  });

  it('stops at its limit, and says so', async () => {
    const peers = await Promise.all([1, 2, 3].map(() => create(node, ada)));
    const made = await create(node, ada, { relationships: peers.map(({ id }) => link(id)) });
    const two = await expanded(made.id, 'expand=relationships&expand_limit=2');
    expect(two.relationships.map((r) => 'peer_preview' in r)).toEqual([true, true, false]);
    expect(two._expansion_metadata).toEqual({ total: 3, expanded: 2, truncated: true });
    expect(await expanded(made.id, 'expand=relationships&expand_limit=3')).not.toHaveProperty('_expansion_metadata');
  });

  it('is by default of 100, and at most 500', async () => {
    const { id } = await create(node, ada);
    const relationships = Array.from({ length: 101 }, (_, i) => ({ predicate: `p${i}`, peer: id }));
    const made = await create(node, ada, { relationships });
    expect((await expanded(made.id, 'expand=relationships'))._expansion_metadata).toMatchObject({ expanded: 100 });
    for (const limit of ['0', '501', 'x', '1.5'])
      expect((await ask(node, ada, `GET /entities/${made.id}?expand_limit=${limit}`)).body).toEqual(
        invalid(['expand_limit'], expect.any(String)),
      );
  });

  it('names whom a service acted for', async () => {
    const made = await create(node, onBehalf(service(node), ada));
    expect((await expanded(made.id, 'expand=relationships')).edited_by).toMatchObject({
      on_behalf_of: ada.id,
      on_behalf_of_label: 'ada',
    });
  });

  it.each([
    ['', undefined],
    [' , ', undefined],
    ['relationships,', 'peer_preview'],
    [',relationships:full', 'peer_entity'],
  ])('passes over the empty names of %j', async (expand, shown) => {
    const made = await create(node, ada, { relationships: [link((await create(node, ada)).id)] });
    const view = await expanded(made.id, `expand=${encodeURIComponent(expand)}`);
    if (shown === undefined) expect(view).toEqual(made);
    else expect(view.relationships[0]).toHaveProperty(shown);
  });

  it.each(['children', 'relationships:all', 'relationships,all', 'toString'])('is not made of %j', async (expand) => {
    const { id } = await create(node, ada);
    const answer = await ask(node, ada, `GET /entities/${id}?expand=${expand}`);
    expect([answer.status, answer.body]).toEqual([400, invalid(['expand'], expect.any(String))]);
  });
});

describe('a preview', () => {
  const of = async (properties: object) => preview((await create(node, ada, { properties })).id);

  it.each([
    [{ label: 'L', filename: 'F', name: 'N' }, 'L'],
    [{ filename: 'F', name: 'N' }, 'F'],
    [{ name: 'N' }, 'N'],
    [{ label: '', name: 'N' }, 'N'],
    [{ label: 5, title: 'T' }, ''],
  ])('of %j is called %j', async (properties, label) => {
    expect(await of(properties)).toMatchObject({ label });
  });

  it('cuts texts at 200 characters, never within one', async () => {
    const smile = '\u{1f600}';
    expect(await of({ description: smile.repeat(200) })).toMatchObject({ description_preview: smile.repeat(200) });
    expect(await of({ description: smile.repeat(201), text: 'x'.repeat(5000) })).toMatchObject({
      description_preview: `${smile.repeat(200)}...`,
      text_preview: `${'x'.repeat(200)}...`,
    });
    expect(await of({ description: 5, text: '' })).not.toHaveProperty('description_preview');
  });

  it('tells when it was made and changed, and where it lies', async () => {
    const inside = await collection(node, ada);
    const first = await create(node, ada, { collection: inside.id });
    const second = await update(node, ada, first, {});
    expect(await preview(first.id)).toEqual({
      id: first.id,
      type: 'document',
      label: '',
      collection_id: inside.id,
      collection_pi: inside.id,
      created_at: first.created_at,
      updated_at: new Date(second.ts).toISOString(),
    });
  });
});

describe('a collection read as an entity', () => {
  it('carries its roles and its root', async () => {
    const made = await collection(node, ada);
    const inside = await create(node, ada, { collection: made.id });
    const body = { expect_tip: made.cid, entity_id: inside.id };
    const rooted = ok<Entity>(await ask(node, ada, `PUT /collections/${made.id}/root`, body));
    expect(await read(node, ada, made.id)).toEqual(rooted);
    expect(rooted).toMatchObject({ root_entity_id: inside.id, roles: { public: ['*:view'] } });
  });
});
