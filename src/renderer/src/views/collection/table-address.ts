/** A condition on a column, as the address has it. */
export interface Condition {
  column: string;
  op: Operator;
  value?: string;
}

export const operators = ['contains', 'is', 'not', 'min', 'max', 'present', 'missing'] as const;
export type Operator = (typeof operators)[number];

/** So many the node takes. */
export const mostConditions = 20;

/** Whether an operator compares with something. */
export function takesValue(op: Operator): boolean {
  return op !== 'present' && op !== 'missing';
}

/** What a collection's address says of its table, so that a bookmark shows the same rows. */
export interface TableAddress {
  types?: string[];
  where?: Condition[];
  /** A column; newest created first if there is none. */
  sort?: string;
  order?: 'desc';
  /** The columns beside the label; those that most entities have if there are none. */
  columns?: string[];
}

/** So many columns are shown. */
const mostColumns = 60;

/**
 * Anything may stand in an address: what is no table is left out. Too many types or conditions are not, as other rows would be shown
 * without a word: the node refuses them.
 */
export function tableAddress(search: Record<string, unknown>): TableAddress {
  const types = texts(search.types);
  const columns = texts(search.columns).slice(0, mostColumns);
  const where = Array.isArray(search.where) ? search.where.flatMap(condition) : [];
  return {
    ...(types.length > 0 ? { types } : {}),
    ...(where.length > 0 ? { where } : {}),
    ...(typeof search.sort === 'string' ? { sort: search.sort } : {}),
    ...(search.order === 'desc' ? { order: 'desc' as const } : {}),
    ...(columns.length > 0 ? { columns } : {}),
  };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function condition(value: unknown): Condition[] {
  if (typeof value !== 'object' || value === null) return [];
  const { column, op, value: against } = value as Record<string, unknown>;
  const known = operators.find((one) => one === op);
  if (typeof column !== 'string' || !known) return [];
  return [{ column, op: known, ...(takesValue(known) ? { value: String(against ?? '') } : {}) }];
}

/** The place of the condition that the box above the table holds, the first one of the label; -1 where there is none. */
export function labelPlace(where: readonly Condition[]): number {
  return where.findIndex(({ column, op }) => column === 'label' && op === 'contains');
}

/** The conditions with that one replaced. */
export function withLabel(where: readonly Condition[] = [], part: string): Condition[] {
  const place = labelPlace(where);
  const others = where.filter((_, i) => i !== place);
  return part === '' ? others : [{ column: 'label', op: 'contains', value: part }, ...others];
}

export function labelPart(where: readonly Condition[] = []): string {
  return where[labelPlace(where)]?.value ?? '';
}
