import { fromJson } from '../../model/from-json.ts';
import type { WireManifest } from '../../model/wire-manifest.ts';
import type { Reader } from '../connection.ts';
import { entityKey } from '../entity-keys.ts';

export interface FacetsQuery {
  /** A collection's id. */
  collection: string;
  /** The properties of entities of these types; empty: of all. */
  types: string[];
}

export interface FoundColumn {
  name: string;
  /** In how many of the sample. */
  present: number;
  /** What its values are, the most common first: `string`, `number`, `boolean`, `array`, `object`. */
  kinds: string[];
}

/** What a collection holds, by type, and which properties and predicates its entities have. */
export interface Facets {
  types: { type: string; count: number }[];
  /** From how many entities the columns are known. */
  sampled: number;
  properties: FoundColumn[];
  relationships: FoundColumn[];
}

/** Of each type so many are looked at, the newest. */
const perType = 200;
const maxTypes = 40;
const maxColumns = 200;
/** Larger ones are not looked at: they would say no more. */
const largest = 65_536;
const longestName = 200;

/** Counts are exact, the columns from a sample. It walks the listing: a long read. */
export function tableFacets(db: Reader, { collection, types }: FacetsQuery): Facets {
  const key = entityKey(db, collection) ?? -1;
  const counted = db.all<{ type: string; count: number }>(
    'SELECT type, count(*) AS count FROM listing WHERE collection = ? GROUP BY type ORDER BY count DESC, type',
    key,
  );
  const looked = counted.filter(({ type }) => types.length === 0 || types.includes(type)).slice(0, maxTypes);
  const [properties, relationships] = [new Columns(), new Columns()];
  let sampled = 0;
  for (const { type } of looked)
    for (const { json } of sample(db, key, type)) {
      const manifest = fromJson(json) as WireManifest;
      sampled++;
      for (const [name, value] of Object.entries(manifest.properties)) properties.add(name, kindOf(value));
      for (const name of new Set(manifest.relationships.map(({ predicate }) => predicate)))
        relationships.add(name, 'array');
    }
  return { types: counted, sampled, properties: properties.list(), relationships: relationships.list() };
}

function sample(db: Reader, collection: number, type: string): { json: string }[] {
  return db.all(
    `SELECT e.json FROM (SELECT entity FROM listing WHERE collection = ? AND type = ?
       ORDER BY created_at DESC, id LIMIT ?) l
       JOIN entity e ON e.key = l.entity WHERE e.json IS NOT NULL AND octet_length(e.json) <= ?`,
    collection,
    type,
    perType,
    largest,
  );
}

function kindOf(value: unknown): string | null {
  if (value === null) return null;
  return Array.isArray(value) ? 'array' : typeof value;
}

/** How often each name was met, and as what. */
class Columns {
  readonly #met = new Map<string, { present: number; kinds: Map<string, number> }>();

  add(name: string, kind: string | null): void {
    if (name.length > longestName) return;
    const column = this.#met.get(name) ?? { present: 0, kinds: new Map() };
    column.present++;
    if (kind !== null) column.kinds.set(kind, (column.kinds.get(kind) ?? 0) + 1);
    this.#met.set(name, column);
  }

  list(): FoundColumn[] {
    return [...this.#met]
      .toSorted(([a, x], [b, y]) => y.present - x.present || (a < b ? -1 : 1))
      .slice(0, maxColumns)
      .map(([name, { present, kinds }]) => ({
        name,
        present,
        kinds: [...kinds].toSorted(([, a], [, b]) => b - a).map(([kind]) => kind),
      }));
  }
}
