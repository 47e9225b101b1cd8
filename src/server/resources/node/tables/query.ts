import type { Issue } from '../../../errors.ts';
import { jsonOrNull } from '../../../model/from-json.ts';
import { type Column, type Condition, columnOf, operators, type TableOrder } from '../../../model/table.ts';
import { refuse } from '../../entities/body.ts';

/** A table as a request asks for it. */
export interface TableQuery {
  types?: string | undefined;
  filter?: string | undefined;
  sort?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  columns?: string | undefined;
}

const maxConditions = 20;
const maxColumns = 60;
const maxTypes = 100;
const longest = 500;

const unknownColumn =
  'must be id, type, label, ver, created_at, updated_at, `properties.` and a name, or `relationships.` and a name';

/** What a request asks for. @throws ValidationError */
export function parseTable(
  collection: string,
  { types, filter, sort, order, columns }: TableQuery,
): { order: TableOrder; columns: Column[] } {
  const issues: Issue[] = [];
  const typeNames = list(types, 'types', maxTypes, issues);
  const shown = list(columns, 'columns', maxColumns, issues).map((name, i) => column(name, ['columns', i], issues));
  const by = sort === undefined ? null : column(sort, ['sort'], issues);
  const conditions = filterOf(filter, issues);
  refuse(issues);
  return {
    order: {
      collection,
      types: [...new Set(typeNames)].sort(),
      conditions,
      sort: by && { column: by, descending: order === 'desc' },
    },
    columns: shown.filter((one) => one !== null),
  };
}

/** The types alone, for the facets. @throws ValidationError */
export function parseTypes(types: string | undefined): string[] {
  const issues: Issue[] = [];
  const names = list(types, 'types', maxTypes, issues);
  refuse(issues);
  return names;
}

/** A JSON list of texts: names may hold any sign, so that none is left to part them. */
function list(text: string | undefined, name: string, most: number, issues: Issue[]): string[] {
  if (text === undefined) return [];
  const value = jsonOrNull(text);
  const texts = Array.isArray(value) && value.every((one) => typeof one === 'string' && one.length <= longest);
  if (texts && value.length <= most) return value;
  issues.push({ path: [name], message: `must be a JSON list of at most ${most} texts of ${longest} characters` });
  return [];
}

function column(name: string, path: (string | number)[], issues: Issue[]): Column | null {
  const found = name.length <= longest ? columnOf(name) : null;
  if (found === null) issues.push({ path, message: unknownColumn });
  return found;
}

function filterOf(text: string | undefined, issues: Issue[]): Condition[] {
  if (text === undefined) return [];
  const value = jsonOrNull(text);
  if (!Array.isArray(value) || value.length > maxConditions) {
    issues.push({ path: ['filter'], message: `must be a JSON list of at most ${maxConditions} conditions` });
    return [];
  }
  return value.flatMap((one: unknown, i) => {
    const condition = conditionOf(one);
    if (condition === null)
      issues.push({
        path: ['filter', i],
        message: `must be {column, op, value}: a column, one of ${operators.join(', ')}, and a text of ${longest} characters`,
      });
    return condition ?? [];
  });
}

function conditionOf(value: unknown): Condition | null {
  if (typeof value !== 'object' || value === null) return null;
  const { column: name, op, value: against = '' } = value as Record<string, unknown>;
  const known = operators.find((one) => one === op);
  if (typeof name !== 'string' || name.length > longest || known === undefined) return null;
  if (typeof against !== 'string' || against.length > longest) return null;
  const found = columnOf(name);
  return found && { column: found, op: known, value: against };
}
