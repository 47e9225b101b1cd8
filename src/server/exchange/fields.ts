import { ValidationError } from '../errors.ts';
import type { Json, JsonObject } from '../model/manifest.ts';
import { isObject } from '../model/objects.ts';
import type { EntityRule, Field, NestedRule } from './mapping.ts';
import { valueAt, withoutPaths } from './paths.ts';
import { typedItem } from './typed-value.ts';

const maxIdLength = 1000;

/** A source id as text: 7 and "7" are the same one. Null where the value can be none. */
export function usableId(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' && value.length <= maxIdLength ? value : null;
}

/** The first of a rule's label fields that holds text or a number. */
export function labelText(rule: EntityRule, item: JsonObject): string | undefined {
  for (const path of rule.label) {
    const value = valueAt(item, path);
    if (typeof value === 'number') return String(value);
    if (isText(value)) return value;
  }
  return undefined;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** The properties of an entity as its record has them. */
export function draftProperties(rule: EntityRule, item: Json): JsonObject {
  return isObject(item) ? withoutEmpty(rule, taken(rule, typedItem(rule.typed, item))) : {};
}

/** Where a record's own field `label` is kept that is not the entity's label. */
const keptLabel = 'source_label';

/**
 * The properties with the label that was chosen, else with one of their own, else with `spare`. A field `label` that says
 * something else is kept under another name.
 * @throws ValidationError where that name is taken
 */
export function withLabel(properties: JsonObject, chosen: string | undefined, spare: string | undefined): JsonObject {
  const own = properties.label;
  const label = chosen ?? (isText(own) ? own : spare);
  if (label === undefined) return properties;
  if (own === undefined || !saysElse(own, label)) return { ...properties, label };
  if (Object.hasOwn(properties, keptLabel))
    throw ValidationError.at(
      ['label'],
      `"label" is not the label here, and "${keptLabel}", where it would be kept, is a field, too: rename or except one of them`,
    );
  return { ...properties, label, [keptLabel]: own };
}

/** Whether a field `label` holds what would be lost with it; a number is its label as a text. */
function saysElse(own: Json, label: string): boolean {
  if (own === null) return false;
  if (typeof own === 'string') return isText(own) && own !== label;
  return typeof own !== 'number' || String(own) !== label;
}

function withoutEmpty({ omitEmpty }: EntityRule, properties: JsonObject): JsonObject {
  if (!omitEmpty) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== ''));
}

function taken(rule: EntityRule, item: JsonObject): JsonObject {
  if (rule.only) return picked(rule.only, item);
  const kept = withoutPaths(item, rule.omit);
  if (rule.renamed.length === 0) return kept;
  const renamed = picked(rule.renamed, item);
  for (const { path, name } of rule.renamed)
    if (Object.hasOwn(kept, name) && Object.hasOwn(renamed, name))
      throw ValidationError.at([name], `"${path.text}" can't be renamed: the record has a field "${name}" already`);
  return Object.fromEntries([...Object.entries(kept), ...Object.entries(renamed)]);
}

/** The properties of the relationship to a nested item, undefined where it has none. */
export function linkProperties(rule: NestedRule, item: Json): JsonObject | undefined {
  if (rule.link.length === 0 || !isObject(item)) return undefined;
  const properties = picked(rule.link, typedItem(rule.typed, item));
  return Object.keys(properties).length === 0 ? undefined : properties;
}

function picked(fields: readonly Field[], item: JsonObject): JsonObject {
  const members: [string, Json][] = [];
  for (const { path, name } of fields) {
    const value = valueAt(item, path);
    if (value !== undefined) members.push([name, value]);
  }
  return Object.fromEntries(members);
}
