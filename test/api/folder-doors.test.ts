import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeManifest } from '../../src/server/blocks/encode.ts';
import type { JsonObject } from '../../src/server/model/manifest.ts';
import { ask, type Person, user } from '../helpers/callers.ts';
import { collection, create, type Entity, invalid, nowhere, ok, read, remove, update } from '../helpers/entities.ts';
import { folder, peers } from '../helpers/folders.ts';
import { importer, ndjson } from '../helpers/imports.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

// A folder's profile, its peers and its place are checked whatever door a write comes through.

let node: TestNode;
let ada: Person;
let home: Entity;
beforeAll(async () => {
  node = await startNode();
  ada = await user(node, 'ada');
  home = await collection(node, ada);
});
afterAll(() => node[Symbol.asyncDispose]());

const refusal = async (line: string, body: object, who = ada) => {
  const answer = await ask(node, who, line, body);
  return [answer.status, answer.body];
};
const noLabel = 'a folder has a label: text that is not empty';
const notAFile = (id: string) => `must be a file or a folder, and ${id} has the type \`document\``;
const linkTo = (predicate: string, { id }: { id: string }) => ({ predicate, peer: id });

describe('the profile', () => {
  it('POST /entities', async () => {
    expect(await refusal('POST /entities', { type: 'folder' })).toEqual([
      400,
      invalid(['properties', 'label'], noLabel),
    ]);
    const properties = { label: 'x', metadata: 'none' };
    expect(await refusal('POST /entities', { type: 'folder', properties })).toEqual([
      ...[400, invalid(['properties', 'metadata'], 'must be an object')],
    ]);
  });

  it('POST /entities/batch, item by item', async () => {
    const entities = [
      { type: 'folder', properties: { label: 'x' } },
      { type: 'folder', properties: { label: 7 } },
    ];
    const { results } = ok<{ results: object[] }>(await ask(node, ada, 'POST /entities/batch', { entities }));
    expect(results).toMatchObject([
      { success: true },
      { success: false, code: 'VALIDATION_ERROR', details: invalid(['properties', 'label'], noLabel).details },
    ]);
  });

  it('PUT /entities and PUT /folders', async () => {
    const { id, cid } = await folder(node, ada);
    for (const path of ['entities', 'folders'])
      expect(await refusal(`PUT /${path}/${id}`, { expect_tip: cid, properties: { rich_description: {} } })).toEqual([
        ...[400, invalid(['properties', 'rich_description'], 'must be a string')],
      ]);
    expect(await refusal(`PUT /entities/${id}`, { expect_tip: cid, properties_remove: ['label'] })).toEqual([
      ...[400, invalid(['properties', 'label'], noLabel)],
    ]);
  });

  it('POST /folders, where the root members win over properties', async () => {
    const made = await folder(node, ada, {
      label: 'right',
      properties: { label: '', metadata: { a: 1 } },
      metadata: { b: 2 },
    });
    expect(made.properties).toEqual({ label: 'right', metadata: { a: 1, b: 2 } });
    expect(await refusal('POST /folders', { label: 'x', properties: { description: 1 } })).toEqual([
      ...[400, invalid(['properties', 'description'], 'must be a string')],
    ]);
  });

  it('additive updates', async () => {
    const { id } = await folder(node, ada);
    const updates = [{ entity_id: id, properties: { description: [] } }];
    const { failed } = ok<{ failed: { error: string }[] }>(await ask(node, ada, 'POST /updates/additive', { updates }));
    expect(failed).toMatchObject([{ entity_id: id, error: expect.stringContaining('must be a string') }]);
  });

  it('an import', async () => {
    const records = [
      { id: 1, label: 'fits', metadata: { a: 1 } },
      { id: 2, label: 'does not', metadata: 'text' },
    ];
    const report = await importer(node).run(
      { collection: 'Imported', type: 'folder' },
      { 'f.ndjson': ndjson(records) },
    );
    expect(report).toMatchObject({ created: 1, refused: 1 });
    expect(report.refused_examples).toMatchObject([
      { issues: [{ path: ['properties', 'metadata'], message: 'must be an object' }] },
    ]);
  });
});

describe('peers', () => {
  it('of POST /folders are at most 500 different ones when they are checked', async () => {
    const made: string[] = [];
    const entities = Array.from({ length: 100 }, () => ({ type: 'document' }));
    for (let i = 0; i < 6; i++) {
      const answer = ok<{ results: { id: string }[] }>(await ask(node, ada, 'POST /entities/batch', { entities }));
      made.push(...answer.results.map(({ id }) => id));
    }
    const sent = (count: number, query: string) => {
      const relationships = made.slice(0, count).map((peer) => ({ predicate: 'has', peer }));
      return ask(node, ada, `POST /folders${query}`, { label: 'x', collection: home.id, relationships });
    };
    const checked = '?validate_relationships=true';
    expect(await sent(501, checked)).toMatchObject({
      status: 400,
      body: invalid(['relationships'], 'has more than 500 different targets; send validate_relationships=false'),
    });
    expect([(await sent(500, checked)).status, (await sent(501, '')).status]).toEqual([201, 201]);
  });

  it('POST and PUT /entities, named where the request has them', async () => {
    const page = await create(node, ada);
    const relationships = [linkTo('has', page), linkTo('contains', page)];
    const body = { type: 'folder', properties: { label: 'x' }, collection: home.id, relationships };
    expect(await refusal('POST /entities', body)).toEqual([
      ...[400, invalid(['relationships', 1, 'peer'], notAFile(page.id))],
    ]);
    const { id, cid } = await folder(node, ada, { collection: home.id });
    const change = { expect_tip: cid, relationships_add: relationships };
    for (const path of ['entities', 'folders'])
      for (const query of ['', '?validate_relationships=false'])
        expect(await refusal(`PUT /${path}/${id}${query}`, change)).toEqual([
          ...[400, invalid(['relationships_add', 1, 'peer'], notAFile(page.id))],
        ]);
  });

  it('of a file: a parent is a folder or a collection', async () => {
    const page = await create(node, ada);
    const body = { type: 'file', relationships: [linkTo('in', page)] };
    expect(await refusal('POST /entities', body)).toEqual([
      400,
      invalid(
        ['relationships', 0, 'peer'],
        `must be a folder or a collection, and ${page.id} has the type \`document\``,
      ),
    ]);
    const inside = { type: 'file', relationships: [linkTo('in', home), linkTo('in', await folder(node, ada))] };
    expect((await ask(node, ada, 'POST /entities', inside)).status).toBe(201);
  });

  it('POST /relationships and POST /connect', async () => {
    const [made, page] = [await folder(node, ada), await create(node, ada)];
    const pair = { source_id: made.id, target_id: page.id };
    const body = { ...pair, source_predicate: 'contains', expect_source_tip: made.cid };
    expect((await refusal('POST /relationships', body))[0]).toBe(400);
    expect((await refusal('POST /connect', { ...pair, predicate: 'contains', expect_tip: made.cid }))[0]).toBe(400);
    expect(await read(node, ada, made.id)).toEqual(made);
  });

  it('that are not here are for validate_relationships to find', async () => {
    const { id, cid } = await folder(node, ada);
    const change = { expect_tip: cid, relationships_add: [{ predicate: 'contains', peer: nowhere }] };
    const missing = invalid(['relationships_add', 0, 'peer'], `there is no entity ${nowhere}`);
    expect(await refusal(`PUT /entities/${id}`, change)).toEqual([400, missing]);
    expect(await refusal(`PUT /folders/${id}?validate_relationships=true`, change)).toEqual([400, missing]);
    expect(await refusal(`PUT /folders/${id}`, change)).toMatchObject([200, { ver: 2 }]);
  });
});

describe('a place below itself', () => {
  /** Three folders, each in the one before; `in` alone is written. */
  async function nested() {
    const top = await folder(node, ada);
    const middle = await folder(node, ada, { relationships: [linkTo('in', top)] });
    return { top, middle, low: await folder(node, ada, { relationships: [linkTo('in', middle)] }) };
  }
  const contains = ({ id }: Entity) => `the folder ${id} would contain itself`;

  it('PUT, from either side of the pair', async () => {
    const { top, low } = await nested();
    for (const query of ['', '?validate_relationships=false']) {
      const below = { expect_tip: top.cid, relationships_add: [linkTo('in', low)] };
      expect(await refusal(`PUT /entities/${top.id}${query}`, below)).toEqual([
        ...[400, invalid(['relationships_add', 0, 'peer'], contains(top))],
      ]);
      const above = { expect_tip: low.cid, relationships_add: [linkTo('has', low), linkTo('contains', top)] };
      expect(await refusal(`PUT /folders/${low.id}${query}`, above)).toEqual([
        ...[400, invalid(['relationships_add', 1, 'peer'], contains(top))],
      ]);
    }
  });

  it('is met through `contains` as well', async () => {
    const [low, other] = [await folder(node, ada), await folder(node, ada)];
    const top = await update(node, ada, other, { relationships_add: [linkTo('contains', low)] });
    const body = { expect_tip: top.cid, relationships_add: [linkTo('in', low)] };
    expect(await refusal(`PUT /entities/${top.id}`, body)).toEqual([
      ...[400, invalid(['relationships_add', 0, 'peer'], contains(top))],
    ]);
    const turned = {
      expect_tip: top.cid,
      relationships_add: [linkTo('in', low)],
      relationships_remove: [linkTo('contains', low)],
    };
    expect(await refusal(`PUT /entities/${top.id}`, turned)).toMatchObject([200, { ver: 3 }]);
  });

  it('POST /entities with an id that is named already', async () => {
    const id = `${nowhere.slice(0, -2)}77`;
    const made = await folder(node, ada, { relationships: [{ predicate: 'in', peer: id }] });
    const body = { id, type: 'folder', properties: { label: 'x' }, relationships: [linkTo('in', made)] };
    expect(await refusal('POST /entities', body)).toEqual([
      ...[400, invalid(['relationships', 0, 'peer'], contains({ id } as Entity))],
    ]);
  });

  it('POST /relationships', async () => {
    const { top, low } = await nested();
    const body = {
      ...{ source_id: low.id, source_predicate: 'contains', expect_source_tip: low.cid },
      ...{ target_id: top.id, target_predicate: 'in', expect_target_tip: top.cid },
    };
    const answer = await ask(node, ada, 'POST /relationships', body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(contains(top))]);
  });

  it('a restore', async () => {
    const { top, middle, low } = await nested();
    const grave = await remove(node, ada, middle);
    await update(node, ada, top, { relationships_add: [linkTo('in', low)] });
    const answer = await ask(node, ada, `POST /entities/${middle.id}/restore`, { expect_tip: grave.cid });
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(contains(middle))]);
  });
});

describe('clients that write the pairs themselves', () => {
  it('a batch of folders in a collection, then the back links in one call', async () => {
    const root = await collection(node, ada);
    const relationships = [{ predicate: 'in', peer: root.id, peer_type: 'collection', peer_label: 'a collection' }];
    const entities = Array.from({ length: 100 }, (_, i) => ({
      type: 'folder',
      properties: { label: `${i}` },
      relationships,
    }));
    const sent = { default_collection: root.id, entities };
    const answer = await ask(node, ada, 'POST /entities/batch?validate_relationships=false', sent);
    const { results } = ok<{ results: { id: string }[] }>(answer);
    expect([answer.status, results.length]).toEqual([201, 100]);
    const others = Array.from({ length: 9900 }, (_, i) => `01J0000000000000000000${String(i).padStart(4, '0')}`);
    const all = [...results.map(({ id }) => id), ...others];
    const back = { relationships_add: all.map((peer) => ({ predicate: 'contains', peer, peer_type: 'folder' })) };
    const path = `PUT /collections/${root.id}?validate_relationships=false`;
    const linked = ok(await ask(node, ada, path, { expect_tip: root.cid, ...back, note: 'back links' }));
    expect(peers(linked, 'contains')).toEqual(all);
  });
});

describe('what came from elsewhere', () => {
  /** Stored as a mirror stores it: without any of the checks. */
  async function mirrored(id: string, properties: JsonObject, ...parents: string[]): Promise<Entity> {
    const relationships = parents.map((peer) => ({ predicate: 'in', peer }));
    const at = '2026-01-01T00:00:00.000Z';
    const block = encodeManifest({
      ...{ schema: 'arke/eidos@v1', id, type: 'folder', created_at: at, ver: 1, ts: at, prev: null },
      ...{ properties, relationships, edited_by: { user_id: ada.id, method: 'manual' } },
    });
    const changes = [{ id, expect: null, tip: block.cid, blocks: [block] }];
    const store = await node.ctx.networks.get('main');
    await store.submit([{ changes, preconditions: [], rows: [], origin: 'remote:there', time: 0 }]);
    return ok(await ask(node, ada, `GET /folders/${id}`));
  }
  const [one, two, three] = ['1', '2', '3'].map((n) => `01J0000000000000000000ZZZ${n}`) as [string, string, string];

  it('is read and stays editable, however odd its profile', async () => {
    const odd = await mirrored(one, { description: 7 });
    const edited = ok(await ask(node, ada, `PUT /folders/${one}`, { expect_tip: odd.cid, metadata: { seen: true } }));
    expect(edited.properties).toEqual({ description: 7, metadata: { seen: true } });
    const worse = { expect_tip: edited.cid, properties: { description: 8 } };
    expect((await refusal(`PUT /folders/${one}`, worse))[0]).toBe(400);
  });

  it('and stands below itself takes children, and can be taken apart', async () => {
    const low = await mirrored(two, { label: 'two' }, three);
    await mirrored(three, { label: 'three' }, two);
    const child = await create(node, ada, { type: 'file' });
    const body = { expect_tip: low.cid, child_id: child.id };
    const { folder: filled } = ok<{ folder: Entity }>(await ask(node, ada, `POST /folders/${two}/children`, body));
    const apart = { expect_tip: filled.cid, expect_parent_tip: (await read(node, ada, three)).cid };
    const { folder: freed } = ok<{ folder: Entity }>(
      await ask(node, ada, `DELETE /folders/${two}/parents/${three}`, apart),
    );
    expect([peers(freed, 'in'), peers(freed, 'contains')]).toEqual([[], [child.id]]);
    const again = { expect_tip: freed.cid, relationships_add: [linkTo('in', { id: three })] };
    expect((await refusal(`PUT /folders/${two}`, again))[0]).toBe(400);
  });
});
