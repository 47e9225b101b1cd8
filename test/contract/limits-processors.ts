import { ask } from '../helpers/callers.ts';
import { nowhere } from '../helpers/entities.ts';
import { agent, agentBody, klados, kladosBody, rhiza, rhizaBody } from '../helpers/processors.ts';
import { type Border, characters } from './limits.ts';
import type { Scene } from './row.ts';

const kinds = [
  { path: '/agents', body: agentBody, make: agent },
  { path: '/kladoi', body: kladosBody, make: klados },
  { path: '/rhizai', body: rhizaBody, make: rhiza },
];

const length = (min: number, max: number) => ({
  fits: [characters(min), characters(max)],
  breaks: [...(min === 0 ? [] : [characters(min - 1)]), characters(max + 1), 5, null],
});
const flowOf = (name: string) => ({ [name]: { klados: { id: nowhere }, then: { done: true } } });

/** Both endpoints that take a member of the three kinds. */
const both = (line: Border['line'], name: string, sizes: Pick<Border, 'fits' | 'breaks'>, only = kinds): Border[] =>
  only.flatMap(({ path, body, make }): Border[] => {
    const also = (value: unknown) => (name === 'entry' && typeof value === 'string' ? { flow: flowOf(value) } : {});
    return [
      {
        line,
        name: `POST ${path} ${name}`,
        send: (s: Scene, value) =>
          ask(s.node, s.owner, `POST ${path}`, body(s.collection.id, { [name]: value, ...also(value) })),
        ...sizes,
        path: [name],
      },
      {
        line,
        name: `PUT ${path}/{id} ${name}`,
        send: async (s: Scene, value) => {
          const { id, cid } = await make(s.node, s.owner, s.collection.id);
          return ask(s.node, s.owner, `PUT ${path}/${id}`, { expect_tip: cid, [name]: value, ...also(value) });
        },
        ...sizes,
        path: [name],
      },
    ];
  });

/** Invocations, of what need not be there: a body is looked at before anything else. */
const durations = [
  { line: 'POST /agents/{id}/invoke', body: { target: nowhere } },
  { line: 'POST /kladoi/{id}/invoke', body: { target_collection: nowhere, target_entity: nowhere } },
  {
    line: 'POST /kladoi/{id}/invoke/batch',
    body: { target_collection: nowhere, invocations: [{ target_entity: nowhere }] },
  },
  { line: 'POST /kladoi/{id}/reinvoke', body: { log_id: nowhere } },
  { line: 'POST /rhizai/{id}/invoke', body: { target_collection: nowhere, target_entity: nowhere } },
].map(
  ({ line, body }): Border => ({
    line: 'Invocation permission duration: 60..86400 seconds, default 3600',
    name: `${line} expires_in`,
    send: (s: Scene, expires_in) => ask(s.node, s.owner, line.replace('{id}', nowhere), { ...body, expires_in }),
    fits: [60, 86_400],
    taken: 404,
    breaks: [59, 86_401, '3600', 60.5, null, {}],
    path: ['expires_in'],
  }),
);

const rhizai = kinds.filter(({ path }) => path === '/rhizai');

/** Agents, kladoi and rhizai. */
export const processorBorders: Border[] = [
  ...durations,
  ...both('label 1..200', 'label', length(1, 200)),
  ...both('description <= 2000', 'description', length(0, 2000)),
  ...kinds
    .filter(({ path }) => path !== '/rhizai')
    .flatMap(({ path, make }): Border[] => {
      const keyed = (name: string) => async (s: Scene, value: unknown) =>
        ask(s.node, s.owner, `POST ${path}/${(await make(s.node, s.owner, s.collection.id)).id}/keys`, {
          [name]: value,
        });
      return [
        {
          line: 'Agent/klados key expiry: 1..365 days, default 365',
          name: `POST ${path}/{id}/keys expires_in_days`,
          send: keyed('expires_in_days'),
          fits: [1, 365, undefined],
          breaks: [0, 366, 1.5, '1', null],
          path: ['expires_in_days'],
        },
        {
          line: 'key label <= 100',
          name: `POST ${path}/{id}/keys label`,
          send: keyed('label'),
          ...length(0, 100),
          path: ['label'],
        },
        {
          line: 'key prefix 4..12',
          name: `DELETE ${path}/{id}/keys/{prefix}`,
          send: async (s: Scene, prefix) => {
            const { id } = await make(s.node, s.owner, s.collection.id);
            return ask(s.node, s.owner, `DELETE ${path}/${id}/keys/${prefix}`);
          },
          fits: ['ak_0', 'ak_012345678'],
          taken: 404,
          breaks: ['ak_', 'ak_0123456789'],
          path: ['prefix'],
        },
      ];
    }),
  ...both('rhiza version 1..50', 'version', length(1, 50), rhizai),
  ...both('rhiza entry 1..100', 'entry', length(1, 100), rhizai),
];
