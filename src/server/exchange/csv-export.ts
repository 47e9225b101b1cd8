import { stringify } from 'csv-stringify/sync';
import { Pace, turn } from '../loop/pace.ts';
import type { Json } from '../model/manifest.ts';
import type { TipList } from '../store/archive/tip-list.ts';
import type { NetworkStore } from '../store/network-store.ts';
import { type ListedManifest, listedManifests } from './listed-manifests.ts';

const facts = ['id', 'cid', 'ver', 'type', 'created_at', 'updated_at'] as const;
/** Columns for properties, and for predicates; what else there is comes together in a last column each. */
const maxColumns = 1000;
const chunkCharacters = 64 * 1024;
const rest = 'other';
/** What a cell counts like in bytes of work: a short entity may have a row of two thousand. */
const costOfCell = 16;

interface Columns {
  properties: string[];
  predicates: string[];
  /** Whether something has no column of its own. */
  others: boolean;
}

/**
 * The live entities of a list as a table (RFC 4180, UTF-8): what an entity is, a column for each property, and for each
 * predicate one `-> predicate` with the ids at the other end, a space between them. Texts stand as they are; lists and
 * objects as JSON; numbers and booleans too; a property whose name could not be told from another column's stands in the last
 * column. An entity that lacks a property has an empty cell. Reads the list twice: a
 * table names its columns first.
 */
export async function* csvOf(store: NetworkStore, list: TipList): AsyncGenerator<Uint8Array, void, undefined> {
  const columns = await columnsOf(listedManifests(store, list));
  const links = columns.predicates.map((predicate) => `-> ${predicate}`);
  let text = line([...facts, ...columns.properties.map(named), ...links, ...(columns.others ? [rest] : [])]);
  const [own, ownLinks] = [new Set(columns.properties), new Set(columns.predicates)];
  const pace = new Pace();
  for await (const manifest of listedManifests(store, list)) {
    const row = cells(manifest, columns, own, ownLinks);
    if (pace.step(row.length * costOfCell)) await turn();
    text += line(row);
    if (text.length < chunkCharacters) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** The column of a property; one that is called like one of the facts has another name. */
function named(property: string): string {
  return isFact(property) ? `properties.${property}` : property;
}

function isFact(name: string): boolean {
  return (facts as readonly string[]).includes(name);
}

/**
 * Whether a property's column could be told from every other: readers trim names, and refuse a name that comes twice or is
 * empty. `other` has one where no last column is needed.
 */
function hasOwnName(property: string): boolean {
  const isOfFact = property.startsWith('properties.') && isFact(property.slice('properties.'.length));
  return property !== '' && property.trim() === property && !property.startsWith('-> ') && !isOfFact;
}

async function columnsOf(manifests: AsyncIterable<ListedManifest>): Promise<Columns> {
  const properties = new Set<string>();
  const predicates = new Set<string>();
  let others = false;
  const add = (names: Set<string>, name: string): void => {
    if (names.has(name)) return;
    if (names.size < maxColumns) names.add(name);
    else others = true;
  };
  for await (const manifest of manifests) {
    for (const name of Object.keys(manifest.properties))
      if (hasOwnName(name)) add(properties, name);
      else others = true;
    for (const { predicate } of manifest.relationships) add(predicates, predicate);
  }
  if (others) properties.delete(rest);
  // What people look at first comes first.
  const order = (name: string): string => (name === 'label' ? '0' : name.startsWith('_') ? `2${name}` : `1${name}`);
  const sorted = [...properties].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  return { properties: sorted, predicates: [...predicates].sort(), others };
}

function cells(
  manifest: ListedManifest,
  { properties, predicates, others }: Columns,
  own: Set<string>,
  ownLinks: Set<string>,
): string[] {
  const { id, cid, ver, type, created_at, ts, relationships } = manifest;
  const values = new Map(Object.entries(manifest.properties));
  const links = Map.groupBy(relationships, ({ predicate }) => predicate);
  const row = [id, cid, String(ver), type, created_at, ts === null ? '' : new Date(ts).toISOString()];
  for (const name of properties) row.push(cell(values.get(name)));
  for (const name of predicates) row.push((links.get(name) ?? []).map(({ peer }) => peer).join(' '));
  if (others) row.push(remaining(values, links, own, ownLinks));
  return row;
}

function cell(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function remaining(
  values: Map<string, Json>,
  links: Map<string, { peer: string }[]>,
  properties: Set<string>,
  predicates: Set<string>,
): string {
  const unlisted = {
    properties: Object.fromEntries([...values].filter(([name]) => !properties.has(name))),
    relationships: [...links]
      .filter(([name]) => !predicates.has(name))
      .flatMap(([predicate, peers]) => peers.map(({ peer }) => ({ predicate, peer }))),
  };
  const isEmpty = Object.keys(unlisted.properties).length + unlisted.relationships.length === 0;
  return isEmpty ? '' : JSON.stringify(unlisted);
}

function line(row: string[]): string {
  return stringify([row], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
}
