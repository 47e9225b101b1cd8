import { expect } from 'vitest';
import { ask } from '../helpers/callers.ts';
import { collection, create, type Entity, ok, read } from '../helpers/entities.ts';
import type { Answer } from '../helpers/node.ts';
import { agent, kladosBody } from '../helpers/processors.ts';
import type { Scene } from './row.ts';

/** One request of the scene's owner whose body is this text. */
export function sendText(
  scene: Scene,
  line: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = '', path = ''] = line.split(' ');
  const type = { 'Content-Type': 'application/json', ...scene.owner.headers };
  return scene.node.fetch(path, { method, headers: { ...type, ...headers }, body });
}

/** A place for a free object of the user, of each endpoint that stores one. */
export interface Place {
  name: string;
  write: (scene: Scene, json: string) => Promise<Answer>;
  at: (entity: Entity) => unknown;
}

export const own = (value: unknown, key: string): unknown =>
  Object.getOwnPropertyDescriptor(value as object, key)?.value as unknown;
export const kept = ({ properties }: Entity) => own(properties, 'kept');
const linked = ({ relationships }: Entity) => relationships.find((r) => r.predicate === 'has')?.properties;
const link = (scene: Scene, json: string) => `[{"predicate":"has","peer":"${scene.viewer.id}","properties":${json}}]`;

const metadata = ({ properties }: Entity) => own(properties, 'metadata');
let files = 0;
const newFile = () => `"key":"key ${files++}","filename":"f","content_type":"text/plain","size":1`;

export const places: Place[] = [
  {
    name: 'properties of POST /entities',
    write: (scene, json) => sendText(scene, 'POST /entities', `{"type":"t","properties":{"kept":${json}}}`),
    at: kept,
  },
  {
    name: 'properties of a relationship in POST /entities',
    write: (scene, json) => sendText(scene, 'POST /entities', `{"type":"t","relationships":${link(scene, json)}}`),
    at: linked,
  },
  {
    name: 'properties of PUT /entities/{id}',
    write: async (scene, json) => {
      const { id, cid } = await create(scene.node, scene.owner, { properties: { kept: { there: { before: 1 } } } });
      const update = `{"expect_tip":"${cid}","properties_remove":{"kept":["there"]},"properties":{"kept":${json}}}`;
      return sendText(scene, `PUT /entities/${id}`, update);
    },
    at: kept,
  },
  {
    name: 'properties of a relationship in PUT /entities/{id}',
    write: async (scene, json) => {
      const { id, cid } = await create(scene.node, scene.owner);
      return sendText(scene, `PUT /entities/${id}`, `{"expect_tip":"${cid}","relationships_add":${link(scene, json)}}`);
    },
    at: linked,
  },
  {
    name: 'properties of POST /entities/batch',
    write: async (scene, json) => {
      const body = `{"entities":[{"type":"t","properties":{"kept":${json}},"relationships":${link(scene, json)}}]}`;
      const answer = await sendText(scene, 'POST /entities/batch', body);
      const [result] = (answer.body as { results?: object[] }).results ?? [answer.body];
      // A refused item is no refused request.
      return { ...answer, status: answer.status === 207 ? 400 : answer.status, body: result };
    },
    at: kept,
  },
  {
    name: 'properties of POST /collections',
    write: (scene, json) => sendText(scene, 'POST /collections', `{"label":"l","properties":{"kept":${json}}}`),
    at: kept,
  },
  {
    name: 'properties of PUT /collections/{id}',
    write: async (scene, json) => {
      const { id, cid } = await collection(scene.node, scene.owner);
      return sendText(scene, `PUT /collections/${id}`, `{"expect_tip":"${cid}","properties":{"kept":${json}}}`);
    },
    at: kept,
  },
  {
    name: 'properties of PUT /users/{id}',
    write: async (scene, json) => {
      const { id, cid } = await read(scene.node, scene.owner, scene.owner.id);
      const update = `{"expect_tip":"${cid}","properties_remove":["kept"],"properties":{"kept":${json}}}`;
      return sendText(scene, `PUT /users/${id}`, update);
    },
    at: kept,
  },
  {
    name: 'metadata of POST /folders',
    write: (scene, json) => sendText(scene, 'POST /folders', `{"label":"f","metadata":${json}}`),
    at: metadata,
  },
  {
    name: 'properties of POST /folders',
    write: (scene, json) => sendText(scene, 'POST /folders', `{"label":"f","properties":{"kept":${json}}}`),
    at: kept,
  },
  {
    name: 'metadata of PUT /folders/{id}',
    write: async (scene, json) => {
      const { id, cid } = ok(await ask(scene.node, scene.owner, 'POST /folders', { label: 'f' }));
      return sendText(scene, `PUT /folders/${id}`, `{"expect_tip":"${cid}","metadata":${json}}`);
    },
    at: metadata,
  },
  {
    name: 'properties of POST /files',
    write: (scene, json) => sendText(scene, 'POST /files', `{${newFile()},"properties":{"kept":${json}}}`),
    at: kept,
  },
  {
    name: 'properties of PUT /files/{id}',
    write: async (scene, json) => {
      const { id, cid } = ok(await sendText(scene, 'POST /files', `{${newFile()}}`));
      return sendText(scene, `PUT /files/${id}`, `{"expect_tip":"${cid}","properties":{"kept":${json}}}`);
    },
    at: kept,
  },
  {
    name: 'properties of POST /kladoi',
    write: (scene, json) => {
      const body = JSON.stringify(kladosBody(scene.collection.id));
      return sendText(scene, 'POST /kladoi', `${body.slice(0, -1)},"properties":{"kept":${json}}}`);
    },
    at: kept,
  },
  {
    name: 'properties of PUT /agents/{id}',
    write: async (scene, json) => {
      const { id, cid } = await agent(scene.node, scene.owner, scene.collection.id);
      const update = `{"expect_tip":"${cid}","uses_agents":[],"properties":{"kept":${json}}}`;
      const answer = await sendText(scene, `PUT /agents/${id}`, update);
      return answer.status === 200 ? ask(scene.node, scene.owner, `GET /agents/${id}`) : answer;
    },
    at: kept,
  },
  {
    name: 'properties of POST /updates/additive',
    write: async (scene, json) => {
      const { id } = await create(scene.node, scene.owner);
      const body = `{"updates":[{"entity_id":"${id}","properties":{"kept":${json}}}]}`;
      const answer = await sendText(scene, 'POST /updates/additive', body);
      if (answer.status !== 202) return answer;
      // One that cannot be applied is no refused request.
      const { failed } = answer.body as { failed: object[] };
      if (failed.length > 0) return { ...answer, status: 400, body: { error: 'Validation failed' } };
      await expect.poll(async () => kept(await read(scene.node, scene.owner, id))).toBeDefined();
      return ask(scene.node, scene.owner, `GET /entities/${id}`);
    },
    at: kept,
  },
];
