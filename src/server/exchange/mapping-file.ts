import { z } from 'zod';

/**
 * As what a property is stored; a table has nothing but texts. `list`: cut at each `;`, or at what is named. `date`: a
 * text as 1901, 1901-03 or 1901-03-04, also with a time. `number`: one whose value is kept exactly, without zeros before it; of
 * how it is written nothing is kept (`1.50` becomes 1.5, `1E5` 100000), which is for who says so. A value that is none of it
 * refuses its record; an empty one is left out.
 */
export type PropertyKind = 'text' | 'number' | 'boolean' | 'date' | 'json' | 'list' | { list: string };

/** Which fields become properties. Without it: every field but those that became entities or relationship properties. */
export interface PropertiesFile {
  /** Every field but these (paths). */
  except?: string[] | undefined;
  /** Only these (paths); a property is named after its path's last step. */
  only?: string[] | undefined;
  /** Path to the property's name, for fields that `except` or `only` let through. */
  rename?: Record<string, string> | undefined;
  /** Path to what its value becomes (default: what it is). */
  as?: Record<string, PropertyKind> | undefined;
  /** Empty texts are no properties (default false): a table has a cell for every column, also where there is nothing. */
  omit_empty?: boolean | undefined;
}

export interface EntityFile {
  /** The entity's type, 1..100 characters; `user` and `collection` are not made by import. */
  type: string;
  /** The namespace of source ids (default: `type`). Rules that share a kind describe the same things, and share a type. */
  kind?: string | undefined;
  /** Path to the stable id, a non-empty string or a number; without it the hash of the record (of a nested item: of its properties). */
  id?: string | undefined;
  /**
   * Path to the label, or several: the first that holds text. Where none does, a text in the record's own field `label`,
   * else the id. What stands in that field and is not the label is kept as `source_label`.
   */
  label?: string | string[] | undefined;
  properties?: PropertiesFile | undefined;
  /** What inside the record is an entity of its own. */
  nested?: NestedFile[] | undefined;
}

/** Nested objects that hold their children. Each node becomes an entity that points to its parent. */
export interface TreeFile {
  /** Path from a node to its children. */
  children: string;
  /** Predicate from a child to its parent. */
  predicate: string;
  /** The node at the top is no entity and has no links (default false). */
  skip_root?: boolean | undefined;
  /** Whether the record links to every node or to those without children (default `all`). */
  link?: 'all' | 'leaves' | undefined;
}

/**
 * An entity inside a record: an object, an array of them, or plain texts (their own id and label; empty ones are none).
 * A text that is the id of another record of the same kind leads to that one.
 */
export interface NestedFile extends EntityFile {
  /** Where it stands in the record around it; arrays on the way are walked through. */
  path: string;
  /** Predicate from the record to it. */
  predicate: string;
  /** Fields of it that say something of the relationship (a contributor's `role`): they go there and not to the entity, `as` it says. */
  relationship_properties?: string[] | undefined;
  /** Texts are cut at it into several: `;` makes `oil; canvas` two. */
  split?: string | undefined;
  tree?: TreeFile | undefined;
}

/** Which records a rule is for: those where the field is there and, if `equals` is given, has that value. */
export interface MatchFile {
  field: string;
  equals?: string | number | boolean | null | undefined;
}

export interface RecordFile extends EntityFile {
  match?: MatchFile | undefined;
}

/**
 * A mapping file: how records become entities. `records` are tried in order and the first whose `match` fits is used;
 * one without `match` fits every record. Paths are member names joined by dots (`dateRange.startYear`); a member that has the
 * whole path as its name (`Inv.-Nr.`) comes first.
 *
 *     { "records": [ {
 *         "match": { "field": "acno" }, "type": "artwork", "id": "id", "label": ["title", "acno"],
 *         "properties": { "except": ["thumbnailUrl"] },
 *         "nested": [
 *           { "path": "contributors", "predicate": "contributor", "relationship_properties": ["role"],
 *             "type": "artist", "id": "id", "label": "fc" },
 *           { "path": "subjects", "predicate": "subject", "type": "subject", "id": "id", "label": "name",
 *             "tree": { "children": "children", "predicate": "broader", "skip_root": true, "link": "leaves" } } ] } ] }
 */
export interface MappingFile {
  records: RecordFile[];
}

const path = z.string().min(1).max(500);
const name = z.string().min(1).max(200);
const predicate = z
  .string()
  .max(50)
  .regex(/^[a-z][a-z0-9_]*$/, 'must be lower case letters, digits and underscores, and begin with a letter')
  .refine((text) => text !== 'collection', 'is how entities are placed in a collection; choose another name');
const type = z
  .string()
  .min(1)
  .max(100)
  .refine((text) => text !== 'user' && text !== 'collection', 'is a type that import does not make');

const separator = z.string().min(1).max(10);
const kind = z.union(
  [z.enum(['text', 'number', 'boolean', 'date', 'json', 'list']), z.strictObject({ list: separator })],
  'must be text, number, boolean, date, json, list or {"list": "what separates"}',
);

const properties: z.ZodType<PropertiesFile> = z
  .strictObject({
    except: z.array(path).max(1000).optional(),
    only: z.array(path).max(1000).optional(),
    rename: z.record(path, name).optional(),
    as: z.record(path, kind).optional(),
    omit_empty: z.boolean().optional(),
  })
  .refine((p) => !(p.except && p.only), 'may have either except or only');

const entity = {
  type,
  kind: name.optional(),
  id: path.optional(),
  label: z.union([path, z.array(path).min(1).max(20)], 'must be a path or a list of paths').optional(),
  properties: properties.optional(),
};

const tree: z.ZodType<TreeFile> = z.strictObject({
  children: path,
  predicate,
  skip_root: z.boolean().optional(),
  link: z.enum(['all', 'leaves']).optional(),
});

const nested: z.ZodType<NestedFile> = z.strictObject({
  ...entity,
  path,
  predicate,
  relationship_properties: z.array(path).max(100).optional(),
  split: separator.optional(),
  tree: tree.optional(),
  nested: z.lazy(() => z.array(nested).max(100)).optional(),
});

const record: z.ZodType<RecordFile> = z.strictObject({
  ...entity,
  match: z
    .strictObject({ field: path, equals: z.union([z.string(), z.number(), z.boolean(), z.null()]).optional() })
    .optional(),
  nested: z.array(nested).max(100).optional(),
});

/** The form of a mapping file; what its members mean together is checked by `parseMapping`. */
export const mappingFile: z.ZodType<MappingFile> = z.strictObject({ records: z.array(record).min(1).max(100) });
