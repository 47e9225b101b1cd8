import { idOn, networkOf } from '../../src/server/model/ids.ts';
import { ask, type Person } from './callers.ts';
import { type Entity, nowhere, ok } from './entities.ts';
import type { TestNode } from './node.ts';

/** Bodies that register a processor in a collection; `more` is added to them. */
export const kladosBody = (collection: string, more: object = {}) => ({
  label: 'a klados',
  endpoint: 'https://klados.test',
  actions_required: ['entity:view', 'entity:create'],
  accepts: { types: ['file'], cardinality: 'one' },
  produces: { types: ['*'], cardinality: 'many' },
  collection,
  ...more,
});

export const agentBody = (collection: string, more: object = {}) => ({
  label: 'an agent',
  endpoint: 'https://agent.test',
  actions_required: ['entity:view'],
  collection,
  ...more,
});

export const rhizaBody = (collection: string, more: object = {}) => ({
  label: 'a rhiza',
  version: '1.0.0',
  entry: 'first',
  flow: { first: { klados: { id: idOn(networkOf(collection), nowhere), type: 'klados' }, then: { done: true } } },
  collection,
  ...more,
});

const registration =
  (path: string, body: (collection: string, more?: object) => object) =>
  async (node: TestNode, who: Person, collection: string, more?: object): Promise<Entity> =>
    ok(await ask(node, who, `POST ${path}`, body(collection, more)));

/** Registered processors, in development. */
export const klados = registration('/kladoi', kladosBody);
export const agent = registration('/agents', agentBody);
export const rhiza = registration('/rhizai', rhizaBody);
