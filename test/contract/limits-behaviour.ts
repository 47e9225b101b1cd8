import { expect } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read, update } from '../helpers/entities.ts';
import type { Line } from './limit-lines.ts';
import type { Scene } from './row.ts';
import { openScene } from './scene.ts';

/** What a limit does, beyond which values it takes: defaults, and counts that no single value names. */
export interface Behaviour {
  line: Line;
  name: string;
  check: (scene: Scene) => Promise<void>;
}

/** Ids of that many new entities. */
async function many(s: Scene, count: number, item: object = {}): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const entities = Array.from({ length: Math.min(100, count - ids.length) }, () => ({ type: 'document', ...item }));
    const made = ok<{ results: { id: string }[] }>(await ask(s.node, s.owner, 'POST /entities/batch', { entities }));
    ids.push(...made.results.map(({ id }) => id));
  }
  return ids;
}

const linked = (ids: string[], predicate = 'has') => ids.map((peer) => ({ predicate, peer }));

interface Write {
  name: string;
  line: (s: Scene) => Promise<{ line: string; tip?: string }>;
  body: (relationships: object[]) => object;
  /** Whether targets are looked at where the query does not say. */
  byDefault: boolean;
}

const writes: Write[] = [
  {
    name: 'POST /entities',
    line: async () => ({ line: 'POST /entities' }),
    body: (relationships) => ({ type: 'document', relationships }),
    byDefault: true,
  },
  {
    name: 'PUT /entities/{id}',
    line: async (s) => {
      const { id, cid } = await create(s.node, s.owner);
      return { line: `PUT /entities/${id}`, tip: cid };
    },
    body: (relationships_add) => ({ relationships_add }),
    byDefault: true,
  },
  {
    name: 'POST /entities/batch',
    line: async () => ({ line: 'POST /entities/batch' }),
    body: (relationships) => ({
      entities: [
        { type: 'document', relationships: relationships.slice(0, 300) },
        { type: 'document', relationships: relationships.slice(300) },
      ],
    }),
    byDefault: false,
  },
  {
    name: 'POST /collections',
    line: async () => ({ line: 'POST /collections' }),
    body: (relationships) => ({ label: 'l', relationships }),
    byDefault: true,
  },
  {
    name: 'PUT /collections/{id}',
    line: async (s) => {
      const { id, cid } = await collection(s.node, s.owner);
      return { line: `PUT /collections/${id}`, tip: cid };
    },
    body: (relationships_add) => ({ relationships_add }),
    byDefault: true,
  },
];

const targets: Behaviour = {
  line: 'Relationship targets validated per write: more than 500 unique targets rejected',
  name: 'takes 500 different targets where they are looked at, and any number where they are not',
  check: async (s) => {
    const ids = await many(s, 501);
    for (const { name, line, body, byDefault } of writes) {
      const send = async (relationships: object[], query: string) => {
        const { line: at, tip } = await line(s);
        const { status } = await ask(s.node, s.owner, at + query, { ...body(relationships), expect_tip: tip });
        return status;
      };
      const [known, none] = ['?validate_relationships=true', '?validate_relationships=false'];
      const twice = [...linked(ids.slice(0, 500)), ...linked(ids.slice(0, 1), 'has_too')];
      const did = {
        '500': await send(linked(ids.slice(0, 500)), known),
        '500, one of them twice': await send(twice, known),
        '501': await send(linked(ids), known),
        '501 unseen': await send(linked(ids), none),
        '501 by default': await send(linked(ids), ''),
      };
      const done = name.startsWith('PUT') ? 200 : 201;
      expect({ name, ...did }).toEqual({
        name,
        '500': done,
        '500, one of them twice': done,
        '501': 400,
        '501 unseen': done,
        '501 by default': byDefault ? 400 : done,
      });
    }
  },
};

const values: Behaviour = {
  line: 'Endpoints: validate_relationships `true`|`false`',
  name: 'takes no other word for validate_relationships',
  check: async (s) => {
    for (const { line, body } of writes)
      for (const word of ['', 'TRUE', '1', 'yes', 'true&validate_relationships=false']) {
        const { line: at, tip } = await line(s);
        const sent = { ...body([]), expect_tip: tip };
        const answer = await ask(s.node, s.owner, `${at}?validate_relationships=${word}`, sent);
        expect([at, word, answer.status]).toEqual([at, word, 400]);
      }
  },
};

interface Expanded {
  relationships: { peer_preview?: object; peer_entity?: object }[];
  _expansion_metadata?: object;
}

const expansion: Behaviour = {
  line: 'Relationship expansion on GET entity: expand_limit 1..500, default 100',
  name: 'expands 100 relationships, or as many as are asked for',
  check: async (s) => {
    const ids = await many(s, 101);
    const { id } = await create(s.node, s.owner, { relationships: linked(ids) });
    const get = async (query: string): Promise<[number, unknown]> => {
      const answer = ok<Expanded>(await ask(s.node, s.anonymous, `GET /entities/${id}?${query}`));
      expect(answer.relationships.length).toBe(101);
      const expanded = answer.relationships.filter((r) => r.peer_preview ?? r.peer_entity);
      return [expanded.length, answer._expansion_metadata];
    };
    for (const mode of ['relationships', 'relationships:preview', 'relationships:full']) {
      expect(await get(`expand=${mode}`)).toEqual([100, { total: 101, expanded: 100, truncated: true }]);
      expect(await get(`expand=${mode}&expand_limit=1`)).toEqual([1, { total: 101, expanded: 1, truncated: true }]);
      expect(await get(`expand=${mode}&expand_limit=101`)).toEqual([101, undefined]);
    }
  },
};

const cascades: Behaviour = {
  line: 'Cascade depth: max_depth 1..20, default 10',
  name: 'cascades ten levels deep, or as deep as is asked for',
  check: async (s) => {
    const chain = async (length: number): Promise<Entity[]> => {
      const made: Entity[] = [];
      for (let i = 0; i < length; i++) {
        const relationships = linked(made.slice(-1).map(({ id }) => id));
        made.push(await create(s.node, s.owner, { collection: s.collection.id, relationships }));
      }
      return made.reverse();
    };
    for (const [max_depth, reached] of [
      [undefined, 10],
      [1, 1],
      [20, 20],
    ]) {
      const [root] = await chain(22);
      const body = { expect_tip: root?.cid, collection_id: s.collection.id, cascade_predicates: ['has'], max_depth };
      const view = await ask(s.node, s.owner, `DELETE /entities/${root?.id}/cascade`, body);
      expect(view.body).toMatchObject({ summary: { total_deleted: reached, max_depth_reached: reached } });
    }
  },
};

const listing: Behaviour = {
  line: 'Collection listing: limit 1..10000 (default 1000); expansion allowed for at most 100 entities',
  name: 'lists 1000 entities by default, and at most 100 with expansion',
  check: async (s) => {
    const { id } = await collection(s.node, s.owner);
    await many(s, 1001, { collection: id });
    const page = async (query: string) => {
      const path = `/collections/${id}/entities?${query}`;
      const { entities, pagination } = ok<{ entities: object[]; pagination: object }>(
        await ask(s.node, s.anonymous, `GET ${path}`),
      );
      return [entities.length, pagination];
    };
    expect(await page('')).toEqual([1000, { offset: 0, limit: 1000, count: 1000, has_more: true }]);
    expect(await page('limit=10000')).toEqual([1001, { offset: 0, limit: 10_000, count: 1001, has_more: false }]);
    expect(await page('offset=1000')).toEqual([1, { offset: 1000, limit: 1000, count: 1, has_more: false }]);
    for (const expand of ['preview', 'full']) {
      const capped = [100, { offset: 0, limit: 100, count: 100, has_more: true }];
      expect(await page(`expand=${expand}`)).toEqual(capped);
      expect(await page(`expand=${expand}&limit=101`)).toEqual(capped);
      expect(await page(`expand=${expand}&limit=99`)).toMatchObject([99, { limit: 99, has_more: true }]);
    }
  },
};

const memberships: Behaviour = {
  line: 'User collections listing: default 100, max 1000',
  name: 'lists 100 collections of a user by default',
  check: async (s) => {
    const before = s.owner.id;
    for (let i = 0; i < 101; i++) await collection(s.node, s.owner);
    const page = async (query: string) =>
      ok<{ collections: object[]; pagination: object }>(
        await ask(s.node, s.owner, `GET /users/${before}/collections?${query}`),
      );
    const first = await page('');
    expect([first.collections.length, first.pagination]).toEqual([
      100,
      { offset: 0, limit: 100, count: 100, has_more: true },
    ]);
    expect((await page('limit=1000')).collections.length).toBeGreaterThan(100);
  },
};

const history: Behaviour = {
  line: 'Version history page: 1..10 (default 10)',
  name: 'answers ten versions by default',
  check: async (s) => {
    let entity = await create(s.node, s.owner);
    for (let i = 0; i < 10; i++) entity = await update(s.node, s.owner, entity, { properties: { i } });
    const path = `GET /versions/${entity.id}`;
    const first = ok<{ versions: { ver: number }[]; next_cursor: string }>(await ask(s.node, s.anonymous, path));
    expect(first.versions.map(({ ver }) => ver)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    expect(first).toMatchObject({ has_more: true });
    const rest = await ask(s.node, s.anonymous, `${path}?from=${first.next_cursor}`);
    expect(rest.body).toMatchObject({ versions: [{ ver: 1 }], has_more: false, next_cursor: null });
  },
};

const feed: Behaviour = {
  line: 'Events: limit 1..1000, default 100; retention 30 days',
  name: 'answers 100 events by default, for 30 days',
  check: async () => {
    await using s = await openScene();
    await many(s, 101);
    const get = async (query: string) =>
      ok<{ events: { id: number }[]; has_more: boolean; cursor: number }>(
        await ask(s.node, s.anonymous, `GET /events?${query}`),
      );
    const first = await get('');
    expect([first.events.length, first.has_more]).toEqual([100, true]);
    expect(first.cursor).toBe(first.events.at(-1)?.id);
    expect((await get(`cursor=${first.cursor}`)).events[0]?.id).toBeLessThan(first.cursor);
    const days = 24 * 3600 * 1000;
    const { id } = await create(s.node, s.owner);
    s.clock.ms += 30 * days;
    await s.node.ctx.events.prune();
    const { cid } = await update(s.node, s.owner, await read(s.node, s.owner, id), { note: 'later' });
    expect((await get('limit=1000')).events.length).toBeGreaterThan(100);
    s.clock.ms += 1;
    await s.node.ctx.events.prune();
    expect(await get('')).toMatchObject({ events: [{ cid }], has_more: false });
  },
};

const keys: Behaviour = {
  line: 'User key expiry: 0..31536000 seconds, default 90 days',
  name: 'gives a key 90 days by default, and none at 0',
  check: async (s) => {
    const make = async (body: object) =>
      ok<{ key: string; expires_at: string }>(await ask(s.node, s.owner, 'POST /users/me/keys', body));
    const seconds = ({ expires_at }: { expires_at: string }) => (Date.parse(expires_at) - s.clock.ms) / 1000;
    expect(seconds(await make({}))).toBe(90 * 24 * 3600);
    expect(seconds(await make({ expires_in: 31_536_000 }))).toBe(31_536_000);
    const { key } = await make({ expires_in: 0 });
    expect((await s.node.fetch('/users/me', { headers: { Authorization: `ApiKey ${key}` } })).status).toBe(401);
  },
};

const waiting: Behaviour = {
  line: 'Endpoints: the optional wait-for-index boolean',
  name: 'takes sync_index in a creation, an update and a deletion, and no other value for it',
  check: async (s) => {
    const send = async (sync_index: unknown): Promise<number[]> => {
      const made = await ask(s.node, s.owner, 'POST /entities', { type: 'document', sync_index });
      const { id, cid } = made.status === 201 ? ok(made) : await create(s.node, s.owner);
      const put = await ask(s.node, s.owner, `PUT /entities/${id}`, { expect_tip: cid, sync_index });
      const tip = put.status === 200 ? ok(put).cid : cid;
      const gone = await ask(s.node, s.owner, `DELETE /entities/${id}`, { expect_tip: tip, sync_index });
      return [made.status, put.status, gone.status];
    };
    for (const value of [true, false, null, undefined]) expect(await send(value)).toEqual([201, 200, 200]);
    for (const value of ['true', 1, {}]) expect(await send(value)).toEqual([400, 400, 400]);
  },
};

export const behaviours: Behaviour[] = [
  targets,
  values,
  expansion,
  cascades,
  listing,
  memberships,
  history,
  feed,
  keys,
  waiting,
];
