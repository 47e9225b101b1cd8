import { expect } from 'vitest';
import { invalid, nowhere, onTest } from '../../helpers/entities.ts';
import type { Case, Row, Scene } from '../row.ts';
import { bad, gone, idMessage, noId, otherNetwork, placed, unknown } from './common.ts';

const entity = (id: string) => `/graph/entity/${id}`;

/** A painting of a painter; both in the scene's collection. */
async function painting(s: Scene) {
  const painter = await placed(s, { type: 'painter', properties: { label: 'Ada' } });
  const work = await placed(s, {
    properties: { label: 'Sea', description: 'Waves' },
    relationships: [{ predicate: 'made_by', peer: painter.id, properties: { role: 'painter' } }],
  });
  return { painter, work };
}
type Painting = Awaited<ReturnType<typeof painting>>;

const ends = ({ painter, work }: Painting) => ({
  subject_id: work.id,
  subject_pi: work.id,
  subject_label: 'Sea',
  subject_type: 'document',
  predicate: 'made_by',
  object_id: painter.id,
  object_pi: painter.id,
  object_label: 'Ada',
  object_type: 'painter',
});
const previews = ({ painter, work }: Painting, s: Scene) => {
  const preview = (of: { id: string; type: string; created_at: string }, label: string) => ({
    ...{ id: of.id, type: of.type, label, collection_id: s.collection.id, collection_pi: s.collection.id },
    ...{ created_at: of.created_at, updated_at: of.created_at },
  });
  return { work: { ...preview(work, 'Sea'), description_preview: 'Waves' }, painter: preview(painter, 'Ada') };
};

const numbers = (path: string, body: object): Case[] => [
  bad('a depth of 5', path, { ...body, max_depth: 5 }, [['max_depth'], 'must be at most 4']),
  bad('a limit of 1001', path, { ...body, limit: 1001 }, [['limit'], 'must be at most 1000']),
  bad('another direction', path, { ...body, direction: 'up' }, [
    ['direction'],
    'must be "outgoing", or must be "incoming", or must be "both"',
  ]),
  bad('another expansion', `${path}?expand=all`, body, [
    ['expand'],
    'must be "preview", or must be "full", or must be "none"',
  ]),
];
const sources = (path: string, body: object): Case[] => [
  bad('no sources', path, { ...body, source_ids: undefined }, [['source_ids'], 'is required']),
  bad('an empty list of sources', path, { ...body, source_ids: [] }, [['source_ids'], 'must have at least 1 item']),
  bad('101 sources', path, { ...body, source_ids: Array(101).fill(nowhere) }, [
    ['source_ids'],
    'must have at most 100 items',
  ]),
  bad('a source that is no id', path, { ...body, source_ids: ['x'] }, [['source_ids', 0], idMessage]),
  bad('a source on the other network', path, { ...body, source_ids: undefined, source_pis: [nowhere, onTest] }, [
    ['source_pis', 1],
    'is not an id of the main network',
  ]),
];

const somewhere = { source_ids: [nowhere], target_ids: [nowhere] };
const sought = { source_ids: [nowhere], target_type: 'x' };

export const graphRows: Row[] = [
  {
    route: 'POST /graph/paths',
    auth: 'required',
    action: 'graph:query',
    wire: '200 400',
    cases: [
      {
        name: 'finds a path, in both spellings',
        status: 200,
        call: async (s) => {
          const known = await painting(s);
          const body = { source_ids: [known.painter.id], target_ids: [known.work.id], max_depth: 1 };
          return { path: '/graph/paths', body, known };
        },
        also: ({ body }, { known }, s) => {
          const { painter, work } = known as Painting;
          const shown = previews(known as Painting, s);
          const edge = { ...ends(known as Painting), subject_preview: shown.work, object_preview: shown.painter };
          const both = { source_id: painter.id, source_pi: painter.id, target_id: work.id, target_pi: work.id };
          expect(body).toEqual({ paths: [{ ...both, length: 1, edges: [edge] }], truncated: false });
        },
      },
      {
        name: 'takes the older spelling, and leaves expansions out',
        status: 200,
        call: async (s) => {
          const known = await painting(s);
          const body = { source_pis: [known.work.id], target_pis: [known.painter.id], direction: 'outgoing' };
          return { path: '/graph/paths?expand=none', body, known };
        },
        also: ({ body }, { known }) =>
          expect((body as { paths: { edges: object[] }[] }).paths.map((path) => path.edges)).toEqual([
            [ends(known as Painting)],
          ]),
      },
      {
        name: 'shows whole entities',
        status: 200,
        call: async (s) => {
          const known = await painting(s);
          const body = { source_ids: [known.work.id], target_ids: [known.painter.id], max_depth: 1 };
          return { path: '/graph/paths?expand=full', body, known };
        },
        also: ({ body }, { known }) => {
          const { painter, work } = known as Painting;
          const { paths } = body as { paths: { edges: object[] }[] };
          const edge = { ...ends(known as Painting), subject_entity: work, object_entity: painter };
          expect(paths.map((path) => path.edges)).toEqual([[edge]]);
        },
      },
      ...sources('/graph/paths', somewhere),
      bad('no targets', '/graph/paths', { source_ids: [nowhere] }, [['target_ids'], 'is required']),
      bad('101 targets', '/graph/paths', { ...somewhere, target_ids: Array(101).fill(nowhere) }, [
        ['target_ids'],
        'must have at most 100 items',
      ]),
      bad('a target on the other network', '/graph/paths', { ...somewhere, target_ids: [onTest] }, [
        ['target_ids', 0],
        'is not an id of the main network',
      ]),
      ...numbers('/graph/paths', somewhere),
    ],
  },
  {
    route: 'POST /graph/reachable',
    auth: 'required',
    action: 'graph:query',
    wire: '200 400',
    cases: [
      {
        name: 'finds what is of a type',
        status: 200,
        call: async (s) => {
          const known = await painting(s);
          const body = { source_ids: [known.work.id], target_type: 'painter' };
          return { path: '/graph/reachable', body, known };
        },
        also: ({ body }, { known }, s) => {
          const { painter, work } = known as Painting;
          const shown = previews(known as Painting, s);
          const edge = { ...ends(known as Painting), subject_preview: shown.work, object_preview: shown.painter };
          const both = { source_id: work.id, source_pi: work.id, target_id: painter.id, target_pi: painter.id };
          const target = { target_label: 'Ada', target_type: 'painter', target_preview: shown.painter };
          expect(body).toEqual({ results: [{ ...both, ...target, length: 1, edges: [edge] }], truncated: false });
        },
      },
      ...sources('/graph/reachable', sought),
      bad('no type', '/graph/reachable', { ...sought, target_type: undefined }, [['target_type'], 'is required']),
      bad('an empty type', '/graph/reachable', { ...sought, target_type: '' }, [
        ['target_type'],
        'must have at least 1 character',
      ]),
      ...numbers('/graph/reachable', sought),
    ],
  },
  {
    route: 'GET /graph/entity/{id}',
    auth: 'required',
    action: 'graph:query',
    wire: '200 404',
    cases: [
      {
        name: 'shows both sides',
        status: 200,
        call: async (s) => {
          const known = await painting(s);
          return { path: entity(known.painter.id), known };
        },
        also: ({ body }, { known }, s) => {
          const { painter, work } = known as Painting;
          const shown = previews(known as Painting, s);
          const home = { collection_id: s.collection.id, collection_pi: s.collection.id };
          const times = { created_at: painter.created_at, updated_at: painter.created_at };
          expect(body).toEqual({
            ...{ id: painter.id, pi: painter.id, type: 'painter', label: 'Ada', ...home, ...times },
            relationships: [
              {
                direction: 'outgoing',
                predicate: 'collection',
                ...{ peer_id: s.collection.id, peer_pi: s.collection.id },
                ...{ peer_type: 'collection', peer_label: 'a collection' },
                properties: {},
                peer_preview: expect.objectContaining({ id: s.collection.id, label: 'a collection' }),
              },
              {
                direction: 'incoming',
                predicate: 'made_by',
                ...{ peer_id: work.id, peer_pi: work.id, peer_type: 'document', peer_label: 'Sea' },
                properties: { role: 'painter' },
                peer_preview: shown.work,
              },
            ],
            totals: { outgoing: 1, incoming: 1 },
            truncated: false,
          });
        },
      },
      {
        name: 'a limit of 1001',
        status: 400,
        call: (s) => ({ path: `${entity(s.collection.id)}?limit=1001` }),
        body: invalid(['limit'], 'must be at most 1000'),
      },
      noId(entity),
      otherNetwork(entity),
      unknown(entity),
      gone(entity),
    ],
  },
];
