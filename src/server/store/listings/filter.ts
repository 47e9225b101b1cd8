import { z } from 'zod';
import { type IssuePath, ValidationError } from '../../errors.ts';
import { fromJson } from '../../model/from-json.ts';
import { momentOf } from '../../model/moments.ts';

/** A condition over the row `e` of `entity`, with bound parameters; the text names no value and no property. */
export interface FilterSql {
  sql: string;
  params: (string | number | null)[];
}

const maxText = 10_000;
const maxDepth = 8;
/** Values, lists and conditions, the whole filter among them. */
const maxValues = 1000;

const words = z
  .string()
  .max(2000, 'must have at most 2000 characters')
  .refine((text) => text.isWellFormed(), 'holds an unpaired surrogate');
const scalar = z.union([words, z.number(), z.boolean(), z.null()], 'must be a text, number, boolean or null');
const ordered = z.union([words, z.number()], 'must be a text or a number');
const scalars = z.array(scalar, 'must be a list');
const operators = z
  .strictObject({
    $eq: scalar.optional(),
    $ne: scalar.optional(),
    $gt: ordered.optional(),
    $gte: ordered.optional(),
    $lt: ordered.optional(),
    $lte: ordered.optional(),
    $in: scalars.optional(),
    $nin: scalars.optional(),
    $exists: z.boolean('must be true or false').optional(),
  })
  .refine((given) => Object.keys(given).length > 0, {
    error: 'must have an operator',
    when: ({ issues }) => issues.length === 0,
  });
const conditions = z.array(z.unknown(), 'must be a list of conditions').min(1, 'must have at least 1 item');

type Scalar = z.infer<typeof scalar>;

/** `filter` as a query parameter carries it: JSON text. @throws ValidationError at `path` */
export function parseFilter(text: string, path: IssuePath): FilterSql {
  if (text.length > maxText) throw ValidationError.at(path, `must have at most ${maxText} characters`);
  let value: unknown;
  try {
    value = fromJson(text);
  } catch {
    throw ValidationError.at(path, 'must be JSON');
  }
  return compileFilter(value, path);
}

/**
 * A metadata filter (interface.md, Metadata filter) as SQL. An array property equals what any of its elements equals;
 * `$ne` and `$nin` are true where `$eq` and `$in` are not, also where there is no such property; null stands for
 * nothing. @throws ValidationError at `path` and below
 */
export function compileFilter(value: unknown, path: IssuePath): FilterSql {
  checkSize(value, path);
  return condition(value, path);
}

function checkSize(value: unknown, path: IssuePath): void {
  let level: unknown[] = [value];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length;
    if (depth > maxDepth || values > maxValues)
      throw ValidationError.at(
        path,
        `is too large or nested too deep: at most ${maxValues} values, ${maxDepth} levels`,
      );
    level = level.flatMap((v) => (typeof v === 'object' && v !== null ? Object.values(v) : []));
  }
}

function condition(value: unknown, path: IssuePath): FilterSql {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw ValidationError.at(path, 'must be an object of conditions');
  return joined(
    'AND',
    Object.entries(value).map(([key, inner]) => {
      const at = [...path, key];
      if (key === '$and' || key === '$or') {
        const list = checked(conditions, inner, at);
        return joined(
          key === '$and' ? 'AND' : 'OR',
          list.map((one, i) => condition(one, [...at, i])),
        );
      }
      return onField(field(key, at), inner, at);
    }),
  );
}

function joined(word: 'AND' | 'OR', parts: FilterSql[]): FilterSql {
  if (parts.length === 0) return { sql: '1', params: [] };
  const sql = halves(
    word,
    parts.map((part) => part.sql),
  );
  return { sql: `(${sql})`, params: parts.flatMap(({ params }) => params) };
}

/** SQLite takes no chain of a thousand, and so it is made a tree. */
function halves(word: 'AND' | 'OR', parts: string[]): string {
  const half = Math.ceil(parts.length / 2);
  if (half === parts.length) return parts.join('');
  return `(${halves(word, parts.slice(0, half))} ${word} ${halves(word, parts.slice(half))})`;
}

/** What a name stands for: a column of every entity, or a property by its JSON path. */
type Field = { column: string; time: boolean } | { property: string };

const columns = new Map<string, Field>([
  ['type', { column: 'e.type', time: false }],
  ['created_at', { column: 'e.created_at', time: true }],
  ['updated_at', { column: 'e.updated_at', time: true }],
]);

function field(name: string, path: IssuePath): Field {
  const column = columns.get(name);
  if (column) return column;
  if (name.startsWith('$')) throw ValidationError.at(path, 'is no operator here');
  if (!name.startsWith('_'))
    throw ValidationError.at(
      path,
      'only type, created_at, updated_at and properties that begin with _ can be filtered',
    );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they cannot stand in a JSON path.
  if (name.length > 200 || /["\\\u0000-\u001f]/.test(name) || !name.isWellFormed())
    throw ValidationError.at(path, 'is no name that can be filtered');
  return { property: `$.properties."${name}"` };
}

function onField(on: Field, value: unknown, path: IssuePath): FilterSql {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return equals(on, checked(scalar, value, path), path);
  const given = checked(operators, value, path);
  return joined(
    'AND',
    Object.entries(given).map(([name, operand]) => operation(on, name, operand, [...path, name])),
  );
}

const comparisons: Record<string, string> = { $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' };

function operation(on: Field, name: string, operand: Scalar | Scalar[], path: IssuePath): FilterSql {
  switch (name) {
    case '$eq':
      return equals(on, operand as Scalar, path);
    case '$ne':
      return not(equals(on, operand as Scalar, path));
    case '$in':
      return anyOf(on, operand as Scalar[], path);
    case '$nin':
      return not(anyOf(on, operand as Scalar[], path));
    case '$exists':
      return 'column' in on
        ? { sql: operand === true ? '1' : '0', params: [] }
        : { sql: `json_type(e.json, ?) IS ${operand === true ? 'NOT ' : ''}NULL`, params: [on.property] };
    default:
      return compared(on, comparisons[name] ?? '=', operand as string | number, path);
  }
}

function not({ sql, params }: FilterSql): FilterSql {
  return { sql: `NOT ${sql}`, params };
}

function anyOf(on: Field, operands: Scalar[], path: IssuePath): FilterSql {
  if (operands.length === 0) return { sql: '(0)', params: [] };
  if ('column' in on) {
    const params = operands.map((one, i) => comparable(on, one, [...path, i]));
    return { sql: `(${on.column} IN (${marks(params)}))`, params };
  }
  const texts = operands.filter((one) => typeof one === 'string');
  const numbers = operands.filter((one) => typeof one === 'number');
  const words = operands.filter((one) => typeof one === 'boolean').map(String);
  const test =
    `(j.type = 'text' AND j.atom IN (${marks(texts)})) OR ` +
    `(j.type IN ('integer', 'real') AND j.atom IN (${marks(numbers)})) OR j.type IN (${marks(words)})`;
  const any = { sql: element(test), params: [on.property, on.property, ...texts, ...numbers, ...words] };
  return operands.includes(null) ? joined('OR', [any, equals(on, null, path)]) : any;
}

function marks(params: readonly unknown[]): string {
  return params.map(() => '?').join(', ');
}

function equals(on: Field, value: Scalar, path: IssuePath): FilterSql {
  if (typeof value === 'string' || typeof value === 'number') return compared(on, '=', value, path);
  if ('column' in on) throw ValidationError.at(path, 'must be a text');
  if (value === null) return { sql: '(json_extract(e.json, ?) IS NULL)', params: [on.property] };
  return { sql: element('j.type = ?'), params: [on.property, on.property, value ? 'true' : 'false'] };
}

function compared(on: Field, operator: string, value: string | number, path: IssuePath): FilterSql {
  if ('column' in on) return { sql: `(${on.column} ${operator} ?)`, params: [comparable(on, value, path)] };
  const kind = typeof value === 'string' ? `j.type = 'text'` : `j.type IN ('integer', 'real')`;
  return { sql: element(`${kind} AND j.atom ${operator} ?`), params: [on.property, on.property, value] };
}

/**
 * A scalar property itself, or an element of an array; never a member of an object. json_each reads anew all that it is given, the
 * others remember what they have read.
 */
function element(test: string): string {
  return `(json_type(e.json, ?) <> 'object' AND EXISTS (SELECT 1 FROM json_each(e.json -> ?) j WHERE ${test}))`;
}

/** What a column is compared with. */
function comparable({ time }: { time: boolean }, value: Scalar, path: IssuePath): string {
  if (typeof value !== 'string') throw ValidationError.at(path, 'must be a text');
  return time ? moment(value, path) : value;
}

/**
 * A time in the form that interface.md gives all times, so that texts compare as times do. What another program wrote
 * otherwise is stored as it was written: without milliseconds it counts as later than all of its second.
 */
function moment(value: string, path: IssuePath): string {
  const time = /^\d{4}-\d{2}-\d{2}/.test(value) ? momentOf(value) : Number.NaN;
  if (Number.isNaN(time)) throw ValidationError.at(path, 'must be an ISO 8601 time');
  return new Date(time).toISOString();
}

function checked<T>(schema: z.ZodType<T>, value: unknown, path: IssuePath): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ValidationError(
    parsed.error.issues.map((issue) => ({
      path: [...path, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))],
      message: issue.message,
    })),
  );
}
