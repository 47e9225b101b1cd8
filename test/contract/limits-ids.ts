import { ask } from '../helpers/callers.ts';
import { collection, create, nowhere } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import type { Border } from './limits.ts';
import type { Scene } from './row.ts';

/** interface.md, Entity ID format: a ULID, or a prefix F or C. (The third form, II, is of the test network.) */
const onMain = [nowhere, `F${'Z'.repeat(25)}`, `C${'0'.repeat(25)}`, 'Z'.repeat(26)];
const onTest = [`II${'0'.repeat(24)}`, `II${'Z'.repeat(24)}`];
const none = [
  '',
  nowhere.slice(1),
  `${nowhere}0`,
  nowhere.toLowerCase(),
  ...['I', 'L', 'O', 'U', '-', 'é', '\n'].map((letter) => nowhere.slice(0, -1) + letter),
  `II${'0'.repeat(23)}`,
  `II${'0'.repeat(25)}`,
  `I${'0'.repeat(25)}`,
  ` ${nowhere}`,
  // A wildcard is a member of a collection, and nothing else.
  '*',
];

const line = 'Endpoints: entity ID format' as const;
const inPath = (route: string, body?: object): Border => {
  const [method = '', path = ''] = route.split(' ');
  const send = (s: Scene, id: string): Promise<Answer> => {
    const headers: Record<string, string> = onTest.includes(id) ? { 'X-Arke-Network': 'test' } : {};
    return ask(s.node, s.owner, `${method} ${path.replace(/\{\w+\}/, encodeURIComponent(id))}`, body, headers);
  };
  return {
    line,
    name: route,
    send: send as Border['send'],
    fits: [...onMain, ...onTest],
    taken: 404,
    // An empty segment, or one with nothing but what a path drops, is another path.
    breaks: none.filter((id) => id !== ''),
    path: [/\{(\w+)\}/.exec(path)?.[1] ?? ''],
  };
};

/** An id in a body; where no entity has it, what `unknown` says is answered. */
const inBody = (
  route: string,
  name: string,
  body: (id: string, s: Scene) => object | Promise<object>,
  taken: number,
  path: (string | number)[] = [name],
): Border => ({
  line,
  name: `${route} ${name}`,
  send: (async (s: Scene, id: string) => ask(s.node, s.owner, route, await body(id, s))) as Border['send'],
  fits: onMain.slice(0, 3),
  taken,
  breaks: [...none, 5, null],
  path,
});

const cas = { expect_tip: 'x' };

export const idBorders: Border[] = [
  inPath('GET /entities/{id}'),
  inPath('PUT /entities/{id}', cas),
  inPath('DELETE /entities/{id}', cas),
  inPath('DELETE /entities/{id}/cascade', { ...cas, collection_id: nowhere, cascade_predicates: ['*'] }),
  inPath('POST /entities/{id}/restore', cas),
  inPath('GET /entities/{id}/preview'),
  inPath('GET /entities/{id}/tip'),
  inPath('GET /entities/{id}/permissions'),
  inPath('GET /entities/{id}/diff'),
  inPath('GET /versions/{id}'),
  inPath('GET /users/{id}'),
  inPath('PUT /users/{id}', cas),
  inPath('GET /users/{id}/collections'),
  inPath('GET /collections/{id}'),
  inPath('PUT /collections/{id}', cas),
  inPath('POST /collections/{id}/roles', { role: 'r', actions: ['*:view'] }),
  inPath('GET /collections/{id}/members'),
  inPath('GET /collections/{id}/entities'),
  inPath('GET /graph/entity/{id}'),
  inBody('POST /graph/paths', 'source_ids', (id) => ({ source_ids: [id], target_ids: [nowhere] }), 200, [
    'source_ids',
    0,
  ]),
  inBody('POST /entities/batch-get', 'ids', (id) => ({ ids: [id] }), 200, ['ids', 0]),
  inBody(
    'POST /relationships',
    'source_id',
    (source_id) => ({ source_id, target_id: nowhere, source_predicate: 'p', expect_source_tip: 'x' }),
    404,
  ),
  inBody(
    'POST /relationships',
    'target_id',
    (target_id) => ({ source_id: nowhere, target_id, source_predicate: 'p', expect_source_tip: 'x' }),
    404,
  ),
  {
    ...inBody(
      'POST /entities?validate_relationships=false',
      'relationships peer',
      (peer) => ({ type: 't', relationships: [{ predicate: 'p', peer }] }),
      201,
      ['relationships', 0, 'peer'],
    ),
  },
  {
    ...inBody('POST /entities', 'id', (id) => ({ type: 't', id }), 201),
    send: (async (s: Scene, id: unknown) => {
      // Ids of each form that this run has not made yet.
      const fresh = typeof id === 'string' && onMain.includes(id) ? id.slice(0, 1) + s.newId().slice(1) : id;
      return ask(s.node, s.owner, 'POST /entities', { type: 't', id: fresh });
    }) as Border['send'],
  },
  {
    ...inBody('DELETE /entities/{id}/cascade', 'collection_id', () => ({}), 404),
    send: (async (s: Scene, collection_id: string) => {
      const { id, cid } = await create(s.node, s.owner, { collection: s.collection.id });
      return ask(s.node, s.owner, `DELETE /entities/${id}/cascade`, {
        expect_tip: cid,
        collection_id,
        cascade_predicates: ['*'],
      });
    }) as Border['send'],
  },
  {
    ...inBody('PUT /collections/{id}/root', 'entity_id', () => ({}), 400),
    send: (async (s: Scene, entity_id: string) => {
      const { id, cid } = await collection(s.node, s.owner);
      return ask(s.node, s.owner, `PUT /collections/${id}/root`, { expect_tip: cid, entity_id });
    }) as Border['send'],
  },
];
