import { expect } from 'vitest';
import { collection, invalid, notFound, nowhere, onTest, remove } from '../../helpers/entities.ts';
import { indexed } from '../../helpers/searches.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, goneBody, idMessage, placed } from './common.ts';

const found = (s: Scene) => indexed(s.node, s.owner, 'A seahorse', { collection: s.collection.id });

function finds(path: string, body: object = {}): Case {
  return {
    name: 'finds something',
    status: 200,
    call: async (s) => ({ path, body: { query: 'seahorse', ...body }, known: await found(s) }),
    also: ({ body: answer }) => {
      const { results, metadata } = answer as { results: object[]; metadata: object };
      expect(results).toContainEqual(expect.objectContaining({ label: 'A seahorse' }));
      expect(metadata).toMatchObject({ query: 'seahorse', result_count: results.length });
    },
  };
}

/** What every search by text refuses. */
function textFaults(path: string): Case[] {
  return [
    bad('no query', path, {}, [['query'], 'is required']),
    bad('an empty query', path, { query: '' }, [['query'], 'must have at least 1 character']),
    bad('501 characters', path, { query: 'x'.repeat(501) }, [['query'], 'must have at most 500 characters']),
    bad('a limit of 0', path, { query: 'a', limit: 0 }, [['limit'], 'must be at least 1']),
  ];
}

const unknownOperator = (path: string): Case =>
  bad('an unknown operator', path, { query: 'a', filter: { _a: { $regex: 'x' } } }, [
    ['filter', '_a'],
    'Unrecognized key: "$regex"',
  ]);

/** What the similar ones refuse about the id of their source. */
function sourceFaults(path: string, rest: (s: Scene) => object = () => ({})): Case[] {
  const given = (name: string, status: number, id: unknown, body: object): Case => ({
    name,
    status,
    call: (s) => ({ path, body: { ...rest(s), id } }),
    body,
  });
  return [
    given('no id', 400, undefined, invalid(['id'], 'is required')),
    given('an id that is none', 400, 'x', invalid(['id'], idMessage)),
    given('an id of the other network', 400, onTest, invalid(['id'], 'is not an id of the main network')),
    given('an unknown id', 404, nowhere, notFound),
  ];
}

const similarTo = (path: string, call: Case['call'], metadata: (s: Scene) => object): Case => ({
  name: 'finds what is similar',
  status: 200,
  call,
  also: ({ body }, { known }, s) => {
    const { results, metadata: facts } = body as { results: object[]; metadata: object };
    expect(facts, path).toMatchObject({ source_id: known, result_count: results.length, ...metadata(s) });
  },
});

export const searchRows: Row[] = [
  {
    route: 'POST /search/entities',
    auth: 'required',
    action: 'search:query',
    wire: '200 400',
    cases: [
      finds('/search/entities'),
      ...textFaults('/search/entities'),
      unknownOperator('/search/entities'),
      {
        name: '21 collections',
        status: 400,
        call: (s) => ({
          path: '/search/entities',
          body: { query: 'a', collection_ids: Array(21).fill(s.collection.id) },
        }),
        body: invalid(['collection_ids'], 'must have at most 20 items'),
      },
      bad('a collection of the other network', '/search/entities', { query: 'a', collection_ids: [onTest] }, [
        ['collection_ids', 0],
        'is not an id of the main network',
      ]),
    ],
  },
  {
    route: 'POST /search/collections',
    auth: 'required',
    action: 'search:query',
    wire: '200 400',
    cases: [
      {
        name: 'finds a collection',
        status: 200,
        call: async (s) => {
          const made = await collection(s.node, s.owner, { label: 'Kaleidoscopes' });
          await found(s);
          return { path: '/search/collections', body: { query: 'kaleidoscope' }, known: made };
        },
        also: ({ body: answer }) => {
          const { results, metadata } = answer as { results: { label: string }[]; metadata: object };
          expect(new Set(results.map(({ label }) => label))).toEqual(new Set(['Kaleidoscopes']));
          expect(metadata).toMatchObject({ query: 'kaleidoscope', result_count: results.length });
        },
      },
      ...textFaults('/search/collections'),
      unknownOperator('/search/collections'),
    ],
  },
  {
    route: 'POST /search/agents',
    auth: 'required',
    action: 'search:query',
    wire: '200 400',
    cases: [
      {
        name: 'finds no agent',
        status: 200,
        call: () => ({ path: '/search/agents', body: { query: 'nothing of the kind', scope: 'all' } }),
        body: { results: [], metadata: { query: 'nothing of the kind', result_count: 0 } },
      },
      ...textFaults('/search/agents'),
      unknownOperator('/search/agents'),
      bad('another scope', '/search/agents', { query: 'a', scope: 'own' }, [
        ['scope'],
        'must be "official", or must be "all"',
      ]),
    ],
  },
  {
    route: 'POST /search/discover',
    auth: 'required',
    action: 'search:query',
    wire: '200 400',
    cases: [finds('/search/discover'), ...textFaults('/search/discover'), unknownOperator('/search/discover')],
  },
  {
    route: 'POST /search/similar/collections',
    auth: 'required',
    action: 'search:similar',
    wire: '200 400 404',
    cases: [
      similarTo(
        '/search/similar/collections',
        (s) => ({ path: '/search/similar/collections', body: { id: s.collection.id }, known: s.collection.id }),
        () => ({ cached: expect.any(Boolean), cached_at: expect.any(String) }),
      ),
      ...sourceFaults('/search/similar/collections'),
      {
        name: 'an entity that is no collection',
        status: 404,
        call: async (s) => ({ path: '/search/similar/collections', body: { id: (await placed(s)).id } }),
        body: notFound,
      },
    ],
  },
  {
    route: 'POST /search/similar/items',
    auth: 'required',
    action: 'search:similar',
    wire: '200 400 404',
    cases: [
      similarTo(
        '/search/similar/items',
        async (s) => {
          const { id } = await found(s);
          return { path: '/search/similar/items', body: { id, collection_id: s.collection.id }, known: id };
        },
        () => ({ collections_searched: expect.any(Number) }),
      ),
      ...sourceFaults('/search/similar/items', (s) => ({ collection_id: s.collection.id })),
      {
        name: 'no collection',
        status: 400,
        call: async (s) => ({ path: '/search/similar/items', body: { id: (await placed(s)).id } }),
        body: invalid(['collection_id'], 'is required'),
      },
      {
        name: 'a deleted entity',
        status: 404,
        call: async (s) => {
          const grave = await remove(s.node, s.owner, await placed(s));
          return {
            path: '/search/similar/items',
            body: { id: grave.id, collection_id: s.collection.id },
            known: grave,
          };
        },
        body: goneBody,
      },
    ],
  },
  {
    route: 'POST /users/me/search',
    auth: 'required',
    action: 'search:execute',
    wire: '200 400 401',
    cases: [
      finds('/users/me/search'),
      ...textFaults('/users/me/search'),
      bad('another role', '/users/me/search', { query: 'a', role: 'public' }, [
        ['role'],
        'must be "owner", or must be "editor", or must be "viewer"',
      ]),
    ],
  },
];
