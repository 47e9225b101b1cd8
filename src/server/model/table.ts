/** What a column of a table shows: a fact of the entity, one of its properties, or the peers of one of its predicates. */
export type Column =
  | { of: 'fact'; name: Fact }
  | { of: 'property'; name: string }
  | { of: 'relationship'; name: string };

export const facts = ['id', 'type', 'label', 'ver', 'created_at', 'updated_at'] as const;
export type Fact = (typeof facts)[number];

/** A condition that a row has to meet. Text is compared whatever its case; `min` and `max` compare as rows are sorted. */
export interface Condition {
  column: Column;
  op: (typeof operators)[number];
  /** Nothing with `present` and `missing`. */
  value: string;
}

export const operators = ['contains', 'is', 'not', 'min', 'max', 'present', 'missing'] as const;

/** Which rows a table has, and in which order. */
export interface TableOrder {
  /** A collection's id. */
  collection: string;
  /** Only entities of these types; empty: all. */
  types: string[];
  conditions: Condition[];
  /** null: newest created first. */
  sort: { column: Column; descending: boolean } | null;
}

/** A column by its name: `label`, `properties.medium`, `relationships.contributor`; null for none. */
export function columnOf(name: string): Column | null {
  if ((facts as readonly string[]).includes(name)) return { of: 'fact', name: name as Fact };
  if (name.startsWith('properties.')) return { of: 'property', name: name.slice('properties.'.length) };
  if (name.startsWith('relationships.')) return { of: 'relationship', name: name.slice('relationships.'.length) };
  return null;
}

/** The name that `columnOf` takes. */
export function columnName({ of, name }: Column): string {
  return of === 'fact' ? name : of === 'property' ? `properties.${name}` : `relationships.${name}`;
}
