import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useKeptState } from '../../components/use-kept.ts';
import { entityQuery } from '../entity/entity-queries.ts';
import type { TableRow } from './table-queries.ts';

/** The entities that are selected, with the version that was seen of each. */
export interface Selection {
  readonly size: number;
  readonly rows: readonly TableRow[];
  /** How many were selected while the table showed something else, so that they may not be among what it shows. */
  readonly elsewhere: number;
  /** How many were not selected with the others, since somebody changed them meanwhile. */
  readonly changed: number;
  has(id: string): boolean;
  toggle(row: TableRow): void;
  /** As many of these as can be selected at once, with those that are. */
  add(rows: readonly TableRow[], changed?: number): void;
  /** Selects these and no others. */
  replace(rows: readonly TableRow[], changed?: number): void;
  /** Leaves out those that were selected elsewhere. */
  keepShown(): void;
  clear(): void;
}

interface Chosen {
  row: TableRow;
  /** What the table showed. */
  filter: string;
}

const none: ReadonlyMap<string, Chosen> = new Map();

/** More at once would be more than a person means. */
export const mostSelected = 10_000;

/** `filter`: what the table shows of its collection; empty where it shows all of it. */
export function useSelection(filter: string): Selection {
  const queries = useQueryClient();
  const [chosen, setChosen] = useKeptState('selected', none, (before) => asSeenSince(queries, before));
  const [changed, setChanged] = useState(0);
  return useMemo(() => {
    const isShown = (one: Chosen) => filter === '' || one.filter === filter;
    return {
      size: chosen.size,
      rows: [...chosen.values()].map(({ row }) => row),
      elsewhere: [...chosen.values()].filter((one) => !isShown(one)).length,
      changed,
      has: (id) => chosen.has(id),
      toggle: (row) =>
        setChosen((old) => {
          const next = new Map(old);
          if (!next.delete(row.id) && !row.gone && next.size < mostSelected) next.set(row.id, { row, filter });
          return next;
        }),
      add: (rows, changed = 0) => {
        const fit = rows.filter((row) => !row.gone && !row.changed);
        setChanged(changed + rows.filter((row) => !row.gone && row.changed).length);
        setChosen((old) => {
          const next = new Map(old);
          for (const row of fit) if (next.has(row.id) || next.size < mostSelected) next.set(row.id, { row, filter });
          return next;
        });
      },
      replace: (rows, changed = 0) => {
        setChanged(changed);
        setChosen(new Map(rows.slice(0, mostSelected).map((row) => [row.id, { row, filter }])));
      },
      keepShown: () => setChosen((old) => new Map([...old].filter(([, one]) => isShown(one)))),
      clear: () => {
        setChanged(0);
        setChosen(new Map());
      },
    };
  }, [chosen, changed, filter, setChosen]);
}

/** What was selected, each in the version that has been looked at since, most likely one's own, where that is a newer one. */
function asSeenSince(queries: QueryClient, chosen: ReadonlyMap<string, Chosen>): ReadonlyMap<string, Chosen> {
  return new Map(
    [...chosen].map(([id, { row, filter }]) => {
      const seen = queries.getQueryData(entityQuery(id).queryKey);
      return [id, { row: seen && seen.ver > row.ver ? { ...row, ver: seen.ver, cid: seen.cid } : row, filter }];
    }),
  );
}
