import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { networks } from '../../src/server/model/ids.ts';
import { settled } from '../helpers/attestations.ts';
import { anonymous, ask, type Person } from '../helpers/callers.ts';
import { chatted } from '../helpers/chat.ts';
import { create, ok, read, remove, unauthorized } from '../helpers/entities.ts';
import { declare, send } from '../helpers/files.ts';
import type { Answer } from '../helpers/node.ts';
import { agent, agentBody, klados, kladosBody, rhiza, rhizaBody } from '../helpers/processors.ts';
import { activate } from '../helpers/worker-processes.ts';
import { letters, type MatrixScene, openMatrix, type Role, roles } from './matrix-scene.ts';
import type { Row as ContractRow } from './row.ts';

/**
 * Who gets through, written from interface.md, Authentication and Permission actions: member, expired member (x),
 * member of a group with that role (g), expired member of it (e), non-member, anonymous, service account, service on
 * behalf of the member, operator; and keys of processors: an agent with that role (p), with an expired grant of it (q)
 * and without one (r), a klados with that role (k).
 * The probes of users are about the member's user, or about the caller's own (credentials).
 */
const table = `
action             | owner         | editor        | viewer        | public
entity:view        | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
entity:tip         | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
entity:create      | mgsbpko       | mgsbpko       | so            | so
entity:update      | mgsbpko       | mgsbpko       | so            | so
entity:delete      | mgsbpko       | mgsbpko       | so            | so
entity:restore     | mgsbpko       | mgsbpko       | so            | so
file:create        | mgsbpko       | mgsbpko       | so            | so
file:update        | mgsbpko       | mgsbpko       | so            | so
folder:view        | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
file:view          | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
file:upload        | mgsbpko       | mgsbpko       | so            | so
file:download      | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
file:reupload      | mgsbpko       | mgsbpko       | so            | so
folder:create      | mgsbpko       | mgsbpko       | so            | so
folder:update      | mgsbpko       | mgsbpko       | so            | so
agent:view         | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
agent:create       | mgsbpko       | mgsbpko       | so            | so
agent:update       | mgsbpko       | mgsbpko       | so            | so
agent:manage       | so            | so            | so            | so
klados:view        | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
klados:create      | mgsbpko       | mgsbpko       | so            | so
klados:update      | mgsbpko       | mgsbpko       | so            | so
klados:manage      | so            | so            | so            | so
rhiza:view         | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
rhiza:create       | mgsbpko       | mgsbpko       | so            | so
rhiza:update       | mgsbpko       | mgsbpko       | so            | so
collection:view    | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
collection:create  | mxgensbo      | mxgensbo      | mxgensbo      | mxgensbo
collection:update  | mgsbpko       | so            | so            | so
collection:manage  | mgsbo         | so            | so            | so
collection:delete  | mgsbpko       | so            | so            | so
collection:restore | mgsbpko       | so            | so            | so
user:view          | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
user:update        | msbo          | msbo          | msbo          | msbo
user:credentials   | mxgeno        | mxgeno        | mxgeno        | mxgeno
chat:send          | mxgensbo      | mxgensbo      | mxgensbo      | mxgensbo
chat:view          | mxgensbo      | mxgensbo      | mxgensbo      | mxgensbo
chat:delete        | mxgensbo      | mxgensbo      | mxgensbo      | mxgensbo
graph:query        | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko
search:query       | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko
search:similar     | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko
search:execute     | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko
query:execute      | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko  | mxgensbpqrko
klados:invoke      | so            | so            | so            | so
rhiza:invoke       | so            | so            | so            | so
agent:invoke       | so            | so            | so            | so
permissions:read   | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
events:list        | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
attestation:view   | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
attestation:verify | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
catalog:list       | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko | mxgenasbpqrko
`;

const [head = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
const cells = rows.flatMap(([action = '', ...sets]) => roles.map((role, i) => ({ action, role, may: sets[i] ?? '' })));

/** Tries an action as somebody, on what it has made for that. */
type Probe = (scene: MatrixScene, who: Person, role: Role) => Promise<Answer>;

const made = ({ node, maker, collection }: MatrixScene, type = 'document') =>
  create(node, maker, { type, collection: collection.id, properties: { label: type } });

const question = { messages: [{ id: 'm1', role: 'user', content: 'What is here?' }] };
const declaredFile = ({ node, maker, collection }: MatrixScene) =>
  declare(node, maker, 'page', { collection: collection.id });

const previewed = ({ collection }: MatrixScene) => ({ target_collection: collection.id, target_entity: collection.id });

const creation =
  (type: string): Probe =>
  ({ node, collection }, who) =>
    ask(node, who, 'POST /entities', { type, collection: collection.id, properties: { label: type } });

const change =
  (type: string): Probe =>
  async (scene, who) => {
    const { id, cid } = await made(scene, type);
    return ask(scene.node, who, `PUT /entities/${id}`, { expect_tip: cid, properties: { a: 1 } });
  };

const probes: Record<string, Probe> = {
  'entity:view': async (scene, who) => ask(scene.node, who, `GET /entities/${(await made(scene)).id}`),
  'entity:tip': async (scene, who) => ask(scene.node, who, `GET /entities/${(await made(scene)).id}/tip`),
  'entity:create': creation('document'),
  'entity:update': change('document'),
  'entity:delete': async (scene, who) => {
    const { id, cid } = await made(scene);
    return ask(scene.node, who, `DELETE /entities/${id}`, { expect_tip: cid });
  },
  'entity:restore': async (scene, who) => {
    const { id, cid } = await remove(scene.node, scene.maker, await made(scene));
    return ask(scene.node, who, `POST /entities/${id}/restore`, { expect_tip: cid });
  },
  'file:create': creation('file'),
  'file:update': change('file'),
  'folder:view': async (scene, who) => ask(scene.node, who, `GET /folders/${(await made(scene, 'folder')).id}`),
  'folder:create': ({ node, collection }, who) =>
    ask(node, who, 'POST /folders', { label: 'a folder', collection: collection.id }),
  'folder:update': async (scene, who) => {
    const { id, cid } = await made(scene, 'folder');
    return ask(scene.node, who, `PUT /folders/${id}`, { expect_tip: cid, description: 'changed' });
  },
  'file:view': async (scene, who) => ask(scene.node, who, `GET /files/${(await declaredFile(scene)).id}`),
  'file:upload': async (scene, who) => send(scene.node, who, (await declaredFile(scene)).id, 'page'),
  'file:download': async (scene, who) => {
    const { id } = await declaredFile(scene);
    ok(await send(scene.node, scene.maker, id, 'page'));
    return ask(scene.node, who, `GET /files/${id}/content`);
  },
  'file:reupload': async (scene, who) => {
    const { id, cid } = await declaredFile(scene);
    const body = { expect_tip: cid, key: 'another', content_type: 'text/plain', size: 1 };
    return ask(scene.node, who, `POST /files/${id}/reupload`, body);
  },
  'agent:manage': async (s, who) =>
    ask(s.node, who, `GET /agents/${(await agent(s.node, s.maker, s.collection.id)).id}/keys`),
  'agent:update': async (s, who) => {
    const { id, cid } = await agent(s.node, s.maker, s.collection.id);
    return ask(s.node, who, `PUT /agents/${id}`, { expect_tip: cid, label: 'new' });
  },
  'agent:view': async (s, who) => ask(s.node, who, `GET /agents/${(await agent(s.node, s.maker, s.collection.id)).id}`),
  'agent:create': ({ node, collection }, who) => ask(node, who, 'POST /agents', agentBody(collection.id)),
  'klados:manage': async (s, who) =>
    ask(s.node, who, `GET /kladoi/${(await klados(s.node, s.maker, s.collection.id)).id}/keys`),
  'klados:update': async (s, who) => {
    const { id, cid } = await klados(s.node, s.maker, s.collection.id);
    return ask(s.node, who, `PUT /kladoi/${id}`, { expect_tip: cid, label: 'new' });
  },
  'klados:view': async (s, who) =>
    ask(s.node, who, `GET /kladoi/${(await klados(s.node, s.maker, s.collection.id)).id}`),
  'klados:create': ({ node, collection }, who) => ask(node, who, 'POST /kladoi', kladosBody(collection.id)),
  'rhiza:update': async (s, who) => {
    const { id, cid } = await rhiza(s.node, s.maker, s.collection.id);
    return ask(s.node, who, `PUT /rhizai/${id}`, { expect_tip: cid, label: 'new' });
  },
  'rhiza:view': async (s, who) => ask(s.node, who, `GET /rhizai/${(await rhiza(s.node, s.maker, s.collection.id)).id}`),
  'rhiza:create': ({ node, collection }, who) => ask(node, who, 'POST /rhizai', rhizaBody(collection.id)),
  'collection:view': ({ node, collection }, who) => ask(node, who, `GET /collections/${collection.id}`),
  'collection:create': ({ node }, who) => ask(node, who, 'POST /collections', { label: 'another' }),
  'collection:update': async ({ node, maker, collection }, who) => {
    const { id, cid } = await read(node, maker, collection.id);
    return ask(node, who, `PUT /collections/${id}`, { expect_tip: cid, description: 'changed' });
  },
  'collection:manage': ({ node, collection }, who) =>
    ask(node, who, `PUT /collections/${collection.id}/roles/viewer`, { actions: ['*:view'] }),
  'collection:delete': async ({ node, maker, collection }, who) => {
    const { id, cid } = await read(node, maker, collection.id);
    const answer = await ask(node, who, `DELETE /entities/${id}`, { expect_tip: cid });
    const grave = answer.body as { cid: string };
    if (answer.status < 300) ok(await ask(node, maker, `POST /entities/${id}/restore`, { expect_tip: grave.cid }));
    return answer;
  },
  'collection:restore': async ({ node, maker, collection }, who) => {
    const { id, cid } = await remove(node, maker, await read(node, maker, collection.id));
    const answer = await ask(node, who, `POST /entities/${id}/restore`, { expect_tip: cid });
    if (answer.status >= 300) ok(await ask(node, maker, `POST /entities/${id}/restore`, { expect_tip: cid }));
    return answer;
  },
  'user:view': (scene, who, role) => ask(scene.node, who, `GET /users/${scene.member(role).id}`),
  'user:update': async (scene, who, role) => {
    const { id, cid } = await read(scene.node, scene.maker, scene.member(role).id);
    return ask(scene.node, who, `PUT /users/${id}`, { expect_tip: cid, properties: { a: 1 } });
  },
  'user:credentials': ({ node }, who) => ask(node, who, 'GET /users/me/keys'),
  'chat:send': ({ node }, who) => ask(node, who, 'POST /chat', question),
  'chat:view': ({ node }, who) => ask(node, who, 'GET /chat/sessions'),
  'chat:delete': async ({ node }, who) => {
    const { chatId } = chatted(await ask(node, who, 'POST /chat', question));
    return ask(node, who, `DELETE /chat/sessions/${chatId || 'none'}`);
  },
  'query:execute': ({ node, collection }, who) => ask(node, who, 'POST /query', { path: `@${collection.id}` }),
  'graph:query': ({ node, collection }, who) => ask(node, who, `GET /graph/entity/${collection.id}`),
  'search:query': ({ node }, who) => ask(node, who, 'POST /search/entities', { query: 'a', limit: 1 }),
  'search:similar': ({ node, collection }, who) =>
    ask(node, who, 'POST /search/similar/collections', { id: collection.id, limit: 1 }),
  'search:execute': ({ node }, who) => ask(node, who, 'POST /users/me/search', { query: 'a', limit: 1 }),
  'klados:invoke': async (scene, who) => {
    const made = await activate(scene.node, scene.maker, await klados(scene.node, scene.maker, scene.collection.id));
    return ask(scene.node, who, `POST /kladoi/${made.id}/invoke`, previewed(scene));
  },
  'rhiza:invoke': async (scene, who) => {
    const { id } = await rhiza(scene.node, scene.maker, scene.collection.id);
    return ask(scene.node, who, `POST /rhizai/${id}/invoke`, previewed(scene));
  },
  'agent:invoke': async (scene, who) => {
    const made = await activate(scene.node, scene.maker, await agent(scene.node, scene.maker, scene.collection.id));
    return ask(scene.node, who, `POST /agents/${made.id}/invoke`, { target: scene.collection.id });
  },
  'permissions:read': ({ node }, who) => ask(node, who, 'GET /permissions'),
  'catalog:list': ({ node }, who) => ask(node, who, 'GET /collections/catalog?limit=1'),
  'events:list': ({ node }, who) => ask(node, who, 'GET /events?limit=1'),
  'attestation:view': async ({ node }, who) => {
    await settled(node);
    return ask(node, who, 'GET /attestations/head');
  },
  'attestation:verify': async ({ node }, who) => {
    await settled(node);
    const { tx } = ok<{ tx: string }>(await ask(node, anonymous, 'GET /attestations/head'));
    return ask(node, who, `GET /attestations/verify/${tx}`);
  },
};

/** These are tried on the test network too. */
const onBoth = ['entity:view', 'entity:update', 'collection:create', 'collection:manage', 'user:update'];

it('has a probe for every action of the table', () => {
  expect(Object.keys(probes).sort()).toEqual(rows.map(([action]) => action).sort());
  expect(head.slice(1)).toEqual(roles);
});

it('has a line for every action that an endpoint needs, but for registering, which a JWT alone decides', async () => {
  const names = readdirSync(join(import.meta.dirname, 'rows')).map((file) => basename(file, '.ts'));
  const modules = await Promise.all(
    names.map((name) => import(`./rows/${name}.ts`) as Promise<Record<string, unknown>>),
  );
  const routes = modules.flatMap((module) => Object.values(module).filter(Array.isArray)).flat() as ContractRow[];
  const needed = new Set(routes.flatMap(({ action }) => action ?? []));
  expect(needed.size).toBeGreaterThan(10);
  expect([...needed].filter((action) => !Object.hasOwn(probes, action))).toEqual(['user:create']);
});

describe.each(networks)('over HTTP, on %s', (network) => {
  let scene: MatrixScene;
  beforeAll(async () => {
    scene = await openMatrix(network);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  const tried = cells.filter(({ action }) => network === 'main' || onBoth.includes(action));
  it.each(tried)('$action with the role $role: $may', async ({ action, role, may }) => {
    let through = '';
    for (const letter of letters) {
      const answer = await probes[action]?.(scene, scene.actor(letter, role), role);
      if (answer && answer.status < 300) through += letter;
      else
        expect({ letter, status: answer?.status, body: answer?.body }).toEqual({ letter, ...refusal(letter, action) });
    }
    expect([...through].sort()).toEqual([...may].sort());
  });
});

/** interface.md, Authentication 7: what a refused caller is told. */
function refusal(letter: string, action: string) {
  if (letter === 'a') return { status: 401, body: unauthorized };
  const told = expect.stringMatching(new RegExp(`^(?:Only users can .+|Action not allowed: ${action})$`));
  return { status: 403, body: { error: told } };
}
