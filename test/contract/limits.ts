import { ask } from '../helpers/callers.ts';
import { collection, create, type Entity, nowhere, ok, read, remove } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import type { Line } from './limit-lines.ts';
import type { Scene } from './row.ts';

/** One value of a request with its border. */
export interface Border {
  /** Of the specification's table, or of an endpoint's own text. */
  line: Line;
  /** The endpoint and the value. */
  name: string;
  send: (scene: Scene, value: never) => Promise<Answer>;
  /** Values that are taken: answered below 300, or with `taken`. */
  fits: unknown[];
  taken?: number;
  /** Values that are refused with a 400 whose first issue stands at `path`. */
  breaks: unknown[];
  path: (string | number)[];
  /** The answer names the value itself in its path. */
  prefix?: true;
}

/** So many characters; the first of them beyond the sixteen bits that JavaScript counts in. */
export const characters = (count: number): string =>
  '😀'.repeat(Math.min(count, 1)) + 'x'.repeat(Math.max(count - 1, 0));
const letters = (count: number): string => 'x'.repeat(count);
const listed = (count: number, value: unknown): unknown[] => Array.from({ length: count }, () => value);

const onCollection = async (s: Scene, body: object): Promise<Answer> => {
  const { id, cid } = await collection(s.node, s.owner);
  return ask(s.node, s.owner, `PUT /collections/${id}`, { expect_tip: cid, ...body });
};
const onUser = async (s: Scene, body: object): Promise<Answer> => {
  const { id, cid } = await read(s.node, s.owner, s.owner.id);
  return ask(s.node, s.owner, `PUT /users/${id}`, { expect_tip: cid, ...body });
};
const placed = (s: Scene): Promise<Entity> => create(s.node, s.owner, { collection: s.collection.id });
const onEntity = async (s: Scene, line: (id: string) => string, body: object): Promise<Answer> => {
  const { id, cid } = await placed(s);
  return ask(s.node, s.owner, line(id), { expect_tip: cid, ...body });
};
const cascade = (s: Scene, body: object) =>
  onEntity(s, (id) => `DELETE /entities/${id}/cascade`, {
    collection_id: s.collection.id,
    cascade_predicates: ['*'],
    ...body,
  });
const fresh = async (s: Scene): Promise<string> => (await collection(s.node, s.owner)).id;
const pair = async (s: Scene, body: object): Promise<Answer> => {
  const [source, target] = [await placed(s), await placed(s)];
  const sides = { source_id: source.id, expect_source_tip: source.cid, target_id: target.id };
  const tips = { expect_target_tip: target.cid, source_predicate: 'has', target_predicate: 'in_it' };
  return ask(s.node, s.owner, 'POST /relationships', { ...sides, ...tips, ...body });
};
const post = (line: string, body: (value: never) => unknown) => (s: Scene, value: never) =>
  ask(s.node, s.owner, line, body(value));
const get = (path: (s: Scene) => string) => (s: Scene, value: never) =>
  ask(s.node, s.owner, `GET ${path(s)}${encodeURIComponent(value)}`);

const length = (min: number, max: number, make = characters) => ({
  fits: [make(min), make(max)],
  breaks: [...(min === 0 ? [] : [make(min - 1)]), make(max + 1)],
});
const atMost = (max: number) => length(0, max);
/** A whole number in a body: text and fractions are none. */
const range = (min: number, max: number) => ({
  fits: [min, max],
  breaks: [min - 1, max + 1, String(min), min + 0.5, null, true, {}],
});
/** The same in a query. */
export const queried = (min: number, max: number) => ({
  fits: [min, max],
  breaks: [min - 1, max + 1, min + 0.5, '', 'x', `${max}x`, '1e1'],
});
export const predicates = {
  fits: ['a', letters(50), 'a_1', 'z9_'],
  breaks: ['', letters(51), 'A', '1a', '_a', 'a-b', 'a b', 'é', 'a\n', 'aB'],
};
const relation = (predicate: string) => ({ predicate, peer: nowhere });

export const borders: Border[] = [
  {
    line: 'Batch create / batch get: 1..100 items',
    name: 'POST /entities/batch entities',
    send: post('POST /entities/batch', (entities) => ({ entities })),
    fits: [listed(1, { type: 't' }), listed(100, { type: 't' })],
    breaks: [[], listed(101, { type: 't' }), {}, null, 'x'],
    path: ['entities'],
  },
  {
    line: 'Batch create / batch get: 1..100 items',
    name: 'POST /entities/batch-get ids',
    send: post('POST /entities/batch-get', (ids) => ({ ids })),
    fits: [[nowhere], listed(100, nowhere)],
    breaks: [[], listed(101, nowhere), nowhere],
    path: ['ids'],
  },
  {
    line: 'Relationship expansion on GET entity: expand_limit 1..500, default 100',
    name: 'GET /entities/{id} expand_limit',
    send: get((s) => `/entities/${s.collection.id}?expand=relationships&expand_limit=`),
    ...queried(1, 500),
    path: ['expand_limit'],
  },
  {
    line: 'Cascade depth: max_depth 1..20, default 10',
    name: 'DELETE /entities/{id}/cascade max_depth',
    send: (s, max_depth) => cascade(s, { max_depth }),
    ...range(1, 20),
    path: ['max_depth'],
  },
  ...['POST /graph/paths', 'POST /graph/reachable'].flatMap((route): Border[] => {
    const ends = { source_ids: [nowhere], target_ids: [nowhere], target_type: 't' };
    const ids = { fits: [[nowhere], listed(100, nowhere)], breaks: [[], listed(101, nowhere), nowhere, undefined] };
    return [
      {
        line: 'Graph depth: max_depth 1..4, default 4',
        name: `${route} max_depth`,
        send: post(route, (max_depth) => ({ ...ends, max_depth })),
        ...range(1, 4),
        path: ['max_depth'],
      },
      {
        line: 'Graph result limit: 1..1000, default 100',
        name: `${route} limit`,
        send: post(route, (limit) => ({ ...ends, limit })),
        ...range(1, 1000),
        path: ['limit'],
      },
      {
        line: 'Endpoints: source_ids 1..100',
        name: `${route} source_ids`,
        send: post(route, (source_ids) => ({ ...ends, source_ids })),
        ...ids,
        path: ['source_ids'],
      },
    ];
  }),
  {
    line: 'Endpoints: target_ids 1..100',
    name: 'POST /graph/paths target_pis',
    send: post('POST /graph/paths', (target_pis) => ({ source_ids: [nowhere], target_pis })),
    fits: [[nowhere], listed(100, nowhere)],
    breaks: [[], listed(101, nowhere), nowhere],
    path: ['target_pis'],
  },
  {
    line: 'Endpoints: target_type length >= 1',
    name: 'POST /graph/reachable target_type',
    send: post('POST /graph/reachable', (target_type) => ({ source_ids: [nowhere], target_type })),
    fits: ['x', characters(101)],
    breaks: ['', 5, null, undefined],
    path: ['target_type'],
  },
  {
    line: 'Endpoints: limit of relationships 1..1000',
    name: 'GET /graph/entity/{id} limit',
    send: get((s) => `/graph/entity/${s.collection.id}?limit=`),
    ...queried(1, 1000),
    path: ['limit'],
  },
  {
    line: 'Argo query k: 1..100, default 25; k_explore 1..300',
    name: 'POST /query k',
    send: post('POST /query', (k) => ({ path: '@x', k })),
    ...range(1, 100),
    path: ['k'],
  },
  {
    line: 'Argo query k: 1..100, default 25; k_explore 1..300',
    name: 'POST /query k_explore',
    send: post('POST /query', (k_explore) => ({ path: '@x', k_explore })),
    ...range(1, 300),
    path: ['k_explore'],
  },
  {
    line: 'Endpoints: path length >= 1',
    name: 'POST /query path',
    send: post('POST /query', (path) => ({ path })),
    fits: ['@x', `@x${' '.repeat(9998)}`],
    breaks: ['', ' '.repeat(10_001), 5, null, undefined],
    path: ['path'],
  },
  {
    line: 'Endpoints: collection',
    name: 'POST /query collection',
    send: post('POST /query', (collection) => ({ path: '@x', collection })),
    fits: ['x', characters(100)],
    breaks: ['', characters(101), 5],
    path: ['collection'],
  },
  {
    line: 'Collection listing: limit 1..10000 (default 1000); expansion allowed for at most 100 entities',
    name: 'GET /collections/{id}/entities limit',
    send: get((s) => `/collections/${s.collection.id}/entities?limit=`),
    ...queried(1, 10_000),
    path: ['limit'],
  },
  {
    line: 'Endpoints: offset >= 0',
    name: 'GET /collections/{id}/entities offset',
    send: get((s) => `/collections/${s.collection.id}/entities?offset=`),
    fits: [0, 10_000_000],
    breaks: [-1, 0.5, 'x'],
    path: ['offset'],
  },
  {
    line: 'User collections listing: default 100, max 1000',
    name: 'GET /users/{id}/collections limit',
    send: get((s) => `/users/${s.owner.id}/collections?limit=`),
    ...queried(1, 1000),
    path: ['limit'],
  },
  {
    line: 'Events: limit 1..1000, default 100; retention 30 days',
    name: 'GET /events limit',
    send: get(() => '/events?limit='),
    ...queried(1, 1000),
    path: ['limit'],
  },
  {
    line: 'Endpoints: cursor >= 1',
    name: 'GET /events cursor',
    send: get(() => '/events?cursor='),
    fits: [1, Number.MAX_SAFE_INTEGER],
    breaks: [0, -1, 1.5, 'x', '9007199254740993'],
    path: ['cursor'],
  },
  {
    line: 'Version history page: 1..10 (default 10)',
    name: 'GET /versions/{id} limit',
    send: get((s) => `/versions/${s.collection.id}?limit=`),
    ...queried(1, 10),
    path: ['limit'],
  },
  {
    line: 'User key expiry: 0..31536000 seconds, default 90 days',
    name: 'POST /users/me/keys expires_in',
    send: post('POST /users/me/keys', (expires_in) => ({ expires_in })),
    ...range(0, 31_536_000),
    path: ['expires_in'],
  },
  {
    line: 'label 1..200',
    name: 'POST /collections label',
    send: post('POST /collections', (label) => ({ label })),
    ...length(1, 200),
    path: ['label'],
  },
  {
    line: 'label 1..200',
    name: 'PUT /collections/{id} label',
    send: (s, label) => onCollection(s, { label }),
    ...length(1, 200),
    path: ['label'],
  },
  {
    line: 'label 1..200',
    name: 'PUT /collections/{id} properties.label',
    send: (s, label) => onCollection(s, { properties: { label } }),
    fits: length(1, 200).fits,
    breaks: [...length(1, 200).breaks, 5, null, ['l']],
    path: ['properties', 'label'],
  },
  {
    line: 'label 1..200',
    name: 'POST /entities of a collection, properties.label',
    send: (s, label) =>
      ask(s.node, s.owner, 'POST /entities', {
        type: 'collection',
        properties: { label, roles: { owner: ['*:view'], public: ['*:view'] } },
        relationships: [{ predicate: 'owner', peer: s.owner.id }],
      }),
    fits: length(1, 200).fits,
    breaks: [...length(1, 200).breaks, 5, undefined],
    path: ['properties', 'label'],
  },
  {
    line: 'Endpoints: label length >= 1',
    name: 'PUT /users/{id} label',
    send: (s, label) => onUser(s, { label }),
    fits: ['x', characters(201)],
    breaks: ['', 5, null],
    path: ['label'],
  },
  {
    line: 'description <= 2000',
    name: 'POST /collections description',
    send: post('POST /collections', (description) => ({ label: 'l', description })),
    ...atMost(2000),
    path: ['description'],
  },
  {
    line: 'description <= 2000',
    name: 'PUT /collections/{id} description',
    send: (s, description) => onCollection(s, { description }),
    ...atMost(2000),
    path: ['description'],
  },
  {
    line: 'description <= 2000',
    name: 'PUT /collections/{id} properties.description',
    send: (s, description) => onCollection(s, { properties: { description } }),
    ...atMost(2000),
    path: ['properties', 'description'],
  },
  {
    line: 'Endpoints: display_image_url URI',
    name: 'POST /collections display_image_url',
    send: post('POST /collections', (display_image_url) => ({ label: 'l', display_image_url })),
    fits: ['https://x.test/a.png', 'arke:01J00000000000000000000000', 'data:image/png;base64,AA=='],
    breaks: ['', 'a.png', '/a.png', 5],
    path: ['display_image_url'],
  },
  {
    line: 'role name 1..50',
    name: 'POST /collections/{id}/roles role',
    send: async (s, role) =>
      ask(s.node, s.owner, `POST /collections/${await fresh(s)}/roles`, { role, actions: ['*:view'] }),
    ...length(1, 50),
    path: ['role'],
  },
  {
    line: 'role name 1..50',
    name: 'POST /collections roles',
    send: post('POST /collections', (role) => ({ label: 'l', roles: { [role as string]: ['*:view'] } })),
    ...length(1, 50),
    path: ['roles'],
    prefix: true,
  },
  {
    line: 'role name 1..50',
    name: 'PUT /collections/{id}/roles/{role}',
    send: (s, role) =>
      ask(s.node, s.owner, `PUT /collections/${s.collection.id}/roles/${encodeURIComponent(role)}`, {
        actions: ['*:view'],
      }),
    fits: [characters(1), characters(50)],
    taken: 404,
    breaks: [characters(51)],
    path: ['role'],
  },
  {
    line: 'role name 1..50',
    name: 'DELETE /collections/{id}/roles/{role}',
    send: (s, role) => ask(s.node, s.owner, `DELETE /collections/${s.collection.id}/roles/${encodeURIComponent(role)}`),
    fits: [characters(1), characters(50)],
    taken: 404,
    breaks: [characters(51)],
    path: ['role'],
  },
  {
    line: 'role name 1..50',
    name: 'POST /collections/{id}/members role',
    send: async (s, role) => {
      const id = await fresh(s);
      if ([...(role as string)].length === 50)
        ok(await ask(s.node, s.owner, `POST /collections/${id}/roles`, { role, actions: ['*:view'] }));
      return ask(s.node, s.owner, `POST /collections/${id}/members`, { user_id: s.editor.id, role });
    },
    fits: ['viewer', characters(50)],
    breaks: ['', characters(51)],
    path: ['role'],
  },
  {
    line: 'Endpoints: actions at least 1',
    name: 'POST /collections/{id}/roles actions',
    send: async (s, actions) =>
      ask(s.node, s.owner, `POST /collections/${await fresh(s)}/roles`, { role: 'r', actions }),
    fits: [['*:view'], ['file:*', 'entity:view']],
    breaks: [[], {}, '*:view', null],
    path: ['actions'],
  },
  {
    line: 'Endpoints: actions at least 1',
    name: 'PUT /collections/{id}/roles/{role} actions',
    send: async (s, actions) => ask(s.node, s.owner, `PUT /collections/${await fresh(s)}/roles/viewer`, { actions }),
    fits: [['*:view']],
    breaks: [[], {}, '*:view', undefined],
    path: ['actions'],
  },
  {
    line: 'Endpoints: member expires_in >= 0',
    name: 'POST /collections/{id}/members expires_in',
    send: async (s, expires_in) =>
      ask(s.node, s.owner, `POST /collections/${await fresh(s)}/members`, {
        user_id: s.editor.id,
        role: 'viewer',
        expires_in,
      }),
    fits: [0, 1, 31_536_000, undefined],
    breaks: [-1, 0.5, '1', null],
    path: ['expires_in'],
  },
  {
    line: 'Endpoints: role of a removed member, length >= 1',
    name: 'DELETE /collections/{id}/members/{userId} role',
    send: async (s, role) =>
      ask(
        s.node,
        s.owner,
        `DELETE /collections/${await fresh(s)}/members/${s.viewer.id}${role === undefined ? '' : `?role=${role}`}`,
      ),
    fits: ['x'],
    taken: 404,
    breaks: ['', undefined],
    path: ['role'],
  },
  {
    line: 'predicate 1..50',
    name: 'POST /relationships source_predicate',
    send: (s, source_predicate) => pair(s, { source_predicate }),
    ...predicates,
    path: ['source_predicate'],
  },
  {
    line: 'predicate 1..50',
    name: 'POST /relationships target_predicate',
    send: (s, target_predicate) => pair(s, { target_predicate }),
    ...predicates,
    path: ['target_predicate'],
  },
  {
    line: 'predicate 1..50',
    name: 'POST /entities relationships',
    send: post('POST /entities?validate_relationships=false', (predicate) => ({
      type: 't',
      relationships: [relation(predicate)],
    })),
    ...predicates,
    path: ['relationships', 0, 'predicate'],
  },
  {
    line: 'predicate 1..50',
    name: 'PUT /entities/{id} relationships_add',
    send: (s, predicate) =>
      onEntity(s, (id) => `PUT /entities/${id}?validate_relationships=false`, {
        relationships_add: [relation(predicate)],
      }),
    ...predicates,
    path: ['relationships_add', 0, 'predicate'],
  },
  {
    line: 'entity type 1..100',
    name: 'POST /entities type',
    send: post('POST /entities', (type) => ({ type })),
    ...length(1, 100),
    path: ['type'],
  },
  {
    line: 'key label <= 100',
    name: 'POST /users/me/keys label',
    send: post('POST /users/me/keys', (label) => ({ label })),
    ...atMost(100),
    path: ['label'],
  },
  {
    line: 'delete reason <= 500',
    name: 'DELETE /entities/{id} reason',
    send: (s, reason) => onEntity(s, (id) => `DELETE /entities/${id}`, { reason }),
    ...atMost(500),
    path: ['reason'],
  },
  {
    line: 'delete reason <= 500',
    name: 'DELETE /entities/{id}/cascade reason',
    send: (s, reason) => cascade(s, { reason }),
    ...atMost(500),
    path: ['reason'],
  },
  {
    line: 'key prefix 4..12',
    name: 'DELETE /users/me/keys/{prefix}',
    send: (s, prefix) => ask(s.node, s.owner, `DELETE /users/me/keys/${prefix}`),
    fits: ['uk_z', 'uk_zzzzzzzzz'],
    taken: 404,
    breaks: ['uk_', 'uk_zzzzzzzzzz'],
    path: ['prefix'],
  },
  {
    line: 'Endpoints: cascade_predicates at least 1',
    name: 'DELETE /entities/{id}/cascade cascade_predicates',
    send: (s, cascade_predicates) => cascade(s, { cascade_predicates }),
    fits: [['has'], ['*'], ['has_*', '*_of']],
    breaks: [[], 'has', undefined, {}],
    path: ['cascade_predicates'],
  },
  ...['PUT /entities/{id}', 'DELETE /entities/{id}', 'POST /entities/{id}/restore'].map(
    (route): Border => ({
      line: 'Endpoints: expect_tip length >= 1',
      name: `${route} expect_tip`,
      send: async (s, given) => {
        const made = await placed(s);
        const { id, cid } = route.endsWith('restore') ? await remove(s.node, s.owner, made) : made;
        const expect_tip = given === true ? cid : given;
        return ask(s.node, s.owner, route.replace('{id}', id), { expect_tip });
      },
      fits: [true],
      breaks: ['', undefined, null, 5, []],
      path: ['expect_tip'],
    }),
  ),
  ...(['entities', 'collections', 'agents', 'discover'] as const).flatMap((name): Border[] => [
    {
      line: 'Search query length: 1..500 characters',
      name: `POST /search/${name} query`,
      send: post(`POST /search/${name}`, (query) => ({ query })),
      ...length(1, 500),
      path: ['query'],
    },
    {
      line: 'Search results: 1..100 (default 10 or 20 by endpoint)',
      name: `POST /search/${name} limit`,
      send: post(`POST /search/${name}`, (limit) => ({ query: 'a', limit })),
      ...range(1, 100),
      path: ['limit'],
    },
  ]),
  {
    line: 'Collections per multi-collection search: at most 20',
    name: 'POST /search/entities collection_ids',
    send: post('POST /search/entities', (collection_ids) => ({ query: 'a', collection_ids })),
    fits: [[], listed(20, nowhere)],
    breaks: [listed(21, nowhere), nowhere],
    path: ['collection_ids'],
  },
];
