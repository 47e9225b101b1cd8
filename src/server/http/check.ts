import type { Issue, IssuePath } from '../errors.ts';
import { maxDepth } from '../model/json-value.ts';
import { isLonger, isShorter } from '../model/text-length.ts';
import type { Models, Schema } from './schema.ts';

/**
 * Checks one value and answers it, with defaults filled in (in a copy; what came is not changed). What is wrong goes to
 * `found`, with `path` as where the value stands; the answer is then of no use.
 */
export type Check = (value: unknown, path: IssuePath, found: Issue[]) => unknown;

/** How values arrive: a body's as JSON, so that "5" is no number; everything else's as text. */
export type Source = 'json' | 'text';

/**
 * Checks made from tsoa's schemas. tsoa's own validator is not used: it names wrong places in nested lists, copies a
 * whole body for each branch of a union, and lets `{"toString": 1}` for an enum end as a fault of the server.
 */
export function checks(models: Models, source: Source): (schema: Schema) => Check {
  const named = new Map<string, Check>();

  function check(schema: Schema): Check {
    const inner = bare(schema);
    if (schema.required && schema.default === undefined) {
      return (value, path, found) => {
        if (value === undefined && !allowsNothing(schema)) return void refuse(found, path, 'is required');
        return inner(value, path, found);
      };
    }
    return (value, path, found) => (value === undefined ? schema.default : inner(value, path, found));
  }

  function bare(schema: Schema): Check {
    if (schema.ref !== undefined) return model(schema.ref);
    switch (schema.dataType) {
      case 'any':
        return (value) => value;
      case 'undefined':
        return (value, path, found) => (value === undefined ? value : refuse(found, path, 'must not be given'));
      case 'string':
        return string(schema);
      case 'boolean':
        return boolean(source);
      case 'integer':
      case 'long':
      case 'float':
      case 'double':
        return number(schema, source, schema.dataType === 'integer' || schema.dataType === 'long');
      case 'enum':
        return oneOf(schema.enums ?? [], source);
      case 'array':
        return list(schema, check(schema.array ?? { dataType: 'any' }), source);
      case 'nestedObjectLiteral':
        return object(schema.nestedProperties ?? {}, schema.additionalProperties, check);
      case 'union':
        return union(
          (schema.subSchemas ?? []).map((sub) =>
            bare({ ...sub, validators: { ...schema.validators, ...sub.validators } }),
          ),
        );
      case 'intersection':
        return intersection((schema.subSchemas ?? []).map(bare));
      default:
        throw new Error(
          `The wire type ${schema.dataType} is not supported; use string, number, boolean, lists and interfaces.`,
        );
    }
  }

  /** Made when first asked for, since a model may contain itself; a body that nests one too deep is refused. */
  function model(name: string): Check {
    const lazy: Check = (value, path, found) => {
      if (path.length > maxDepth) return refuse(found, path, `is nested deeper than ${maxDepth} levels`);
      return made()(value, path, found);
    };
    function made(): Check {
      const known = named.get(name);
      if (known) return known;
      const definition = models[name];
      if (!definition) throw new Error(`The model ${name} is missing from the generated routes.`);
      const fresh =
        definition.dataType === 'refEnum'
          ? oneOf(definition.enums, source)
          : definition.dataType === 'refAlias'
            ? bare(definition.type)
            : object(definition.properties, definition.additionalProperties, check);
      named.set(name, fresh);
      return fresh;
    }
    return lazy;
  }

  return check;
}

function refuse(found: Issue[], path: IssuePath, message: string): undefined {
  found.push({ path: [...path], message });
  return undefined;
}

function allowsNothing(schema: Schema): boolean {
  return schema.dataType === 'any' || (schema.subSchemas ?? []).some((sub) => sub.dataType === 'undefined');
}

function limit(schema: Schema, name: string): number | undefined {
  const value = schema.validators?.[name]?.value;
  return typeof value === 'number' ? value : undefined;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function string(schema: Schema): Check {
  const min = limit(schema, 'minLength') ?? 0;
  const max = limit(schema, 'maxLength') ?? Number.POSITIVE_INFINITY;
  const { value: source, errorMsg } = schema.validators?.pattern ?? {};
  const pattern = typeof source === 'string' ? new RegExp(source) : undefined;
  return (value, path, found) => {
    if (typeof value !== 'string') return refuse(found, path, 'must be a string');
    if (isShorter(value, min)) return refuse(found, path, `must have at least ${plural(min, 'character')}`);
    if (isLonger(value, max)) return refuse(found, path, `must have at most ${plural(max, 'character')}`);
    if (pattern && !pattern.test(value)) return refuse(found, path, errorMsg ?? `must match ${source}`);
    return value;
  };
}

function boolean(source: Source): Check {
  return (value, path, found) => {
    if (typeof value === 'boolean') return value;
    if (source === 'text' && (value === 'true' || value === 'false')) return value === 'true';
    return refuse(found, path, 'must be true or false');
  };
}

const integerText = /^[-+]?\d{1,16}$/;
const numberText = /^[-+]?\d{1,300}(?:\.\d{1,300})?(?:[eE][-+]?\d{1,3})?$/;

function number(schema: Schema, source: Source, whole: boolean): Check {
  const min = limit(schema, 'minimum') ?? Number.NEGATIVE_INFINITY;
  const max = limit(schema, 'maximum') ?? Number.POSITIVE_INFINITY;
  const kind = whole ? 'an integer' : 'a number';
  const text = whole ? integerText : numberText;
  const from = min === Number.NEGATIVE_INFINITY ? '' : ` from ${min}`;
  const bounds = `must be an integer${from} up to ${max === Number.POSITIVE_INFINITY ? '2^53-1' : max}`;
  return (value, path, found) => {
    const given = source === 'text' && typeof value === 'string' && text.test(value) ? Number(value) : value;
    if (typeof given !== 'number' || !Number.isFinite(given)) return refuse(found, path, `must be ${kind}`);
    if (whole && !Number.isSafeInteger(given)) return refuse(found, path, bounds);
    if (given < min) return refuse(found, path, `must be at least ${min}`);
    if (given > max) return refuse(found, path, `must be at most ${max}`);
    return given;
  };
}

function oneOf(members: (string | number | boolean | null)[], source: Source): Check {
  const names = members.map((member) => JSON.stringify(member)).join(', ');
  const message = members.length === 1 ? `must be ${names}` : `must be one of ${names}`;
  return (value, path, found) => {
    const member = members.find(
      (m) => m === value || (source === 'text' && typeof value === 'string' && String(m) === value),
    );
    return member === undefined ? refuse(found, path, message) : member;
  };
}

function list(schema: Schema, item: Check, source: Source): Check {
  const min = limit(schema, 'minItems') ?? 0;
  const max = limit(schema, 'maxItems') ?? Number.POSITIVE_INFINITY;
  const unique = schema.validators?.uniqueItems !== undefined;
  return (value, path, found) => {
    const items: unknown[] | undefined = Array.isArray(value) ? value : source === 'text' ? [value] : undefined;
    if (!items) return refuse(found, path, 'must be a list');
    if (items.length < min) return refuse(found, path, `must have at least ${plural(min, 'item')}`);
    if (items.length > max) return refuse(found, path, `must have at most ${plural(max, 'item')}`);
    if (unique && new Set(items).size < items.length) return refuse(found, path, 'must not repeat an item');
    return items.map((one, i) => within(item, one, path, i, found));
  };
}

/** One message a place is enough, and a hostile body must not make millions. */
const maxIssues = 100;

function within(check: Check, value: unknown, path: IssuePath, key: string | number, found: Issue[]): unknown {
  if (found.length >= maxIssues) return undefined;
  path.push(key);
  const answer = check(value, path, found);
  path.pop();
  return answer;
}

function object(
  properties: Record<string, Schema>,
  additional: boolean | Schema | undefined,
  check: (s: Schema) => Check,
): Check {
  const known = Object.entries(properties).map(([key, schema]): [string, Check] => [key, check(schema)]);
  const names = new Set(Object.keys(properties));
  const rest = typeof additional === 'object' && additional.dataType !== 'any' ? check(additional) : undefined;
  return (value, path, found) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return refuse(found, path, 'must be an object');
    const given = value as Record<string, unknown>;
    const changed: [string, unknown][] = [];
    for (const [key, one] of known) {
      const before = Object.hasOwn(given, key) ? given[key] : undefined;
      const after = within(one, before, path, key, found);
      if (after !== before) changed.push([key, after]);
    }
    if (rest)
      for (const key of Object.keys(given)) {
        if (names.has(key)) continue;
        const after = within(rest, given[key], path, key, found);
        if (after !== given[key]) changed.push([key, after]);
      }
    return changed.length === 0 || found.length > 0
      ? value
      : Object.fromEntries([...Object.entries(given), ...changed]);
  };
}

/** The first branch that fits. Where none does, the issues of the branch that came furthest, if one got past its own kind. */
function union(branches: Check[]): Check {
  return (value, path, found) => {
    let closest: Issue[] | undefined;
    const own = new Set<string>();
    for (const branch of branches) {
      const issues: Issue[] = [];
      const answer = branch(value, path, issues);
      if (issues.length === 0) return answer;
      const here = issues.filter((issue) => issue.path.length === path.length);
      for (const issue of here) own.add(issue.message);
      if (here.length === 0 && (closest === undefined || issues.length < closest.length)) closest = issues;
    }
    if (closest) found.push(...closest);
    else refuse(found, path, [...own].join(', or '));
    return undefined;
  };
}

function intersection(parts: Check[]): Check {
  return (value, path, found) => parts.reduce((answer, part) => part(answer, path, found), value);
}
