import { getOrMake } from '../../model/get-or-make.ts';
import type { Reader } from '../connection.ts';
import { entityKey, predicateKey } from '../entity-keys.ts';
import type { FilterSql } from '../listings/filter.ts';
import { Utf8Text } from '../utf8-text.ts';
import { type GraphBudget, GraphBudgetSpent, type GraphDirection, type GraphEdge, GraphEdges } from './graph-edges.ts';
import { fitting, type Leading } from './graph-ends.ts';
import { pathsBetween } from './graph-paths.ts';
import { type GraphExpansion, ShownEntities } from './graph-shown.ts';
import { type Step, type WalkOptions, walk, wayTo } from './graph-walk.ts';

interface GraphQuery {
  /** Relationships in a path at most. */
  depth: number;
  direction: GraphDirection;
  limit: number;
  expand: GraphExpansion;
  budget?: GraphBudget;
}

export interface PathsAnswerQuery extends GraphQuery {
  /** Ids; unknown ones have no paths. */
  sources: string[];
  targets: string[];
}

/** The answer of `POST /graph/paths` as JSON, in UTF-8. */
export function pathsAnswer(db: Reader, { sources, targets, expand, ...query }: PathsAnswerQuery): Uint8Array {
  const keys = { sources: keysOf(db, sources), targets: keysOf(db, targets) };
  const { paths, truncated } = pathsBetween(db, { ...query, ...keys });
  const shown = new ShownEntities(db, expand);
  shown.learn(new Set(paths.flatMap(({ edges }) => edges.flatMap(({ subject, object }) => [subject, object]))));
  const text = new Utf8Text();
  text.add('{"paths":[');
  for (const [i, { source, target, edges }] of paths.entries()) {
    const ends = `${shown.ids('source', source)},${shown.ids('target', target)}`;
    text.add(`${i === 0 ? '' : ','}{${ends},"length":${edges.length},"edges":`);
    shown.addEdges(text, edges);
    text.add('}');
  }
  text.add(`],"truncated":${truncated}${shown.metadata()}}`);
  return text.bytes();
}

export interface ReachableAnswerQuery extends GraphQuery {
  sources: string[];
  /** The type of the entities that are sought. */
  type: string;
}

/** The answer of `POST /graph/reachable` as JSON, in UTF-8: live entities of the type, nearest first, each with one path; sources as others. */
export function reachableAnswer(db: Reader, { sources, type, expand, ...query }: ReachableAnswerQuery): Uint8Array {
  const edges = new GraphEdges(db, query);
  const onward = (key: number) => edges.isInner(key);
  const starts = keysOf(db, sources);
  const options = { starts, sought: ofType(db, starts, type), depth: query.depth, onward, ends: { types: [type] } };
  const { found, truncated } = gathered(edges, options, query.limit);
  const shown = new ShownEntities(db, expand);
  const text = new Utf8Text();
  text.add('{"results":[');
  for (const [i, step] of found.entries()) {
    const { start, edges: way } = wayTo(step);
    const ends = `${shown.ids('source', start)},${shown.members('target', step.key)}`;
    text.add(`${i === 0 ? '' : ','}{${ends},"length":${step.depth},"edges":`);
    shown.addEdges(text, way);
    text.add('}');
  }
  text.add(`],"truncated":${truncated}${shown.metadata()}}`);
  return text.bytes();
}

export interface NeighboursQuery {
  /** Ids; of unknown ones there are no neighbours. Each is walked from by itself. */
  sources: string[];
  /** Ids that the walk from a source must not come to, in the order of the sources. */
  avoid?: string[][];
  /** Names of the predicates to follow; any if omitted. Unknown ones lead nowhere. */
  predicates?: string[] | undefined;
  direction: GraphDirection;
  /** Relationships from the source at least (1 if omitted) and at most. */
  least?: number;
  depth: number;
  /** Entities at most, of all sources together. */
  limit: number;
  /** Entities of one source at most; as many as of all if omitted. */
  perSource?: number;
  /** Only live entities of these types, if given. */
  types?: string[] | undefined;
  /**
   * Only those from which such a relationship leads on to a live entity, of such a type or with such an id, if given, and
   * not back to the source or to what its walk must not come to.
   */
  leading?: { direction: GraphDirection; predicates?: string[]; types?: string[]; ids?: string[] } | undefined;
  /** Whether a walk goes on through collections; through deleted entities it never does. */
  throughCollections?: boolean;
  budget?: GraphBudget;
}

/** A live entity that a source leads to. */
export interface Neighbour {
  id: string;
  type: string;
  label: string;
  /** The first collection. */
  collection: string | null;
  /** Its place in `sources`. */
  source: number;
  /** Relationships from the source, in the order of the way: each from the entity before (`outgoing`), or to it. */
  way: { predicate: string; direction: 'outgoing' | 'incoming'; id: string }[];
}

export interface Neighbourhood {
  neighbours: Neighbour[];
  /** A limit or the budget left something out. */
  truncated: boolean;
  /** The budget did. */
  spent: boolean;
  /** Rows that were looked at. */
  rows: number;
}

/**
 * What each of some entities leads to within a number of steps: live entities, nearest first, each once a source and by
 * one shortest way that is not shorter than `least`. No way leads through an entity twice. `truncated` where the limit
 * or the budget left something out. Each source may use an equal share of what the earlier ones have left of the budget.
 */
export function neighbours(db: Reader, query: NeighboursQuery): Neighbourhood {
  const { sources, predicates, types, throughCollections = false, depth, least = 1, limit, perSource = limit } = query;
  const only = predicates && { only: predicates.flatMap((name) => predicateKey(db, name) ?? []) };
  const edges = new GraphEdges(db, { ...query, ...only });
  const onward = (key: number) => (throughCollections ? edges.facts(key).live : edges.isInner(key));
  const leading = query.leading && leadingOf(db, query.leading);
  const names = new Names(db);
  const list: Neighbour[] = [];
  const left = { truncated: false, spent: false };
  for (const [source, id] of sources.entries()) {
    if (edges.spent) return { neighbours: list, truncated: true, spent: true, rows: edges.looked };
    edges.share(sources.length - source);
    const avoid = new Set(keysOf(db, query.avoid?.[source] ?? []));
    const starts = keysOf(db, [id]);
    const ends = { types, leading: leading && { ...leading, notTo: [...starts, ...avoid] } };
    const options = { starts, avoid, depth, least, onward, ends };
    const most = Math.min(perSource, limit - list.length);
    const walked = gathered(edges, options, most);
    for (const step of walked.found) list.push({ ...names.entity(step.key), source, way: names.way(step) });
    left.truncated ||= walked.truncated;
    left.spent ||= walked.spent;
  }
  return { neighbours: list, ...left, rows: edges.looked };
}

/** Names of keys, each looked up once. */
export class Names {
  readonly #db: Reader;
  readonly #ids = new Map<number, string>();
  readonly #predicates = new Map<number, string>();

  constructor(db: Reader) {
    this.#db = db;
  }

  entity(key: number): Pick<Neighbour, 'id' | 'type' | 'label' | 'collection'> {
    const row = this.#db.get<Pick<Neighbour, 'id' | 'type' | 'label' | 'collection'>>(
      `SELECT e.id, e.type, e.label, (SELECT c.id FROM entity c WHERE c.key = e.collection) AS collection
         FROM entity e WHERE e.key = ?`,
      key,
    );
    if (!row) throw new Error(`an entity with the key ${key} was just there`);
    return row;
  }

  way(step: Step): Neighbour['way'] {
    const { start, edges } = wayTo(step);
    return this.chain(start, edges);
  }

  /** Relationships as one comes by them that begins at `start`. */
  chain(start: number, edges: readonly GraphEdge[]): Neighbour['way'] {
    let at = start;
    return edges.map(({ subject, predicate, object }) => {
      const direction = subject === at ? 'outgoing' : 'incoming';
      at = subject === at ? object : subject;
      return { predicate: this.#predicate(predicate), direction, id: this.#id(at) };
    });
  }

  #id(key: number): string {
    return getOrMake(
      this.#ids,
      key,
      () => this.#db.get<{ id: string }>('SELECT id FROM entity WHERE key = ?', key)?.id ?? '',
    );
  }

  #predicate(key: number): string {
    return getOrMake(
      this.#predicates,
      key,
      () => this.#db.get<{ name: string }>('SELECT name FROM predicate WHERE key = ?', key)?.name ?? '',
    );
  }
}

/** The first of what a walk finds. */
function gathered(
  edges: GraphEdges,
  options: WalkOptions,
  limit: number,
): { found: Step[]; truncated: boolean; spent: boolean } {
  const found: Step[] = [];
  try {
    for (const step of walk(edges, options)) {
      if (found.length === limit) return { found, truncated: true, spent: false };
      found.push(step);
    }
  } catch (error) {
    if (!(error instanceof GraphBudgetSpent)) throw error;
    return { found, truncated: true, spent: true };
  }
  return { found, truncated: false, spent: false };
}

/** Whether a relationship leads on from an entity, as a condition over its row. */
export function leadingOn(db: Reader, leading: NonNullable<NeighboursQuery['leading']>): FilterSql {
  return fitting('e.key', { leading: { ...leadingOf(db, leading), notTo: [] } });
}

/** So many entities that have a relationship on one side are looked at, and so many of these may lead on. */
const [mostEnds, mostLeading] = [30_000, 5000];

/**
 * The keys of all entities from which a relationship leads on; null where these are many, or have to be sought among very many: then
 * it is quicker to ask it of what is found otherwise.
 */
export function leadingKeys(db: Reader, leading: NonNullable<NeighboursQuery['leading']>): number[] | null {
  const { sql, params } = leadingOn(db, leading);
  const leads = new Set<number>();
  for (const way of leadingOf(db, leading).ways) {
    const end = way === 'out' ? 'source' : 'peer';
    // By a step in the index from each to the next one, since a node has many more relationships than entities. The last is null.
    const rows = db.all<{ key: number | null }>(
      `WITH RECURSIVE one(key) AS (SELECT min(${end}) FROM edge UNION ALL
          SELECT (SELECT min(${end}) FROM edge WHERE ${end} > one.key) FROM one WHERE one.key IS NOT NULL LIMIT ?)
        SELECT e.key FROM one e WHERE e.key IS NULL OR (${sql}) LIMIT ?`,
      mostEnds + 1,
      ...params,
      mostLeading + 1,
    );
    if (rows.at(-1)?.key !== null) return null;
    for (const { key } of rows) if (key !== null) leads.add(key);
  }
  return [...leads];
}

function leadingOf(
  db: Reader,
  { direction, predicates, types, ids }: NonNullable<NeighboursQuery['leading']>,
): Omit<Leading, 'notTo'> {
  return {
    ways: direction === 'both' ? ['out', 'in'] : [direction === 'outgoing' ? 'out' : 'in'],
    among: predicates?.flatMap((name) => predicateKey(db, name) ?? []),
    types,
    to: ids && keysOf(db, ids),
  };
}

function ofType(db: Reader, keys: readonly number[], type: string): Set<number> {
  const sql = 'SELECT key FROM entity WHERE key IN (SELECT value FROM json_each(?)) AND type = ?';
  return new Set(db.all<{ key: number }>(sql, JSON.stringify(keys), type).map(({ key }) => key));
}

function keysOf(db: Reader, ids: readonly string[]): number[] {
  return ids.flatMap((id) => entityKey(db, id) ?? []);
}
