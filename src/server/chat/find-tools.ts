import { z } from 'zod';
import { ValidationError } from '../errors.ts';
import type { Caller } from '../model/caller.ts';
import { jsonOf } from '../model/from-json.ts';
import { isEntityId } from '../model/ids.ts';
import type { CollectionsService } from '../resources/collections/service.ts';
import type { CatalogView } from '../resources/collections/wire.ts';
import type { EntitiesService } from '../resources/entities/service.ts';
import type { QueryService } from '../resources/query/service.ts';
import type { QueryView } from '../resources/query/wire.ts';
import type { SearchService } from '../resources/search/service.ts';
import type { SimilarService } from '../resources/search/similar-service.ts';
import type { PlacedHitView, TypedHitView } from '../resources/search/wire.ts';
import { citation } from './citations.ts';
import { type Finding, refuseOthers, type Tool, tool } from './tools.ts';

/** The node's operations that find entities. */
export interface FindingOperations {
  collections: { find: Pick<CollectionsService['find'], 'catalog' | 'facets'> };
  entities: Pick<EntitiesService, 'preview' | 'facts'>;
  query: Pick<QueryService, 'run'>;
  search: { texts: Pick<SearchService, 'entities' | 'collections'>; similar: Pick<SimilarService, 'items'> };
}

const id = z.string().refine(isEntityId, 'must be an entity id').describe('The id of an entity, 26 characters');
const collection = id.optional().describe('Only in this collection, by its id');
const types = z.array(z.string().min(1).max(100)).min(1).max(20).optional().describe('Only entities of these types');
const upTo = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual).describe('How many');

const text = z.string().min(1).max(500).describe('What to look for');

/** How many results are wanted does not say from how many a query goes on. */
const leastExplored = 75;

/** The whole Argo language in a few lines: a model that has not heard of it can write it. */
const argo =
  'Find entities by text and by their relationships, in the Argo language. An entry point, then hops, each a relationship ' +
  'and a target. Entry: "text", @ID, type:person ~ "text", or type:a,b alone (without hops). Hop: -[made_by]-> along, ' +
  '<-[made_by]- against, <-[*]-> either way, * for any relationship, {,3} for up to three steps (4 at most). Target: ' +
  'type:person, type:person ~ "text", "text" or @ID. A text leaves nothing out: a score of 0 is not like it at all. Names ' +
  'of relationships and types are those of the entities here (get_relationships tells them): where no relationship has a ' +
  'name, those are followed whose names are most like it, and the scores are low or 0. ' +
  'Example: "horses" type:artwork -[made_by]-> type:artist.';

/** Tools that find entities. Each runs as the user who asks. */
export function findTools(node: FindingOperations): Tool[] {
  return [
    tool(
      'list_collections',
      'All collections of the node, newest first: id and label of each. With many of them search_collections is better.',
      z.object({ limit: upTo(100, 50), offset: z.number().int().min(0).max(1_000_000).default(0) }),
      async (caller, page) => {
        const { data, pagination } = read<CatalogView>(await node.collections.find.catalog(caller, page));
        // One that was deleted meanwhile is left out.
        const looked = data.map(({ id: one }) => node.entities.preview(caller, one).catch(() => null));
        const shown = (await Promise.all(looked)).filter((one) => one !== null);
        const named = shown.map(citation);
        const collections = shown.map(({ id: one, label, description_preview: description }) => ({
          ...{ id: one, label },
          ...(description && { description }),
        }));
        return { value: { collections, total: pagination.total, has_more: pagination.has_more }, named };
      },
    ),
    tool(
      'describe_collection',
      'What a collection holds: how many entities of each type, and which properties and relationships these have, in how many ' +
        'of a sample (the newest 200 of each type).',
      z.object({ collection: id.describe('The id of a collection, 26 characters') }),
      async (caller, { collection: one }) => {
        await refuseNoCollection(node, caller, one);
        const value = read<object>(await node.collections.find.facets(caller, one));
        return { value, shown: [citation(await node.entities.facts(caller, one))] };
      },
    ),
    tool(
      'search_collections',
      'Search collections by words: of their own texts and of the newest 200 of what they hold. Best first. What is in large ' +
        'ones search finds, and of each hit the collection.',
      z.object({ text, limit: upTo(50, 10) }),
      async (caller, { text: query, limit }) => found(await node.search.texts.collections(caller, { query, limit })),
    ),
    tool(
      'search',
      'Search entities by words of their texts and of what they are linked to; misspelled ones too, if without digits. Best first.',
      z.object({ text, collection, types, limit: upTo(50, 10) }),
      async (caller, { text: query, collection: within, types: only, limit }) => {
        await refuseNoCollection(node, caller, within);
        const asked = { query, limit, ...(within && { collection_id: within }), ...(only && { types: only }) };
        return found(await node.search.texts.entities(caller, asked));
      },
    ),
    tool(
      'find_similar',
      'Entities that are like one that lies in a collection, from that collection and others like it. Most similar first.',
      z.object({ id, limit: upTo(50, 10) }),
      async (caller, { id: one, limit }) => {
        const { collection: collection_id } = await node.entities.facts(caller, one);
        if (collection_id === null) throw ValidationError.at(['id'], 'lies in no collection');
        return found(await node.search.similar.items(caller, { id: one, collection_id, limit }));
      },
    ),
    tool(
      'query',
      argo,
      z.object({ path: z.string().min(1).max(2000).describe('The query'), collection, limit: upTo(50, 10) }),
      async (caller, { path, collection: within, limit: k }) => {
        await refuseNoCollection(node, caller, within);
        const explored = { k_explore: Math.max(leastExplored, 3 * k), expand: 'none' as const };
        const asked = { path, k, ...explored, ...(within && { collection: within }) };
        const { results, ...rest } = read<QueryView>(await node.query.run(caller, asked));
        const told = results.map(({ entity: { pi: _, collection_pi: __, ...entity }, ...way }) => ({ entity, ...way }));
        return { value: { results: told, ...rest }, named: told.map(({ entity }) => citation(entity)) };
      },
    ),
  ];
}

/** Refuses an id as `collection` that is another thing's, in which nothing would be found. @throws ValidationError, NotFoundError */
export async function refuseNoCollection(
  { entities }: Pick<FindingOperations, 'entities'>,
  caller: Caller,
  collection: string | undefined,
): Promise<void> {
  if (collection === undefined) return;
  refuseOthers(caller, { collection });
  const { type } = await entities.facts(caller, collection);
  if (type !== 'collection') throw ValidationError.at(['collection'], `is no collection: it is of the type ${type}`);
}

/** Hits of a search, all of them with a type: each id once, so that as many as can be asked for are told whole. */
function found(json: Uint8Array): Finding {
  const { results, ...rest } = read<{ results: (TypedHitView & Partial<PlacedHitView>)[] }>(json);
  const told = results.map(({ id: one, type, label, score, collection_id, updated_at, entity_preview: preview }) => {
    const says = preview?.description_preview ?? preview?.text_preview;
    return { ...{ id: one, type, label, score, collection_id, updated_at }, ...(says && { description: says }) };
  });
  return { value: { results: told, ...rest }, named: results.map(citation) };
}

function read<T>(json: Uint8Array): T {
  return jsonOf(json) as T;
}
