import { ask } from '../helpers/callers.ts';
import { create, type Entity, nowhere, ok } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import { type Border, characters, predicates, queried } from './limits.ts';
import type { Scene } from './row.ts';

// What wire-contract.md 2.1-2.5 and 4.4 say of the endpoints that interface.md only names.

const line = 'Endpoints: those beside the specification' as const;

let counted = 0;
const fileBody = () => ({ key: `key ${counted++}`, filename: 'f', content_type: 'text/plain', size: 1 });
const post = (path: string, body: (value: never) => object) => (s: Scene, value: never) =>
  ask(s.node, s.owner, `POST ${path}`, body(value));
const get = (path: (s: Scene) => string) => (s: Scene, value: never) =>
  ask(s.node, s.owner, `GET ${path(s)}${encodeURIComponent(value)}`);
const text = { fits: ['x', characters(5000)], breaks: ['', 5, null] };

async function folder(s: Scene): Promise<Entity> {
  return ok(await ask(s.node, s.owner, 'POST /folders', { label: 'f', collection: s.collection.id }));
}

async function connect(s: Scene, body: object): Promise<Answer> {
  const [source, target] = [await create(s.node, s.owner), await create(s.node, s.owner)];
  const ids = { source_id: source.id, expect_tip: source.cid, target_id: target.id };
  return ask(s.node, s.owner, 'POST /connect', { ...ids, ...body });
}

const children = (count: number) => Array.from({ length: count }, () => ({}));

export const besideBorders: Border[] = [
  ...(['key', 'filename', 'content_type'] as const).map(
    (name): Border => ({
      line,
      name: `POST /files ${name}`,
      send: post('/files', (value) => ({ ...fileBody(), [name]: value })),
      fits: [name === 'content_type' ? 'text/plain' : `x ${name}`],
      breaks: ['', undefined, 5],
      path: [name],
    }),
  ),
  {
    line,
    name: 'POST /files size',
    send: post('/files', (size) => ({ ...fileBody(), size })),
    fits: [0, 500 * 1024 * 1024],
    breaks: [-1, 500 * 1024 * 1024 + 1, 0.5, '1', null],
    path: ['size'],
  },
  { line, name: 'POST /folders label', send: post('/folders', (label) => ({ label })), ...text, path: ['label'] },
  {
    line,
    name: 'POST /folders/{id}/children/bulk children',
    send: async (s, given) => {
      const { id, cid } = await folder(s);
      const made = Array.isArray(given) && (given as unknown[]).length <= 50;
      const list = made
        ? await Promise.all((given as object[]).map(() => create(s.node, s.owner, { type: 'file' })))
        : (given as unknown);
      const sent = Array.isArray(list) && !made ? list.map(() => ({ id: nowhere })) : list;
      return ask(s.node, s.owner, `POST /folders/${id}/children/bulk`, { expect_tip: cid, children: sent });
    },
    fits: [children(1), children(50)],
    breaks: [[], children(51), {}, null],
    path: ['children'],
  },
  {
    line,
    name: 'POST /connect predicate',
    send: (s, predicate) => connect(s, { predicate }),
    ...predicates,
    path: ['predicate'],
  },
  {
    line,
    name: 'POST /connect label',
    send: (s, label) => connect(s, { label }),
    fits: ['', characters(200)],
    breaks: [characters(201), 5],
    path: ['label'],
  },
  {
    line,
    name: 'POST /connect description',
    send: (s, description) => connect(s, { description }),
    fits: ['', characters(2000)],
    breaks: [characters(2001), 5],
    path: ['description'],
  },
  {
    line,
    name: 'GET /entities/{id}/tree depth',
    send: get((s) => `/entities/${s.collection.id}/tree?depth=`),
    ...queried(1, 4),
    path: ['depth'],
  },
  {
    line,
    name: 'GET /entities/{id}/tree limit',
    send: get((s) => `/entities/${s.collection.id}/tree?limit=`),
    ...queried(1, 1000),
    path: ['limit'],
  },
  {
    line,
    name: 'GET /chat/sessions limit',
    send: get(() => '/chat/sessions?limit='),
    ...queried(1, 100),
    path: ['limit'],
  },
  {
    line,
    name: 'POST /updates/additive updates',
    send: post('/updates/additive', (updates) => ({ updates })),
    fits: [Array.from({ length: 1000 }, () => ({ entity_id: nowhere }))],
    breaks: [[], Array.from({ length: 1001 }, () => ({ entity_id: nowhere })), {}, undefined],
    path: ['updates'],
  },
  {
    line,
    name: 'POST /updates/additive note',
    send: post('/updates/additive', (note) => ({ updates: [{ entity_id: nowhere, note }] })),
    fits: ['', characters(500)],
    breaks: [characters(501), 5],
    path: ['updates', 0, 'note'],
  },
];
