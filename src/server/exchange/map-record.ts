import { valueHash } from '../blocks/encode.ts';
import { ValidationError } from '../errors.ts';
import { shortened } from '../model/cut-text.ts';
import type { Network } from '../model/ids.ts';
import { type Json, type JsonObject, type Relationship, relationshipKey } from '../model/manifest.ts';
import { isObject } from '../model/objects.ts';
import { equalJson } from '../model/properties.ts';
import type { Draft } from './draft.ts';
import { draftProperties, labelText, linkProperties, usableId, withLabel } from './fields.ts';
import { type IdCache, idCache } from './id-cache.ts';
import type { EntityRule, Mapping, NestedRule, RecordRule } from './mapping.ts';
import { valueAt, valuesAt } from './paths.ts';
import { type Beyond, beyond, beyondRemembered, maxNames, remembered } from './statements.ts';
import { splitText } from './typed-value.ts';

/** Where the entities will stand; one context serves a whole import, so that ids met again are not derived again. */
export interface MapContext {
  network: Network;
  /** The collection's entity id. */
  collection: string;
  ids: IdCache;
}

export function mapContext(network: Network, collection: string): MapContext {
  return { network, collection, ids: idCache(network, collection) };
}

/** How many nested items one record may hold, which bounds the time and memory that it takes. */
export const maxNested = 50_000;
/** So many of them are mapped in one step. */
const perStep = 20;
/** How many differing values the links to one peer may gather in a property. */
const maxJoined = 1000;
/** A copy of a label stands in every relationship to its entity, so that a text as long as a book must not. */
const maxLabel = 500;

/** Drafts of one record by id, in the order in which they were first met. */
type Drafts = Map<string, Draft & { links: Map<string, Relationship> /** See statements.ts. */; said?: Uint8Array }>;
type Entry = Drafts extends Map<string, infer D> ? D : never;

/** The work on one record; `met` counts nested items, the repeated ones too. */
interface Walk {
  ids: IdCache;
  drafts: Drafts;
  met: number;
}

/**
 * The entities that a record describes, targets before the sources of relationships, the record's own last; in short steps, since
 * it may hold very many nested items.
 * Throws a ValidationError where no rule fits, an id is missing or unusable, or there are more than `maxNested` nested
 * items.
 */
export function* mapRecord(
  mapping: Mapping,
  record: JsonObject,
  context: MapContext,
): Generator<void, Draft[], undefined> {
  const rule = ruleOf(mapping, record);
  if (!rule) throw ValidationError.at([], 'the record fits no rule of the mapping');
  const drafts: Drafts = new Map();
  const walk: Walk = { ids: context.ids, drafts, met: 0 };
  const own = describe(rule, record, walk, false);
  yield* addNested(rule, record, own, walk);
  const mention = drafts.get(own.id);
  if (mention) replaces(own, mention);
  drafts.delete(own.id);
  drafts.set(own.id, own);
  const mapped: Draft[] = [];
  for (const draft of drafts.values()) {
    if (mapped.push(drafted(draft)) % perStep === 0) yield;
  }
  return mapped;
}

/** The first rule that a record fits. */
export function ruleOf({ records }: Mapping, record: JsonObject): RecordRule | undefined {
  return records.find((rule) => matches(rule, record));
}

function matches({ match }: RecordRule, record: JsonObject): boolean {
  if (!match) return true;
  const value = valueAt(record, match.field);
  return value !== undefined && (match.equals === undefined || equalJson(value, match.equals));
}

function describe(rule: EntityRule, item: Json, { ids }: Walk, nested: boolean): Entry {
  const { id, text } = identity(rule, item, nested);
  return {
    id: ids(rule.kind, id, nested),
    kind: rule.kind,
    sourceId: id,
    type: rule.type,
    properties: withLabel(draftProperties(rule, item), isObject(item) ? labelText(rule, item) : undefined, text),
    relationships: [],
    nested,
    links: new Map(),
  };
}

/** The source id, and the same as a text to show unless it is a hash. A nested item's hash is of its own part only. */
function identity(rule: EntityRule, item: Json, nested: boolean): { id: string; text?: string } {
  if (isObject(item) && !rule.id) return { id: valueHash(nested ? draftProperties(rule, item) : item) };
  const id = usableId(isObject(item) && rule.id ? valueAt(item, rule.id) : item);
  if (id !== null) return { id, text: id };
  const where = rule.id ? ` at "${rule.id.text}"` : '';
  throw ValidationError.at(
    [...(rule.id?.steps ?? [])],
    `a record of kind "${rule.kind}" has no usable id${where} (a text of 1 to 1,000 characters, or a number)`,
  );
}

function* addNested(rule: EntityRule, item: JsonObject, from: Entry, walk: Walk): Generator<void, void, undefined> {
  for (const inner of rule.nested)
    for (const value of nestedItems(inner, item))
      if (inner.tree) yield* addTree(inner, inner.tree, value, from, null, walk);
      else link(from, inner.predicate, yield* add(inner, value, walk), linkProperties(inner, value));
}

/** What stands at a nested rule's path; an empty text, such as the cell of a table, is nothing. */
function nestedItems({ path, split }: NestedRule, item: JsonObject): Json[] {
  return valuesAt(item, path).flatMap<Json, undefined>((value) => {
    if (typeof value !== 'string') return [value];
    if (split !== null) return splitText(value, split);
    return value.trim() === '' ? [] : [value];
  });
}

function* addTree(
  rule: NestedRule,
  tree: NonNullable<NestedRule['tree']>,
  node: Json,
  from: Entry,
  parent: Entry | 'skipped' | null,
  walk: Walk,
): Generator<void, void, undefined> {
  const children = isObject(node) ? valuesAt(node, tree.children) : [];
  const skipped = tree.skipRoot && parent === null;
  const own = skipped ? ('skipped' as const) : yield* add(rule, node, walk);
  if (own !== 'skipped') {
    if (parent !== null && parent !== 'skipped') link(own, tree.predicate, parent, undefined);
    const said = linkProperties(rule, node);
    if (!tree.leavesOnly || children.length === 0) link(from, rule.predicate, own, said);
    // There is no relationship that could say it.
    else if (said) noteBeyond(own, Object.keys(said));
  }
  for (const child of children) yield* addTree(rule, tree, child, from, own, walk);
}

function* add(rule: NestedRule, value: Json, walk: Walk): Generator<void, Entry, undefined> {
  if (++walk.met > maxNested)
    throw ValidationError.at([], `the record holds more than ${maxNested.toLocaleString('en')} nested items`);
  if (walk.met % perStep === 0) yield;
  const { drafts } = walk;
  const draft = describe(rule, value, walk, true);
  const known = drafts.get(draft.id);
  if (isObject(value)) yield* addNested(rule, value, known ?? draft, walk);
  if (known) {
    // Its links are among those of the known one by now.
    known.said ??= remembered(known);
    noteBeyond(known, beyondRemembered(known.said, draft));
    return known;
  }
  const inside = drafts.get(draft.id);
  for (const [key, r] of inside?.links ?? []) if (!draft.links.has(key)) draft.links.set(key, r);
  if (inside) replaces(draft, inside);
  drafts.set(draft.id, draft);
  return draft;
}

/** Notes what is not kept of an earlier mention in the record, which `stands` replaces. */
function replaces(stands: Entry, mention: Entry): void {
  noteBeyond(stands, mention.beyond ?? null);
  noteBeyond(stands, beyond(drafted(stands), drafted(mention)));
}

function noteBeyond(stands: Entry, names: Beyond): void {
  if (names) stands.beyond = [...new Set([...(stands.beyond ?? []), ...names])].slice(0, maxNames);
}

function drafted({ links, said: _, ...draft }: Entry): Draft {
  return { ...draft, relationships: [...links.values()] };
}

/** A second link of one predicate to one peer adds what it says otherwise: differing values become a list. */
function link(from: Entry, predicate: string, to: Entry, properties: JsonObject | undefined): void {
  const key = relationshipKey({ predicate, peer: to.id });
  const known = from.links.get(key);
  if (known) {
    if (properties) known.properties = joined(known.properties ?? {}, properties);
    return;
  }
  const label = to.properties.label;
  from.links.set(key, {
    predicate,
    peer: to.id,
    peer_type: to.type,
    ...(typeof label === 'string' && { peer_label: shortened(label, maxLabel) }),
    ...(properties && { properties }),
  });
}

function joined(first: JsonObject, second: JsonObject): JsonObject {
  const members = new Map(Object.entries(first));
  for (const [key, value] of Object.entries(second)) {
    const old = members.get(key);
    const values = old === undefined ? [] : Array.isArray(old) ? old : [old];
    if (values.length > maxJoined)
      throw ValidationError.at([key], `links to one entity differ in "${key}" more than ${maxJoined} times`);
    if (old === undefined) members.set(key, value);
    else if (!equalJson(old, value) && !values.some((v) => equalJson(v, value))) members.set(key, [...values, value]);
  }
  return Object.fromEntries(members);
}
