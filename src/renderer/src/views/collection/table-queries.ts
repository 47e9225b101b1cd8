import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import type { TableAddress } from './table-address.ts';

export type TableRow = components['schemas']['TableRowView'];
export type Facets = components['schemas']['TableFacetsView'];
export type TablePage = components['schemas']['TablePageView'];

/** Rows come in pages of so many. */
export const pageSize = 100;

/** What decides the rows of a table and their order, and the cells that come with them. */
export interface TableWanted {
  collection: string;
  types?: string[] | undefined;
  where?: TableAddress['where'];
  sort?: string | undefined;
  order?: 'desc' | undefined;
  columns: string[];
}

/** One page of a table, cut from the order that `view` names. */
export function tablePage(wanted: TableWanted, page: number, view?: string) {
  return queryOptions({
    queryKey: ['table', wanted, view ?? null, page],
    queryFn: ({ signal }) => answered(fetchRows(wanted, { offset: page * pageSize, limit: pageSize, view }, signal)),
    // It is told when something has changed.
    staleTime: 60_000,
    gcTime: 60_000,
  });
}

/** Rows of a table from a place on; see `tablePage`. */
export function fetchRows(
  { collection, types, where, sort, order, columns }: TableWanted,
  { offset, limit, view }: { offset: number; limit: number; view: string | undefined },
  signal: AbortSignal,
) {
  const query = {
    ...(types?.length ? { types: JSON.stringify(types) } : {}),
    ...(where?.length ? { filter: JSON.stringify(where) } : {}),
    ...(sort ? { sort, order: order ?? ('asc' as const) } : {}),
    columns: JSON.stringify(columns),
    ...(view === undefined ? {} : { view }),
    offset,
    limit,
  };
  return api.GET('/node/collections/{id}/table', { params: { path: { id: collection }, query }, signal });
}

export function facetsQuery(collection: string, types: string[] | undefined) {
  return queryOptions({
    queryKey: ['facets', collection, types ?? []],
    queryFn: () =>
      answered(
        api.GET('/node/collections/{id}/facets', {
          params: { path: { id: collection }, query: types?.length ? { types: JSON.stringify(types) } : {} },
        }),
      ),
    placeholderData: (before) => before,
    staleTime: 60_000,
  });
}

/** What is rarely read in a table: the label is there already. */
const plumbing = /^(?:label|name|title|description|id)$|url|uri|thumbnail|_id$/i;

/** The columns that are shown unless the address says others: those that most of the entities have, of short values. */
export function usualColumns({ types, properties, sampled }: Facets, wanted: string[] | undefined): string[] {
  const ofOneType = types.length === 1 || wanted?.length === 1;
  const common = properties.filter(
    ({ name, present, kinds }) =>
      !plumbing.test(name) && kinds[0] !== 'object' && kinds.length > 0 && present * 5 > sampled,
  );
  return [...(ofOneType ? [] : ['type']), ...common.slice(0, 5).map(({ name }) => `properties.${name}`), 'updated_at'];
}
