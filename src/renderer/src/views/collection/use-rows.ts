import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { pageSize, type TablePage, type TableRow, type TableWanted, tablePage } from './table-queries.ts';

export interface Rows {
  /** How many there are; undefined until the first page has come. */
  total: number | undefined;
  /** The name of the order that the rows stand in. */
  view: string | undefined;
  error: Error | null;
  /** Whether what is shown is still that of what was wanted before. */
  late: boolean;
  retry(): void;
  /** The row of a place; undefined until it has come. It may be of the order before while that of this one is fetched. */
  at(index: number): TableRow | undefined;
  /** The row of a place in this order; undefined until it has come. */
  standing(index: number): TableRow | undefined;
  /** The place of an entity in this order; null where it is not among the rows that have come. */
  placeOf(id: string): number | null;
  /** The rows of a stretch of this order; undefined unless all of them have come. */
  stretch(first: number, last: number): TableRow[] | undefined;
}

/**
 * The rows of a table, fetched as they come into sight: `first` and `last` are the places that are shown. All pages are cut
 * from one order, the first page's; where that has become another one, old rows stay until the new ones are there.
 */
export function useRows(wanted: TableWanted | undefined, first: number, last: number): Rows {
  const head = useQuery({
    ...tablePage(wanted ?? { collection: '', columns: [] }, 0),
    enabled: wanted !== undefined,
    placeholderData: keepPreviousData,
  });
  const total = head.data?.total;
  const view = head.isPlaceholderData ? undefined : head.data?.view;
  const pages = wanted && view ? pagesOf(first, Math.min(last, (total ?? 0) - 1)) : [];
  const found = useQueries({ queries: pages.map((page) => tablePage(wanted!, page, view)) });

  // What was there last, page by page; it goes when something else is wanted.
  const known = useRef(new Map<number, TablePage>());
  const key = JSON.stringify(wanted);
  const lastKey = useRef(key);
  if (lastKey.current !== key && !head.isPlaceholderData) {
    lastKey.current = key;
    known.current = new Map();
  }
  useEffect(() => {
    for (const page of known.current.keys()) if (Math.abs(page - (pages[0] ?? 0)) > 50) known.current.delete(page);
  });
  if (head.data && !head.isPlaceholderData) known.current.set(0, head.data);
  for (const [i, { data }] of found.entries()) if (data) known.current.set(pages[i]!, data);

  const standing = (index: number) => {
    const page = known.current.get(Math.floor(index / pageSize));
    return page?.view === view ? page?.rows[index % pageSize] : undefined;
  };
  return {
    total,
    view,
    error: head.error ?? found.find(({ error }) => error)?.error ?? null,
    late: head.isPlaceholderData,
    retry: () => {
      void head.refetch();
      for (const one of found) if (one.isError) void one.refetch();
    },
    at: (index) => known.current.get(Math.floor(index / pageSize))?.rows[index % pageSize],
    standing,
    placeOf: (id) => {
      for (const [number, page] of known.current) {
        const place = page.view === view ? page.rows.findIndex((row) => row.id === id) : -1;
        if (place >= 0) return number * pageSize + place;
      }
      return null;
    },
    stretch: (first, last) => {
      const found: TableRow[] = [];
      for (let index = first; index <= last; index++) {
        const row = standing(index);
        if (row === undefined) return undefined;
        found.push(row);
      }
      return found;
    },
  };
}

/** The pages, but for the first, in which places lie. */
function pagesOf(first: number, last: number): number[] {
  const [from, to] = [Math.floor(Math.max(0, first) / pageSize), Math.floor(Math.max(0, last) / pageSize)];
  return Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((page) => page > 0);
}
