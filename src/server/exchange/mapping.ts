import { type Issue, type IssuePath, ValidationError } from '../errors.ts';
import { fromJson } from '../model/from-json.ts';
import { jsonLoss } from '../model/json-loss.ts';
import { jsonIssues } from '../model/json-value.ts';
import type { Json } from '../model/manifest.ts';
import {
  type EntityFile,
  type MappingFile,
  mappingFile,
  type NestedFile,
  type PropertiesFile,
  type PropertyKind,
} from './mapping-file.ts';
import { type Path, pathOf } from './paths.ts';

/** A field that becomes a property (or a relationship's property) under `name`. */
export interface Field {
  path: Path;
  name: string;
}

/** How one kind of thing becomes an entity; made by `parseMapping` from what mapping-file.ts describes. */
export interface EntityRule {
  type: string;
  kind: string;
  /** Null: the hash of the content is the id. */
  id: Path | null;
  label: readonly Path[];
  /** The listed fields; null for all but `omit`, with `renamed` under their new names. */
  only: readonly Field[] | null;
  omit: readonly Path[];
  renamed: readonly Field[];
  typed: readonly { path: Path; kind: PropertyKind }[];
  omitEmpty: boolean;
  nested: readonly NestedRule[];
}

export interface NestedRule extends EntityRule {
  path: Path;
  predicate: string;
  link: readonly Field[];
  split: string | null;
  tree: { children: Path; predicate: string; skipRoot: boolean; leavesOnly: boolean } | null;
}

export interface RecordRule extends EntityRule {
  match: { field: Path; equals: Json | undefined } | null;
}

/** How records become entities; the first rule that matches a record is used. */
export interface Mapping {
  records: readonly RecordRule[];
  /** Nobody has written it, so that what it names and no record has is no mistake of anybody's. */
  isDefault?: true;
}

const maxMappingBytes = 1024 * 1024;

/** A mapping from the text of its file. Throws a ValidationError whose issues say what is wrong, and where. */
export function parseMappingText(text: string): Mapping {
  if (text.length > maxMappingBytes) throw ValidationError.at([], 'mapping: is larger than 1 MiB');
  const bare = text.replace(/^\uFEFF/, '');
  let json: unknown;
  try {
    json = fromJson(bare);
  } catch (error) {
    throw ValidationError.at([], `mapping: is not JSON: ${(error as Error).message}`);
  }
  const loss = jsonLoss(bare);
  if (loss) throw new ValidationError([named(loss.path, loss.message)]);
  return parseMapping(json);
}

/** The same, from its parsed JSON. */
export function parseMapping(json: unknown): Mapping {
  const unfit = jsonIssues(json, [])[0];
  if (unfit) throw new ValidationError([named(unfit.path, unfit.message)]);
  const parsed = mappingFile.safeParse(json);
  if (!parsed.success) throw new ValidationError(parsed.error.issues.map((i) => named(i.path.map(step), i.message)));
  const issues = meaningIssues(parsed.data);
  if (issues.length > 0) throw new ValidationError(issues);
  return { records: parsed.data.records.map((r) => ({ ...entityRule(r, []), match: matchRule(r.match) })) };
}

/**
 * The mapping of an import without a mapping file: each record is one entity. `ids`: the field `id` is the stable id,
 * to be chosen for records that have a usable one; otherwise it is the record's hash.
 */
export function defaultMapping(ids: boolean, type = 'record'): Mapping {
  const json = { records: [{ type, label: ['label', 'name', 'title'], ...(ids && { id: 'id' }) }] };
  return { ...parseMapping(json), isDefault: true };
}

function step(part: PropertyKey): string | number {
  return typeof part === 'number' ? part : String(part);
}

function named(path: IssuePath, message: string): Issue {
  const place = path.reduce<string>((at, s) => (typeof s === 'number' ? `${at}[${s}]` : at ? `${at}.${s}` : s), '');
  return { path, message: `mapping${place && `, ${place}`}: ${message}` };
}

function matchRule(match: MappingFile['records'][number]['match']): RecordRule['match'] {
  return match ? { field: pathOf(match.field), equals: match.equals } : null;
}

/** `link`: the fields that go to the relationship; with what is nested and the children, they are no properties of their own. */
function entityRule(file: EntityFile, link: readonly string[], children?: string): EntityRule {
  const { except = [], only, rename = {}, as = {}, omit_empty = false } = file.properties ?? {};
  const taken = [...(file.nested ?? []).map((n) => n.path), ...link, ...(children === undefined ? [] : [children])];
  const renames = Object.entries(rename).map(([from, to]) => ({ path: pathOf(from), name: to }));
  return {
    type: file.type,
    kind: file.kind ?? file.type,
    id: file.id === undefined ? null : pathOf(file.id),
    label: [file.label ?? []].flat().map(pathOf),
    only: only ? fields(only, rename) : null,
    omit: [...taken, ...except, ...Object.keys(rename)].map(pathOf),
    renamed: renames,
    typed: Object.entries(as).map(([from, kind]) => ({ path: pathOf(from), kind })),
    omitEmpty: omit_empty,
    nested: (file.nested ?? []).map(nestedRule),
  };
}

function nestedRule(file: NestedFile): NestedRule {
  const link = file.relationship_properties ?? [];
  const { tree } = file;
  return {
    ...entityRule(file, link, tree?.children),
    path: pathOf(file.path),
    predicate: file.predicate,
    link: fields(link, {}),
    split: file.split ?? null,
    tree: tree
      ? {
          children: pathOf(tree.children),
          predicate: tree.predicate,
          skipRoot: tree.skip_root ?? false,
          leavesOnly: tree.link === 'leaves',
        }
      : null,
  };
}

function fields(paths: readonly string[], rename: Record<string, string>): Field[] {
  return paths.map((text) => ({
    path: pathOf(text),
    name: Object.hasOwn(rename, text) ? (rename[text] ?? text) : (pathOf(text).steps.at(-1) ?? text),
  }));
}

function meaningIssues(file: MappingFile): Issue[] {
  const issues: Issue[] = [];
  const types = new Map<string, string>();
  const visit = (rule: EntityFile & Partial<NestedFile>, at: IssuePath): void => {
    const kind = rule.kind ?? rule.type;
    const type = types.get(kind) ?? rule.type;
    types.set(kind, type);
    if (type !== rule.type)
      issues.push(named([...at, 'type'], `the kind "${kind}" has the type "${type}" elsewhere in this mapping`));
    issues.push(...propertyIssues(rule.properties, [...at, 'properties']));
    const twice = repeated(fields(rule.relationship_properties ?? [], {}).map((f) => f.name));
    if (twice !== undefined)
      issues.push(named([...at, 'relationship_properties'], `gives the name "${twice}" to two fields`));
    for (const [i, inner] of (rule.nested ?? []).entries()) visit(inner, [...at, 'nested', i]);
  };
  file.records.forEach((rule, i) => {
    visit(rule, ['records', i]);
    if (rule.match === undefined && i < file.records.length - 1)
      issues.push(named(['records', i], 'has no match, so that it leaves no record to the rules after it'));
  });
  return issues;
}

function propertyIssues(properties: PropertiesFile | undefined, at: IssuePath): Issue[] {
  const { except, only, rename = {} } = properties ?? {};
  const names = only ? fields(only, rename).map((f) => f.name) : Object.values(rename);
  const twice = repeated(names);
  const issues: Issue[] = [];
  if (twice !== undefined) issues.push(named(at, `gives the name "${twice}" to two fields`));
  for (const from of Object.keys(rename))
    if (only ? !only.includes(from) : except?.includes(from))
      issues.push(named([...at, 'rename', from], 'is not among the fields that are taken'));
  return issues;
}

function repeated(names: string[]): string | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}
