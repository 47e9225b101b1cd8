import { z } from 'zod';
import { fromJson, jsonOf } from '../model/from-json.ts';
import { isEntityId } from '../model/ids.ts';
import type { UnnamedVersions } from '../model/large.ts';
import { momentOf } from '../model/moments.ts';
import { requireUser } from '../model/permissions.ts';
import type { CitationView } from '../resources/chat/wire.ts';
import type { CollectionsService } from '../resources/collections/service.ts';
import type { CollectionEntitiesView } from '../resources/collections/wire.ts';
import type { DiffService } from '../resources/entities/diff-service.ts';
import type { ExpansionService } from '../resources/entities/expansion-service.ts';
import type { EntitiesService } from '../resources/entities/service.ts';
import type { GraphService } from '../resources/graph/service.ts';
import type { PathsView } from '../resources/graph/wire.ts';
import type { UsersService } from '../resources/users/service.ts';
import type { UserCollectionsView } from '../resources/users/wire.ts';
import type { VersionsService } from '../resources/versions/service.ts';
import type { ManifestView } from '../resources/wire.ts';
import { citation } from './citations.ts';
import { type FindingOperations, findTools, refuseNoCollection } from './find-tools.ts';
import { type LargeTools, refuseOthers, type Tool, tool } from './tools.ts';

/** The node's own operations. */
export interface NodeOperations extends FindingOperations {
  entities: Pick<EntitiesService, 'read' | 'preview' | 'facts'>;
  expansions: Pick<ExpansionService, 'page' | 'incoming'>;
  versions: Pick<VersionsService, 'list' | 'manifest'>;
  diffs: Pick<DiffService, 'compare'>;
  collections: Pick<CollectionsService, 'list' | 'find'>;
  users: Pick<UsersService, 'collections'>;
  graph: Pick<GraphService, 'paths' | 'neighbours'>;
  /** Without it, all is read here. */
  large?: LargeTools;
}

// A refinement is not in the JSON Schema: servers that make grammars of it know few patterns.
const id = z.string().refine(isEntityId, 'must be an entity id').describe('The id of an entity, 26 characters');
const collection = id.describe('The id of a collection, 26 characters');
const type = z.string().min(1).max(100).optional().describe('Only entities of this type');
const cid = z.string().min(1).max(200).describe('The CID of a version');
const offset = z.number().int().min(0).max(1_000_000).default(0).describe('How many to skip');
const since = z
  .string()
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(momentOf(text)),
    'must be a time, as 2026-05-31 or 2026-05-31T18:00:00Z',
  )
  .optional()
  .describe(
    'Only what was changed at this time or later, as 2026-05-31 or 2026-05-31T18:00:00Z; in UTC without a zone',
  );
const upTo = (most: number, usual: number) => z.number().int().min(1).max(most).default(usual).describe('How many');
const direction = z
  .enum(['outgoing', 'incoming', 'both'])
  .default('both')
  .describe('Along relationships, against them, or either way at each step');
const depth = z.number().int().min(1).max(4).default(4).describe('How many relationships at most');

/** A longer entity is not parsed here: its preview is shown. */
const maxEntity = 256 * 1024;

/** What the language model can look up. Each runs as the user who asks; a further operation is a further entry. */
export function nodeTools(node: NodeOperations): Tool[] {
  const known = async (caller: Parameters<Tool['run']>[0], entity: string): Promise<CitationView> =>
    citation(await node.entities.facts(caller, entity));
  // Versions go on answering for a deleted entity, which has no preview.
  const everKnown = (caller: Parameters<Tool['run']>[0], entity: string): Promise<CitationView> =>
    known(caller, entity).catch(() => ({ id: entity, type: 'entity', label: entity }));

  const tools = [
    tool(
      'my_collections',
      'The collections in which the user has a role, with that role. A good place to begin.',
      z.object({ limit: upTo(100, 50), offset }),
      async (caller, query) => {
        const user = requireUser(caller.actor, 'have collections of their own');
        const found = await node.users.collections(caller, user.id, query);
        const { collections, pagination } = jsonOf(found) as UserCollectionsView;
        const value = {
          collections: collections.map(({ id: one, label, predicate }) => ({ id: one, label, role: predicate })),
          has_more: pagination.has_more,
        };
        return { value, named: collections.map((one) => citation({ ...one, type: 'collection' })) };
      },
    ),
    tool(
      'list_entities',
      'The entities of a collection, those first that were made last: id, type and label of each, and when it was last ' +
        'changed. With `changed_since` only those changed since then; get_history and compare_versions tell what and by whom. ' +
        'What was deleted since is not listed.',
      z.object({ collection, type, changed_since: since, limit: upTo(100, 30), offset }),
      async (caller, { collection: from, changed_since: time, ...query }) => {
        await refuseNoCollection(node, caller, from);
        const filter = time === undefined ? undefined : JSON.stringify({ updated_at: { $gte: time } });
        const listed = await node.collections.list(caller, from, { ...query, filter });
        const page = listed instanceof Uint8Array ? (jsonOf(listed) as CollectionEntitiesView) : listed;
        const named = page.entities.map(citation);
        const entities = page.entities.map((one) => ({ ...citation(one), updated_at: one.updated_at }));
        return { value: { entities, has_more: page.pagination.has_more }, named };
      },
    ),
    tool(
      'find_entities',
      'Entities of a collection whose label contains a text (capital letters do not matter).',
      z.object({
        collection,
        label: z.string().min(1).max(200).describe('A part of the label'),
        type,
        limit: upTo(50, 20),
      }),
      async (caller, { collection: from, label, ...query }) => {
        await refuseNoCollection(node, caller, from);
        const found = await node.collections.find.search(caller, from, { q: label, ...query });
        const { entities } = jsonOf(found) as { entities: CitationView[] };
        const named = entities.map(citation);
        return { value: { entities: named }, named };
      },
    ),
    tool(
      'get_entity',
      'An entity as it is now: type, properties, version, who edited it last, and how many relationships it has.',
      z.object({ id }),
      async (caller, { id: one }) => {
        const text = await node.entities.read(caller, one);
        if (text.length > maxEntity) {
          const preview = await node.entities.preview(caller, one);
          const note = 'The entity is too large to show. get_relationships gives its relationships, some at a time.';
          return { value: { ...preview, note }, shown: [citation(preview)] };
        }
        const { relationships, ...entity } = fromJson(Buffer.from(text).toString()) as ManifestView;
        return { value: { ...entity, relationship_count: relationships.length }, shown: [await known(caller, one)] };
      },
      { whole: true },
    ),
    tool(
      'get_relationships',
      'The relationships of an entity to others: predicate, and id, type and label of the other entity. `incoming` says how ' +
        'many others have to it, by predicate (how many works an artist has); get_neighbours finds these, with that direction.',
      z.object({
        id,
        predicate: z.string().min(1).max(50).optional().describe('Only relationships of this name'),
        limit: upTo(100, 50),
        offset,
      }),
      async (caller, { id: one, ...wanted }) => {
        const { relationships, total } = await node.expansions.page(caller, one, wanted);
        const value = {
          relationships: relationships.map(({ peer_preview: _, peer_entity: __, ...r }) => r),
          total,
          has_more: wanted.offset + relationships.length < total,
          incoming: await node.expansions.incoming(caller, one),
        };
        const named = relationships.flatMap(({ peer_preview: peer }) => (peer === undefined ? [] : [citation(peer)]));
        return { value, named, shown: [await known(caller, one)] };
      },
      { whole: true },
    ),
    tool(
      'find_paths',
      'How two entities are connected: the shortest chains of relationships from one to the other.',
      z.object({ from: id, to: id, direction, max_depth: depth, limit: upTo(20, 5) }),
      async (caller, { from, to, ...query }) => {
        refuseOthers(caller, { from, to });
        const found = await node.graph.paths(caller, { source_ids: [from], target_ids: [to], ...query }, 'none');
        const { paths, truncated } = jsonOf(found) as PathsView;
        const named = paths.flatMap(({ edges }) =>
          edges.flatMap((edge) => [end(edge, 'subject'), end(edge, 'object')]),
        );
        const value = paths.map(({ edges }) =>
          edges.map((edge) => ({
            subject: end(edge, 'subject'),
            predicate: edge.predicate,
            object: end(edge, 'object'),
          })),
        );
        return { value: { paths: value, more: truncated }, named };
      },
    ),
    tool(
      'get_neighbours',
      'What relationships lead to from an entity, and from others to it, within some steps: nearest first, with the way.',
      z.object({
        id,
        predicate: z.string().min(1).max(50).optional().describe('Only relationships of this name'),
        type,
        direction,
        steps: z.number().int().min(1).max(3).default(1).describe('How many relationships away'),
        limit: upTo(100, 30),
      }),
      async (caller, { id: one, predicate, type: wanted, direction: to, steps, limit }) => {
        const shown = [await known(caller, one)];
        const { neighbours, truncated } = await node.graph.neighbours(caller, {
          ...{ sources: [one], direction: to, depth: steps, limit },
          ...(predicate === undefined ? {} : { predicates: [predicate] }),
          ...(wanted === undefined ? {} : { types: [wanted] }),
        });
        const value = neighbours.map(({ way, ...neighbour }) => ({ ...citation(neighbour), way }));
        return { value: { neighbours: value, more: truncated }, named: neighbours.map(citation), shown };
      },
    ),
    tool(
      'get_history',
      'The versions of an entity, newest first: number, CID, time, who made it and why.',
      z.object({ id, limit: upTo(10, 10), from: cid.optional().describe('The CID to start from, for older ones') }),
      async (caller, { id: one, limit, from }) => {
        const value = await node.versions.list(caller, one, limit, from);
        return { value, shown: [await everKnown(caller, one)] };
      },
      { whole: true },
    ),
    tool(
      'get_version',
      'One version of an entity as it was, by its CID.',
      z.object({ cid }),
      async (caller, { cid: version }) => ({ value: await node.versions.manifest(caller, version) }),
      { whole: true },
    ),
    tool(
      'compare_versions',
      'What changed between two versions of an entity. Without `to` up to now; without `from` from the version before.',
      z.object({ id, from: cid.optional(), to: cid.optional() }),
      async (caller, { id: one, from, to }) => ({
        value: await node.diffs.compare(caller, one, { from, to, format: 'semantic' }),
        shown: [await everKnown(caller, one)],
      }),
      { whole: true },
    ),
    ...findTools(node),
  ];
  const { large } = node;
  return large ? tools.map((one) => (one.whole ? elsewhere(one, large) : one)) : tools;
}

/** Tools that read versions which they do not name. */
const unnamed = new Map<string, UnnamedVersions>([
  ['get_history', 'page'],
  ['compare_versions', 'previous'],
]);

function elsewhere(one: Tool, large: LargeTools): Tool {
  const run: Tool['run'] = (caller, args) =>
    large.namesLarge(caller, args, unnamed.get(one.name))
      ? large.runTool(one.name, caller, args)
      : one.run(caller, args);
  return { ...one, run };
}

/** One end of a relationship on a path. */
function end(edge: PathsView['paths'][number]['edges'][number], side: 'subject' | 'object'): CitationView {
  return citation({ id: edge[`${side}_id`], type: edge[`${side}_type`], label: edge[`${side}_label`] });
}
