import { createRequire } from 'node:module';
import type { Ajv, AnySchemaObject, Options } from 'ajv';
import type { Ajv2019 } from 'ajv/dist/2019.js';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { Issue, IssuePath } from '../errors.ts';
import { isWithin } from './json-value.ts';

/** Loaded when first used: a node without processors is spared some 14 MB. */
const load = createRequire(import.meta.url);
const ajv7 = () => (load('ajv') as { Ajv: typeof Ajv }).Ajv;

/** The checker's class for each draft of JSON Schema that is read; without `$schema` it is draft 7. */
const drafts = {
  'http://json-schema.org/draft-06/schema': ajv7,
  'http://json-schema.org/draft-07/schema': ajv7,
  'https://json-schema.org/draft/2019-09/schema': () =>
    (load('ajv/dist/2019.js') as { Ajv2019: typeof Ajv2019 }).Ajv2019,
  'https://json-schema.org/draft/2020-12/schema': () =>
    (load('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }).Ajv2020,
} as const;
export type Draft = keyof typeof drafts;

const draft6: Draft = 'http://json-schema.org/draft-06/schema';
const draft7: Draft = 'http://json-schema.org/draft-07/schema';
/** How much a schema may say: values in it, and characters of its texts and names. */
const maxValues = 5000;
const maxCharacters = 100_000;
const maxIssues = 20;

/** The draft that a schema is written in, with http or https before it; null for one that is not read. */
export function draftOf(schema: { [name: string]: unknown }): Draft | null {
  const { $schema = draft7 } = schema;
  if (typeof $schema !== 'string') return null;
  const name = bareName($schema);
  return (Object.keys(drafts) as Draft[]).find((draft) => bareName(draft) === name) ?? null;
}

function bareName(draft: string): string {
  return draft.replace(/^https?:/, '').replace(/#$/, '');
}

/** What checks by a draft. */
export function checkerOf(draft: Draft, options: Options = {}): Ajv | Ajv2019 | Ajv2020 {
  const checker = new (drafts[draft]())({ strict: false, logger: false, code: { regExp: patternOf }, ...options });
  if (draft === draft6) checker.addMetaSchema(load('ajv/dist/refs/json-schema-draft-06.json') as AnySchemaObject);
  return checker;
}

/** A schema with the name of its draft that the checker knows. */
export function underDraft(schema: object, draft: Draft): AnySchemaObject {
  return { ...schema, $schema: draft };
}

/**
 * A pattern, read with the flag `u` as the checker asks for; what is a regular expression without it alone, as one with `\-`, is
 * read without, unless that would take `\p{L}` for its letters. @throws SyntaxError
 */
const patternOf = Object.assign(
  (text: string, flags: string): RegExp => {
    try {
      return new RegExp(text, flags);
    } catch (error) {
      if (/\\(?:p|u)\{/i.test(text)) throw error;
      return new RegExp(text);
    }
  },
  { code: 'patternOf' },
);

const metaSchemas = new Map<Draft, Ajv | Ajv2019 | Ajv2020>();

/**
 * What is wrong with a JSON Schema as such, by the schema of schemas of its draft. It is not made into a check here: that
 * takes time at its author's choice (jobs/input-check.ts).
 */
export function schemaIssues(schema: unknown, path: IssuePath): Issue[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    return [{ path, message: 'must be a JSON Schema: an object' }];
  if (!isWithin(schema, { values: maxValues, characters: maxCharacters }))
    return [{ path, message: `is too large: at most ${maxValues} values and ${maxCharacters} characters` }];
  const draft = draftOf(schema as { [name: string]: unknown });
  if (draft === null) {
    const known = Object.keys(drafts).join(', ');
    return [{ path: [...path, '$schema'], message: `is a draft that is not read here; these are: ${known}` }];
  }
  const checker = metaSchemas.get(draft) ?? metaSchemaOf(draft);
  if (checker.validateSchema(underDraft(schema, draft))) return patternIssues(schema, path).slice(0, maxIssues);
  // One fault a place: the others are branches that it does not fit either.
  const first = new Map((checker.errors ?? []).toReversed().map((error) => [error.instancePath, error]));
  return [...first.values()]
    .toReversed()
    .slice(0, maxIssues)
    .map(({ instancePath, message }) => ({
      path: [...path, ...pointer(instancePath)],
      message: `${message ?? 'is wrong'} (by JSON Schema)`,
    }));
}

function metaSchemaOf(draft: Draft): Ajv | Ajv2019 | Ajv2020 {
  const checker = checkerOf(draft);
  metaSchemas.set(draft, checker);
  return checker;
}

/** What a schema holds beside schemas. */
const values = new Set(['const', 'default', 'enum', 'examples']);

/** Patterns that are none: the schemas of schemas do not say so. */
function patternIssues(schema: object, path: IssuePath): Issue[] {
  return Object.entries(schema).flatMap(([name, inner]): Issue[] => {
    if (values.has(name) && !Array.isArray(schema)) return [];
    const at = [...path, Array.isArray(schema) ? Number(name) : name];
    if (name === 'pattern' && typeof inner === 'string') return patternIssue(inner, at);
    if (typeof inner !== 'object' || inner === null) return [];
    const named = name === 'patternProperties' ? Object.keys(inner) : [];
    return [...named.flatMap((pattern) => patternIssue(pattern, [...at, pattern])), ...patternIssues(inner, at)];
  });
}

function patternIssue(text: string, path: IssuePath): Issue[] {
  try {
    patternOf(text, 'u');
    return [];
  } catch {
    return [{ path, message: 'is no regular expression' }];
  }
}

/** The segments of a JSON Pointer. */
export function pointer(text: string): string[] {
  return text
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
