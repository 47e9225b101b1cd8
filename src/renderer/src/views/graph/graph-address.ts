import { isEntityId } from '../../api/entity-id.ts';

/** What the graph's address says, so that a bookmark shows the same picture. */
export interface GraphAddress {
  /** The entities whose relationships are shown, their ids with dots between: a short address even of many. */
  of?: string;
  /** Where paths begin and end. */
  from?: string;
  to?: string;
  /** How many relationships of each direction an entity shows at most. */
  most?: number;
  /** Predicates that are not shown; see `hiddenAtFirst` where there is none. */
  without?: string[];
  /** Types that are not shown. */
  withoutTypes?: string[];
}

/** So many entities can show their relationships at a time. */
export const mostOpen = 100;
/** What `most` may be, and what it is if nothing is said. */
export const measures = [50, 200, 1000] as const;
export const usualMost = 200;

/** Anything may stand in an address: what is no graph is left out. */
export function graphAddress(search: Record<string, unknown>): GraphAddress {
  const of = typeof search.of === 'string' ? joined(idsOf(search.of)) : undefined;
  const most = measures.find((one) => one === search.most);
  return {
    ...(of ? { of } : {}),
    ...(isId(search.from) ? { from: search.from } : {}),
    ...(isId(search.to) ? { to: search.to } : {}),
    ...(most ? { most } : {}),
    ...(Array.isArray(search.without) ? { without: names(search.without) } : {}),
    ...(Array.isArray(search.withoutTypes) ? { withoutTypes: names(search.withoutTypes) } : {}),
  };
}

export function idsOf(of: string | undefined): string[] {
  return [...new Set((of ?? '').split('.').filter(isId))].slice(0, mostOpen);
}

/** The ids as an address has them; nothing for none. */
export function joined(ids: readonly string[]): string | undefined {
  return ids.length > 0 ? ids.join('.') : undefined;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && isEntityId(value);
}

function names(values: unknown[]): string[] {
  return values.filter((one) => typeof one === 'string').slice(0, 200);
}
