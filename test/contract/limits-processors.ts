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

const rhizai = kinds.filter(({ path }) => path === '/rhizai');

/** Agents, kladoi and rhizai. */
export const processorBorders: Border[] = [
  ...both('label 1..200', 'label', length(1, 200)),
  ...both('description <= 2000', 'description', length(0, 2000)),
  ...both('rhiza version 1..50', 'version', length(1, 50), rhizai),
  ...both('rhiza entry 1..100', 'entry', length(1, 100), rhizai),
];
