import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, type PeopledNode, type Person, type Reply, startPeopledNode } from '../helpers/peopled-node.ts';

let on: PeopledNode;
let ada: Person;
let id: string;
beforeAll(async () => {
  on = await startPeopledNode();
  ada = await on.person('Ada');
  id = (await on.ask(ada, 'POST', '/collections', { label: 'all' })).body.id;
  for (const [type, properties] of [
    ['letter', { label: 'a', _year: 1890, _open: true, _tags: ['x', 'y'], description: 'd'.repeat(300) }],
    ['letter', { label: 'b', _year: 1891, _open: false, _tags: [], '_odd.name': 'o' }],
    ['note', { label: 'c', _year: '1890', _gone: null, year: 1890 }],
    ['note', { label: 'd', _map: { x: 'x' } }],
  ] as const) {
    on.clock.ms += 1000;
    await on.ask(ada, 'POST', '/entities', { type, properties, collection: id });
  }
});
afterAll(() => on[Symbol.asyncDispose]());

const list = (query: Record<string, string> = {}): Promise<Reply> =>
  on.ask(null, 'GET', `/collections/${id}/entities?${new URLSearchParams(query)}`);
const labels = async (query: Record<string, string>): Promise<string> =>
  (await list(query)).body.entities.map((e: Json) => e.label).join('');

describe('GET /collections/{id}/entities', () => {
  it('lists what lies in the collection, newest first', async () => {
    const answer = await list();
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body)).toEqual(['collection_id', 'entities', 'pagination']);
    expect(answer.body.collection_id).toBe(id);
    expect(answer.body.pagination).toEqual({ offset: 0, limit: 1000, count: 4, has_more: false });
    const newest = answer.body.entities[0];
    expect(newest).toEqual({
      pi: newest.id,
      id: expect.any(String),
      type: 'note',
      label: 'd',
      created_at: new Date(on.clock.ms).toISOString(),
      updated_at: new Date(on.clock.ms).toISOString(),
    });
    expect(answer.body.entities.map((e: Json) => e.label).join('')).toBe('dcba');
  });

  it('pages and takes one type', async () => {
    const page = await list({ limit: '2', offset: '1' });
    expect(page.body.entities.map((e: Json) => e.label)).toEqual(['c', 'b']);
    expect(page.body.pagination).toEqual({ offset: 1, limit: 2, count: 2, has_more: true });
    expect(await labels({ type: 'letter' })).toBe('ba');
    expect(await labels({ type: 'nothing' })).toBe('');
  });

  it('lists all types where the type is empty, as orchestrators ask', async () => {
    const all = await list();
    expect((await list({ limit: '1000', offset: '0', type: '' })).text).toBe(all.text);
    expect(await labels({ type: '', offset: '1', limit: '2' })).toBe('cb');
    expect(await labels({ type: '', filter: JSON.stringify({ type: 'letter' }) })).toBe('ba');
    expect(await labels({ type: 'letter', filter: '' })).toBe('ba');
  });

  it('expands to previews or manifests, at most 100', async () => {
    const preview = await list({ expand: 'preview', type: 'letter' });
    expect(preview.body.pagination.limit).toBe(100);
    const last = preview.body.entities[1];
    expect(last.preview).toEqual({
      id: last.id,
      type: 'letter',
      label: 'a',
      collection_id: id,
      collection_pi: id,
      description_preview: `${'d'.repeat(200)}...`,
      created_at: last.created_at,
      updated_at: last.updated_at,
    });
    expect(last).not.toHaveProperty('entity');
    const full = (await list({ expand: 'full', limit: '1' })).body.entities[0];
    expect(full.entity).toEqual((await on.ask(null, 'GET', `/entities/${full.id}`)).body);
    expect(full).not.toHaveProperty('preview');
  });

  it('expands what a filter leaves, and pages that begin far behind', async () => {
    const query = { expand: 'full', filter: JSON.stringify({ type: 'letter' }), limit: '1' };
    const second = (await list({ ...query, offset: '1' })).body;
    expect(second.pagination).toEqual({ offset: 1, limit: 1, count: 1, has_more: false });
    expect(second.entities[0].label).toBe('a');
    expect(second.entities[0].entity).toEqual((await on.ask(null, 'GET', `/entities/${second.entities[0].id}`)).body);
    expect((await list(query)).body.pagination.has_more).toBe(true);
    const behind = { offset: 5_000_000, limit: 100, count: 0, has_more: false };
    for (const expand of ['full', 'preview'])
      expect((await list({ expand, offset: '5000000' })).body).toMatchObject({ entities: [], pagination: behind });
    expect((await list({ offset: '5000000', limit: '100' })).body.pagination).toEqual(behind);
  });

  it('leaves out what is deleted', async () => {
    const gone = (await on.ask(ada, 'POST', '/entities', { type: 'draft', collection: id })).body;
    expect(await labels({ type: 'draft' })).toBe('');
    expect((await list({ type: 'draft' })).body.pagination.count).toBe(1);
    await on.ask(ada, 'DELETE', `/entities/${gone.id}`, { expect_tip: gone.cid });
    expect((await list({ type: 'draft' })).body.pagination.count).toBe(0);
  });

  it.each<Record<string, string>>([
    { limit: '0' },
    { limit: '10001' },
    { limit: '1.5' },
    { offset: '-1' },
    { expand: 'none' },
    { filter: 'no json' },
  ])('refuses %j', async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(400);
    expect(answer.body.details.issues[0].path[0]).toBe(Object.keys(query)[0]);
  });

  it('is 404 where there is no such collection', async () => {
    expect((await on.ask(null, 'GET', '/collections/01J0000000000000000000000B/entities')).status).toBe(404);
    expect((await on.ask(null, 'GET', `/collections/${ada.id}/entities`)).status).toBe(404);
  });
});

describe('the metadata filter', () => {
  it.each<[Json, string]>([
    [{}, 'dcba'],
    [{ type: 'letter' }, 'ba'],
    [{ type: { $in: ['letter', 'note'] }, _year: { $exists: true } }, 'cba'],
    [{ _year: 1890 }, 'a'],
    [{ _year: '1890' }, 'c'],
    [{ _year: { $gt: 1889, $lte: 1891 } }, 'ba'],
    [{ _year: { $gt: '1' } }, 'c'],
    [{ _year: { $ne: 1890 } }, 'dcb'],
    [{ _year: { $nin: [1890, '1890'] } }, 'db'],
    [{ _year: { $in: [] } }, ''],
    [{ _year: { $exists: false } }, 'd'],
    [{ _open: true }, 'a'],
    [{ _open: 1 }, ''],
    [{ _open: { $ne: true } }, 'dcb'],
    [{ _tags: 'x' }, 'a'],
    [{ _tags: { $exists: true } }, 'ba'],
    [{ _tags: '["x","y"]' }, ''],
    [{ _gone: null }, 'dcba'],
    [{ _gone: { $exists: true } }, 'c'],
    [{ _map: 'x' }, ''],
    [{ '_odd.name': 'o' }, 'b'],
    [{ $or: [{ _year: 1891 }, { $and: [{ type: 'note' }, { _year: '1890' }] }] }, 'cb'],
    [{ created_at: { $gte: '2026-01-01T00:00:03Z' } }, 'dc'],
    [{ updated_at: { $lt: '2026-01-01T01:00:02+01:00' } }, 'a'],
    [{ created_at: { $exists: false } }, ''],
  ])('%j', async (filter, expected) => {
    expect(await labels({ filter: JSON.stringify(filter) })).toBe(expected);
  });

  const deep = (levels: number): Json => (levels === 0 ? { _a: 1 } : { $and: [deep(levels - 1)] });
  it.each<[unknown, (string | number)[]]>([
    [{ year: 1890 }, ['filter', 'year']],
    [{ 'properties._year': 1 }, ['filter', 'properties._year']],
    [{ _year: { $regex: 'x' } }, ['filter', '_year']],
    [{ _year: {} }, ['filter', '_year']],
    [{ _year: [1] }, ['filter', '_year']],
    [{ _year: { $gt: true } }, ['filter', '_year', '$gt']],
    [{ _year: { $in: 1 } }, ['filter', '_year', '$in']],
    [{ _year: { $exists: 1 } }, ['filter', '_year', '$exists']],
    [{ $or: [] }, ['filter', '$or']],
    [{ $or: [1] }, ['filter', '$or', 0]],
    [{ $not: [{ _a: 1 }] }, ['filter', '$not']],
    [{ type: 1 }, ['filter', 'type']],
    [{ created_at: 'yesterday' }, ['filter', 'created_at']],
    [{ '_a"b': 1 }, ['filter', '_a"b']],
    [{ '_a\\': 1 }, ['filter', '_a\\']],
    [[], ['filter']],
    [null, ['filter']],
    [deep(6), ['filter']],
    [{ $or: Array(1001).fill({}) }, ['filter']],
    [{ _a: 'x'.repeat(2001) }, ['filter', '_a']],
  ])('refuses %j', async (filter, path) => {
    const answer = await list({ filter: JSON.stringify(filter) });
    expect(answer.status).toBe(400);
    expect(answer.body.details.issues[0].path).toEqual(path);
  });

  it('takes a name for what it is, whatever it holds', async () => {
    for (const name of ["_a' OR 1=1 --", '_a") OR 1=1', '_a[0]', '_*', '_é', '__proto__'])
      expect(await labels({ filter: JSON.stringify({ [name]: 'x' }) }).catch(() => 'refused')).toMatch(/^(refused)?$/);
  });
});
