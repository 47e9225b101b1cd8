import { z } from 'zod';
import { isEntityId } from '../model/ids.ts';
import type { CollectionsService } from '../resources/collections/service.ts';
import type { QueryService } from '../resources/query/service.ts';
import type { QueryView } from '../resources/query/wire.ts';
import type { SearchService } from '../resources/search/service.ts';
import { citation } from './citations.ts';
import { type Tool, tool } from './tools.ts';

/** The node's operations that find entities. */
export interface FindingOperations {
  collections: { find: Pick<CollectionsService['find'], 'catalog'> };
  query: Pick<QueryService, 'run'>;
  search: { texts: Pick<SearchService, 'entities'> };
}

const id = z.string().refine(isEntityId, 'must be an entity id').describe('The id of an entity, 26 characters');
const collection = id.optional().describe('Only in this collection, by its id');
const types = z.array(z.string().min(1).max(100)).min(1).max(20).optional().describe('Only entities of these types');
const upTo = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual).describe('How many');

type Named = { id: string; type: string; label: string };

/** The whole Argo language in a few lines: a model that has not heard of it can write it. */
const argo =
  'Find entities by text and by their relationships, in the Argo language. An entry point, then hops, each a relationship ' +
  'and a target. Entry: "text", @ID, type:person ~ "text", or type:a,b alone (without hops). Hop: -[made_by]-> along, ' +
  '<-[made_by]- against, <-[*]-> either way, * for any relationship, {,3} for up to three steps (4 at most). Target: ' +
  'type:person, type:person ~ "text", "text" or @ID. Example: "horses" type:artwork -[made_by]-> type:artist.';

/** Tools that find entities. Each runs as the user who asks. */
export function findTools(node: FindingOperations): Tool[] {
  return [
    tool(
      'list_collections',
      'The collections of the node: id, label, and how many entities each has.',
      z.object({ limit: upTo(100, 50), offset: z.number().int().min(0).max(1_000_000).default(0) }),
      async (caller, page) => ({ value: read(await node.collections.find.catalog(caller, page)) }),
    ),
    tool(
      'search',
      'Search entities by words: of their texts, and of what they are linked to. Best first.',
      z.object({
        text: z.string().min(1).max(500).describe('What to look for'),
        collection,
        types,
        limit: upTo(50, 10),
      }),
      async (caller, { text, collection: within, types: only, limit }) => {
        const asked = { query: text, limit, ...(within && { collection_id: within }), ...(only && { types: only }) };
        const value = read<{ results: (Named & { type?: string })[] }>(await node.search.texts.entities(caller, asked));
        return { value, named: value.results.map((one) => citation({ ...one, type: one.type ?? 'entity' })) };
      },
    ),
    tool(
      'query',
      argo,
      z.object({ argo: z.string().min(1).max(2000).describe('The query'), collection, limit: upTo(50, 10) }),
      async (caller, { argo: path, collection: within, limit: k }) => {
        const asked = { path, k, expand: 'none' as const, ...(within && { collection: within }) };
        const value = read<QueryView>(await node.query.run(caller, asked));
        return { value, named: value.results.map(({ entity }) => citation(entity)) };
      },
    ),
  ];
}

function read<T>(json: Uint8Array): T {
  return JSON.parse(Buffer.from(json).toString()) as T;
}
