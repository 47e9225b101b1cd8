import type { Json, JsonObject } from '../model/manifest.ts';
import { isObject } from '../model/objects.ts';
import type { EntityRule, Mapping, NestedRule, RecordRule } from './mapping.ts';
import { type Path, valueAt, valuesAt } from './paths.ts';

/** A field that a mapping names and nothing has had: misspelled, or of no record of this source. */
export interface UnmetField {
  /** Where the mapping names it, as `records[0].label`. */
  place: string;
  /** Its path; of a label that may be taken from several fields all of these. */
  field: string;
}

interface Sought {
  /** Whether something was looked at that may have them. */
  isMet: boolean;
  /** Each may be had by one of several paths. */
  fields: { place: string; paths: readonly Path[] }[];
  nested: { rule: NestedRule; place: string; isMet: boolean; inner: Sought }[];
}

const most = 100;

/** Finds out which of the fields that mappings name are in no record. What was met once is not looked for again. */
export class UnmetFields {
  readonly #sought = new Map<Mapping, Map<RecordRule, Sought>>();

  look(mapping: Mapping, rule: RecordRule, record: JsonObject): void {
    const rules =
      this.#sought.get(mapping) ?? new Map(mapping.records.map((one, i) => [one, soughtBy(one, `records[${i}]`)]));
    this.#sought.set(mapping, rules);
    const sought = rules.get(rule);
    if (sought) lookIn(sought, record);
  }

  /** The first of them, of the rules that some record has fitted. */
  list(): UnmetField[] {
    return [...this.#sought.values()].flatMap((rules) => [...rules.values()].flatMap(unmetOf)).slice(0, most);
  }
}

function soughtBy(rule: EntityRule & Partial<NestedRule>, place: string): Sought {
  const { link = [], tree } = rule;
  const others = [...rule.nested, ...link, ...rule.renamed].map(({ path }) => path.text);
  const excepted = rule.omit.filter(({ text }) => !others.includes(text) && text !== tree?.children.text);
  const each = (name: string, paths: readonly Path[]) =>
    paths.map((path) => ({ place: `${place}.${name}`, paths: [path] }));
  const only = rule.only?.map(({ path }) => path) ?? [];
  return {
    isMet: false,
    fields: [
      ...(rule.label.length > 0 ? [{ place: `${place}.label`, paths: rule.label }] : []),
      ...each('properties.except', excepted),
      ...each('properties.only', only),
      ...each(
        'properties.rename',
        rule.renamed.map(({ path }) => path),
      ),
      ...each(
        'properties.as',
        rule.typed.map(({ path }) => path),
      ),
      ...each(
        'relationship_properties',
        link.map(({ path }) => path),
      ),
    ],
    nested: rule.nested.map((one, i) => {
      const at = `${place}.nested[${i}]`;
      return { rule: one, place: `${at}.path`, isMet: false, inner: soughtBy(one, at) };
    }),
  };
}

function isDone({ isMet, fields, nested }: Sought): boolean {
  return isMet && fields.length === 0 && nested.every((one) => one.isMet && isDone(one.inner));
}

function lookIn(sought: Sought, item: JsonObject): void {
  sought.isMet = true;
  const isUnmet = ({ paths }: { paths: readonly Path[] }) => paths.every((path) => valueAt(item, path) === undefined);
  if (!sought.fields.every(isUnmet)) sought.fields = sought.fields.filter(isUnmet);
  for (const one of sought.nested) {
    if (one.isMet && isDone(one.inner)) continue;
    const values = valuesAt(item, one.rule.path);
    one.isMet ||= values.length > 0;
    for (const value of values) lookBelow(one.inner, one.rule, value);
  }
}

/** In an item, and in what it holds others like it. */
function lookBelow(sought: Sought, rule: NestedRule, item: Json): void {
  if (!isObject(item) || isDone(sought)) return;
  lookIn(sought, item);
  if (rule.tree) for (const child of valuesAt(item, rule.tree.children)) lookBelow(sought, rule, child);
}

function unmetOf({ isMet, fields, nested }: Sought): UnmetField[] {
  if (!isMet) return [];
  return [
    ...fields.map(({ place, paths }) => ({ place, field: paths.map(({ text }) => text).join(', ') })),
    ...nested.flatMap(({ rule, place, isMet: isThere, inner }) =>
      isThere ? unmetOf(inner) : [{ place, field: rule.path.text }],
    ),
  ];
}
